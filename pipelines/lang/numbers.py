"""Numbers in text, in digits with all their possible readings and in words, and dates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from pipelines.core.provenance import Span
from pipelines.lang.characters import MARK, UNSPACED_CHARACTER
from pipelines.lang.profile import longest_first, profile
from pipelines.lang.terms import stem, words
from pipelines.lang.word_lists import StringFinder, cue

GROUP_BLANKS = " \u00a0\u202f\u2009"
"""Blanks that separate thousands: the others are narrow or do not break."""
_NUMBER = re.compile(rf"(?<![\d.,])\d+(?:[.,'{GROUP_BLANKS}]\d+)*")
_CODE_BEFORE = re.compile(r"[A-Za-z][A-Za-z\d]*[-/_.]?(?:\d+[-/_.])*$")
_GROUPED = re.compile(rf"\d{{1,3}}(?:([,.'{GROUP_BLANKS}])\d{{3}})(?:\1\d{{3}})*(?:[.,]\d+)?")
_BLANK = re.compile(f"[{GROUP_BLANKS}']")
_PERCENT = re.compile(r"\s?[%％]")
_CJK_NUMERALS = re.compile("[一二两三四五六七八九十百千]+")
_LETTERS = re.compile(rf"[^\W\d_]+(?:[{MARK}-][^\W\d_]*)*")
_IN_WORD = re.compile(rf"[\w{MARK}]")

_NUMBER_LANGUAGES = ("ja", "ru", "nl", "pt", "it", "es", "fr", "de", "zh", "en")
"""Languages with lists of number words; if two of them share a word, the later one counts."""

FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
"""A number with its points and commas."""
WRITTEN_NUMBER = (
    r"[-+±<>≤≥~≈]?\s*\d{1,3}(?:[ ,'\u00a0]\d{3})*(?:\.\d+)?|[-+±<>≤≥~≈]?\s*\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
)
"""A number in a table cell, with sign and power of ten, as alternatives of a regular expression."""

# Abbreviated month names only in English and German: Portuguese "set" and "out" are English words.
_NAMES = frozenset().union(
    profile("en").month_names,
    profile("de").month_names,
    *(forms for code in _NUMBER_LANGUAGES if profile(code).spaced for forms in profile(code).months),
)
_MONTHS = "|".join(longest_first(_NAMES))

DATE = re.compile(
    r"\b\d{4}-\d\d?-\d\d?\b|\b\d{1,2}[./]\d{1,2}[./]\d{2,4}\b|\b\d{1,2}-\d{1,2}-(?:19|20)\d\d\b"
    rf"|\b\d{{1,2}}[/-](?:{_MONTHS})\.?[/-](?:\d{{4}}|\d{{2}})\b"
    rf"|\b\d{{1,2}}(?:st|nd|rd|th|er|\.)?\s(?:(?:of|de|di)\s)?(?:{_MONTHS})\b\.?|\b(?:{_MONTHS})\.?\s\d{{1,4}}\b"
    r"|(?<!(?-i:[A-Z])[-_/])\b(?:[1١۱][9٩۹]|[2٢۲][0٠۰])\d\d\b"
    r"|\d{4}\s?[年년]|\d{1,2}\s?[月월]\s?\d{1,2}\s?[日일]",
    re.IGNORECASE,
)
"""A date in running text, including a month or a year alone, but not the number of a document ("DS-2041")."""

WRITTEN_DATE = re.compile(
    r"\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{2,4}|\d{4}年(?:\d{1,2}月(?:\d{1,2}日)?)?"
)
"""A date in digits, in a table cell."""

_OLD_YEAR_OR_TIME = re.compile(r"\b1\d\d\d\b|\b\d{1,2}:\d\d\b")
"""A time of day, or a year before those of `DATE`, which may also be an amount."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number in a text; `values` are its readings ("1,104" is 1104 or, in some countries, 1.104).

    `percent` is true if a percent sign follows.
    """

    text: str
    span: Span
    values: frozenset[float]
    percent: bool = False

    def reading(self, language: str) -> float | None:
        """Return the value; of two readings, that in which the group mark of the language separates thousands.

        None if the number has no reading ("1.2.3").
        """
        grouped = any(mark in self.text for mark in profile(language or "en").group)
        return (max if grouped else min)(self.values, default=None)

    def rounds(self, reading: float, exact: float) -> bool:
        """Whether `exact`, rounded to the digits of the number as written, equals this reading."""
        digits = re.sub(r"\D", "", self.text)
        decimals = 0 if float(digits) == reading else len(digits) - len(str(int(reading)))
        return abs(reading - exact) <= 0.5 * 10.0**-decimals + 1e-9 * abs(exact)


def numbers(text: str) -> list[Number]:
    """Return the numbers written in digits, in order, without those inside codes and names."""
    return list(_numbers(text))


def values(text: str) -> frozenset[float]:
    """Return all readings of all numbers in `text`, including small ones in words."""
    found = {value for number in numbers(text) for value in number.values}
    return frozenset(found | {value for _, _, value in number_words(text) if value is not None})


def number_words(text: str, language: str = "") -> list[tuple[int, int, float | None]]:
    """Return the numbers in words of a language, or of all languages if it is not given, as (start, end, value).

    The value of a long run of Chinese numerals is None.

    >>> number_words("after twenty-five years", "en")
    [(6, 17, 25.0)]
    """
    found: list[tuple[int, int, float | None]] = []
    lowered = text.lower()
    if len(lowered) != len(text):  # "İ" becomes two characters
        lowered = "".join(one.lower()[:1] for one in text)
    spelled = [one for one in _finder(language).find(lowered) if _is_whole(text, one[0], one[1])]
    spelled += [(*one.span(), _words(language).get(one.group())) for one in _CJK_NUMERALS.finditer(text)]
    for start, end, value in sorted(spelled, key=lambda one: (one[0], -one[1])):
        if not found or start >= found[-1][1]:
            found.append((start, end, value))
    return found


def number_word(word: str, language: str = "") -> float | None:
    """Return the value of a number in words, or None if it is not listed."""
    return _words(language).get(word.lower())


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no letter, digit or vowel sign is next to this part of a text."""
    return not (_IN_WORD.match(text, start - 1, start) if start else None) and not _IN_WORD.match(text, end)


