"""Tests of fields on two lines, through the units of evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.core.provenance import Span
from pipelines.retrieve.evidence import units
from pipelines.retrieve.hit import Hit, TableRow
from tests.qa.memory import MemoryRetrieval

EN = [("Weight", "61 kg"), ("Colour", "RAL 5010"), ("Contact", "Anna Berg"), ("Order number", "HX20-441")]
PL = [("Masa", "61 kg"), ("Kolor", "RAL 5010"), ("Osoba", "Anna Berg"), ("Numer", "HX20-441")]
ZH = [("重量", "61 千克"), ("颜色", "RAL 5010"), ("联系人", "王伟"), ("订货号", "HX20-441")]


def groups(text: str, headings: tuple[tuple[int, str], ...] = ()) -> list[tuple[str, str]]:
    hit: Hit = replace(MemoryRetrieval({"a.txt": text}).hits[0], headings=headings)
    return [(unit.group, unit.text) for unit in units(hit, 0) if unit.group]


@pytest.mark.parametrize("fields", [EN, PL, ZH])
@pytest.mark.parametrize("form", ["{}\n\n{}\n\n", "{}\n{}\n\n", "{}:\n{}\n", "{}:\n\n{}\n\n"])
def test_a_label_above_its_value_is_a_field(form: str, fields: list[tuple[str, str]]) -> None:
    text = "Pump HX 20\n\n" + "".join(form.format(*field) for field in fields)
    assert groups(text) == fields


@pytest.mark.parametrize("form", ["{}\n{}\n\n", "{}\n\n{}\n\n"])
def test_a_value_above_its_label_is_a_field_and_no_value_of_the_label_before(form: str) -> None:
    tiles = [("91.4 %", "Availability"), ("3.2 %", "Scrap rate"), ("18,450", "Units produced")]
    text = "Line\n\n" + "".join(form.format(*tile) for tile in tiles)
    assert groups(text, ((0, "Line"),)) == [(label, value) for value, label in tiles]
    dates = [("March 2025", "Design freeze"), ("July 2025", "First prototype"), ("May 2026", "Start")]
    text = "Plan\n\n" + "".join(form.format(*one) for one in dates)
    assert groups(text, ((0, "Plan"),)) == [(label, value) for value, label in dates]


def test_a_label_with_a_digit_is_one_like_those_of_the_other_blocks() -> None:
    fields = [("Electricity", "4.1 GWh"), ("CO2 emissions", "820 t"), ("Energy costs", "1.9 M€")]
    text = "Energy\n\n" + "".join(f"{label}\n{value}\n\n" for label, value in fields)
    assert groups(text, ((0, "Energy"),)) == fields


def test_a_line_alone_between_two_headings_is_the_value_of_the_first() -> None:
    text = "Colour\n\nRAL 5010\n\nMaterial\n\nbronze"
    assert groups(text, ((0, "Colour"), (text.index("Material"), "Material"))) == [
        ("Colour", "RAL 5010"),
        ("Material", "bronze"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Rocca GmbH\nIndustriestr. 5\n70565 Stuttgart",
        "Oil\n\nFilter\n\nBelt\n\nSeal\n\nBearing\n\nFan",
        "The pump is new.\n\n12 kg\n\nIt runs well.\n\n13 kg\n\nIt is blue.\n\n14 kg",
        "Step 1\n\nOpen\n\nStep 2\n\nClose\n\nStep 3\n\nLock",
    ],
)
def test_other_lines_are_no_fields(text: str) -> None:
    assert groups(text) == []


@pytest.mark.parametrize(("line", "label"), [("Weight ..... 61 kg", False), ("Weight ......... 61", True)])
def test_dot_leaders_lead_to_a_page_or_to_a_value(line: str, label: bool) -> None:
    hit = MemoryRetrieval({"a.txt": f"Some text here.\n{line}\nMore text here."}).hits[0]
    assert next(unit.label for unit in units(hit, 0) if unit.text == line) is label


def test_lines_with_labels_of_their_own_are_no_records() -> None:
    assert groups("Customer: Rocca\nDate: 6 May 2026\nPart: 12\n\nMaker: Berg\nDate: 7 May 2026\nPart: 13") == []


def test_a_row_with_an_empty_last_cell_is_a_heading_of_rows() -> None:
    text = "The pump vibrates |\nCause | Loose bolts\nRemedy | Tighten them"
    rows = tuple(
        TableRow("t", Span(start, start + len(line)), ("", ""), (line.split(" |")[0], line.split("| ")[-1]))
        for line in text.split("\n")
        for start in [text.index(line)]
    )
    merged = replace(rows[0], cells=("The pump vibrates", "The pump vibrates"))
    hit = replace(MemoryRetrieval({"a.txt": text}).hits[0], rows=(merged, *rows[1:]))
    found = units(hit, 0)
    assert [(unit.label, unit.group) for unit in found] == [
        (True, ""),
        (False, "The pump vibrates"),
        (False, "The pump vibrates"),
    ]
