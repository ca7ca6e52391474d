"""Tests of columns with units of measure: recognizing them, and joining units to the values of their row."""

from __future__ import annotations

import pytest

from pipelines.retrieve.table_rows import Fields, with_units
from tests.retrieve.test_evidence import by_text


def table(text: str) -> list[Fields]:
    header, *rows = (tuple(line.split(" | ")) for line in text.split("\n"))
    return [tuple(zip(header, row, strict=True)) for row in rows]


def cells_with_units(text: str, language: str = "en") -> list[str]:
    return [" | ".join(cell for _, cell in row) for row in with_units(table(text), language)]


@pytest.mark.parametrize(
    ("text", "language", "rows"),
    [
        (
            "Quantity | Unit | K65-200 | K80-250\nFlow | m³/h | 72 | 140\nEfficiency | % | 74 | 79",
            "en",
            ["Flow | 72 m³/h | 140 m³/h", "Efficiency | 74 % | 79 %"],
        ),
        ("Größe | Wert | Einheit\nDruck | 6 | bar\nDauer | 12 | Monate", "de", ["Druck | 6 bar", "Dauer | 12 Monate"]),
        ("参数 | 单位 | 数值\n压力 | 兆帕 | 0.6\n温度 | ℃ | -10...40", "zh", ["压力 | 0.6 兆帕", "温度 | -10...40 ℃"]),
        ("Grandeur | Unité | Valeur\nTension | V | 12\nCourant | A | 2", "fr", ["Tension | 12 V", "Courant | 2 A"]),
    ],
)
def test_a_value_is_joined_with_the_unit_of_its_row(text: str, language: str, rows: list[str]) -> None:
    assert cells_with_units(text, language) == rows


def test_a_row_without_a_unit_or_a_value_is_unchanged() -> None:
    text = (
        "Quantity | Unit | K80\nFlow | m³/h | 72\nMass | kg | 395\nPower | kW | none\nSeal | – | EPDM\nStages | – | 2"
    )
    assert cells_with_units(text)[2:] == ["Power | kW | none", "Seal | – | EPDM", "Stages | – | 2"]


@pytest.mark.parametrize(
    "text",
    [
        "Part | Class | Mass\nA1 | A | 12\nA2 | A | 13",
        "Part | Class | Mass\nA1 | A | 12\nA2 | B | 13\nA3 | C | 14",
        "Joint | Tool | Torque\nBolt | bar | tight\nNut | bar | loose",
        "Part | Store | Stock\nSeal | north | 4\nRing | m | 2",
    ],
)
def test_a_column_of_classes_or_words_is_not_a_unit_column(text: str) -> None:
    assert with_units(table(text), "en") == table(text)


def test_a_value_below_a_header_with_its_own_unit_gets_no_unit() -> None:
    text = "Item | Qty | Unit | Price EUR | Price\nPipe | 3 | m | 4.50 | 5\nOil | 5 | kg | 9 | 10"
    assert cells_with_units(text) == ["Pipe | 3 m | 4.50 | 5", "Oil | 5 kg | 9 | 10"]


def test_no_rows_and_rows_of_different_tables_are_unchanged() -> None:
    unlike = [*table("A | Unit | B\nx | % | 1\ny | % | 2"), *table("C | D\nz | 3")]
    assert with_units(unlike, "en") == unlike
    assert with_units([], "en") == []


def test_an_evidence_unit_has_cells_with_units_and_unchanged_text() -> None:
    row = by_text("Quantity | Unit | K80\nFlow | m³/h | 72\nEfficiency | % | 79")["Efficiency | % | 79"]
    assert row.fields == (("Quantity", "Efficiency"), ("K80", "79 %"))
    assert {"79", "k80"} <= row.own


def test_a_column_of_values_with_their_units_is_no_column_of_units() -> None:
    rows = [
        (("Room", name), ("Price", price), ("Beds", beds))
        for name, price, beds in (("single", "240 EUR", "1"), ("double", "360 EUR", "2"), ("suite", "720 USD", "4"))
    ]
    assert with_units(rows, "en") == rows
