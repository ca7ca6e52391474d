"""Words that look alike: forms of one word that no stemmer joins, a compound and a part of it.

They count for whether a question is answered, not for which sentence answers it best: there a word that only looks
alike would draw another sentence before the right one.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from pipelines.lang.terms import is_paired, words
from pipelines.retrieve.evidence import EvidenceUnit
from qa.quoting.weigh import ABOVE, OWN

_FORM, _PART = 0.8, 0.6
"""What another form of a word counts of it ("przedłużyć" for "przedłużenie"), and a part of a compound or the whole."""
_LETTERS, _SHARE = 4, 0.6
"""Letters that two forms of a word begin with at least, and their share of the longer one."""
_PART_LETTERS = 5
"""Letters of a part of a compound at least: shorter words stand in others by chance."""


def cover_by_likeness(word: str, unit: EvidenceUnit) -> float:
    """Return how far a unit and what heads it have words that look like `word`, in [0, 1].

    None do where a word is written without blanks around it, and where it has figures.
    """
    if is_paired(word) or any(map(str.isdigit, word)):
        return 0.0
    head = (unit.heading, unit.group, unit.hit.title, *unit.hit.chunk.heading_path)
    said = (OWN, f"{unit.header} {unit.text}"), (ABOVE, " ".join(head))
    return max(weight * _likeness(word, words(text)) for weight, text in said)


def _likeness(word: str, others: Iterable[str]) -> float:
    return max((_alike(word, other) for other in others), default=0.0)


def _alike(one: str, other: str) -> float:
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))
    if shared >= _LETTERS and shared >= _SHARE * max(len(one), len(other)):
        return _FORM
    return _PART if min(len(one), len(other)) >= _PART_LETTERS and (one in other or other in one) else 0.0
