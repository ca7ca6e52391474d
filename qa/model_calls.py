"""The calls of one question to the language model: named prompts, typed replies, and their cost."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from pydantic import BaseModel

from pipelines.core.knowledge import TagPair
from pipelines.llm.ask import Asked, CallEnding, ask
from pipelines.llm.chat import Chat, Usage
from pipelines.llm.prompt import Prompt
from pipelines.retrieve.stored_knowledge import StoredKnowledge
from qa.prompts.reply_types import TermsReply

T = TypeVar("T", bound=BaseModel)
_TAGS = 40
"""Maximum tags of the corpus in the prompt."""
WEIGHT = 0.5
"""Weight of a term that the model adds to a question; 0.3 to 1 give similar results (`benchmarks/terms`)."""
_MAX_TERMS = 3
"""Maximum terms for the same words, as in the prompt; a small model may copy all tags."""


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without a usable reply: the name of its prompt, the reason and a hint.

    `silent` is true if the endpoint did not reply at all, false if the reply was unusable.
    """

    role: str
    reason: str
    hint: str = ""
    silent: bool = True


class ModelCalls:
    """The calls of one question to a chat model.

    Args:
        chat: the client.
        prompts: a folder with prompts that replace the built-in ones.
        tries: maximum requests for a usable reply.
        endpoint: the name of the model's address, for the reasons of failed calls.

    `usage` counts the calls and tokens of all replies, `spent` only those not from the cache; `failed` are the calls
    without a usable reply, in order.
    """

    def __init__(self, chat: Chat, prompts: Path | None = None, tries: int = 3, endpoint: str = "") -> None:
        self._chat, self._prompts, self._tries, self._endpoint = chat, prompts, tries, endpoint
        self.usage = Usage()
        self.spent = Usage()
        self.failed: list[FailedCall] = []

    @property
    def failure(self) -> FailedCall | None:
        """The first call without any reply, or None if there were replies to all."""
        return next((call for call in self.failed if call.silent), None)

    async def ask(self, prompt: str, reply: type[T], *, tokens: int = 512, **values: str) -> Asked[T]:
        """Return the model's reply to a prompt of `qa/prompts` as a value of type `reply`.

        After an unusable reply the request is repeated. `tokens` is the maximum length of the reply, `values` are those
        of the prompt's placeholders. A failed call does not raise: the result describes it, and it is added to
        `failed`. Raises `BudgetExceeded`.
        """
        messages = Prompt.load("qa", prompt, self._prompts).messages("en", (), **values)
        asked = await ask(self._chat, messages, reply, role=prompt, max_tokens=tokens, tries=self._tries)
        self.usage += replace(asked.usage, calls=asked.tries - (asked.ending is CallEnding.FAILED))
        self.spent += asked.usage if asked.usage.calls else Usage()
        if asked.failure is not None:
            reason = f"{asked.failure.reason} ({self._endpoint})" if self._endpoint else asked.failure.reason
            self.failed.append(FailedCall(prompt, reason, asked.hint, asked.ending is CallEnding.FAILED))
        return asked


async def question_terms(question: str, knowledge: StoredKnowledge, model: ModelCalls) -> tuple[TagPair, ...]:
    """Return pairs of words of a question and the documents' terms for them, from a model that sees similar tags.

    If a chunk has enough of the question's words, the model is not asked. Pairs whose words are not in the question are
    dropped. Raises `BudgetExceeded`; failed calls are in `model.failed`.

    For "Which number do I turn off on the phone card?": `TagPair("phone card", "SIM card", 0.5)`.
    """
    if knowledge.has_words_of(question):
        return ()
    tags = "; ".join(knowledge.tags_near(question, _TAGS))
    languages = ", ".join(knowledge.languages) or "that of the question"
    asked = await model.ask("terms", TermsReply, tokens=200, question=question, tags=tags, languages=languages)
    folded = question.casefold()
    found = [
        TagPair(pair.said, term, WEIGHT)
        for pair in (asked.value.pairs if asked.value else [])
        if pair.said and pair.said.casefold() in folded
        for term in pair.terms[:_MAX_TERMS]
    ]
    return tuple(dict.fromkeys(one for one in found if one.corpus_tag and one.corpus_tag.casefold() not in folded))
