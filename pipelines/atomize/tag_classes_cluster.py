"""Tag classes without a model: by the form of names, and by clusters of meaning."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.tag_classes import commonest, distinct_classes, kind_of_name
from pipelines.core.knowledge import ChunkTag, TagClass
from pipelines.core.outcome import Outcome
from pipelines.core.vectors import Vectors
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.terms import words
from pipelines.llm.embedder import Embedder

MOST_CLASSES = 8
_SHORTEST_NAME = 4
"""Characters of a word that may name a cluster, at least."""
_SURE = 0.45
"""Cosine from which a term is of the class that it is nearest to."""
_ROUNDS = 12


class ClusterClasses:
    """Classes by the form of names, and for all other terms by clusters of their meaning.

    A cluster is named by the word that most of its terms end with, or else by the term in its middle.
    """

    def __init__(self, embedder: Embedder, most: int = MOST_CLASSES) -> None:
        self._embedder = embedder
        self._most = most

    async def induce(self, sample: Sequence[ChunkTag], language: str = "en") -> Outcome[TagClass]:
        return Outcome(self.classes(sample))

    def classes(self, sample: Sequence[ChunkTag]) -> tuple[TagClass, ...]:
        """Return the classes of a sample of tags; none where the sample has none."""
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
    """Gives terms their class: a name the one that its form tells, any other term the one nearest in meaning."""

    def __init__(self, classes: Sequence[TagClass], embedder: Embedder) -> None:
        self._names = [one.name for one in classes]
        self._embedder = embedder
        self._vectors = embedder.embed([f"{one.name}: {one.description}" for one in classes])

    def classes_of(self, texts: Sequence[str]) -> list[str]:
        """Return the class of each text, empty where it is of none."""
        if not texts or not self._names:
            return [""] * len(texts)
        cosines = self._embedder.embed(texts) @ self._vectors.T
        return [self._class_of(text, row) for text, row in zip(texts, cosines, strict=True)]

    def _class_of(self, text: str, cosines: Vectors) -> str:
        kind = kind_of_name(text)
        if kind in self._names:
            return kind
        best = int(np.argmax(cosines))
        return self._names[best] if not kind and cosines[best] >= _SURE else ""


def _can_name(word: str) -> bool:
    return word.isalpha() and (len(word) >= _SHORTEST_NAME or bool(CJK_CHARACTER.match(word)))


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
    heads = Counter(split[-1] for term in terms if (split := words(term)) and _can_name(split[-1]))
    order = np.argsort(-(vectors @ vectors.sum(axis=0)), kind="stable")
    middle = next((terms[i] for i in order if _can_name(terms[i].replace(" ", ""))), "")
    head, count = heads.most_common(1)[0] if heads else ("", 0)
    name = head if count > 1 else middle
    return name, ", ".join(terms[i] for i in order[:4])
