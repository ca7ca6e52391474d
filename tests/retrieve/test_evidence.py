from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import Hit
from tests.qa.memory import MemoryRetrieval


def hit_of(text: str, context: str = "") -> Hit:
    hit = MemoryRetrieval({"a.txt": text}).hits[0]
    return replace(hit, chunk=replace(hit.chunk, context=context))


def by_text(text: str, context: str = "") -> dict[str, EvidenceUnit]:
    return {unit.text: unit for unit in units(hit_of(text, context), 0)}


def test_sentences_list_items_and_rows_are_units_with_exact_spans() -> None:
    text = "Some words. More words.\nAn item\nA | B\n1 | 2"
    found = units(hit_of(text), 0)
    assert [unit.text for unit in found] == ["Some words.", "More words.", "An item", "A | B", "1 | 2"]
    assert all(unit.text == unit.span.slice(text) for unit in found)


@pytest.mark.parametrize(
    "text",
    ["The pump of the\ndairy stands still.", "Насос молочного\nзавода стоит.", "Η αντλία του\nεργοστασίου σταμάτησε."],
)
def test_a_line_continued_in_lower_case_is_one_unit(text: str) -> None:
    assert [unit.text for unit in units(hit_of(text), 0)] == [text]


def test_list_items_in_lower_case_are_separate_units() -> None:
    found = units(hit_of("Use it if:\n\nyou know the files\nyou need most of the data soon\nyou have room for it"), 0)
    assert [unit.text for unit in found][1:] == [
        "you know the files",
        "you need most of the data soon",
        "you have room for it",
    ]


def test_rows_with_a_name_in_lower_case_are_separate_units() -> None:
    rows = ["name | pressure", "pc_14 | 35", "pc_15 | 40", "pc_16 | 45"]
    assert [unit.text for unit in units(hit_of("\n".join(rows)), 0)] == rows
    below = "The pump of the\ndairy has these limits:\nlow | 20\nhigh | 40"
    assert [unit.text for unit in units(hit_of(below), 0)][-2:] == ["low | 20", "high | 40"]


def test_rows_have_the_header_of_their_table_and_the_header_is_a_label() -> None:
    found = by_text("Table 1. Torques\n\nJoint | Torque\nNut | 110\nBolt | 68")
    assert found["Joint | Torque"].label
    assert found["Bolt | 68"].header == "Joint | Torque"
    assert "tabl" in found["Nut | 110"].above


def test_a_title_row_is_skipped_and_a_second_header_row_is_joined() -> None:
    found = by_text("Prices 2025 |  |  |\nPart | Size |  | Price\n | S | L | EUR\nSeal | 1 | 2 | 9")
    assert found["Seal | 1 | 2 | 9"].header == "Part | Size S | L | Price EUR"


def test_rows_of_a_split_table_have_the_header_of_the_chunk_context() -> None:
    assert by_text("Nut | 110\nBolt | 68", "Joint | Torque")["Nut | 110"].header == "Joint | Torque"


def test_a_table_of_contents_entry_is_a_label() -> None:
    entry, value = "2.3 Anzugsmoment . . . . . . . . 18", "Anzugsmoment: 68 Nm"
    found = by_text(f"{entry}\n\n{value}")
    assert found[entry].label
    assert not found[value].label


def test_a_heading_is_a_label_and_stands_above_what_follows() -> None:
    found = by_text("5.2 Cavitation rattle\n\nDo not run it for long. Call the service.")
    assert found["5.2 Cavitation rattle"].label
    assert "cavit" in found["Call the service."].above


def test_a_line_with_a_value_is_not_a_heading() -> None:
    assert not by_text("Impeller 204 mm\n\nHead 50 m")["Impeller 204 mm"].label


@pytest.mark.parametrize(
    ("term", "said"),
    [
        (
            "MINUTES battery runtime",
            "The system ends where the battery is to run for less than this, as computed. 3 is right.",
        ),
        (
            "F0021",
            "Die Drehzahl liegt um mehr als ein Zehntel unter dem Wert, der vorgegeben ist. Riemen prüfen.",
        ),
        ("最低水位", "水位低于此值时水泵停止运行并发出报警信号。默认值为三厘米。"),
    ],
)
def test_lines_below_a_term_are_grouped_with_it(term: str, said: str) -> None:
    found = units(hit_of(f"Settings are read at the start.\n\n{term}\n{said}\n\nThe file is plain text."), 0)
    names = [unit.text for unit in found if unit.label]
    assert names == [term]
    assert [unit.group for unit in found] == ["", "", term, term, ""]
    assert found[3].own >= found[1].own


def test_a_list_item_is_not_a_term() -> None:
    items = "Bring these:\nA wrench\nA hammer\nGloves that the cold of the pipes does not go through, and a lamp."
    assert [unit.group for unit in units(hit_of(items), 0)] == [""] * 4
