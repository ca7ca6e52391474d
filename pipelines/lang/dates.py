"""Dates in a text, and the words of the calendar, in the languages whose numbers in words are known too."""

from __future__ import annotations

import re

from pipelines.lang.numbers import LISTED
from pipelines.lang.profile import longest_first, profile

# Short names of English and German months alone: "set" and "out" of the Portuguese are English words.
_NAMES = frozenset().union(
    profile("en").month_names,
    profile("de").month_names,
    *(forms for code in LISTED if profile(code).spaced for forms in profile(code).months),
)
_MONTHS = "|".join(longest_first(_NAMES))
CALENDAR = profile("en").month_names | profile("en").weekday_names
"""Names of months and days, which begin with a capital and name nothing else."""

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

_FULL_MONTHS = "|".join(longest_first(frozenset().union(*profile("en").months)))
_WEEKDAYS = "|".join(longest_first(profile("en").weekday_names))
TELLS_WHEN = re.compile(
    r"\b(?:1\d|20)\d\d\b|\b\d{1,2}:\d\d\b|\b\d+ (?:seconds|minutes|hours|days|weeks|months|years)\b"
    rf"|\b(?:{_FULL_MONTHS})\b|\b(?:{_WEEKDAYS})"
    r"|\b(?:century|centuries|second|minute|hour|day|night|week|month|year|daily|weekly|monthly|yearly|annually)s?\b"
    r"|\b(?:before|after|until|once|when|while|during|since|every|each|first|if|as soon as)\b"
    r"|\d\s*[年月日时天周]|[时后前]|每",
    re.IGNORECASE,
)
"""A word of time: a date, a length of time, or what one thing is after, before or while another."""
