"""BM25 (Robertson and Zaragoza 2009, section 3): its constants, its two factors, and the scores of texts in memory.

There are three searches by BM25, each for what the others cannot do. LanceDB's full-text index finds records of every
kind on disk (`pipelines.store.lancedb`); it gives one score for a record. `pipelines.retrieve.query.coverage` keeps the
factor of each term and chunk apart: propagation and the choice of what is new ask which terms are still open. `Bm25`
below compares a few texts with one another without a store. The package bm25s would replace the last alone.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms

K1, B = 1.2, 0.75
"""Saturation of a term's frequency, and how much the length of a text counts: the customary values (section 3.2)."""
_COMMON = 0.2
"""Terms in a larger share of the texts hardly tell them apart, and would take most of the time."""
_MANY = 1000
"""Texts from which common terms are left out."""


def inverse_frequency(texts: int, holding: int) -> float:
    """Return log(1 + (N - n + 0.5) / (n + 0.5)) for a term in n = `holding` of N = `texts` texts; never negative."""
    return math.log(1 + (texts - holding + 0.5) / (holding + 0.5))


def length_norms(lengths: Vectors) -> Vectors:
    """Return what term frequencies are held against in texts of these lengths (in terms): K1 at the mean length."""
    if not len(lengths):
        return lengths
    norms: Vectors = K1 * (1 - B + B * lengths / max(float(lengths.mean()), 1.0))
    return norms


class Bm25:
    """Texts by their terms in `language`. Terms common to a fifth of them are left out where there are many.

    With `whole` none is left out.

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
    """By term: the places of the texts that hold it, and how often each does."""
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
