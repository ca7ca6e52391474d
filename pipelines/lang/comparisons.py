"""Comparisons that a question asks for: an extreme ("the second cheapest"), or a bound ("more than 60 m³/h")."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import NamedTuple

from pipelines.core.provenance import Span
from pipelines.lang.dates import dates
from pipelines.lang.numbers import FIGURE, WRITTEN_DATE, number_word
from pipelines.lang.ordinals import ordinal, ordinal_value
from pipelines.lang.profile import of_language, read_table
from pipelines.lang.quantities import Kind, quantities
from pipelines.lang.word_lists import bounded, cue, wording

_ANY = "any"
_LAST_WORD = re.compile(r"(?<!\w)\w++\s$")
_MOST = 10
"""Maximum things asked for by a number; a larger number before a superlative is something else, such as a year."""
_HIGH = frozenset({"above", "at_least", "later", "since"})
_INCLUSIVE = frozenset({"at_least", "at_most", "since", "until"})
_OF_DATES = frozenset({"later", "since", "earlier", "until"})
_TO_END = frozenset({"later", "until"})
"""Comparisons with the end of a year or month: "after 2020"."""
_YEAR = re.compile(r"(?:19|20)\d\d(?![\d.,])")
_DATE = re.compile(rf"(?:{WRITTEN_DATE.pattern}|{_YEAR.pattern})(?!\d)")
_JOINT = re.compile(r"\s?(?:[^\W\d]{1,3}|[-–~]|至|到)\s?")
"""What joins the bounds of a range: "and", "und", "et", a dash."""
_A_DATE = frozenset({Kind.DATE})
_DATE_MARK = re.compile(r"[-./年月]")
_LAST_DAY = {1: "-12-31", 2: "-31"}
"""What completes a date of one part, a year, or of two, a year and month, to its last day."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a question asks for at `span`: extreme values, or those beyond `bound` if it is not empty.

    - `highest`: whether the highest values are asked for, or those above the bound.
    - `kinds`: the kinds of value that the words name ("cheapest": money); empty: any.
    - `count`: the number of things asked for, 3 for "the three cheapest"; `rank`: 2 for "the second cheapest".
    - `bound`: the bound as written, "60 m³/h"; `inclusive`: whether it belongs to the values asked for.
    - `upper`: the other bound of a range ("between 30 and 40 m"), which is inclusive.
    """

    highest: bool
    kinds: frozenset[Kind]
    span: Span
    count: int = 1
    rank: int = 1
    bound: str = ""
    inclusive: bool = False
    upper: str = ""

    def admits(self, figure: float, bound: float, upper: float | None = None) -> bool:
        """Whether a figure is beyond a bound, or equal to it if the bound is inclusive, and not above the upper one."""
        if upper is not None and figure > upper:
            return False
        return (figure > bound if self.highest else figure < bound) or (self.inclusive and figure == bound)


def comparison_asked(question: str, language: str) -> Comparison | None:
    """Return what a question in `language` (ISO 639-1) compares; None if it has no such word.

    A bound counts only if the question asks which or how many things are beyond it.

    >>> comparison_asked("What is the cheapest spare part?", "en").kinds
    frozenset({<Kind.MONEY: 'money'>})
    >>> comparison_asked("Which pumps have a flow of more than 60 m³/h?", "en").bound
    '60 m³/h'
    """
    if cue("selects", language).search(question) and (bounds := list(_bounds(question, language))):
        return max(bounds, key=lambda one: (-one.span.start, one.span.end))
    for highest, kinds, pattern in _superlatives(language):
        if found := pattern.search(question):
            count, start = _count_before(question, found.start(), language)
            rank = ordinal_value(found.group(), language) or 1
            return Comparison(highest, kinds, Span(start, found.end()), count, rank)
    return None


def limits_asked(question: str, language: str) -> Iterator[Comparison]:
    """Yield a comparison for each word of a limit before something, which may be no value: "below the minimum stock".

    Its span is that of the word, its bound is empty. Nothing if the question does not ask which things are beyond it.
    """
    if cue("selects", language).search(question):
        for place, name, pattern in _limits(language):
            for found in pattern.finditer(question) if place == "before" and name not in _OF_DATES else ():
                yield Comparison(name in _HIGH, frozenset(), Span(*found.span()), inclusive=name in _INCLUSIVE)


class _Value(NamedTuple):
    """A value in a question, which may be a bound, as it is written; a date as in ISO 8601."""

    start: int
    end: int
    kinds: frozenset[Kind]
    written: str


def _bounds(question: str, language: str) -> Iterator[Comparison]:
    """Yield a comparison for each value directly behind or before the words of a limit."""
    values, days = _values(question, language), _dates(question, language)
    yield from _ranges(question, values, days, language)
    for place, name, pattern in _limits(language):
        for found in pattern.finditer(question):
            known = days if name in _OF_DATES else values
            value = _behind(question, found.end(), known) if place == "before" else _before(found.start(), known)
            if value is not None:
                span = Span(min(value.start, found.start()), max(value.end, found.end()))
                bound = _end_of(value.written) if name in _TO_END else value.written
                yield Comparison(name in _HIGH, value.kinds, span, bound=bound, inclusive=name in _INCLUSIVE)


def _ranges(question: str, values: Sequence[_Value], days: Sequence[_Value], language: str) -> Iterator[Comparison]:
    """Yield a comparison for each two values behind "between"; numbers are years unless they have a unit."""
    for found in _between(language).finditer(question):
        pair, dated = (_pair(question, found.end(), known) for known in (values, days))
        if dated and not (pair and pair[1].kinds):
            pair = dated
        if pair:
            lower, upper = (value.written for value in pair)
            if pair is dated:
                upper = _end_of(upper)
            elif not pair[0].kinds and (figure := FIGURE.match(upper)):
                lower += upper[figure.end() :]  # "30 and 40 m" are both lengths
            span = Span(found.start(), pair[1].end)
            yield Comparison(True, pair[1].kinds, span, bound=lower, inclusive=True, upper=upper)


def _pair(question: str, place: int, values: Sequence[_Value]) -> tuple[_Value, _Value] | None:
    """Return the two values behind a place that a word or a dash joins."""
    lower = _behind(question, place, values)
    joint = _JOINT.match(question, lower.end) if lower else None
    upper = _behind(question, joint.end(), values) if joint else None
    return (lower, upper) if lower and upper else None


def _values(question: str, language: str) -> list[_Value]:
    """Return the values with a unit and the plain numbers, of those that begin together the longest first."""
    found = [
        _Value(one.span.start, one.span.end, frozenset({one.kind}), one.span.slice(question))
        for one in quantities(question, language)
    ]
    found = [value for value in found if Kind.DATE not in value.kinds]
    found += [_Value(*figure.span(), frozenset(), figure.group()) for figure in FIGURE.finditer(question)]
    return sorted(found, key=lambda value: (value.start, -value.end))


def _dates(question: str, language: str) -> list[_Value]:
    found = [_Value(one.span.start, one.span.end, _A_DATE, one.iso) for one in dates(question, language)]
    ends = [value.end for value in found]
    found += [
        _Value(*date.span(), _A_DATE, date.group()) for date in _DATE.finditer(question) if date.end() not in ends
    ]
    return sorted(found)


def _behind(question: str, place: int, values: Sequence[_Value]) -> _Value | None:
    """Return the value behind a place and an article; "above ZP 60" names a thing, and no value."""
    return next((one for one in values if one.start >= place and _is_gap(question[place : one.start])), None)


def _is_gap(text: str) -> bool:
    """Whether a text is a blank, an article, or nothing; the articles are those of all languages."""
    return text.strip().lower() in ("", *chain.from_iterable(wording("article").values()))


def _before(place: int, values: Sequence[_Value]) -> _Value | None:
    return next((value for value in values if value.end in {place, place - 1}), None)


def _end_of(date: str) -> str:
    """Return the last day of a year or month, and other dates as they are: "2020-12-31" for "2020年"."""
    plain = date.rstrip("年月")
    parts = len(_DATE_MARK.split(plain))
    return plain + _LAST_DAY[parts] if parts in _LAST_DAY else date


def _count_before(question: str, place: int, language: str) -> tuple[int, int]:
    """Return the number directly before a superlative with its start, 1 if there is none: "three", "3"."""
    word = _LAST_WORD.search(question, 0, place)
    if word is None:
        return 1, place
    written = word.group().strip()
    value = float(written) if written.isascii() and written.isdigit() else number_word(written, language)
    return (int(value), word.start()) if value and 1 < value <= _MOST else (1, place)


@cache
def _superlatives(language: str) -> tuple[tuple[bool, frozenset[Kind], re.Pattern[str]], ...]:
    found = [
        (direction == "highest", _kinds(kinds), parts)
        for direction, by_kind in read_table("extremes").items()
        for kinds, by_language in by_kind.items()
        if (parts := of_language(by_language, language))
    ]
    found.sort(key=lambda one: not one[1])  # words that name a kind are tried first: "most expensive" before "most"
    return tuple((highest, kinds, _superlative(parts, language)) for highest, kinds, parts in found)


def _kinds(named: str) -> frozenset[Kind]:
    return frozenset() if named == _ANY else frozenset(map(Kind, named.split()))


def _superlative(parts: Sequence[str], language: str) -> re.Pattern[str]:
    """Return the pattern of superlatives, with an ordinal before them or in place of their first part."""
    table, rank = read_table("ordinals"), ordinal(language)
    if not rank:
        return bounded(parts)
    if replaced := table["replaces"].get(language):
        parts = [part.replace(replaced, f"(?:{replaced}|{rank}(?:に| ?))") for part in parts]
    before = rf"(?:{rank}{table['between'].get(language, '')}[\s-]?)?"
    return bounded([rf"{before}(?:{part})" for part in parts])


@cache
def _limits(language: str) -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Return (before or behind the value, name, pattern) of the words for limits."""
    table = read_table("comparisons")
    return tuple(
        (place, name, bounded(parts))
        for place in ("before", "behind")
        for name, by_language in table[place].items()
        if (parts := of_language(by_language, language))
    )


@cache
def _between(language: str) -> re.Pattern[str]:
    return bounded(of_language(read_table("comparisons")["between"], language) or [r"(?!)"])
