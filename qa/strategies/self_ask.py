"""Self-Ask: simpler questions asked and answered one by one (Press et al. 2023; PIKE-RAG 6.1), closed book."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipelines.llm.ask import Ending
from pipelines.retrieve.hit import Hit
from qa.answer import Answer, Step
from qa.language import Language
from qa.ports import Knowledge
from qa.prompts.replies import FollowUpReply, RecallReply, ShortReply
from qa.reading import fitting, render
from qa.strategies.cot import recalled
from qa.strategies.settings import AnswerSettings

Find = Callable[[str], tuple[Hit, ...]]
"""Retrieval for a follow-up question."""
UNKNOWN = "unknown"


@dataclass(slots=True)
class Dialogue:
    """What has been asked and answered so far, the passages that were read, and the trace."""

    notes: list[tuple[str, str]] = field(default_factory=list)
    passages: dict[str, Hit] = field(default_factory=dict)
    trace: list[Step] = field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(f"{question} - {answer}" for question, answer in self.notes) or "(nothing yet)"


async def self_ask(question: str, knowledge: Knowledge, language: Language, settings: AnswerSettings) -> Answer:
    """Return the answer that follows from the model's own answers to its own questions; it cites nothing."""
    dialogue = await converse(question, language, settings, lambda _: ())
    asked = await language.ask("conclude", RecallReply, room=300, notes=dialogue.text, question=question)
    return recalled("self-ask", question, asked.value, language, tuple(dialogue.trace))


async def converse(question: str, language: Language, settings: AnswerSettings, find: Find) -> Dialogue:
    """Ask follow-ups until the model has none left, repeats itself, or the rounds are used up.

    An unusable reply is not taken for "none left": the question itself is then asked, once. A call that the endpoint
    does not answer ends the dialogue.
    """
    dialogue = Dialogue()
    for number in range(1, settings.rounds + 1):
        asked = await language.ask("follow_up", FollowUpReply, room=200, question=question, notes=dialogue.text)
        if asked.ending is Ending.NOTHING:
            dialogue.trace.append(Step("stop", "no more questions"))
            break
        if asked.ending is Ending.FAILED:
            dialogue.trace.append(Step("failed", language.troubles[-1].reason))
            break
        following = " ".join(asked.value.question.split()) if asked.value else question
        if any(following == before for before, _ in dialogue.notes):
            dialogue.trace.append(Step("stop", f"asked again: {following}"))
            break
        problem = () if asked.value else (Step("unusable", asked.problem),)
        await _answer(number, following, dialogue, language, settings, find, problem)
        if language.failure is not None:
            break
    else:
        dialogue.trace.append(Step("stop", f"limit of {settings.rounds} rounds"))
    return dialogue


async def _answer(
    number: int,
    following: str,
    dialogue: Dialogue,
    language: Language,
    settings: AnswerSettings,
    find: Find,
    steps: tuple[Step, ...],
) -> None:
    hits = fitting(find(following), settings.context_tokens)
    passages = render(hits, settings.context_tokens, following)
    asked = await language.ask("follow_up_answer", ShortReply, room=100, passages=passages, question=following)
    dialogue.passages |= {hit.chunk.id: hit for hit in hits if hit.chunk.id not in dialogue.passages}
    found = tuple(Step("passage", f"{hit.uri}: {' > '.join(hit.chunk.heading_path)}", hit.score) for hit in hits)
    if asked.ending is Ending.FAILED:
        failed = Step("failed", f"{following}: {language.troubles[-1].reason}", None, found)
        dialogue.trace.append(Step("round", f"round {number}", None, (*steps, failed)))
        return
    answer = (" ".join(asked.value.answer.split()) if asked.value else "") or UNKNOWN
    dialogue.notes.append((following, answer))
    text = f"{following} - {answer}"
    dialogue.trace.append(Step("round", f"round {number}", None, (*steps, Step("asked", text, None, found))))
