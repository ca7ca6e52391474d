"""BM25 (Robertson and Zaragoza 2009, section 3): constants, both factors, and an index of texts in memory.

BM25 is used in three places for different purposes. LanceDB's full-text index (`pipelines.store.lancedb`) searches
records of all kinds on disk and returns one score per record. `pipelines.retrieve.query.coverage` returns the factor of
each term in each chunk, because propagation and selection need to know which terms a chunk covers. `Bm25` below
compares a few texts without a store; only this one could be replaced by the package bm25s.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms

K1, B = 1.2, 0.75
"""Saturation of the term frequency, and influence of the text length: the usual values (section 3.2)."""
_COMMON = 0.2
"""Terms in a larger share of the texts are omitted: they hardly distinguish texts and take most of the time."""
_MANY = 1000
"""Minimum number of texts for omitting common terms."""


def inverse_frequency(texts: int, holding: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5)) for a term in n = `holding` of N = `texts` texts; never negative."""
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))


def length_norms(lengths: Vectors) -> Vectors:
    """Return the length normalization of term frequencies for texts of these lengths (in terms): K1 at the mean."""
    if not len(lengths):
        return lengths
    norms: Vectors = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0))
    return norms


class Bm25:
    """An index of texts by their terms in `language`.

    If there are at least 1000 texts, terms in more than a fifth of them are omitted, unless `whole` is set.

    >>> Bm25(["the pump leaks", "a new seal"]).scores("seal of the pump")
    array([0.69314718, 0.69314718], dtype=float32)
    """

    def __init__(self, texts: Sequence[str], language: str = "", *, whole: bool = False) -> None:
        counts = [Counter(terms(text, language)) for text in texts]
        norms = length_norms(np.array([count.total() for count in counts], dtype=np.float32))
        self._size, self._language = len(texts), language
        self._postings = {
            term: (np.array(places, dtype=np.intp), _weights(places, times, norms))
            for term, (places, times) in _inverted(counts).items()
            if whole or self._size < _MANY or len(places) <= _COMMON * self._size
        }

    def scores(self, query: str) -> Vectors:
        """Return the score of each text for the terms of `query`, in an array of shape (texts,)."""
        found = np.zeros(self._size, dtype=np.float32)
        for term in set(terms(query, self._language)) & self._postings.keys():
            places, weights = self._postings[term]
            found[places] += weights
        return found


def _inverted(counts: Sequence[Counter[str]]) -> dict[str, tuple[list[int], list[int]]]:
    """Return for each term the positions of the texts with it, and its frequencies."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    for place, count in enumerate(counts):
        for term, times in count.items():
            places, often = found.setdefault(term, ([], []))
            places.append(place)
            often.append(times)
    return found


def _weights(places: Sequence[int], times: Sequence[int], norms: Vectors) -> Vectors:
    often = np.array(times, dtype=np.float32)
    rarity = np.float64(inverse_frequency(len(norms), len(places)))
    weights = rarity * often * (K1 + 1) / (often + norms[np.array(places, dtype=np.intp)])
    return np.asarray(weights, dtype=np.float32)
