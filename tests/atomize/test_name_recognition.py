from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.atomize.name_recognition import find_names


def names(text: str, known: tuple[str, ...] = (), title: str = "") -> list[str]:
    return [name.surface for name in find_names(text, known, title)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It was led by Jan Philip Solovej in Copenhagen.", ["Jan Philip Solovej", "Copenhagen"]),
        ("The University of Oxford and the Bank of England agreed.", ["University of Oxford", "Bank of England"]),
        ("George T. Solomon met Smith & Sons.", ["George T. Solomon", "Smith & Sons"]),
        ("It comes from Morton's Salt Company's logo.", ["Morton's Salt Company"]),
        ("Replace the seal of P-101A and of DS-2041.", ["P-101A", "DS-2041"]),
        ("As ISO 9001:2015 and IEC 60601-1-2 require, see GB/T 19001-2016.",
         ["ISO 9001:2015", "IEC 60601-1-2", "GB/T 19001-2016"]),
        ("It opened in March 1930 on a Monday.", []),
        ("Dear Mary Stone, see | Unit | Qty | Noord Lagers |", ["Mary Stone", "Noord Lagers"]),
        ("see S2, E A3 and R 10 in the US", ["US"]),
        ("Its 2018 Impact Factor rose.", ["Impact Factor"]),
        ("a pump without any name at 24 bar", []),
    ],
)  # fmt: skip
def test_names_are_recognized_by_their_form(text: str, expected: list[str]) -> None:
    assert names(text) == expected


def test_a_capitalized_sentence_opener_is_a_name_only_if_it_is_a_known_name() -> None:
    assert names("Pumps need oil.") == []
    assert names("Rogers needs oil.", known=("Rogers",)) == ["Rogers"]


@pytest.mark.parametrize("text", ["1. Inform all people.", "2) Switch it off.", "(c) Open the brake.", "4.2 Turn it."])
def test_the_first_word_of_a_numbered_item_opens_its_sentence(text: str) -> None:
    assert names(text) == []
    assert names("3 Rogers pumps and a Rogers valve") == ["Rogers", "Rogers"]


def test_a_currency_is_neither_a_name_nor_the_end_of_one() -> None:
    assert names("Our Price List EUR is in CHF or at Acme Pumps.") == ["Price List", "Acme Pumps"]


def test_a_polite_order_is_no_name() -> None:
    found = find_names("Prüfen Sie die Pumpe 12, dann prüfen Sie das Ventil.", (), language="de")
    assert [name.surface for name in found] == ["Pumpe 12"]


def test_a_number_that_is_dialled_is_no_part_of_a_name() -> None:
    found = find_names("Wählen Sie dazu Telefon 0431, nicht Pumpe 12.", (), language="de")
    assert [name.surface for name in found] == ["Pumpe 12"]


def test_an_abbreviated_title_is_no_name() -> None:
    found = find_names("It was inspected by Dr. Mara Lindqvist.", (), language="en")
    assert [name.surface for name in found] == ["Mara Lindqvist"]


def test_a_title_of_several_words_is_recognized_as_a_name_in_any_case() -> None:
    assert names("A riemann integral is a limit.", title="Riemann integral") == ["riemann integral"]
    assert names("Integrals are limits.", title="Integral") == []


@pytest.mark.parametrize(
    ("text", "surface", "kind"),
    [
        ("由苏州精工有限公司生产", "苏州精工有限公司", "organization"),
        ("单位:凯斯川泵业(苏州)有限公司", "凯斯川泵业(苏州)有限公司", "organization"),
        ("依照《压力容器安全技术规程》执行", "压力容器安全技术规程", "work"),
        ("按“一级保养”进行", "一级保养", ""),
        ("水泵DS-2041的密封圈", "DS-2041", "identifier"),
    ],
)
def test_chinese_names_are_recognized(text: str, surface: str, kind: str) -> None:
    (name,) = find_names(text, ())
    assert (name.surface, name.type) == (surface, kind)
    assert name.span.slice(text) == surface


@pytest.mark.parametrize("text", ["由于该公司的要求", "有限公司", "在大学里"])
def test_chinese_generic_nouns_for_organizations_are_not_names(text: str) -> None:
    assert names(text) == []


@given(st.text(max_size=80), st.text(max_size=10))
def test_spans_of_names_match_their_surface_and_do_not_overlap(text: str, title: str) -> None:
    end = 0
    for name in find_names(text, (), title):
        assert name.span.slice(text) == name.surface
        assert name.span.start >= end
        end = name.span.end


def test_an_abbreviation_in_brackets_is_an_alias() -> None:
    name, *_ = find_names("The Failure Mode Effects Analysis (FMEA) is due.", ())
    assert (name.surface, name.alias) == ("Failure Mode Effects Analysis", "FMEA")
    other, *_ = find_names("Visit New York (USA).", ())
    assert other.alias == ""


def test_the_type_of_a_name_is_derived_from_its_form() -> None:
    found = find_names("Acme Pump Company makes P-101A after ISO 9906.", ())
    assert [(name.surface, name.type) for name in found] == [
        ("Acme Pump Company", "organization"), ("P-101A", "identifier"), ("ISO 9906", "standard")
    ]  # fmt: skip


def test_a_single_capitalized_noun_is_not_a_name_in_german() -> None:
    text = "Der Techniker von Siemens prüft die Pumpe P-101A mit dem Programm OpenPLC der Firma Alpha Werke."
    found = [name.surface for name in find_names(text, (), language="de")]
    assert found == ["Pumpe P-101A", "Programm OpenPLC", "Firma Alpha Werke"]
    assert "Der Techniker von Siemens" in [name.surface for name in find_names(text, ())]


@pytest.mark.parametrize(
    ("language", "text", "surface"),
    [
        ("ru", "Завод построил Павел Седов в гавани.", "Павел Седов"),
        ("el", "Το έργο έκανε ο Νίκος Παππάς στην πόλη.", "Νίκος Παππάς"),
        ("fr", "La pompe fut construite par Édouard Quillet.", "Édouard Quillet"),
    ],
)
def test_capitalized_names_are_recognized_in_other_alphabets(language: str, text: str, surface: str) -> None:
    assert surface in [name.surface for name in find_names(text, (), language=language)]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("en", "Ask our Service Ms Demir.", [("Demir", "person")]),
        ("de", "Abwesenheit Herr Jonas Thiel", [("Jonas Thiel", "person")]),
        ("en", "It was signed in Nov 2024 Ada Brook said.", [("Ada Brook", "person")]),
        ("tr", "Sorumlu kişi Emre Demirtaş'tır.", [("Emre Demirtaş", "person")]),
        ("tr", "Sorumlu kişi Kevin O'Brien'dır.", [("Kevin O'Brien", "")]),
        ("fr", "Appelez l'atelier de l'ABB près de L'Estartit.", [("ABB", ""), ("L'Estartit", "")]),
        ("fr", "L'autoclave sert.", []),
        ("en", "It opens MS Word files.", [("MS Word", "")]),
        ("en", "so THE ENTIRE RISK OF ITS QUALITY AND PERFORMANCE IS WITH YOU here", []),
        ("en", "the power in MW, the tension in Pa, a GmbH, by Eva Pascal", [("Eva Pascal", "person")]),
    ],
)
def test_only_what_belongs_to_a_name_is_part_of_it(language: str, text: str, expected: list[tuple[str, str]]) -> None:
    assert [(name.surface, name.type) for name in find_names(text, (), language=language)] == expected
