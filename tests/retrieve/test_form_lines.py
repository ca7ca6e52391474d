"""Tests of forms, letters, comments and choices in running text, through the units of evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.retrieve.choices import options_in
from pipelines.retrieve.evidence import EvidenceUnit, units
from tests.qa.memory import MemoryRetrieval


def units_of(text: str, headings: tuple[str, ...] = ()) -> list[EvidenceUnit]:
    places = tuple((text.index(heading), heading) for heading in headings)
    return units(replace(MemoryRetrieval({"a.txt": text}, language="en").hits[0], headings=places), 0)


def rows(text: str) -> list[tuple[str, str]]:
    return [field for unit in units_of(text) for field in unit.fields]


@pytest.mark.parametrize("between", [": ", ":\t", "\t", " – "])
def test_labels_with_their_values_in_succession_are_rows_of_a_form(between: str) -> None:
    text = "Data\n\n" + "\n\n".join(f"{label}{between}{value}" for label, value in FORM)
    assert rows(text) == FORM
    assert len({unit.table for unit in units_of(text) if unit.fields}) == 1


FORM = [("Weight", "186 kg"), ("Colour", "blue"), ("Noise", "74 dB(A)")]


def test_things_with_values_of_the_same_form_are_no_form() -> None:
    assert rows("Belt: check the tension (280 N)\nFan: balance it (300 rpm)\nPump: grease it (15 g)") == []


def test_two_labels_are_no_form_and_neither_are_those_of_a_mail() -> None:
    assert rows("Note: The guard is open.\n\nWarning: Hot surface.") == []
    mail = "From: Ann Berg <ann@plant.example>\nTo: Bo\nSubject: Pump\nDate: 3 May 2025\n\nIt runs."
    assert rows(mail) == []


def test_blanks_to_be_filled_in_are_no_part_of_a_value() -> None:
    assert rows("Machine: ___PX 80___\nInspector: ___Rossi___\nResult: ___good___")[0] == ("Machine", "PX 80")


def test_a_closing_and_the_lines_below_are_one_row() -> None:
    text = "We look forward to your order.\n\nKind regards\n\nThermatec AB\n\nMaja Lundqvist\n\nSales Manager"
    assert [cell for _, cell in rows(text)] == ["Kind regards", "Thermatec AB", "Maja Lundqvist", "Sales Manager"]


def test_a_closing_without_the_name_of_a_person_is_left() -> None:
    assert rows("Kind regards\n\nThe pump must be drained before it is lifted.") == []


def test_what_is_told_of_a_comment_stands_above_its_text() -> None:
    head = "[author: Wren, time: 2026-11-30T22:06:04Z, on: “The fan runs. The limit is …”]"
    told, text = units_of(f"{head} Taken from ISO 14694.")
    assert (told.text, told.label, told.own) == (head, True, frozenset())
    assert (text.text, text.heading) == ("Taken from ISO 14694.", head)


def test_options_that_are_not_checked_are_denied() -> None:
    assert options_in("Result: ☒ passed ☐ failed ☑ sealed") == ("passed sealed", "failed")
    (unit,) = units_of("Result of the test: ☒ passed ☐ failed")
    assert unit.denied == {"fail"}


def test_sections_that_share_one_of_several_labels_are_no_records() -> None:
    text = (
        "Definitions\n\nAttendant: the person outside.\n\nEntrant: the person inside.\n\nPermit: form F-1.\n\n"
        "Tasks\n\nLeader: issues the permit.\n\nAttendant: counts the persons.\n\nWorkshop: locks the lines."
    )
    found = units_of(text, ("Definitions", "Tasks"))
    assert [unit.fields for unit in found if len(unit.fields) > 1] == []
