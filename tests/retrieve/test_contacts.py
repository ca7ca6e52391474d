"""Tests of contacts and headers of mails, through the units of evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.core.provenance import Span
from pipelines.retrieve.evidence import EvidenceUnit, units
from pipelines.retrieve.hit import ListItem
from tests.qa.memory import MemoryRetrieval

CONTACT = [("", "Laura Mitchell"), ("", "Purchasing Manager"), ("", "Hartwell Pumps Ltd."), ("", "12 Mill Lane, Leeds")]
NUMBERS = [("Phone", "+44 113 496 0321"), ("Mobile", "+44 7700 900145"), ("E-mail", "laura.m@hartwell.example")]
HEADER = "From: Anna Berg <anna@plant.example>\nTo: Tom Kay <tom@plant.example>\nDate: 2026-11-02T07:40:00+00:00\n\n"
SAID = HEADER.strip().replace("\n", "; ")


def read(text: str, language: str = "en", **fields: object) -> list[EvidenceUnit]:
    hit = MemoryRetrieval({"a.eml": text}).hits[0]
    return units(replace(hit, chunk=replace(hit.chunk, language=language), **fields), 0)  # type: ignore[arg-type]


def rows(text: str, language: str = "en", **fields: object) -> list[list[tuple[str, str]]]:
    return [list(unit.fields) for unit in read(text, language, **fields) if unit.fields]


@pytest.mark.parametrize("between", ["\n", "\n\n"])
@pytest.mark.parametrize("above", ["Kind regards\n", "Kind regards\n\n", "Laura\n\n-- \n"])
def test_a_signature_is_a_row_that_begins_with_the_name(above: str, between: str) -> None:
    lines = [cell for _, cell in CONTACT] + [f"{name} {number}" for name, number in NUMBERS]
    assert rows(f"The offer is valid until May.\n\n{above}{between.join(lines)}") == [CONTACT + NUMBERS]


def test_numbers_on_one_line_have_the_words_before_them_as_names() -> None:
    text = "Laura Mitchell\nPurchasing, Phone +44 113 496 0321 | Mobile +44 7700 900145\nlaura.m@hartwell.example"
    assert rows(text) == [[CONTACT[0], ("", "Purchasing"), *NUMBERS[:2], ("", NUMBERS[2][1])]]


def test_an_extension_is_told_by_its_label() -> None:
    assert rows("Jürgen Vogt\nInstandhaltung, Tel. 2217", "de") == [
        [("", "Jürgen Vogt"), ("", "Instandhaltung"), ("Tel", "2217")]
    ]


def test_a_name_that_no_list_has_is_known_by_the_address() -> None:
    text = "Z poważaniem\nEwa Lis\nKontroler jakości\ne.lis@portowa.example"
    assert rows(text, "pl") == [[("", "Ewa Lis"), ("", "Kontroler jakości"), ("", "e.lis@portowa.example")]]


def test_each_person_has_a_row_also_without_blank_lines() -> None:
    text = "Ines Roth\n+49 30 5550 111\nRaul Vega\nSales\n+34 91 555 0122\nTeam office\n\nClosed on Friday."
    assert [row[0][1] for row in rows(text)] == ["Ines Roth", "Raul Vega"]


def test_a_firm_with_its_address_heads_its_numbers() -> None:
    text = "Válvulas Ortega S.A. · Calle del Puerto 22\nTel. +34 963 55 01 00"
    assert rows(text, "es") == [[("", "Válvulas Ortega S.A. · Calle del Puerto 22"), ("Tel", "+34 963 55 01 00")]]


def test_the_numbers_in_a_list_below_the_heading_with_a_name_are_one_contact() -> None:
    text = "Ines Roth\n\nPlant manager\n\n+49 30 5550 111\ninfo@werk.example"
    items = tuple(ListItem(Span(text.index(part), text.index(part) + len(part)), 1) for part in ("+49 30", "info@"))
    assert rows(text, headings=((0, "Ines Roth"),), items=items) == [
        [("", "Ines Roth"), ("", "Plant manager"), ("", "+49 30 5550 111"), ("", "info@werk.example")]
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Call +44 113 496 0321 if the pump leaks.",
        "Order numbers\n12 500 300\n12 500 301",
        "To: all@plant.example\nDate: 3",
    ],
)
def test_sentences_figures_and_headers_are_no_contacts(text: str) -> None:
    assert rows(text) == []


def test_what_is_below_the_header_of_a_mail_is_said_by_its_sender() -> None:
    header, greeting, body, closing = read(f"{HEADER}Tom,\n\nI have closed valve V-12.\n\nAnna")
    assert (header.text, header.label, header.is_mail_header) == (SAID, True, True)
    assert (greeting.label, closing.label, body.label) == (True, True, False)
    assert (greeting.own, closing.own) == (frozenset(), frozenset())
    assert body.said == SAID
    assert {"anna", "berg"} <= body.above
    assert not {"tom", "kay"} & body.above


def test_fields_in_a_mail_are_not_of_its_header() -> None:
    header, *fields = read(f"{HEADER}Pressure: 6 bar\nFlow: 20 m³/h")
    assert (header.text, [unit.text for unit in fields]) == (SAID, ["Pressure: 6 bar", "Flow: 20 m³/h"])


def test_a_short_answer_is_no_greeting() -> None:
    assert [unit.text for unit in read(f"{HEADER}Order confirmed\n\nAnna") if not unit.label] == ["Order confirmed"]


def test_a_quoted_header_is_of_what_is_below_it() -> None:
    quoted = "Von: Tim Kern\nGesendet: Freitag, 30. Oktober 2026\nBetreff: Ventile\n\nWann kommen die Ventile?"
    *_, own, _, asked = read(f"{HEADER}Die Ventile kommen am 14. November.\n\n{quoted}", "de")
    assert (own.said, asked.said.partition(";")[0]) == (SAID, "Von: Tim Kern")


def test_a_line_behind_a_mark_may_introduce_what_is_repeated() -> None:
    *_, asked = read(f"{HEADER}We ordered P-1108.\n\n> On 3 May 2025 Chen Wei wrote:\n> How many do you still have?")
    assert (asked.said, asked.is_repeated) == ("On 3 May 2025 Chen Wei wrote:", True)


def test_lines_behind_a_mark_are_said_by_whom_the_line_above_names() -> None:
    text = f"{HEADER}Rent it.\n\nOn 1 Nov 2026 Ben Holt <ben@plant.example> wrote:\n> I suggest we rent a coupling."
    by_text = {unit.text: unit for unit in read(text)}
    assert by_text["Rent it."].said == SAID
    assert by_text["> I suggest we rent a coupling."].said.startswith("On 1 Nov 2026 Ben Holt")
    assert by_text["On 1 Nov 2026 Ben Holt <ben@plant.example> wrote:"].label


@pytest.mark.parametrize(
    "text", ["From: Hall 3\nTo: Hall 4\nDistance: 40 m", "From: Rotterdam\nTo: Ulm\nDate: 3 May 2026"]
)
def test_a_shipment_is_no_header(text: str) -> None:
    assert not any(unit.said for unit in read(text))


def test_the_function_below_the_name_of_the_sender_is_in_one_row_with_it() -> None:
    assert rows(f"{HEADER}The plant is shut down.\n\nAnna Berg\nPlant management") == [
        [("", "Anna Berg"), ("", "Plant management")]
    ]
