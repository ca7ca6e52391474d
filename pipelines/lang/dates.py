"""Dates in a text, in the languages whose numbers in words are known too, and whether a text tells a time."""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.numbers import LISTED
from pipelines.lang.profile import longest_first, profile
from pipelines.lang.terms import words
from pipelines.lang.word_lists import cue

# Short names of English and German months alone: "set" and "out" of the Portuguese are English words.
_NAMES = frozenset().union(
    profile("en").month_names,
    profile("de").month_names,
    *(forms for code in LISTED if profile(code).spaced for forms in profile(code).months),
)
_MONTHS = "|".join(longest_first(_NAMES))

DATE = re.compile(
    r"\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:(?:of|de|di)\s)?(?:{_MONTHS})\b\.?|\b(?:{_MONTHS})\.?\s\d{{1,4}}\b"
    r"|\b(?:19|20)\d\d\b|\d{4}\s?年|\d{1,2}\s?月\s?\d{1,2}\s?日",
    re.IGNORECASE,
)
"""A date in running text: its day, its month or its year alone too."""

WRITTEN_DATE = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"
)
"""A date in figures, as a cell of a table holds it."""

_EARLIER_OR_TIME = re.compile(r"\b1\d\d\d\b|\b\d{1,2}:\d\d\b")
"""A year before those of `DATE`, which is an amount as often as not, or a time of the day."""


@cache
def calendar(language: str = "") -> frozenset[str]:
    """Return the names of months and days in a language and in English, in small letters: they name nothing else."""
    told = (profile("en"), profile(language or "en"))
    return frozenset().union(*(one.month_names | one.weekday_names for one in told))


def tells_when(text: str, language: str = "") -> bool:
    """Whether a text has a date or a time, or says what one thing is after, before or while another."""
    if any(pattern.search(text) for pattern in (DATE, _EARLIER_OR_TIME, cue("time", language))):
        return True
    return not _names_of_days(language).isdisjoint(words(text, language))


@cache
def _names_of_days(language: str) -> frozenset[str]:
    """The names of days and months, plurals too, without the short ones: "mar" and "sat" are words as well."""
    told = (profile("en"), profile(language or "en"))
    names = frozenset().union(*(one.weekday_names.union(*one.months) for one in told))
    return names | {f"{name}s" for name in names}
