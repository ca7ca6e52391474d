"""Questions for an extreme ("the cheapest", "the highest flow"), and cells of a table as comparable numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.numbers import number_word, numbers
from pipelines.lang.profile import of_language, profile, read_table
from pipelines.lang.quantities import Kind, Value, in_row, is_unit, quantities
from pipelines.lang.questions import value_kinds

_ANY = "any"
_WORDS_BEFORE = 1
"""Maximum words before the figure of a cell that is a value: "max. 40 °C", but not "Seal ring 40 mm"."""
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_YEAR_FIRST = re.compile(r"(?P<year>\d{4})(?:[-./年](?P<month>\d{1,2})(?:[-./月](?P<day>\d{1,2}))?)?")
_DAY_FIRST = re.compile(r"(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})")
_MONTHS, _DAYS = 13, 32
"""More than the months of a year and the days of a month."""
_LAST_WORD = re.compile(r"(?<!\w)\w++\s$")
_MOST = 10
"""Maximum things asked for by a number; a larger number before a superlative is something else, such as a year."""
_NO_FIGURES = frozenset({Kind.DATE, Kind.PHONE, Kind.MAIL})
_MINUS = re.compile(r"(?<![\w.,])[-−–]\s?$")


@dataclass(frozen=True, slots=True)
class Extreme:
    """What a question asks for: the `highest` value or the lowest, of one of `kinds` (empty: of any), at `span`.

    `count` is the number of things asked for, 3 for "the three cheapest".
    """

    highest: bool
    kinds: frozenset[Kind]
    span: Span
    count: int = 1


@dataclass(frozen=True, slots=True)
class Magnitude:
    """A comparable value: `figure` in `measure`, a kind of value whose units can be converted, or a unit as written."""

    figure: float
    kind: Kind
    measure: str


def extreme_asked(question: str, language: str) -> Extreme | None:
    """Return the extreme that a question in `language` (ISO 639-1) asks for; None if there is no such word.

    >>> extreme_asked("What is the cheapest spare part?", "en").kinds
    frozenset({<Kind.MONEY: 'money'>})
    """
    for highest, kinds, pattern in _patterns(language):
        if found := pattern.search(question):
            count, start = _count_before(question, found.start(), language)
            return Extreme(highest, kinds, Span(start, found.end()), count)
    return None


def _count_before(question: str, place: int, language: str) -> tuple[int, int]:
    """Return the number directly before a superlative with its start, 1 if there is none: "three", "3"."""
    word = _LAST_WORD.search(question, 0, place)
    if word is None:
        return 1, place
    written = word.group().strip()
    value = float(written) if written.isascii() and written.isdigit() else number_word(written, language)
    return (int(value), word.start()) if value and 1 < value <= _MOST else (1, place)


def magnitude(name: str, cell: str, language: str, asked: Extreme) -> Magnitude | None:
    """Return a cell below the column `name` as a comparable value; None if it is not just a value.

    Of several values ("0 to 16 bar") it is the highest one, or the lowest if that is asked for. A number without a unit
    has the kind that the column name indicates ("Price"), else `Kind.NUMBER`.
    """
    if asked.kinds == {Kind.DATE}:
        return _date(cell)
    first = _DIGIT.search(cell)
    if first is None or len(_LETTERS.findall(cell[: first.start()])) > _WORDS_BEFORE:
        return None
    values = [value for value in _values(name, cell, language) if value.kind not in _NO_FIGURES]
    found = [*filter(None, (_measured(value, language) for value in values))] or [*_plain(name, cell, language)]
    if len({(one.kind, one.measure) for one in found}) != 1:
        return None
    return max(found, key=lambda one: one.figure if asked.highest else -one.figure)


@cache
def _patterns(language: str) -> tuple[tuple[bool, frozenset[Kind], re.Pattern[str]], ...]:
    table = read_table("extremes")
    found = [
        (direction == "highest", _kinds(kinds), parts)
        for direction, by_kind in table.items()
        for kinds, by_language in by_kind.items()
        if (parts := of_language(by_language, language))
    ]
    found.sort(key=lambda one: not one[1])  # words that name a kind are tried first: "most expensive" before "most"
    return tuple((highest, kinds, _pattern(parts)) for highest, kinds, parts in found)


def _kinds(named: str) -> frozenset[Kind]:
    return frozenset() if named == _ANY else frozenset(map(Kind, named.split()))


def _pattern(parts: Sequence[str]) -> re.Pattern[str]:
    bounded = [part if CJK_CHARACTER.search(part) else rf"(?<!\w){part}(?!\w)" for part in parts]
    return re.compile("|".join(bounded), re.IGNORECASE)


def _date(cell: str) -> Magnitude | None:
    """Return a date in digits as a number that grows with time; None if the cell is not just a date."""
    found = _DAY_FIRST.fullmatch(cell.strip()) or _YEAR_FIRST.fullmatch(cell.strip().rstrip("日"))
    if found is None:
        return None
    year, month, day = (int(found[name] or 1) for name in ("year", "month", "day"))
    return Magnitude((year * _MONTHS + month) * _DAYS + day, Kind.DATE, Kind.DATE)


def _values(name: str, cell: str, language: str) -> list[Value]:
    """Return the values in a cell; a plain number has the unit at the end of its column name ("lead_time_days")."""
    *_, last = ("", *name.replace("_", " ").split())
    plain = last and not _LETTERS.search(cell) and is_unit(last, language)
    return in_row(((name, cell),), language) or (quantities(f"{cell} {last}", language) if plain else [])


def _measured(value: Value, language: str) -> Magnitude | None:
    figure = _figure(value.text, language)
    if figure is None:
        return None
    unit = re.sub(r"\s", "", value.text[_end_of_figures(value.text) :]) or value.unit
    factors: dict[str, float] = read_table("unit_factors").get(value.kind, {})
    factor = factors.get(unit, factors.get(unit.lower()))
    return Magnitude(figure * factor, value.kind, value.kind) if factor else Magnitude(figure, value.kind, unit)


def _end_of_figures(text: str) -> int:
    return max((number.span.end for number in numbers(text)), default=0)


def _plain(name: str, cell: str, language: str) -> Iterator[Magnitude]:
    """Yield a number with at most one word, an unknown unit, behind it."""
    kinds = value_kinds(name, language) - {Kind.NUMBER}
    unit = cell[_end_of_figures(cell) :].strip()
    figure = _figure(cell, language) if len(unit.split()) <= 1 else None
    if figure is not None:
        yield Magnitude(figure, min(kinds, default=Kind.NUMBER), unit)


def _figure(text: str, language: str) -> float | None:
    """Return the last number of a text; where it has two readings, that with the group mark of the language."""
    found = numbers(text)
    if not found or not found[-1].values:
        return None
    number = found[-1]
    grouped = any(mark in number.text for mark in profile(language or "en").group)
    figure = max(number.values) if grouped else min(number.values)
    return -figure if _MINUS.search(text, 0, number.span.start) else figure
