"""The calls of one question to the language model: named prompts in, typed replies out, with an account of the cost."""

from __future__ import annotations

import json
import re
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
"""Tags of the corpus that the model is shown."""
WEIGHT = 0.5
"""What a word counts that the model put beside those of the question: 0.3 to 1 do alike (`benchmarks/terms`)."""
_MOST = 3
"""Terms for the same words of a question, as the prompt asks: a small model may copy all that it is shown."""
_TEXTS = re.compile(r'"(?:text|answer|question)"\s*:\s*"((?:[^"\\]|\\.)*)("?)')


@dataclass(frozen=True, slots=True)
class FailedCall:
    """A call without a usable reply: its prompt, why it failed, and what can be done about it.

    `silent` is true where the endpoint gave no reply at all, false where it gave none that could be used.
    """

    role: str
    reason: str
    hint: str = ""
    silent: bool = True


class ModelCalls:
    """The calls of one question to a chat model.

    Args:
        chat: the client that is called.
        prompts: the folder of the knowledge base whose prompts take the place of the shipped ones.
        tries: how often a call is made until its reply can be used.
        endpoint: the name of the model's address in the reasons of failed calls.

    `usage` counts the calls and tokens of all replies, `spent` leaves out those from the cache; `failed` are the calls
    without a usable reply, in order.
    """

    def __init__(self, chat: Chat, prompts: Path | None = None, tries: int = 3, endpoint: str = "") -> None:
        self._chat, self._prompts, self._tries, self._endpoint = chat, prompts, tries, endpoint
        self.usage = Usage()
        self.spent = Usage()
        self.failed: list[FailedCall] = []

    @property
    def failure(self) -> FailedCall | None:
        """The first call to which the endpoint gave no reply, None where it replied to all."""
        return next((call for call in self.failed if call.silent), None)

    async def ask(self, prompt: str, reply: type[T], *, room: int = 512, **values: str) -> Asked[T]:
        """Return the model's reply to a prompt of `qa/prompts` as a value of type `reply`.

        An unusable reply is asked for again. `room` is how many tokens the reply may have, `values` fill the prompt's
        placeholders. A call that fails raises nothing: it is told by the result and added to `failed`. Raises
        `BudgetExceeded`.
        """
        messages = Prompt.load("qa", prompt, self._prompts).messages("en", (), **values)
        asked = await ask(self._chat, messages, reply, role=prompt, max_tokens=room, tries=self._tries)
        self.usage += replace(asked.usage, calls=asked.tries - (asked.ending is CallEnding.FAILED))
        self.spent += asked.usage if asked.usage.calls else Usage()
        if asked.failure is not None:
            reason = f"{asked.failure.reason} ({self._endpoint})" if self._endpoint else asked.failure.reason
            self.failed.append(FailedCall(prompt, reason, asked.hint, asked.ending is CallEnding.FAILED))
        return asked


def readable(reply: str) -> str:
    """Return the texts that the beginning of a JSON reply holds, one a line, the last one as far as it has come."""
    return "\n".join(_text(match.group(1)) for match in _TEXTS.finditer(reply) if match.group(1))


def _text(escaped: str) -> str:
    try:
        return str(json.loads(f'"{escaped}"'))
    except json.JSONDecodeError:
        return escaped


async def question_terms(question: str, knowledge: StoredKnowledge, model: ModelCalls) -> tuple[TagPair, ...]:
    """Return pairs that lead from words of a question to terms of the documents.

    There are none, and the model is not asked, where a chunk has enough of the question's words. The model sees the
    tags near to the question; a pair counts if its words stand there. Raises `BudgetExceeded`; see `model.failed`.

    For "Which number do I turn off on the phone card?": `TagPair("phone card", "SIM card", 0.5)`.
    """
    if knowledge.has_words_of(question):
        return ()
    tags = "; ".join(knowledge.tags_near(question, _TAGS))
    languages = ", ".join(knowledge.languages) or "that of the question"
    asked = await model.ask("terms", TermsReply, room=200, question=question, tags=tags, languages=languages)
    said = question.casefold()
    found = [
        TagPair(pair.said, term, WEIGHT)
        for pair in (asked.value.pairs if asked.value else [])
        if pair.said and pair.said.casefold() in said
        for term in pair.terms[:_MOST]
    ]
    return tuple(dict.fromkeys(one for one in found if one.corpus_tag and one.corpus_tag.casefold() not in said))
