"""Tests of records and turned tables, through the units of evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.core.provenance import Span
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import ListItem, TableRow
from tests.qa.memory import MemoryRetrieval

TASKS = [
    ("Replace pump P3", "Maria Keller", "15 June"),
    ("Get two offers", "Jan Ortiz", "30 May"),
    ("Train operators", "Luis Silva", "1 July"),
]
FIELDS = [[("", task), ("Owner", owner), ("Due", due)] for task, owner, due in TASKS]


def rows(text: str, headings: tuple[str, ...] = (), items: tuple[ListItem, ...] = ()) -> list[list[tuple[str, str]]]:
    places = tuple((text.index(heading), heading) for heading in headings)
    hit = replace(MemoryRetrieval({"a.txt": text}).hits[0], headings=places, items=items)
    return [list(unit.fields) for unit in units(hit, 0) if unit.fields]


@pytest.mark.parametrize(
    "form", ["{}\nOwner: {}\nDue: {}\n\n", "{}\nOwner: {}\nDue: {}\n", "{}\nOwner {}\nDue   {}\n\n"]
)
def test_blocks_with_the_same_labels_are_rows(form: str) -> None:
    assert rows("Minutes\n\n" + "".join(form.format(*task) for task in TASKS)) == FIELDS


def test_labels_of_other_scripts_name_columns() -> None:
    text = "更换水泵\n负责：王伟\n期限：六月\n\n培训员工\n负责：李娜\n期限：七月"
    assert rows(text) == [
        [("", "更换水泵"), ("负责", "王伟"), ("期限", "六月")],
        [("", "培训员工"), ("负责", "李娜"), ("期限", "七月")],
    ]


def test_sections_of_fields_are_rows() -> None:
    text = "Minutes\n\n" + "".join("{}\n\nOwner: {}\n\nDue: {}\n\n".format(*task) for task in TASKS)
    assert rows(text, tuple(task for task, _, _ in TASKS)) == FIELDS


def test_items_of_a_list_with_fields_are_rows() -> None:
    parts = ["1. {}\nOwner: {}\nDue: {}\n".format(*task) for task in TASKS]
    starts = [sum(map(len, parts[:place])) for place in range(len(parts))]
    items = tuple(ListItem(Span(start, start + len(part)), 1) for start, part in zip(starts, parts, strict=True))
    assert rows("".join(parts), items=items) == FIELDS


def test_lines_that_come_again_are_labels_of_those_below() -> None:
    text = "".join("Task\n\n{}\n\nOwner\n\n{}\n\nDue\n\n{}\n\n".format(*task) for task in TASKS)
    assert rows(text) == [[("Task", task), *fields] for (task, _, _), (_, *fields) in zip(TASKS, FIELDS, strict=True)]


def test_lines_of_the_same_form_are_rows_named_by_their_common_words() -> None:
    parts = [
        ("Bearing 6204", "B-6204", "4.80 EUR"),
        ("Seal 25", "S-25", "3.20 EUR"),
        ("Filter 70", "F-70", "36.50 EUR"),
    ]
    text = "Prices\n\n" + "".join("{}\nArticle {}\n{}\n\n".format(*part) for part in parts)
    assert rows(text) == [[("", name), ("Article", code), ("", price)] for name, code, price in parts]


def test_what_is_behind_all_first_lines_has_a_column() -> None:
    text = "".join(
        f"Version {n} ({year})\nAuthor: {name}\nSize: {n} MB\n\n"
        for n, year, name in ((2, 2025, "Ortiz"), (1, 2024, "Keller"))
    )
    assert rows(text) == [
        [("Version", "Version 2"), ("", "2025"), ("Author", "Ortiz"), ("Size", "2 MB")],
        [("Version", "Version 1"), ("", "2024"), ("Author", "Keller"), ("Size", "1 MB")],
    ]


@pytest.mark.parametrize("form", ["{}\n{}\n{}\n\n", "{}\n\n{}\n\n{}\n\n", "{}\n{}\n{}\n"])
def test_lines_below_a_name_are_cells_of_its_row(form: str) -> None:
    people = [("Anna Berg", "Stores", "+49 010"), ("Tom Weiss", "Sales", "+49 022"), ("Raj Patel", "Post", "+49 044")]
    found = rows("".join(form.format(*person) for person in people))
    assert found == [[("", cell) for cell in person] for person in people]


def test_short_lines_below_two_headings_are_cells_of_their_rows() -> None:
    text = "Anna Berg\n\nMaintenance\n\nPhone 010\n\nTom Weiss\n\nElectrician\n\nPhone 022"
    assert rows(text, ("Anna Berg", "Tom Weiss")) == [
        [("", "Anna Berg"), ("", "Maintenance"), ("Phone", "010")],
        [("", "Tom Weiss"), ("", "Electrician"), ("Phone", "022")],
    ]


def test_lines_between_tabs_are_rows() -> None:
    text = "Minutes\n\nTask\tOwner\tDue\n\n" + "".join("{}\t{}\t{}\n\n".format(*task) for task in TASKS)
    assert rows(text) == [[("Task", task), *fields] for (task, _, _), (_, *fields) in zip(TASKS, FIELDS, strict=True)]


def test_a_record_may_lack_a_label() -> None:
    text = "Pump\nOwner: Keller\nDue: 15 June\nPlace: Hall 3\n\nFan\nOwner: Ortiz\nDue: 30 May\n"
    assert rows(text) == [
        [("", "Pump"), ("Owner", "Keller"), ("Due", "15 June"), ("Place", "Hall 3")],
        [("", "Fan"), ("Owner", "Ortiz"), ("Due", "30 May"), ("Place", "")],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Customer: Rocca\nDate: 6 May 2026\nPart: 12",
        "The pump is new.\nIt runs.\n\nThe fan is old.\nIt stands.\n\nThe belt is worn.\nIt slips.",
        "Pump\nOwner: Keller\nDue: 15 June\nFan Owner: Ortiz\nDue: 30 May\nBelt\nOwner: Silva\nDue: 1 July",
        "Rocca GmbH\nIndustriestr. 5\n70565 Stuttgart",
    ],
)
def test_other_lines_are_no_records(text: str) -> None:
    assert [row for row in rows(text) if len(row) > 1] == []


def test_the_span_of_a_record_has_all_its_lines() -> None:
    text = "".join("{}\nOwner: {}\nDue: {}\n\n".format(*task) for task in TASKS)
    found = units(MemoryRetrieval({"a.txt": text}).hits[0], 0)
    assert [unit.span.slice(text) for unit in found] == text.strip().split("\n\n")


def table(*lines: tuple[str, ...]) -> list[EvidenceUnit]:
    """Return the units of a table whose first line is the header."""
    written = [" | ".join(line) for line in lines]
    ends = [sum(len(line) + 1 for line in written[: place + 1]) for place in range(len(written))]
    spans = [Span(end - len(line) - 1, end - 1) for line, end in zip(written, ends, strict=True)]
    known = tuple(TableRow("t", span, lines[0], line) for span, line in zip(spans[1:], lines[1:], strict=True))
    return units(replace(MemoryRetrieval({"a.txt": "\n".join(written)}).hits[0], rows=known), 0)


def test_a_table_with_things_in_columns_has_a_row_for_each() -> None:
    header, *found = table(
        ("Article", "B-6204", "S-25", "G-118"),
        ("Name", "bearing", "seal", "grease"),
        ("Price", "4.80 EUR", "3.20 EUR", "118.00 EUR"),
    )
    assert [list(unit.fields) for unit in found] == [
        [("Article", "B-6204"), ("Name", "bearing"), ("Price", "4.80 EUR")],
        [("Article", "S-25"), ("Name", "seal"), ("Price", "3.20 EUR")],
        [("Article", "G-118"), ("Name", "grease"), ("Price", "118.00 EUR")],
    ]
    assert [unit.span.shifted(-header.span.start).slice(header.text) for unit in found] == ["B-6204", "S-25", "G-118"]


def test_a_table_with_things_in_rows_stays_as_it_is() -> None:
    _, *found = table(
        ("Article", "Name", "Price", "Stock"), ("B", "bearing", "4.80 EUR", "12"), ("S", "seal", "3.20 EUR", "40")
    )
    assert [unit.fields[0] for unit in found] == [("Article", "B"), ("Article", "S")]


def test_a_row_of_marks_lacks_the_columns_without_one() -> None:
    _, belt, stop = table(("Work", "daily", "weekly"), ("Check the belt", "", "x"), ("Test the stop", "✓", ""))
    assert (belt.denied, stop.denied) == (frozenset({"daili"}), frozenset({"week"}))
