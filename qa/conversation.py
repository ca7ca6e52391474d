"""A conversation: follow-up questions are rewritten as standalone questions, then answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pipelines.lang.follow_up import joined, refers_back
from qa.answer import Answer, Step
from qa.model_calls import ModelCalls
from qa.prompts.reply_types import StandaloneReply

Ask = Callable[[str], Awaitable[Answer]]


@dataclass(frozen=True, slots=True)
class Exchange:
    """A question as asked and as rewritten, with its answer."""

    asked: str
    understood: str
    answer: Answer


class Conversation:
    """A conversation, in which questions may refer to earlier ones; created by `KnowledgeBase.conversation`.

    Args:
        ask: answers a standalone question.
        model_calls: returns the language model that rewrites follow-up questions, or None.
        history: the number of preceding exchanges used for rewriting.
        before: the exchanges of an earlier conversation to continue.
        languages: the languages of the documents, the most frequent first (ISO 639-1).

    `turns` are the exchanges so far.

        talk = knowledge.conversation()
        await talk.say("What does the pump weigh?")
        answer = await talk.say("And its motor?")
    """

    def __init__(
        self,
        ask: Ask,
        model_calls: Callable[[], ModelCalls | None],
        history: int = 4,
        before: Sequence[Exchange] = (),
        languages: Sequence[str] = ("en",),
    ) -> None:
        self._ask, self._model_calls, self._history, self._languages = ask, model_calls, history, languages
        self.turns: list[Exchange] = list(before)

    async def say(self, question: str) -> Answer:
        """Return the answer to `question`, which may refer to earlier ones. Raises the errors of `ask`."""
        before = self.turns[-self._history :] if self._history else []
        rewritten, warnings = await self._rewritten(question, before)
        understood, answer = await self._understood(question, rewritten, before)
        answer = replace(answer, warnings=(*warnings, *answer.warnings))
        if understood != question:
            answer = replace(answer, trace=(Step("rewritten", understood), *answer.trace))
        self.turns.append(Exchange(question, understood, answer))
        return answer

    async def _rewritten(self, question: str, before: Sequence[Exchange]) -> tuple[str, tuple[str, ...]]:
        """Return the question as rewritten by the model, "" without one, and warnings."""
        model = self._model_calls() if before else None
        if model is None:
            return "", ()
        history = "\n".join(f"Q: {turn.understood}\nA: {turn.answer.text}" for turn in before)
        asked = await model.ask("rewrite", StandaloneReply, tokens=200, history=history, question=question)
        rewritten = " ".join(asked.value.question.split()) if asked.value else ""
        return rewritten, tuple(f"The question was not rewritten by the model: {call.reason}." for call in model.failed)

    async def _understood(self, question: str, rewritten: str, before: Sequence[Exchange]) -> tuple[str, Answer]:
        """Return the standalone question with its answer.

        A question that may, but need not refer to the previous one is asked alone too if the answer is doubtful; the
        answer without a doubt, or with the higher confidence, is returned.
        """
        previous = before[-1].understood if before else ""
        understood = rewritten or (joined(question, previous, self._languages) if before else question)
        answer = await self._ask(understood)
        certain = understood in (question, rewritten) or refers_back(question, previous, self._languages)
        if certain or _certainty(answer)[0]:
            return understood, answer
        alone = await self._ask(question)
        return (question, alone) if _certainty(alone) > _certainty(answer) else (understood, answer)


def _certainty(answer: Answer) -> tuple[bool, float]:
    """Return whether nothing is doubtful about an answer, and its confidence."""
    return not (answer.abstained or answer.warnings), 0.0 if answer.abstained else answer.confidence or 0.0
