"""Which chunks have which terms, in both directions, for the exact search of `recall_index`."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
_SHARED = 3
"""Rare terms that a chunk must have to be found: with more, more lists are read, and fewer chunks are left. In
linux-doc, 1, 2, 3, 4 leave 3,700, 840, 360, 240 of 83,600 chunks for an atom; 3 takes two thirds of the time of 1."""
_DENSE = 8
"""Entries per chunk, as a divisor, from which a count for every chunk is quicker than putting the entries in order."""


class ChunkTerms:
    """The distinct terms of chunks, which are numbered in the order of `texts`, and the chunks of each term.

    `texts` are terms with blanks between them. With `sought`, all other terms are left out.
    """

    def __init__(self, texts: Sequence[str], sought: frozenset[str] | None = None) -> None:
        numbers: dict[str, int] = {}
        held, ends = array("i"), array("q", [0])
        for text in texts:
            terms = set(text.split()) if sought is None else sought.intersection(text.split())
            held.extend([numbers.setdefault(term, len(numbers)) for term in terms])
            ends.append(len(held))
        self._count = len(texts)
        found = np.frombuffer(held, np.int32) if held else np.zeros(0, np.int32)
        borne = np.bincount(found, minlength=len(numbers))
        renumbered = np.argsort(np.argsort(borne, kind="stable")).astype(np.int32)  # the rarest first
        self._numbers = dict(zip(numbers, renumbered.tolist(), strict=True))
        self._terms: Numbers = renumbered[found]
        self._ends = np.frombuffer(ends, np.int64)
        chunks = np.repeat(np.arange(self._count, dtype=np.int32), np.diff(self._ends))
        self._chunks: Numbers = chunks[np.argsort(self._terms, kind="stable")]
        self._borne = np.sort(borne)
        self._places = np.concatenate([[0], np.cumsum(self._borne)]).tolist()
        self._asked = np.zeros(len(numbers), np.bool_)

    def having(self, terms: Collection[str], least: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return chunks in order, among them all that have at least `least` (> 0) of some distinct terms.

        With them comes how many each has at most. A chunk that has `least` of k terms has n of the k + n - `least`
        rarest: the others need not be looked through.
        """
        known = sorted(self._known(terms))
        shared = min(_SHARED, least)
        rare = known[: max(0, len(known) + shared - least)]
        if not rare:
            return np.zeros(0, np.intp), np.zeros(0, np.intp)
        found = np.concatenate([self._chunks[self._places[one] : self._places[one + 1]] for one in rare])
        if len(found) * _DENSE > self._count:
            counts = np.bincount(found, minlength=self._count)
            chunks = np.flatnonzero(counts >= shared)
            return chunks, counts[chunks] + (len(known) - len(rare))
        found.sort()  # what `np.unique` does, in half of its time for so few
        ends = np.flatnonzero(np.append(found[1:] != found[:-1], True))
        counts = np.append(ends[:1] + 1, ends[1:] - ends[:-1])
        enough = counts >= shared
        return found[ends[enough]], counts[enough] + (len(known) - len(rare))

    def counts(self, terms: Collection[str], chunks: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return how many of some distinct terms each of these chunks has."""
        known = self._known(terms)
        starts, ends = self._ends[chunks], self._ends[chunks + 1]
        lengths = ends - starts
        total = int(lengths.sum())
        if total > sum(map(self._borne.item, known)) + self._count:
            counts: NDArray[np.int64] = self._counts_of_all(known)[chunks]
            return counts
        self._asked[known] = True
        into = np.cumsum(lengths)
        has = self._asked[self._terms[np.arange(total) + np.repeat(starts - (into - lengths), lengths)]]
        self._asked[known] = False
        sums = np.concatenate([[0], np.cumsum(has)])
        found: NDArray[np.int64] = sums[into] - sums[into - lengths]
        return found

    def _counts_of_all(self, known: Sequence[int]) -> NDArray[np.int64]:
        counts = np.zeros(self._count, np.int64)
        for one in known:
            counts[self._chunks[self._places[one] : self._places[one + 1]]] += 1
        return counts

    def _known(self, terms: Collection[str]) -> list[int]:
        return [number for term in terms if (number := self._numbers.get(term)) is not None]
