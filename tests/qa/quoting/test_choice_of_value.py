"""Tests of choosing the right value: values that a source warns against, and the form of prices."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipelines.retrieve.evidence_score import revision_gain
from pipelines.retrieve.question_reading import read_question
from tests.qa.memory import MemoryRetrieval
from tests.qa.quoting.test_languages import OTHERS, ask

BOLTS = {
    "en": {
        "slides.txt": "Final torque of the casing bolts: 75 N·m",
        "manual.txt": (
            "Joint | Thread | Torque, N·m\nCasing bolts | M12 | 68\nSeal cover | M8 | 18\n\n"
            "The casing bolts are supplied lubricated and 75 N·m would overstretch them."
        ),
    },
    "de": {
        **OTHERS["de"],
        "folien.txt": "Anzugsmoment der Gehäuseschrauben: 75 N·m",
        "handbuch.txt": (
            "Das Anzugsmoment der Gehäuseschrauben ist 68 N·m. "
            "Ein Anzugsmoment von 75 N·m ist für die Gehäuseschrauben zu hoch."
        ),
    },
}


@pytest.mark.parametrize(
    ("language", "question"),
    [("en", "What torque do the casing bolts need?"), ("de", "Welches Anzugsmoment brauchen die Gehäuseschrauben?")],
)
def test_a_value_that_a_source_warns_against_is_a_conflict_and_not_the_answer(language: str, question: str) -> None:
    answer = ask(question, BOLTS[language], language)
    assert "68" in answer.claims[0].text
    assert "75 N·m" in answer.conflicts[0]


def test_the_warning_is_quoted_if_there_is_no_other_value() -> None:
    texts = {"a.txt": "A torque of 75 N·m is too high for the casing bolts.", "b.txt": "The hall is 40 m long."}
    assert "too high" in ask("What torque do the casing bolts need?", texts, "en").claims[0].text


def test_a_row_is_quoted_with_the_column_asked_for() -> None:
    answer = ask("What torque do the casing bolts need?", BOLTS["en"], "en")
    assert answer.claims[0].text == "Casing bolts; Torque, N·m: 68"


@pytest.mark.parametrize(
    ("language", "question", "text", "price"),
    [
        ("en", "What does the shaft seal cost?", "The shaft seal is of carbon.", "Shaft seal: EUR 41.50"),
        ("de", "Was kostet die Wellendichtung?", "Die Wellendichtung kostet wenig.", "Wellendichtung: 41,50 €"),
    ],
)
def test_a_price_question_is_answered_by_a_price_or_refused(
    language: str, question: str, text: str, price: str
) -> None:
    assert ask(question, {"a.txt": text}, language).abstained
    assert ask(question, {"a.txt": text, "b.txt": price}, language).claims[0].text == price


@pytest.mark.parametrize(
    ("language", "question", "table", "told"),
    [
        ("en", "What does the shaft seal cost?", "Part | Stock | Price\nShaft seal | 4 | 286\nBolt | 9 | 3", "286"),
        (
            "de",
            "Was kostet die Wellendichtung?",
            "Teil | Bestand | Preis\nWellendichtung | 4 | 286\nBolzen | 9 | 3",
            "286",
        ),
        ("fr", "Combien coûte le joint ?", "Pièce | Stock | Prix\nJoint | 4 | 286\nBoulon | 9 | 3", "286"),
    ],
)
def test_a_number_without_currency_is_a_price_if_its_column_is(
    language: str, question: str, table: str, told: str
) -> None:
    text = ask(question, {"a.txt": table}, language).claims[0].text
    assert text.endswith(f": {told}")
    assert "4" not in text


@pytest.mark.parametrize(
    ("language", "question", "head"),
    [
        ("en", "What does P-3305 cost?", "Part no. | Description | Price"),
        ("es", "¿Cuánto cuesta P-3305?", "Pieza no. | Descripción | Precio"),
        ("de", "Was kostet P-3305?", "Teil-Nr. | Beschreibung | Preis"),
    ],
)
def test_only_the_row_of_the_named_part_is_quoted(language: str, question: str, head: str) -> None:
    table = (
        f"{head}\nP-3301 | Impeller, bronze | 540 EUR\nP-3305 | Impeller, steel | 1180 EUR\nP-4003 | Bearing | 48 EUR"
    )
    quotes = [claim.text for claim in ask(question, {"a.txt": table}, language).claims]
    assert len(quotes) == 1
    assert "1180 EUR" in quotes[0]


def test_a_comparison_quotes_both_sides() -> None:
    texts = {
        "a.txt": "The K65-200 has a mass of 148 kg.",
        "b.txt": "The mass of the K80-250 is 395 kg with its motor, without it 250 kg.",
        "c.txt": "The hall is 40 m long.",
    }
    quotes = [
        citation.quote for citation in ask("Which has more mass, the K65-200 or the K80-250?", texts, "en").citations
    ]
    assert set(quotes) >= {texts["a.txt"], texts["b.txt"]}


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "List all steps of the cleaning of the tun.", "Cleaning of the tun in steps:\n\n{}"),
        ("de", "Nenne alle Schritte der Reinigung des Bottichs.", "Reinigung des Bottichs in Schritten:\n\n{}"),
        ("zh", "列出清洗糖化锅的所有步骤。", "清洗糖化锅的步骤如下：\n\n{}"),
    ],
)
def test_all_lines_of_an_unmarked_list_are_quoted(language: str, question: str, text: str) -> None:
    items = ["Water 5 min", "Caustic soda 2 %, 80 °C, 30 min", "Peracetic acid 15 min", "Water"]
    texts = {"a.txt": text.format("\n".join(items)), "b.txt": "The hall is 40 m long."}
    assert [claim.text for claim in ask(question, texts, language).claims][-4:] == items


def test_a_named_row_is_quoted_alone_and_listed_rows_have_the_same_columns() -> None:
    table = "Code | Alarm | Cause\nA101 | Bottle jam | Rail too narrow\nA102 | Bottle low | Cylinder empty"
    texts = {"a.txt": f"Alarms of the filler\n\n{table}", "b.txt": "The hall is 40 m long."}
    assert [claim.text for claim in ask("What causes alarm A102?", texts, "en").claims] == [
        "A102; Alarm: Bottle low; Cause: Cylinder empty"
    ]
    assert [claim.text for claim in ask("List all alarms of the bottle filler.", texts, "en").claims] == [
        "A101; Alarm: Bottle jam",
        "A102; Alarm: Bottle low",
    ]


def test_a_question_about_changing_a_part_does_not_ask_for_an_old_revision() -> None:
    question = read_question("How often is the oil changed?", MemoryRetrieval({"a.txt": "Oil."}).lexicon)
    old = MemoryRetrieval({"old.txt": "Change the oil every 3,000 hours."}).hits[0]
    assert revision_gain(replace(old, superseded_by="new.txt"), question) < 0


def test_a_list_is_complete_or_warns_how_many_items_are_missing() -> None:
    def answer(rows: int) -> tuple[int, tuple[str, ...]]:
        table = "\n".join(["Alarm | Meaning", *(f"W{number:02} | Fault of part {number}" for number in range(rows))])
        found = ask("List all alarms and their meaning.", {"alarms.txt": table, "b.txt": "The hall is long."}, "en")
        return len(found.claims), found.warnings

    assert answer(15) == (15, ())
    told, warnings = answer(25)
    assert told == 20
    assert "not complete: 5 more" in warnings[0]


@pytest.mark.parametrize(
    ("language", "question", "text", "values"),
    [
        (
            "en",
            "How long does the diesel in the tank last?",
            "The pump is a diesel engine and needs 20 minutes to start. Its tank is enough for six hours.",
            ("20 minutes", "six hours"),
        ),
        (
            "de",
            "Wie lange reicht der Diesel im Tank?",
            "Die Pumpe hat einen Diesel und braucht 20 Minuten zum Anlassen. Ihr Tank genügt für achtzehn Stunden.",
            ("20 Minuten", "achtzehn Stunden"),
        ),
    ],
)
def test_two_values_of_which_each_lacks_a_word_of_the_question_are_both_quoted(
    language: str, question: str, text: str, values: tuple[str, str]
) -> None:
    answer = ask(question, {"a.txt": text, "b.txt": "40 m"}, language)
    assert all(any(value in claim.text for claim in answer.claims) for value in values)
    assert any("Each quote has a value and lacks a word" in line for line in answer.warnings)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "How long is the certificate CE-77 valid?", "Certificate: CE-77. The pump is valid for nobody."),
        ("de", "Wie lange gilt das Zertifikat CE-77?", "Zertifikat: CE-77. Die Pumpe steht im Keller."),
    ],
)
def test_a_duration_that_no_quote_gives_is_doubted(language: str, question: str, text: str) -> None:
    answer = ask(question, {"a.txt": text, "b.txt": "40 m"}, language)
    assert answer.abstained or any("(length, time)" in line or "(time)" in line for line in answer.warnings)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "How often are the pipes washed?", "The pipes are washed two times a year."),
        ("en", "How often are the pipes washed?", "The pipes are washed regularly."),
        ("de", "Wie oft werden die Rohre gespült?", "Die Rohre werden stündlich gespült."),
        ("cs", "Jak často se čistí potrubí?", "Potrubí se čistí denně."),
    ],
)
def test_a_frequency_without_a_value_is_not_doubted(language: str, question: str, text: str) -> None:
    answer = ask(question, {"a.txt": text, "b.txt": "40 m"}, language)
    assert not answer.abstained
    assert not any("what is asked for" in line for line in answer.warnings)
