"""Tag classes: the kinds of a corpus's terms, induced from a sample of its tags (PIKE-RAG figure 7).

The kinds of names (person, organization, ...) are the same in every corpus; a model induces the kinds of the other
terms ("component", "failure mode"; `ModelClasses`). Without a model, a tag's kind is determined by its form
(`kind_of`). Clustering of word vectors was tried and rejected: it put "pump" in a class "pressure" and "February 2025"
in "变送器".
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, BeforeValidator, Field

from pipelines.atomize.name_recognition import find_names
from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.outcome import Outcome
from pipelines.core.vectors import Vectors
from pipelines.llm.ask import CallEnding, ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence

UNNAMED_KIND = "term"
"""The kind of a tag that is a common term, not a name."""
NAMED_KINDS = ("person", "organization", "place", "product")
KINDS = (*NAMED_KINDS, UNNAMED_KIND)
"""The kinds of tags if no others are configured or induced."""
_LONGEST_NAME = 3
"""Maximum words of a class's name."""
_SAME_CLASS = 0.45
"""Minimum cosine between a term and its class."""
ROLE = "classes"
MOST_INDUCED = 2
"""Maximum classes that a model may add to `KINDS`: each costs tokens in every reply about a chunk."""
_SHOWN_TERMS = 60
"""Terms of the sample in the prompt."""
_REPLY_TOKENS = 600
_SAME_MEANING = 0.5
"""Minimum cosine of two class names that count as one class."""


def sample_of(tags: Iterable[ChunkTag], size: int = 400) -> list[ChunkTag]:
    """Return at most `size` tags of randomly chosen chunks; the same corpus always gives the same sample."""
    # Ids are digests of content, so their order is random.
    ordered = sorted(tags, key=lambda tag: (tag.chunk, -tag.weight, tag.tag))
    return ordered[:size]


def kind_of_name(term: str) -> str:
    """Return the type of a name, see `RecognizedName`; "name" for one without a type, "" for a term that is no name."""
    (name, *_) = find_names(term, ()) or (None,)
    return (name.type or "name") if name is not None and name.surface == term else ""


def kind_of(term: str) -> str:
    """Return the kind of a tag by its form: `kind_of_name`, or `UNNAMED_KIND` if it is not a name."""
    return kind_of_name(term) or UNNAMED_KIND


def commonest(sample: Sequence[ChunkTag], limit: int) -> list[str]:
    """Return the `limit` most frequent tag texts of a sample, the most frequent first."""
    counts = Counter(tag.text for tag in sample)
    return sorted(counts, key=lambda text: (-counts[text], text))[:limit]


def distinct_classes(named: Iterable[tuple[str, str]]) -> tuple[TagClass, ...]:
    """Return the classes of pairs of name and description, each name once; names that are too long are omitted."""
    found: dict[str, TagClass] = {}
    for name, description in named:
        if name and len(name.split()) <= _LONGEST_NAME:
            found.setdefault(normalize(name), TagClass(TagClass.make_id(name), normalize(name), description))
    return tuple(found.values())


def classify(terms: Collection[str], classes: Sequence[TagClass], embedder: Embedder) -> dict[str, str]:
    """Return the class of each term: its kind by form; or if `classes` are given, the nearest in meaning, else none.

    >>> classify(["P-101A", "feed pump"], (), embedder)
    {'P-101A': 'identifier', 'feed pump': 'term'}
    """
    if not terms or not classes:
        return {term: kind_of(term) for term in terms}
    names = [one.name for one in classes]
    cosines = embedder.embed([*terms]) @ embedder.embed([f"{one.name}: {one.description}" for one in classes]).T
    return {term: _class_of(term, names, row) for term, row in zip(terms, cosines, strict=True)}


def _class_of(term: str, names: Sequence[str], cosines: Vectors) -> str:
    kind = kind_of_name(term)
    if kind in names:
        return kind
    best = int(np.argmax(cosines))
    return names[best] if not kind and cosines[best] >= _SAME_CLASS else ""


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
    """Induces classes by one model call: `KINDS`, plus those that it names for the sample's most frequent terms.

    An unusable reply adds no class. A failed call is returned as the outcome's failure, because a retry may help.
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
        if asked.failure is not None and asked.ending is CallEnding.FAILED:
            return Outcome(failures=(asked.failure,))
        replies = asked.value.classes if asked.value else []
        induced = [(" ".join(one.name.split()), " ".join(one.description.split())) for one in replies]
        named, unnamed = [(kind, "") for kind in NAMED_KINDS], [(UNNAMED_KIND, "")]
        return Outcome(distinct_classes([*named, *self._other(induced), *unnamed]))

    def _other(self, induced: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
        """Return the induced classes that are not synonyms of one of `KINDS`."""
        if not induced:
            return []
        cosines = self._embedder.embed([name for name, _ in induced]) @ self._embedder.embed(KINDS).T
        return [one for one, row in zip(induced, cosines, strict=True) if row.max() < _SAME_MEANING]

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