@cache
def _finder(language: str) -> StringFinder[float | None]:
    spaced = {word: value for word, value in _words(language).items() if not UNSPACED_CHARACTER.search(word)}
    return StringFinder(spaced)


@cache
def _words(language: str) -> dict[str, float]:
    return {
        word: value
        for code in ((language,) if language else _NUMBER_LANGUAGES)
        for word, value in profile(code).numbers.items()
    }


def decimal(figure: str, language: str = "") -> float | None:
    """Return the last number of a figure or a range ("2-3,5": 3.5) as a language writes it; None if it has none.

    >>> decimal("4.500", "de"), decimal("4.500", "en"), decimal("4 500", "fr")
    (4500.0, 4.5, 4500.0)
    """
    found = numbers(figure)
    return found[-1].reading(language) if found else None


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        run, start = match.group(), match.start()
        if _CODE_BEFORE.search(text, max(0, start - 24), start):
            # Inside a code such as "K80-250", which ends at a blank; a unit may follow directly ("142.5mm").
            code = _BLANK.split(run, maxsplit=1)[0]
            run, start = run[len(code) + 1 :], start + len(code) + 1
        for piece, at in _pieces(run, start) if run else ():
            end = at + len(piece)
            yield Number(piece, Span(at, end), _readings(piece), _PERCENT.match(text, end, end + 2) is not None)


def _pieces(run: str, start: int) -> Iterator[tuple[str, int]]:
    """Yield the numbers of a run of digits: a run with blanks is one number only if they separate thousands."""
    if not _BLANK.search(run) or _GROUPED.fullmatch(run):
        yield run, start
        return
    for match in FIGURE.finditer(run):
        yield match.group(), start + match.start()


