"""Tag classes named by a model: the commonest terms of the sample, in one call."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from pipelines.atomize.tag_classes import KINDS, NAMED_KINDS, UNNAMED_KIND, commonest, distinct_classes, kind_of_name
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.outcome import Outcome
from pipelines.llm.ask import Ending, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence

ROLE = "classes"
MOST_INDUCED = 2
"""Kinds that a model may add: each one costs tokens in every reply."""
_SHOWN_TERMS = 60
_REPLY_TOKENS = 600
_SAME = 0.5
"""Cosine from which two classes are one."""


class ClassReply(BaseModel):
    """One kind of terms."""

    name: str = Field(max_length=40)
    description: str = Field("", max_length=160)


def _named(value: object) -> list[object]:
    items = value if isinstance(value, list) else []
    return [{"name": item} if isinstance(item, str) else item for item in items][:MOST_INDUCED]


class ClassesReply(BaseModel):
    """The kinds of terms of a corpus."""

    classes: Annotated[list[ClassReply], BeforeValidator(_named), Field(max_length=MOST_INDUCED)]


class ModelClasses:
    """Shows a model the commonest terms of the sample that are no names, in one call, and adds what it sees to `KINDS`.

    An unusable reply adds nothing; only a call that failed is a failure, for asking again may help there.
    """

    def __init__(self, chat: Chat, embedder: Embedder, overrides: Path | None = None) -> None:
        self._chat = chat
        self._embedder = embedder
        self._prompt = Prompt.load("pipelines.atomize", "classes", overrides)

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> Outcome[TagClass]:
        messages = self._messages(sample, language)
        if not messages:
            return Outcome(distinct_classes((kind, "") for kind in KINDS))
        asked = await ask(self._chat, messages, ClassesReply, role=ROLE, max_tokens=_REPLY_TOKENS)
        if asked.failure is not None and asked.ending is Ending.FAILED:
            return Outcome(failures=(asked.failure,))
        replies = asked.value.classes if asked.value else []
        induced = [(" ".join(one.name.split()), " ".join(one.description.split())) for one in replies]
        named, unnamed = [(kind, "") for kind in NAMED_KINDS], [(UNNAMED_KIND, "")]
        return Outcome(distinct_classes([*named, *self._other(induced), *unnamed]))

    def _other(self, induced: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Leave out what is one of `KINDS` in other words."""
        if not induced:
            return []
        cosines = self._embedder.embed([name for name, _ in induced]) @ self._embedder.embed(KINDS).T
        return [one for one, row in zip(induced, cosines, strict=True) if row.max() < _SAME]

    def _messages(self, sample: Sequence[ChunkTag], language: str) -> tuple[Message, ...]:
        terms = commonest([tag for tag in sample if not kind_of_name(tag.text)], _SHOWN_TERMS)
        if not terms:
            return ()
        return self._prompt.messages(
            language=language,
            known=", ".join(NAMED_KINDS),
            terms=fence("; ".join(terms), "terms"),
            count=str(MOST_INDUCED),
        )
