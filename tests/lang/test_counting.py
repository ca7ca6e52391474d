from __future__ import annotations

import pytest

from pipelines.lang.counting import counts_in_row, counts_in_text
from pipelines.lang.terms import stem


@pytest.mark.parametrize(
    ("text", "thing", "language", "told"),
    [
        ("It is 16 m high and has 22 routes.", "routes", "en", True),
        ("Routes: 22", "routes", "en", True),
        ("The routes are 16 m high.", "routes", "en", False),
        ("The shop lends bikes and kayaks.", "bikes", "en", False),
        ("It has 3 kayaks, and bikes.", "bikes", "en", False),
        ("2. Rinse the kayak.", "kayak", "en", False),
        ("Drei Hunde warten.", "Hunde", "de", True),
        ("Ein Hund wartet.", "Hund", "de", False),
        ("Les fûts sont remplacés tous les cinq ans.", "fûts", "fr", False),
        ("停车场只有80个车位。", "车位", "zh", True),
        ("车位在停车场。", "车位", "zh", False),
    ],
)
def test_a_number_without_a_unit_near_a_thing_counts_it(text: str, thing: str, language: str, told: bool) -> None:
    assert counts_in_text(text, {stem(thing.lower(), language)}, language) is told


@pytest.mark.parametrize(
    ("fields", "context", "told"),
    [
        ([("Model", "Ibex"), ("Pairs", "18")], (), True),
        ([("Model", "Ibex"), ("Quantity", "18")], ("pair",), True),
        ([("Model", "Ibex"), ("Quantity", "18")], (), False),
        ([("Model", "Ibex"), ("Price (£)", "18")], ("pair",), False),
        ([("Shelf", "2 pairs")], (), True),
        ([("Model", "Ibex"), ("March", "18"), ("April", "20")], ("pair",), True),
        ([("Model", "Ibex"), ("March", "18"), ("April", "20")], (), False),
    ],
)
def test_a_cell_counts_what_its_column_or_its_table_names(
    fields: list[tuple[str, str]], context: tuple[str, ...], told: bool
) -> None:
    assert counts_in_row(fields, {"pair"}, context, {"march"}, "en") is told
