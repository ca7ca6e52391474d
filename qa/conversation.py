"""A conversation: follow-up questions are rewritten as standalone questions, then answered."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace

from pipelines.lang.follow_up import joined
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

    `turns` are the exchanges so far.

        talk = knowledge.conversation()
        await talk.say("What does the pump weigh?")
        answer = await talk.say("And its motor?")
    """

    def __init__(
        self, ask: Ask, model_calls: Callable[[], ModelCalls | None], history: int = 4, before: Sequence[Exchange] = ()
    ) -> None:
        self._ask, self._model_calls, self._history = ask, model_calls, history
        self.turns: list[Exchange] = list(before)

    async def say(self, question: str) -> Answer:
        """Return the answer to `question`, which may refer to earlier ones. Raises the errors of `ask`."""
        before = self.turns[-self._history :] if self._history else []
        understood, warnings = await self._standalone(question, before)
        answer = await self._ask(understood)
        answer = replace(answer, warnings=(*warnings, *answer.warnings))
        if understood != question:
            answer = replace(answer, trace=(Step("rewritten", understood), *answer.trace))
        self.turns.append(Exchange(question, understood, answer))
        return answer

    async def _standalone(self, question: str, before: Sequence[Exchange]) -> tuple[str, tuple[str, ...]]:
        """Return the standalone question, and warnings."""
        if not before:
            return question, ()
        model = self._model_calls()
        if model is None:
            return joined(question, before[-1].understood), ()
        history = "\n".join(f"Q: {turn.understood}\nA: {turn.answer.text}" for turn in before)
        asked = await model.ask("rewrite", StandaloneReply, tokens=200, history=history, question=question)
        rewritten = " ".join(asked.value.question.split()) if asked.value else ""
        warnings = tuple(f"The question was not rewritten by the model: {call.reason}." for call in model.failed)
        return rewritten or joined(question, before[-1].understood), warnings
