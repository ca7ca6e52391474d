"""The splitter that needs no model: it cuts at the document's structure and where the subject changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import sqrt

import numpy as np

from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, Window
from pipelines.chunk.unit import Break
from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.llm.embedder import Embedder

_STRUCTURE = {Break.NEVER: -1.0, Break.PIECE: -0.2, Break.SENTENCE: 0.0, Break.ITEM: 0.05, Break.PARAGRAPH: 0.25}
"""What an ending adds to the distance (0 to 1) of the sentences on its two sides."""
_SIZE = 0.4
"""What being off the target size by its whole takes away."""


class StructuralSplitter:
    """Chooses the end with the largest distance between the sentences before and after it.

    Distance is by `embedder`, or, without one, by the terms that both sides share. Ends of paragraphs and sizes near
    `target_tokens` are preferred. The same window always gives the same cut.
    """

    def __init__(self, settings: ChunkSettings, embedder: Embedder | None = None) -> None:
        self._settings = settings
        self._embedder = embedder

    async def cut(self, window: Window) -> Cut:
        if len(window.choices) == 1:
            return Cut(window.choices[0])
        distances = self._distances(window)
        sizes = np.cumsum([unit.tokens for unit in window.units])
        target = self._settings.target_tokens

        def score(end: int) -> float:
            off = abs(int(sizes[end - 1]) - target) / target
            return distances[end] + _STRUCTURE[window.units[end - 1].end] - _SIZE * off

        return Cut(max(window.choices, key=lambda end: (score(end), end)))

    def _distances(self, window: Window) -> dict[int, float]:
        """Return for each choice how far apart the few sentences before and after it are, from 0 to 1."""
        width = self._settings.cohesion_sentences
        first = max(0, window.choices[0] - width)
        near = slice(first, window.choices[-1] + width)
        if all(unit.table for unit in window.units[near]):
            return dict.fromkeys(window.choices, 0.0)
        ends = [end - first for end in window.choices]
        sentences = window.sentences[near]
        if self._embedder is None:
            found = _by_terms(sentences, ends, width)
        else:
            found = _by_vectors(self._embedder.embed(sentences), ends, width)
        return dict(zip(window.choices, found, strict=True))


def _by_vectors(vectors: Vectors, ends: Sequence[int], width: int) -> list[float]:
    sums = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    found: list[float] = []
    for end in ends:
        left = sums[end] - sums[max(0, end - width)]
        right = sums[min(len(vectors), end + width)] - sums[end]
        lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
        found.append(1 - float(left @ right) / lengths if lengths else 0.0)
    return found


def _by_terms(sentences: Sequence[str], ends: Sequence[int], width: int) -> list[float]:
    counts = [Counter(terms(sentence)) for sentence in sentences]
    found: list[float] = []
    for end in ends:
        left = sum(counts[max(0, end - width) : end], Counter[str]())
        right = sum(counts[end : end + width], Counter[str]())
        shared = sum(left[term] * right[term] for term in left)
        lengths = sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
        found.append(1 - shared / lengths if lengths else 0.0)
    return found
