"""Tag classes induced from a sample of the corpus: its key factors, generalized to kinds (PIKE-RAG figure 7)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, Field

from pipelines.atomize.names import find_names
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.terms import normalize, words
from pipelines.core.vectors import Vectors
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat
from pipelines.llm.embedder import Embedder
from pipelines.llm.prompt import Prompt, fence

ROLE = "classes"
MOST_CLASSES = 8
_SHOWN_TERMS = 60
_LONGEST_NAME = 3
_ROUNDS = 12
_REPLY_TOKENS = 600


@runtime_checkable
class ClassInducer(Protocol):
    """Anything that can name the kinds of terms that a corpus has."""

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> tuple[TagClass, ...]:
        """Return the classes of a sample of tags; none where the sample has none. Raises `BudgetExceeded`."""
        ...


def sample_of(tags: Iterable[ChunkTag], size: int = 400) -> list[ChunkTag]:
    """Return the tags of a spread of chunks, `size` of them at most: the same for the same corpus, on any machine."""
    # Ids are digests of content, so their order has nothing to do with the corpus's.
    ordered = sorted(tags, key=lambda tag: (tag.chunk, -tag.weight, tag.tag))
    return ordered[:size]


class ClassReply(BaseModel):
    """One kind of terms."""

    name: str = Field(max_length=40)
    description: str = Field("", max_length=160)


def _named(value: object) -> list[object]:
    items = value if isinstance(value, list) else []
    return [{"name": item} if isinstance(item, str) else item for item in items][:MOST_CLASSES]


class ClassesReply(BaseModel):
    """The kinds of terms of a corpus."""

    classes: Annotated[list[ClassReply], BeforeValidator(_named), Field(max_length=MOST_CLASSES)]


class ModelClasses:
    """Shows a model the commonest terms of the sample, in one call. An unusable reply gives no classes."""

    def __init__(self, chat: Chat, overrides: Path | None = None) -> None:
        self._chat = chat
        self._prompt = Prompt.load("pipelines.atomize", "classes", overrides)

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> tuple[TagClass, ...]:
        terms = _commonest(sample)
        if not terms:
            return ()
        messages = self._prompt.messages(
            language=language, terms=fence("; ".join(terms), "terms"), count=str(MOST_CLASSES)
        )
        asked = await ask(self._chat, messages, ClassesReply, role=ROLE, max_tokens=_REPLY_TOKENS)
        replies = asked.value.classes if asked.value else []
        return _distinct((" ".join(one.name.split()), " ".join(one.description.split())) for one in replies)


class ClusterClasses:
    """Classes by the form of names, and for all other terms by clusters of their meaning.

    A cluster is named by the word that most of its terms end with, or else by the term in its middle.
    """

    def __init__(self, embedder: Embedder, most: int = MOST_CLASSES) -> None:
        self._embedder = embedder
        self._most = most

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> tuple[TagClass, ...]:
        kinds = {term: _kind_of_name(term) for term in _commonest(sample, len(sample))}
        named = Counter(kind for kind in kinds.values() if kind)
        plain = [term for term, kind in kinds.items() if not kind]
        by_form = [(kind, ", ".join(term for term in kinds if kinds[term] == kind)[:80]) for kind in sorted(named)]
        return _distinct([*by_form, *self._clusters(plain, self._most - len(by_form))])

    def _clusters(self, terms: Sequence[str], most: int) -> list[tuple[str, str]]:
        if not terms or most < 1:
            return []
        vectors = self._embedder.embed(terms)
        clusters = _clusters(vectors, min(most, max(1, len(terms) // 4)))
        return [_cluster_name([terms[i] for i in one], vectors[one]) for one in clusters]


def _kind_of_name(term: str) -> str:
    """Return "identifier", "standard", "organization" and the like, "name" for other names, empty for plain terms."""
    (name, *_) = find_names(term, ()) or (None,)
    return (name.type or "name") if name is not None and name.surface == term else ""


def _commonest(sample: Sequence[ChunkTag], limit: int = _SHOWN_TERMS) -> list[str]:
    counts = Counter(tag.text for tag in sample)
    return sorted(counts, key=lambda text: (-counts[text], text))[:limit]


def _distinct(named: Iterable[tuple[str, str]]) -> tuple[TagClass, ...]:
    found: dict[str, TagClass] = {}
    for name, description in named:
        if name and len(name.split()) <= _LONGEST_NAME:
            found.setdefault(normalize(name), TagClass(TagClass.make_id(name), normalize(name), description))
    return tuple(found.values())


def _clusters(vectors: Vectors, count: int) -> list[NDArray[np.intp]]:
    """Return the members of `count` clusters by spherical k-means, started from terms far from one another."""
    seeds = [0]
    while len(seeds) < count:
        seeds.append(int(np.argmin((vectors @ vectors[seeds].T).max(axis=1))))
    centres = vectors[seeds]
    nearest = np.zeros(len(vectors), dtype=np.intp)
    for _ in range(_ROUNDS):
        nearest = np.argmax(vectors @ centres.T, axis=1)
        sums = np.stack([vectors[nearest == number].sum(axis=0) for number in range(count)])
        centres = sums / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-9)
    found = [np.flatnonzero(nearest == number) for number in range(count)]
    return sorted((one for one in found if len(one)), key=lambda one: (-len(one), int(one[0])))


def _cluster_name(terms: Sequence[str], vectors: Vectors) -> tuple[str, str]:
    heads = Counter(split[-1] for term in terms if (split := words(term)) and split[-1].isalpha())
    middle = terms[int(np.argmax(vectors @ vectors.sum(axis=0)))]
    head, count = heads.most_common(1)[0] if heads else ("", 0)
    name = head if count > 1 else middle
    return name, ", ".join(terms[:4])
