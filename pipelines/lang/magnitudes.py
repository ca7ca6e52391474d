"""Cells of a table as comparable numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from pipelines.lang.comparisons import Comparison
from pipelines.lang.dates import with_iso_dates
from pipelines.lang.numbers import number_words, numbers
from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind, Value, in_row, quantities
from pipelines.lang.questions import value_kinds

_WORDS_BEFORE = 1
"""Maximum words before the figure of a cell that is a value: "max. 40 °C", but not "Seal ring 40 mm"."""
_LETTERS = re.compile(r"[^\W\d_]+")
_DIGIT = re.compile(r"\d")
_YEAR_FIRST = re.compile(r"(?P<year>(?:1\d|20)\d\d)(?:[-./](?P<month>\d{1,2})(?:[-./](?P<day>\d{1,2}))?)?")
_DAY_FIRST = re.compile(r"(?P<day>\d{1,2})[./](?P<month>\d{1,2})[./](?P<year>\d{4})")
_MONTHS, _DAYS = 13, 32
"""More than the months of a year and the days of a month."""
_NO_FIGURES = frozenset({Kind.DATE, Kind.PHONE, Kind.MAIL})
_AMOUNT = re.compile(r"[\d\s.,'’+-]")
_MINUS = re.compile(r"(?<![\w.,])[-−–]\s?$")


@dataclass(frozen=True, slots=True)
class Magnitude:
    """A comparable value: `figure` in `measure`, a kind of value whose units can be converted, or a unit as written."""

    figure: float
    kind: Kind
    measure: str


def magnitude(name: str, cell: str, language: str, asked: Comparison) -> Magnitude | None:
    """Return a cell below the column `name` as a comparable value; None if it is not just a value.

    Of several values ("0 to 16 bar") it is the highest one, or the lowest if that is asked for. A number without a unit
    has the kind that the column name indicates ("Price"), else `Kind.NUMBER`.
    """
    if asked.kinds == {Kind.DATE}:
        return _date(cell, language)
    digit = _DIGIT.search(cell)
    starts = [digit.start()] if digit else [start for start, _, _ in number_words(cell, language)]
    if not starts or len(_LETTERS.findall(cell[: starts[0]])) > _WORDS_BEFORE:
        return None
    values = [value for value in _values(name, cell, language) if value.kind not in _NO_FIGURES]
    found = [*filter(None, (_measured(value, language) for value in values))] or [*_plain(name, cell, language)]
    if len({(one.kind, one.measure) for one in found}) != 1:
        return None
    return max(found, key=lambda one: one.figure if asked.highest else -one.figure)


def _date(cell: str, language: str) -> Magnitude | None:
    """Return a date as a number that grows with time; None if the cell is not just a date."""
    written = with_iso_dates(cell.strip(), language)
    found = _DAY_FIRST.fullmatch(written) or _YEAR_FIRST.fullmatch(written.rstrip("年"))
    if found is None:
        return None
    year, month, day = (int(found[name] or 1) for name in ("year", "month", "day"))
    return Magnitude((year * _MONTHS + month) * _DAYS + day, Kind.DATE, Kind.DATE)


def _values(name: str, cell: str, language: str) -> list[Value]:
    """Return the values in a cell; a plain number has the unit at the end of its column name ("lead_time_days")."""
    *_, last = ("", *name.replace("_", " ").split())
    own = in_row(((name, cell),), language)
    if own or not last or _LETTERS.search(cell):
        return own
    whole = f"{cell} {last}"
    return [value for value in quantities(whole, language) if value.text == whole]


def _measured(value: Value, language: str) -> Magnitude | None:
    figure, end = _figure(value.text, language), _end_of_figures(value.text)
    figure = value.figure if figure is None else figure  # a number word
    if figure is None:
        return None
    unit = (re.sub(r"\s", "", value.text[end:]) if end else "") or value.unit
    if value.kind is Kind.MONEY:
        return Magnitude(figure, value.kind, _currency(value.text) or _currency(value.unit))
    factors: dict[str, float] = read_table("unit_factors").get(value.kind, {})
    factor = next((factors[one] for one in (unit, unit.lower(), value.unit) if one in factors), None)
    return Magnitude(figure * factor, value.kind, value.kind) if factor else Magnitude(figure, value.kind, unit)


def _currency(text: str) -> str:
    """Return the code of the currency of an amount, or its sign or name as written."""
    written = _AMOUNT.sub("", text).lower()
    codes: dict[str, list[str]] = read_table("unit_factors")["currencies"]
    return next((code for code, signs in codes.items() if written in signs), written)


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
    """Return the last number of a text, with its sign."""
    found = numbers(text)
    figure = found[-1].reading(language) if found else None
    return -figure if figure is not None and _MINUS.search(text, 0, found[-1].span.start) else figure
