"""Tag classes: the kinds of a corpus's terms, induced from a sample of its tags (PIKE-RAG figure 7).

The kinds of names (person, organization, ...) are the same in every corpus; the kinds of its other terms ("component",
"failure mode") are induced: by clustering (`ClusterClasses`) or by a model (`ModelClasses`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from pydantic import BaseModel, BeforeValidator, Field

from pipelines.atomize.name_recognition import find_names
from pipelines.core.ids import normalize
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.outcome import Outcome
from pipelines.core.vectors import Vectors
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.terms import words
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
MOST_CLASSES = 8
"""Classes of a corpus without a model: names by form, and the clusters."""
_SHORTEST_NAME = 4
"""Minimum characters of a word that names a cluster."""
_SAME_CLASS = 0.45
"""Minimum cosine of a term and its class."""
_ROUNDS = 12
"""Iterations of k-means."""
ROLE = "classes"
MOST_INDUCED = 2
"""Maximum classes that a model may add to `KINDS`: each costs tokens in every reply about a chunk."""
_SHOWN_TERMS = 60
"""Terms of the sample in the prompt."""
_REPLY_TOKENS = 600
_SAME_MEANING = 0.5
"""Cosine of two class names from which they are one class."""


@runtime_checkable
class ClassInducer(Protocol):
    """Induces the classes of a corpus's tags."""

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> Outcome[TagClass]:
        """Return the classes of a sample of tags, or the failure of the model call. Raises `BudgetExceeded`."""
        ...


def sample_of(tags: Iterable[ChunkTag], size: int = 400) -> list[ChunkTag]:
    """Return at most `size` tags of randomly chosen chunks; the same corpus always gives the same sample."""
    # Ids are digests of content: their order is as good as random.
    ordered = sorted(tags, key=lambda tag: (tag.chunk, -tag.weight, tag.tag))
    return ordered[:size]


def kind_of_name(term: str) -> str:
    """Return the type of a term that is a name, see `RecognizedName`; "name" for one without a type, "" for no name."""
    (name, *_) = find_names(term, ()) or (None,)
    return (name.type or "name") if name is not None and name.surface == term else ""


def commonest(sample: Sequence[ChunkTag], limit: int) -> list[str]:
    """Return the `limit` most frequent tag texts of a sample, the most frequent first."""
    counts = Counter(tag.text for tag in sample)
    return sorted(counts, key=lambda text: (-counts[text], text))[:limit]


def distinct_classes(named: Iterable[tuple[str, str]]) -> tuple[TagClass, ...]:
    """Return the classes of pairs of name and description, each name once; overlong names are left out."""
    found: dict[str, TagClass] = {}
    for name, description in named:
        if name and len(name.split()) <= _LONGEST_NAME:
            found.setdefault(normalize(name), TagClass(TagClass.make_id(name), normalize(name), description))
    return tuple(found.values())


class ClusterClasses:
    """Induces classes without a model: of names by their form, of other terms by clusters of their vectors.

    A cluster is named by the most frequent last word of its terms, or else by the term nearest to its centre.
    """

    def __init__(self, embedder: Embedder, most: int = MOST_CLASSES) -> None:
        self._embedder = embedder
        self._most = most

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> Outcome[TagClass]:
        return Outcome(self.classes(sample))

    def classes(self, sample: Sequence[ChunkTag]) -> tuple[TagClass, ...]:
        """Return the classes of a sample of tags, at most `most`; none for an empty sample."""
        kinds = {term: kind_of_name(term) for term in commonest(sample, len(sample))}
        named = Counter(kind for kind in kinds.values() if kind)
        plain = [term for term, kind in kinds.items() if not kind]
        by_form = [(kind, ", ".join(term for term in kinds if kinds[term] == kind)[:80]) for kind in sorted(named)]
        return distinct_classes([*by_form, *self._clusters(plain, self._most - len(by_form))])

    def _clusters(self, terms: Sequence[str], most: int) -> list[tuple[str, str]]:
        if not terms or most < 1:
            return []
        vectors = self._embedder.embed(terms)
        clusters = _clusters(vectors, min(most, max(1, len(terms) // 4)))
        return [_cluster_name([terms[i] for i in one], vectors[one]) for one in clusters]


class TagClassifier:
    """Classifies terms: names by their form, others by the class whose vector is nearest."""

    def __init__(self, classes: Sequence[TagClass], embedder: Embedder) -> None:
        self._names = [one.name for one in classes]
        self._embedder = embedder
        self._vectors = embedder.embed([f"{one.name}: {one.description}" for one in classes])

    def classes_of(self, texts: Sequence[str]) -> list[str]:
        """Return the class name of each text, empty for a text of no class."""
        if not texts or not self._names:
            return [""] * len(texts)
        cosines = self._embedder.embed(texts) @ self._vectors.T
        return [self._class_of(text, row) for text, row in zip(texts, cosines, strict=True)]

    def _class_of(self, text: str, cosines: Vectors) -> str:
        kind = kind_of_name(text)
        if kind in self._names:
            return kind
        best = int(np.argmax(cosines))
        return self._names[best] if not kind and cosines[best] >= _SAME_CLASS else ""


def _can_name(word: str) -> bool:
    return word.isalpha() and (len(word) >= _SHORTEST_NAME or bool(CJK_CHARACTER.match(word)))


def _clusters(vectors: Vectors, count: int) -> list[NDArray[np.intp]]:
    """Return the members of at most `count` clusters, the largest first: spherical k-means, farthest-first seeds."""
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
    heads = Counter(split[-1] for term in terms if (split := words(term)) and _can_name(split[-1]))
    order = np.argsort(-(vectors @ vectors.sum(axis=0)), kind="stable")
    middle = next((terms[i] for i in order if _can_name(terms[i].replace(" ", ""))), "")
    head, count = heads.most_common(1)[0] if heads else ("", 0)
    name = head if count > 1 else middle
    return name, ", ".join(terms[i] for i in order[:4])


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
    """Induces classes by a model: `KINDS`, and those that it names for the sample's most frequent terms, in one call.

    An unusable reply adds no class. A failed call is returned as the outcome's failure: asking again may help.
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
        """Return the induced classes that are not one of `KINDS` in other words."""
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
