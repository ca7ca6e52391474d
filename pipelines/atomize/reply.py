"""The reply of a model about a chunk. Errors of form that small models make are corrected, not refused.

The JSON schema of these classes, docstrings included, is part of the key of cached replies: a change of either makes
all chunks be asked again.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, Field, WithJsonSchema, create_model

_LONGEST_TERM, _LONGEST_QUESTION = 80, 240
_TERM = {"type": "string", "maxLength": _LONGEST_TERM}
_OF_A_KIND = 3
"""Maximum terms of a kind."""
_KEYS = {
    "subject": ("subject", "head", "source"),
    "relation": ("relation", "predicate", "type"),
    "object": ("object", "tail", "target"),
}
"""The parts of a fact, and the keys that models use for each."""


def _text(value: object) -> str:
    """Return a text or number as text, of an object the first one in it, else an empty text."""
    if isinstance(value, dict):
        return next((text for item in value.values() if (text := _text(item))), "")
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _texts(value: object) -> list[str]:
    items = value if isinstance(value, list) else [value]
    return [text for item in items if (text := _text(item))]


def _facts(value: object) -> list[dict[str, str]]:
    """Return the facts written as objects, as lists of three or as texts divided by "|"; others are left out."""
    items = value if isinstance(value, list) else []
    return [fact for item in items if len(fact := _fact(item)) == len(_KEYS) and all(fact.values())]


def _fact(item: object) -> dict[str, str]:
    if isinstance(item, dict):
        return {part: _text(next((item[name] for name in names if name in item), "")) for part, names in _KEYS.items()}
    texts = item.split("|") if isinstance(item, str) else _texts(item)
    return dict(zip(_KEYS, map(_text, texts), strict=False)) if len(texts) == len(_KEYS) else {}


def _cut(length: int) -> BeforeValidator:
    return BeforeValidator(lambda value: _text(value)[:length])


def _at_most(number: int, read: Callable[[object], list[Any]]) -> BeforeValidator:
    return BeforeValidator(lambda value: read(value)[:number])


Term = Annotated[str, _cut(_LONGEST_TERM), Field(max_length=_LONGEST_TERM)]
Question = Annotated[str, _cut(_LONGEST_QUESTION), Field(max_length=_LONGEST_QUESTION)]
TermsOfAKind = Annotated[list[Term], _at_most(_OF_A_KIND, _texts), Field(max_length=_OF_A_KIND)]


Shape = tuple[tuple[str, ...], int, int]
"""Kinds of tags, and the maximum numbers of facts and questions."""


class Fact(BaseModel):
    """One relation between two things that the chunk names."""

    subject: Term
    relation: Term
    object: Term


class Tags(BaseModel):
    """The key terms of a chunk; each field is a kind of them."""

    def by_kind(self) -> dict[str, list[str]]:
        return {name: getattr(self, name) for name in type(self).model_fields}


class ChunkReply(BaseModel):
    """All that one reply says of a chunk, in the order in which it is written.

    `shape` is what `chunk_reply` made the type of.
    """

    shape: ClassVar[Shape] = ((), 0, 0)

    tags: Tags = Tags()
    facts: list[Fact] = Field(default_factory=list)
    questions: list[Question] = Field(default_factory=list)

    def says_nothing(self) -> bool:
        return not (self.facts or self.questions or any(self.tags.by_kind().values()))


@lru_cache(maxsize=64)
def chunk_reply(kinds: tuple[str, ...], facts: int, questions: int) -> type[ChunkReply]:
    """Return the reply type with these kinds of tags, and so many facts and questions at most.

    The limits hold a model back by its schema; what a reply has beyond them is cut off. A fact is asked for as a list
    of three texts: as an object it takes twice the tokens, as one text small models forget what divides it.
    """
    fields: dict[str, Any] = {kind: (TermsOfAKind, Field(default_factory=list)) for kind in kinds}
    tags = create_model("Tags", __base__=Tags, **fields)
    some_facts = Annotated[list[Fact], _at_most(facts, _facts), WithJsonSchema(_array(_array(_TERM, 3, 3), facts))]
    some_questions = Annotated[list[Question], _at_most(questions, _texts), Field(max_length=questions)]
    made = create_model(
        "ChunkReply",
        __base__=ChunkReply,
        tags=(Annotated[tags, BeforeValidator(_by_kind)], tags()),
        facts=(some_facts, Field(default_factory=list)),
        questions=(some_questions, Field(default_factory=list)),
    )
    made.shape = (kinds, facts, questions)
    return made


def _array(items: dict[str, Any], most: int, least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


def _by_kind(value: object) -> object:
    return value if isinstance(value, dict | Tags) else {}
