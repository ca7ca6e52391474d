"""The baselines of PIKE-RAG (6.1): chain of thought, naive RAG and self-ask.

They are closed book, or use one of two searches: flat retrieval ("w/ R") or both paths of figure 11 ("w/ H-R").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pipelines.llm.ask import CallEnding
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.shown_passages import fitting, render
from qa.answer import Answer, Step
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import FollowUpReply, RecallReply, ShortReply
from qa.settings import AnswerSettings
from qa.strategies.strategy import Attempt, answer_closed_book, answer_from, in_rounds, passage_steps

Search = Callable[[str, Retrieval, AnswerSettings], tuple[Hit, ...]]
UNKNOWN = "unknown"
"""The answer to a follow-up question that the model cannot answer."""


def flat(query: str, retrieval: Retrieval, settings: AnswerSettings) -> tuple[Hit, ...]:
    """Return the results of flat retrieval: by default up to 16 chunks with a similarity of at least 0.2."""
    return retrieval.chunks(query, settings.flat_chunks, settings.flat_threshold)


def hierarchical(query: str, retrieval: Retrieval, settings: AnswerSettings) -> tuple[Hit, ...]:
    """Return the chunks of path (a), by default up to 16, and those of up to 4 atoms of path (b), each once."""
    direct = retrieval.chunks(query, settings.chunks, settings.threshold)
    through = retrieval.atoms(query, settings.atoms, settings.delta)
    merged = {hit.chunk.id: hit for hit in (*direct, *(atom.hit for atom in through))}
    return tuple(sorted(merged.values(), key=lambda hit: -hit.score))


async def cot(question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings) -> Answer:
    """Return the model's own answer by chain of thought, without citations."""
    asked = await model.ask("cot", RecallReply, tokens=600, question=question)
    return answer_closed_book(Attempt(question, retrieval, model, settings), asked.value)


async def naive(
    question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings, search: Search = flat
) -> Answer:
    """Naive RAG, w/ R or w/ H-R depending on `search`: return an answer from the chunks found for the question."""
    attempt = Attempt(question, retrieval, model, settings)
    hits = search(question, retrieval, settings)
    attempt.trace.append(Step("retrieved", f"{len(hits)} chunks", None, passage_steps(hits)))
    return await answer_from(attempt, hits)


async def self_ask(question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings) -> Answer:
    """Self-ask (Press et al. 2023), closed book: return the answer after the model has answered its own questions."""
    dialogue = _Dialogue(Attempt(question, retrieval, model, settings), lambda *_: ())
    await dialogue.hold()
    asked = await model.ask("conclude", RecallReply, tokens=300, notes=dialogue.text, question=question)
    return answer_closed_book(dialogue.attempt, asked.value)


async def self_ask_from(
    question: str, retrieval: Retrieval, model: ModelCalls, settings: AnswerSettings, search: Search = flat
) -> Answer:
    """Self-ask, w/ R or w/ H-R depending on `search`: follow-up questions are answered from chunks found for them."""
    dialogue = _Dialogue(Attempt(question, retrieval, model, settings), search)
    await dialogue.hold()
    hits = tuple(dialogue.passages.values()) or dialogue.find(question)
    notes = f"\nWorked out so far:\n{dialogue.text}\n" if dialogue.notes else ""
    return await answer_from(dialogue.attempt, hits, notes)


@dataclass(slots=True)
class _Dialogue:
    """The follow-up questions with their answers so far, and the passages read for them."""

    attempt: Attempt
    search: Search
    notes: list[tuple[str, str]] = field(default_factory=list)
    passages: dict[str, Hit] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The questions and answers for the prompt."""
        return "\n".join(f"{question} - {answer}" for question, answer in self.notes) or "(nothing yet)"

    async def hold(self) -> None:
        """Ask follow-up questions until the model has none left, repeats itself, fails, or the rounds are used up."""
        limit = self.attempt.settings.rounds
        await in_rounds(limit, self._round, self.attempt.trace, f"limit of {limit} rounds")

    async def _round(self, number: int) -> str | None:
        """Ask one follow-up question; after an unusable reply, the question itself, once."""
        model, question = self.attempt.model, self.attempt.question
        asked = await model.ask("follow_up", FollowUpReply, tokens=200, question=question, notes=self.text)
        if asked.ending is CallEnding.NOTHING:
            return "no more questions"
        if asked.ending is CallEnding.FAILED:
            self.attempt.trace.append(Step("failed", model.failed[-1].reason))
            return ""
        following = " ".join(asked.value.question.split()) if asked.value else question
        if any(following == before for before, _ in self.notes):
            return f"asked again: {following}"
        unusable = () if asked.value else (Step("unusable", asked.problem),)
        step = await self._follow_up(following)
        self.attempt.trace.append(Step("round", f"round {number}", None, (*unusable, step)))
        return None if model.failure is None else ""

    async def _follow_up(self, question: str) -> Step:
        """Answer one follow-up question, and return its trace step."""
        model, room = self.attempt.model, self.attempt.settings.context_tokens
        hits = fitting(self.find(question), room)
        shown = render(hits, room, question)
        asked = await model.ask("follow_up_answer", ShortReply, tokens=100, passages=shown, question=question)
        self.passages |= {hit.chunk.id: hit for hit in hits if hit.chunk.id not in self.passages}
        if asked.ending is CallEnding.FAILED:
            return Step("failed", f"{question}: {model.failed[-1].reason}", None, passage_steps(hits))
        answer = (" ".join(asked.value.answer.split()) if asked.value else "") or UNKNOWN
        self.notes.append((question, answer))
        return Step("asked", f"{question} - {answer}", None, passage_steps(hits))

    def find(self, query: str) -> tuple[Hit, ...]:
        return self.search(query, self.attempt.retrieval, self.attempt.settings)
