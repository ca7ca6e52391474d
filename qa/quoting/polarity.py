"""Rows that name what is asked about only to rule it out: "Not suitable for | Mineral oil"."""

from __future__ import annotations

import re
from itertools import zip_longest

from pipelines.lang.terms import terms
from qa.quoting.query import Query
from qa.quoting.unit import RULE, Unit

_NEGATIVE = re.compile(
    r"\b(?:not?|never|avoid|except|excluding|without|unsuitable|incompatible|prohibited|forbidden|unsupported|nicht|kein)"
    r"|不|禁|避免|除外",
    re.IGNORECASE,
)
_WHETHER = re.compile(
    r"^\W*(?:can|could|may|is|are|was|were|does|do|did|has|have|will|would|should|must)\b|是否|吗|能不能|可不可以",
    re.IGNORECASE,
)


def ruled_out(unit: Unit, query: Query) -> bool:
    """Whether a row has terms of the question only under columns that say what is not so.

    A question that is negative itself, or asks whether something is so, is answered by such a row.
    """
    if RULE not in unit.text or not _NEGATIVE.search(unit.header):
        return False
    if _NEGATIVE.search(query.text) or _WHETHER.search(query.text):
        return False
    under: dict[bool, set[str]] = {True: set(), False: set()}
    for name, cell in zip_longest(unit.header.split("|"), unit.text.split("|"), fillvalue=""):
        under[_NEGATIVE.search(name) is not None] |= query.weights.keys() & set(terms(cell, stop=False))
    return bool(under[True] - under[False])
