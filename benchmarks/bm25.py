"""BM25 over a few thousand texts in memory, for measuring."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.core.terms import terms

_K1, _B = 1.2, 0.75


class Bm25:
    """The texts by their terms (Robertson and Zaragoza 2009)."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([sum(count.values()) for count in counts], dtype=np.float32)
        self._norms = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean()))) if len(texts) else lengths
        self._postings: dict[str, list[tuple[int, int]]] = {}
        for number, count in enumerate(counts):
            for term, times in count.items():
                self._postings.setdefault(term, []).append((number, times))

    def scores(self, queries: Sequence[str]) -> NDArray[np.float32]:
        """Return an array of shape (queries, texts)."""
        found = np.zeros((len(queries), len(self._norms)), dtype=np.float32)
        for row, query in zip(found, queries, strict=True):
            for term in set(terms(query)):
                postings = self._postings.get(term, [])
                weight = math.log(1 + (len(self._norms) - len(postings) + 0.5) / (len(postings) + 0.5))
                for number, times in postings:
                    row[number] += weight * times * (_K1 + 1) / (times + self._norms[number])
        return found
