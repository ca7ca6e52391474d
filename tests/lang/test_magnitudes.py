"""Tests of superlatives in questions, and of table cells as comparable numbers."""

from __future__ import annotations

import pytest

from pipelines.core.provenance import Span
from pipelines.lang.comparisons import Comparison, comparison_asked
from pipelines.lang.magnitudes import magnitude
from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind

_LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"}
_HIGHEST = Comparison(True, frozenset(), Span(0, 0))


@pytest.mark.parametrize(
    ("language", "question", "highest", "kinds"),
    [
        ("en", "Which part is the most expensive?", True, {Kind.MONEY}),
        ("en", "What has the most stages?", True, set()),
        ("de", "Welches Teil ist am günstigsten?", False, {Kind.MONEY}),
        ("fr", "Quelle pompe a le plus petit débit ?", False, set()),
        ("es", "¿Qué bomba tiene el mayor caudal?", True, set()),
        ("it", "Qual è la pompa più pesante?", True, {Kind.MASS}),
        ("pt", "Qual é a peça mais barata?", False, {Kind.MONEY}),
        ("nl", "Welke pomp heeft het laagste gewicht?", False, set()),
        ("ru", "Какая деталь самая дешёвая?", False, {Kind.MONEY}),
        ("zh", "哪个零件最便宜？", False, {Kind.MONEY}),
        ("ja", "最も軽いポンプはどれですか？", False, {Kind.MASS}),
    ],
)
def test_a_superlative_has_a_direction_and_may_have_a_kind(
    language: str, question: str, highest: bool, kinds: set[Kind]
) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert (asked.highest, asked.kinds) == (highest, kinds)


@pytest.mark.parametrize(
    ("language", "question"),
    [
        ("en", "What is the maximum pressure?"),
        ("de", "Wie viele Tage sind es höchstens?"),
        ("es", "¿Es más caro que el otro?"),
        ("zh", "价格是多少？"),
    ],
)
def test_limits_and_comparatives_are_not_superlatives(language: str, question: str) -> None:
    assert comparison_asked(question, language) is None


@pytest.mark.parametrize(
    ("language", "question", "count"),
    [
        ("en", "What are the three cheapest parts?", 3),
        ("en", "the 5 heaviest pumps", 5),
        ("de", "Nenne die zwei schwersten Pumpen.", 2),
        ("en", "What was the 2024 largest order?", 1),
        ("en", "What is the cheapest part?", 1),
    ],
)
def test_a_number_before_a_superlative_is_its_count(language: str, question: str, count: int) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert asked.count == count


@pytest.mark.parametrize("kinds", [(one, two) for one, by in read_table("extremes").items() for two in by])
def test_each_extreme_has_the_same_languages(kinds: tuple[str, str]) -> None:
    assert set(read_table("extremes")[kinds[0]][kinds[1]]) == _LANGUAGES | {"pl", "cs", "sv", "tr", "ko"}


@pytest.mark.parametrize(
    ("language", "name", "cell", "figure", "kind"),
    [
        ("en", "Price", "14.8 (14.80 EUR)", 14.8, Kind.MONEY),
        ("en", "Price, EUR", "1,180.00", 1180, Kind.MONEY),
        ("de", "Preis", "1.180,00 EUR", 1180, Kind.MONEY),
        ("en", "Length", "250 mm", 0.25, Kind.LENGTH),
        ("en", "Lowest temperature", "-30 °C", -30, Kind.TEMPERATURE),
        ("en", "Rated flow", "60 l/min", 3.6, Kind.FLOW),
        ("en", "lead_time_days", "35", 35 * 86_400, Kind.TIME),
        ("en", "Stages", "7", 7, Kind.NUMBER),
    ],
)
def test_a_cell_with_one_value_is_comparable(language: str, name: str, cell: str, figure: float, kind: Kind) -> None:
    found = magnitude(name, cell, language, _HIGHEST)
    assert found is not None
    assert found.kind is kind
    assert found.figure == pytest.approx(figure)


@pytest.mark.parametrize(
    "cells",
    [("60 s", "60 seconds", "1 min", "1 minute"), ("24 h", "24 hours", "1 day"), ("12 months", "1 year")],
)
def test_equal_times_in_different_units_are_equal(cells: tuple[str, ...]) -> None:
    found = [magnitude("Duration", cell, "en", _HIGHEST) for cell in cells]
    assert None not in found
    assert len(set(found)) == 1


def test_months_and_years_are_comparable() -> None:
    years, months = (magnitude("Warranty", cell, "en", _HIGHEST) for cell in ("2 years", "18 months from delivery"))
    assert years is not None
    assert months is not None
    assert years.measure == months.measure
    assert years.figure > months.figure


@pytest.mark.parametrize("cell", ["", "on request", "Seal ring 40 mm", "K80-250"])
def test_cells_without_a_single_value_are_not_comparable(cell: str) -> None:
    assert magnitude("Size", cell, "en", _HIGHEST) is None


def test_later_dates_are_greater() -> None:
    asked = Comparison(True, frozenset({Kind.DATE}), Span(0, 0))
    old, new = (magnitude("Issued", cell, "de", asked) for cell in ("28.2.2023", "2023-12-01"))
    assert old is not None
    assert new is not None
    assert old.figure < new.figure
