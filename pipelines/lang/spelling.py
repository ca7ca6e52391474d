"""Edits between words: insertions, deletions, replacements, and two letters in each other's place (Damerau 1964)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract_iter


def edits(one: str, other: str, most: int) -> int:
    """Return how many edits lead from one word to the other, `most` + 1 where more than `most` do.

    >>> edits("pmup", "pump", 2)
    1
    """
    return int(OSA.distance(one, other, score_cutoff=most))


_ONE_EDIT, _TWO_EDITS = 4, 8
"""Letters from which a word may be spelled with one edit, and with two."""


def edits_taken(word: str) -> int:
    """Return how many edits a misspelt word may be away from the one that is meant: the longer, the more.

    >>> [edits_taken(word) for word in ("bar", "pump", "temperature")]
    [0, 1, 2]
    """
    return (len(word) >= _ONE_EDIT) + (len(word) >= _TWO_EDITS)


def spelled_like(word: str, others: Sequence[str], most: int) -> Iterator[tuple[int, int]]:
    """Yield the place of each of `others` that at most `most` edits lead to, and their number."""
    for _, distance, place in extract_iter(word, others, scorer=OSA.distance, processor=None, score_cutoff=most):
        yield int(place), int(distance)
