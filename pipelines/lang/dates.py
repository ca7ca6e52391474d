"""Dates with a year as ISO 8601 dates: "11 May 2026", "11.05.2026" and "2026年5月11日" are the same.

Months are named in the language of the text or in English, as Unicode CLDR 47 lists them. Day and month in figures with
slashes have a day first, except in English, where they are a date only if one of them is above 12.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from pipelines.core.provenance import Span
from pipelines.lang.profile import longest_first, profile

_YEAR = r"(?P<year>(?:19|20)\d\d)(?!\d)"
_HAS_YEAR = re.compile(rf"(?<!\d){_YEAR}")
_DAY = r"(?P<day>\d{1,2})"
_SHORT = r"(?:[^\W\d_]{1,3}\.?\s)?"
"""A word such as "de", "of" or "м." between the parts of a date."""
_IN_FIGURES = (
    re.compile(rf"(?<![\w./-]){_YEAR}(?P<mark>[-./])(?P<month>\d{{1,2}})(?P=mark){_DAY}(?![\w/-]|\.\d)"),
    re.compile(rf"(?<![\w./-]){_DAY}(?P<mark>[.-])\s?(?P<month>\d{{1,2}})(?P=mark)\s?{_YEAR}(?![\w/-]|\.\d)"),
    re.compile(rf"(?<!\d){_YEAR}\s?[年년]\s?(?P<month>\d{{1,2}})\s?[月월](?:\s?{_DAY}\s?[日일])?"),
)
_SLASHES = re.compile(rf"(?<![\w./-])(?P<first>\d{{1,2}})/(?P<second>\d{{1,2}})/{_YEAR}(?![\w/-]|\.\d)")
_FURTHEST = 60
"""Characters from a year within which its date begins and ends: twice the longest form of the 45 languages."""
_MONTHS, _DAYS = 12, 31
_ISO = re.compile(r"((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?")


class WrittenDate(NamedTuple):
    """A date at `span` of a text; `iso` is "2026-05-11", or "2026-05" without a day."""

    span: Span
    iso: str


def dates(text: str, language: str = "") -> list[WrittenDate]:
    """Return the dates of a text in `language` (ISO 639-1) in order, without overlaps.

    >>> dates("vom 1. September 2025", "de")
    [WrittenDate(span=Span(start=4, end=21), iso='2025-09-01')]
    """
    found: list[WrittenDate] = []
    for stretch in _stretches(text):
        for one in sorted(_candidates(text, language, stretch), key=lambda one: (one.span.start, -one.span.end)):
            if not found or one.span.start >= found[-1].span.end:
                found.append(one)
    return found


def with_iso_dates(text: str, language: str = "") -> str:
    """Return a text with its dates in the form of ISO 8601.

    >>> with_iso_dates("due on 2 november 2026", "en")
    'due on 2026-11-02'
    """
    parts, end = [], 0
    for span, iso in dates(text, language):
        parts += [text[end : span.start], iso]
        end = span.end
    return "".join([*parts, text[end:]]) if parts else text


def is_date(word: str) -> bool:
    """Whether a word is a date, or a month of a year, in the form of ISO 8601."""
    found = _ISO.fullmatch(word)
    return found is not None and 1 <= int(found[2]) <= _MONTHS


def is_year(word: str) -> bool:
    """Whether a word is a year of this century or the last one, in four digits."""
    return _HAS_YEAR.fullmatch(word) is not None


def parts_of_date(word: str, language: str = "") -> tuple[str, ...]:
    """Return the year of a date in the form of ISO 8601, the name of its month, and its day; empty for other words.

    >>> parts_of_date("2026-05-01", "fr")
    ('2026', 'mai', '1')
    """
    if not is_date(word):
        return ()
    year, month, *day = word.split("-")
    named = profile(language).months or profile("en").months
    name = min(named[int(month) - 1], key=lambda form: (len(form), form))
    return (year, name, *(str(int(one)) for one in day))


def date_words(word: str, language: str = "") -> tuple[str, ...]:
    """Return a date in the form of ISO 8601, the month of the year that it is in, and its parts; empty for other words.

    >>> date_words("2026-05-11")
    ('2026-05-11', '2026-05', '2026', 'may', '11')
    """
    if not is_date(word):
        return ()
    return (*dict.fromkeys((word, "-".join(word.split("-")[:2]))), *parts_of_date(word, language))


def _stretches(text: str) -> list[Span]:
    """Return the stretches of a text that can have a date: those around its years."""
    found: list[Span] = []
    for year in _HAS_YEAR.finditer(text):
        start, end = max(0, year.start() - _FURTHEST), min(len(text), year.end() + _FURTHEST)
        if found and start <= found[-1].end:
            start = found.pop().start
        found.append(Span(start, end))
    return found


def _candidates(text: str, language: str, stretch: Span) -> Iterator[WrittenDate]:
    for pattern in (*_IN_FIGURES, *_named(language)):
        for found in pattern.finditer(text, stretch.start, stretch.end):
            yield from _valid(found, found["month"], found["day"], language)
    for found in _SLASHES.finditer(text, stretch.start, stretch.end):
        day, month = found["first"], found["second"]
        if language in ("", "en"):
            if min(int(day), int(month)) > _MONTHS or max(int(day), int(month)) <= _MONTHS:
                continue
            day, month = (day, month) if int(day) > _MONTHS else (month, day)
        yield from _valid(found, month, day, language)


def _valid(found: re.Match[str], month: str, day: str | None, language: str) -> Iterator[WrittenDate]:
    number = int(month) if month.isdigit() else _numbers_of_months(language)[month.lower()]
    if 1 <= number <= _MONTHS and (day is None or 1 <= int(day) <= _DAYS):
        iso = f"{found['year']}-{number:02}" + (f"-{int(day):02}" if day else "")
        yield WrittenDate(Span(*found.span()), iso)


@cache
def _numbers_of_months(language: str) -> dict[str, int]:
    return {
        name: number
        for one in (profile("en"), profile(language or "en"))
        for forms in (one.months_short, one.months)
        for number, names in enumerate(forms, 1)
        for name in names
    }


@cache
def _named(language: str) -> tuple[re.Pattern[str], ...]:
    """Return the patterns of dates with the name of a month: the day first, the month first, the year first."""
    month = rf"(?P<month>{'|'.join(map(re.escape, longest_first(_numbers_of_months(language))))})(?!\w)\.?"
    joined = (
        rf"(?<![\w.,/-])(?:{_DAY}(?:st|nd|rd|th|er|[.ºª°])?[\s-]{_SHORT})?(?<!\w){month}[,\s-]\s?{_SHORT}{_YEAR}",
        rf"(?<![\w.,/-]){_DAY}/{month}/{_YEAR}",
        rf"(?<!\w){month}[\s-]{_DAY}(?:st|nd|rd|th)?(?:,?\s|-){_YEAR}",
        rf"(?<![\w.,/-]){_YEAR}\.?\s{_SHORT}{month}(?:\s{_DAY}(?!\w|[.,]\d))?",
    )
    return tuple(re.compile(pattern, re.IGNORECASE) for pattern in joined)