def _readings(text: str) -> frozenset[float]:
    """Return the readings of a number: a mark before the last three digits may separate thousands or decimals.

    It separates decimals behind a 0 and behind another mark ("0.500", "1,234.567").
    """
    plain = _BLANK.sub("", text)
    last = max(plain.rfind(","), plain.rfind("."))
    if last < 0:
        return frozenset({float(plain)})
    found = set()
    one_mark = plain.count(plain[last]) == len(plain) - len(re.sub(r"[.,]", "", plain)) and not plain.startswith("0")
    if one_mark and _GROUPED.fullmatch(plain) and len(plain) - last == 4:
        found.add(float(re.sub(r"[.,]", "", plain)))
    whole, decimals = re.sub(r"[.,]", "", plain[:last]), plain[last + 1 :]
    if plain.count(plain[last]) == 1:
        found.add(float(f"{whole}.{decimals}"))
    return frozenset(found)


@cache
def calendar(language: str = "") -> frozenset[str]:
    """Return the names of months and weekdays in a language and in English, in lower case."""
    profiles = (profile("en"), profile(language or "en"))
    return frozenset().union(*(one.month_names | one.weekday_names for one in profiles))


_SHORTENED = 3
"""Letters to which the names of months are shortened in tables: "Sep", "Jul"."""


@lru_cache(maxsize=1 << 12)  # called for each pair of a word of a question and one of the passages
def calendar_forms(word: str, language: str) -> frozenset[str]:
    """Return the names and abbreviations of the month or weekday that a lower-case word of a language names, or none.

    >>> sorted(calendar_forms("friday", "en"))
    ['fr', 'fri', 'friday']
    """
    own = profile(language or "en")
    names = (*zip(own.months, own.months_short, strict=False), *zip(own.weekdays, own.weekdays_short, strict=False))
    root = stem(word, language)
    found = next((full | short for full, short in names if word in full or root in _stems(full, language)), frozenset())
    return found | {name[:_SHORTENED] for name in found if name in own.month_names and len(name) > _SHORTENED}


@cache
def calendar_abbreviations(language: str) -> frozenset[str]:
    """Return the abbreviations of months and weekdays in a language."""
    own = profile(language or "en")
    shortened = {name[:_SHORTENED] for name in own.month_names if len(name) > _SHORTENED}
    return frozenset().union(*own.months_short, *own.weekdays_short, shortened)


@cache
def _stems(names: frozenset[str], language: str) -> frozenset[str]:
    return frozenset(stem(name, language) for name in names)


def tells_when(text: str, language: str = "") -> bool:
    """Whether a text has a date, a time, or words such as "after", "before" or "while"."""
    if any(pattern.search(text) for pattern in (DATE, _OLD_YEAR_OR_TIME, cue("time", language))):
        return True
    return not _names_of_days(language).isdisjoint(words(text, language))


def names_month_or_weekday(text: str, language: str = "") -> bool:
    """Whether a text has the name of a month or weekday, in English with a capital: "in April", but not "may".

    An abbreviation is one alone, with a capital: "Oct", as the name of a column.
    """
    own = profile(language or "en")
    alone = text.strip().removesuffix(".")
    if alone[:1].isupper() and alone.casefold() in calendar_abbreviations(own.code):
        return True
    names, capitals = _months_and_weekdays(own.code), own.code == "en"
    found = (word for word in _LETTERS.findall(text) if word[0].isupper() or not capitals)
    return any((low := word.casefold()) in names and low not in own.question_words for word in found)


@cache
def _names_of_days(language: str) -> frozenset[str]:
    """Return the names of a language and of English, with their plurals."""
    names = _months_and_weekdays("en") | _months_and_weekdays(language or "en")
    return names | {f"{name}s" for name in names}


@cache
def _months_and_weekdays(language: str) -> frozenset[str]:
    """Return the names without abbreviations, which may be words ("mar", "sat")."""
    own = profile(language)
    return own.weekday_names.union(*own.months)
