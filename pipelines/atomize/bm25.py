"""BM25 scores of texts in memory (Robertson and Zaragoza 2009).

`bm25s` gives the same best text no sooner, and imports numba where that is installed (2 s).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms

_K1, _B = 1.2, 0.75
"""The usual parameters, see section 3.2 there."""
_MANY, _COMMON = 1000, 0.2
"""Of so many texts, terms in a larger share of them are left out: they weigh little and take most of the time."""


class Bm25:
    """An inverted index of `texts`; their terms are those of `pipelines.lang.terms`."""

    def __init__(self, texts: Sequence[str]) -> None:
        counts = [Counter(terms(text)) for text in texts]
        lengths = np.array([count.total() for count in counts], dtype=np.float32)
        norms = _K1 * (1 - _B + _B * lengths / max(1.0, float(lengths.mean()))) if texts else lengths
        self._size = len(texts)
        self._postings = {
            term: (np.array(places, dtype=np.intp), _weights(places, times, norms))
            for term, (places, times) in _inverted(counts).items()
            if self._size < _MANY or len(places) <= _COMMON * self._size
        }

    def scores(self, query: str) -> Vectors:
        """Return the score of each text for the terms of `query`, in an array of shape (texts,)."""
        found = np.zeros(self._size, dtype=np.float32)
        for term in set(terms(query)) & self._postings.keys():
            places, weights = self._postings[term]
            found[places] += weights
        return found


def _inverted(counts: Sequence[Counter[str]]) -> dict[str, tuple[list[int], list[int]]]:
    found: dict[str, tuple[list[int], list[int]]] = {}
    for place, count in enumerate(counts):
        for term, times in count.items():
            places, often = found.setdefault(term, ([], []))
            places.append(place)
            often.append(times)
    return found


def _weights(places: Sequence[int], times: Sequence[int], norms: Vectors) -> Vectors:
    often = np.array(times, dtype=np.float32)
    rarity = np.log(1 + (len(norms) - len(places) + 0.5) / (len(places) + 0.5))
    weights = rarity * often * (_K1 + 1) / (often + norms[np.array(places, dtype=np.intp)])
    return np.asarray(weights, dtype=np.float32)
