"""Tests of the extractive answer: exact quotes, rows with their columns, refusals, reasons and conflicts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from qa.answer import NOT_IN_DOCUMENTS, Answer
from qa.settings import AnswerSettings
from qa.strategies.quote_sentences import extractive
from tests.qa.memory import MemoryRetrieval

SETTINGS = AnswerSettings()
PUMPS = {
    "sheet_D.txt": (
        "2 Performance\n\nQuantity | Unit | K65-200 | K80-250\nRated flow | m³/h | 72 | 140\n"
        "Efficiency at rated flow | % | 74 | 79\nMass with motor | kg | 148 | 395"
    ),
    "manual.txt": "EPDM rings may be stored for 7 years. Impeller nuts need a torque of 110 N·m. Wear gloves.",
    "report.txt": (
        "The compressor at the sawmill tripped three times.\n\n3 Cause\n\n"
        "The blocked cooler and the stuck valve kept the oil too hot."
    ),
    "notes.txt": "每 12 个月校准一次压力变送器。夜间请联系主管。",
    "plan.txt": "The hall has four gates. Visitors sign the book at the north gate. Bread is baked in line 3.",
    "list.txt": "Paint, screws and washers are kept in the store. The key hangs at the door.",
}


def ask(question: str, texts: Mapping[str, str] = PUMPS, settings: AnswerSettings = SETTINGS) -> Answer:
    return asyncio.run(extractive(question, MemoryRetrieval(texts), None, settings))


def test_the_answering_sentence_is_quoted_first_and_exactly() -> None:
    answer = ask("For how many years may EPDM rings be stored?")
    first = answer.citations[0]
    assert (first.uri, first.quote) == ("manual.txt", "EPDM rings may be stored for 7 years.")
    assert first.quote == first.span.slice(PUMPS["manual.txt"])
    assert answer.extractive
    assert answer.claims[0].citations == (1,)


def test_a_table_row_is_quoted_with_the_column_asked_for() -> None:
    answer = ask("What is the efficiency of the K80-250 at rated flow?")
    assert answer.claims[0].text == "Efficiency at rated flow; K80-250: 79 %"
    assert answer.citations[0].quote == "Efficiency at rated flow | % | 74 | 79"
    assert answer.citations[0].context == "Quantity | Unit | K65-200 | K80-250"


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("What range does the Hulda 1 have?", "Hulda 1; Range: 60 km"),
        ("What range does the Hulda 2 have?", "Hulda 2; Range: 75 km"),
        ("What range does the Hulda 2 Long have?", "Hulda 2 Long; Range: 70 km"),
    ],
)
def test_the_exact_row_is_quoted_among_rows_with_similar_names(question: str, told: str) -> None:
    rows = ["Hulda 2 Long | 70 km | 2.05 m", "Hulda 2 | 75 km | 1.71 m", "Hulda 1 | 60 km | 1.42 m"]
    for texts in (rows, rows[::-1]):
        bikes = {"bikes.txt": "\n".join(("2 Bikes\n", "Model | Range | Wheelbase", *texts))}
        assert ask(question, bikes).claims[0].text == told


def test_all_rows_of_the_thing_asked_for_are_quoted_with_what_tells_them_apart() -> None:
    rows = "Type | DN | Pressure (bar)\nHH-1 | 8 | 350\nHH-2 | 8 | 450\nHH-2 | 12 | 415"
    texts = {"hoses.txt": f"2 Hoses\n\n{rows}"}
    told = [claim.text for claim in ask("What is the pressure of HH-2?", texts).claims]
    assert told == ["HH-2; DN: 8; Pressure (bar): 450", "HH-2; DN: 12; Pressure (bar): 415"]
    assert [claim.text for claim in ask("What is the pressure of HH-2 DN 8?", texts).claims] == [told[0]]
    texts["plan.txt"] = "The pressure of HH-2 will rise by 15 %."
    assert "15 %" in " ".join(claim.text for claim in ask("By how much will the pressure of HH-2 rise?", texts).claims)


def test_a_price_is_found_in_a_price_list_whose_columns_are_lengths() -> None:
    rows = "Type | DN | 1 m | 2 m\nHH-1 | 8 | 14.2 | 22.1\nHH-2 | 12 | 24.3 | 38.7"
    answer = ask("How much does a 2 m hose HH-2 cost?", {"hoses.txt": f"Price list: hoses\n\n{rows}"})
    assert answer.claims[0].text == "HH-2; DN: 12; 2 m: 38.7"
    assert ask("How much does a 10 m hose HH-2 cost?", {"hoses.txt": f"Price list: hoses\n\n{rows}"}).abstained


def test_the_column_with_a_word_of_the_same_root_is_quoted() -> None:
    rows = "Crew | Leader | Deputy\nMechanical | Ines Kovač | Tom Byrne\nElectrical | Raj Patel | Mira Lind"
    answer = ask("Who leads the electrical crew?", {"contacts.txt": rows})
    assert answer.claims[0].text == "Electrical; Leader: Raj Patel"


def test_all_rows_are_listed_if_the_question_names_their_kind_and_none_of_them() -> None:
    rows = "Component | Content\nIsoalkanes | 60 %\nGlycol ether | 30 %\nButoxyethanol | 5 %"
    sheet = PUMPS | {"solvanol.txt": f"Solvanol K: composition\n\n{rows}", "tank.txt": "The tanks contain water."}
    told = [claim.text for claim in ask("Which components does Solvanol K contain?", sheet).claims]
    assert [text.partition(";")[0] for text in told] == ["Isoalkanes", "Glycol ether", "Butoxyethanol"]
    assert len(ask("Which component has a content of 30 % in Solvanol K?", sheet).claims) == 1


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Welche Artikelnummer hat der Elastomerstern?", "4410-31"),
        ("Welche Seriennummer hat das Getriebe?", "88-1406"),
    ],
)
def test_a_compound_finds_its_abbreviation(question: str, told: str) -> None:
    texts = {
        "teile.txt": "Der Elastomerstern wird jährlich geprüft.\n\nElastomerstern 98 Shore A (Art.-Nr. 4410-31).",
        "typenschild.txt": "Das Getriebe steht in Halle 2.\n\nGetriebe: Ser.-Nr. 88-1406, Baujahr 2019.",
    }
    assert told in ask(question, texts).claims[0].text


def test_a_short_word_finds_the_compounds_that_begin_with_it() -> None:
    rows = "Bauteil | Tätigkeit\nGetriebe | Reinigung, 2 h\nGetriebe | Ölwechsel, 3,4 l\nKupplung | Prüfung, 1 h"
    assert "3,4 l" in ask("Wie viel Öl braucht das Getriebe?", {"plan.txt": f"Plan\n\n{rows}"}).claims[0].text


def test_a_label_with_a_date_does_not_say_who() -> None:
    text = (
        "Calibration certificate No. K-5521\n\nObject: Torque wrench Dremo 300, serial number 88-1406\n\n"
        "Owner: Strand Maskin AS, workshop 2\n\nDate of calibration: 19 March 2025. Next calibration: March 2026\n\n"
        "Ambient conditions: 21.4 °C\n\nCalibrated by: Kari Moe\n\nApproved by: Olav Berge"
    )
    told = [claim.text for claim in ask("Who calibrated the torque wrench?", {"certificate.txt": text}).claims]
    assert "Calibrated by: Kari Moe" in told
    assert not any("March" in one for one in told)


def test_a_price_group_is_no_price() -> None:
    rows = "Order code | Connection | Price group\nPT-TC | Tri-Clamp | B\nPT-G1 | G1 hygienic | D"
    assert "D" in ask("Which price group has the G1 hygienic version?", {"sheet.txt": rows}).claims[0].text


@pytest.mark.parametrize(("shift", "person"), [("Frühschicht", "Petra Lang"), ("Spätschicht", "Ivo Kranz")])
def test_a_german_compound_names_the_row_that_has_its_words(shift: str, person: str) -> None:
    rows = "Die Linie steht seit dem Morgen.\n\nSchicht | Verantwortlich\nFrüh | Petra Lang\nSpät | Ivo Kranz"
    answer = ask(f"Wer ist für die {shift} verantwortlich?", {"mail.txt": rows})
    assert person in answer.claims[0].text
    assert len(answer.claims) == 1


def test_an_abbreviation_is_explained_behind_a_colon() -> None:
    texts = {"manual.txt": "Abbreviations\n\nFAT: factory acceptance test\n\nMOC: management of change"}
    for question in ("What does MOC stand for?", "What is MOC?"):
        assert ask(question, texts).claims[0].text == "MOC: management of change"


FAQ = (
    "How often must the filter be changed?\nEvery three months. The change takes an hour.\n\n"
    "Can the dryer stand outdoors?\n\nNo. It must be protected from frost.\n\nThe dryer is made in Graz."
)


@pytest.mark.parametrize(
    ("question", "told"),
    [
        (
            "How often must the filter be changed?",
            "How often must the filter be changed? Every three months. The change takes an hour.",
        ),
        ("Can the dryer stand outdoors?", "Can the dryer stand outdoors? No. It must be protected from frost."),
        ("Where is the dryer made?", "The dryer is made in Graz."),
    ],
)
def test_a_question_in_a_document_is_quoted_with_its_answer(question: str, told: str) -> None:
    answer = ask(question, {"faq.txt": FAQ})
    assert answer.claims[0].text == told
    assert answer.citations[0].quote in FAQ


def test_a_question_with_a_list_as_answer_is_said_once_and_ends_with_it() -> None:
    text = (
        "How do I reset the machine?\n\n1. Press stop.\n2. Wait ten seconds.\n3. Press reset.\n\n"
        "Notes\n\nThe machine weighs 300 kg.\n\nThe machine is made in Graz."
    )
    told = [claim.text for claim in ask("How do I reset the machine?", {"faq.txt": text}).claims]
    assert sum("How do I reset" in one for one in told) == 1
    assert [one for one in told if one[0].isdigit()][-1] == "3. Press reset."
    assert ask("Where is the machine made?", {"faq.txt": text}).claims[0].text == "The machine is made in Graz."


def test_a_question_that_a_document_leaves_open_is_no_answer() -> None:
    mail = "The seals are made of FKM. The price is 1148 EUR.\n\n> Are the pumps suited for HEES oil?"
    texts = {"mail.txt": mail, "other.txt": "Pumps of the line ZP are made of bronze."}
    answer = ask("Are the pumps suited for HEES oil?", texts)
    assert all("HEES" not in claim.text for claim in answer.claims)


def test_a_field_that_several_things_have_is_quoted_with_the_name_of_its_thing() -> None:
    events = "Shutdown\n\nStart: 4 August\nLocation: Plant 2\n\nInspection\n\nStart: 9 May\nLocation: Building C"
    texts = {"events.txt": events}
    assert (
        ask("What takes place in Building C?", texts).claims[0].text == "Inspection; Start: 9 May; Location: Building C"
    )
    assert ask("When does the shutdown start?", texts).claims[0].text == "Shutdown; Start: 4 August"


def test_the_beginning_of_a_line_of_a_log_is_no_label() -> None:
    log = "\n\n".join(
        (
            "2025-06-14 02:48:51 WARN  K2 oil temperature 96 C above warning limit 95 C",
            "2025-06-14 02:53:30 ERROR K2 trip: oil temperature 105 C",
            "2025-06-14 03:40:02 INFO  operator Jansen acknowledged trip K2, cooler fins were blocked with dust",
        )
    )
    assert "Jansen" in ask("Who acknowledged the trip of K2?", {"k2.log": log}).claims[0].text


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("Where is the parking fee paid?", "The parking fee is paid at the north gate."),
        ("How is the price list printed?", "The price list is printed by the office."),
        ("Which extension does the log file have?", "The log file has the extension .log."),
    ],
)
def test_a_question_that_only_mentions_a_price_or_extension_is_answered_without_one(question: str, quote: str) -> None:
    texts = {"a.txt": "The parking fee is paid at the north gate. The price list is printed by the office.",
             "b.txt": "The log file has the extension .log. It is written each night."}  # fmt: skip
    answer = ask(question, texts)
    assert [one.quote for one in answer.citations][:1] == [quote]
    assert not answer.abstained


def test_a_chinese_question_is_answered_from_a_chinese_document() -> None:
    answer = ask("压力变送器多久校准一次?")
    assert answer.citations[0].quote == "每 12 个月校准一次压力变送器。"


@pytest.mark.parametrize(
    ("question", "quote"),
    [
        ("What torque do impeler nuts need?", "Impeller nuts need a torque of 110 N·m."),
        ("How many years may EPDM rings be stroed?", "EPDM rings may be stored for 7 years."),
    ],
)
def test_a_misspelt_word_still_finds_the_answer(question: str, quote: str) -> None:
    answer = ask(question)
    assert answer.citations[0].quote == quote
    assert not answer.abstained


def test_a_reason_is_quoted_although_it_shares_no_word_with_the_question() -> None:
    assert "blocked cooler" in ask("Why did the compressor at the sawmill trip?").claims[0].text


@pytest.mark.parametrize(
    "question",
    [
        "How many decibels does the K80-250 make?",
        "What is the telephone number of the ministry of transport?",
        "仓库的面积是多少平方米?",
    ],
)
def test_a_question_that_no_document_answers_is_refused(question: str) -> None:
    answer = ask(question)
    assert answer.abstained
    assert answer.text == NOT_IN_DOCUMENTS
    assert answer.claims == ()
    assert (answer.confidence or 0) < SETTINGS.refuse_below


@pytest.mark.parametrize("question", ["Who mends the roof at Eikenrode?", "¿Quién repara el techo en Eikenrode?"])
def test_a_refusal_names_the_names_that_no_document_has(question: str) -> None:
    answer = ask(question)
    assert answer.abstained
    assert answer.warnings == ("No document has the name Eikenrode.",)


def test_a_name_after_a_sharp_s_is_reported_as_written() -> None:
    answer = ask("Wie groß ist die Pumpe ZX9000 in Eikenrode?")
    assert answer.abstained
    assert answer.warnings == ("No document has the name ZX9000.",)


@pytest.mark.parametrize("question", ["Which hospital tested the K65-200?", "Which hospital ordered the K65-200?"])
def test_an_uncertain_answer_warns_which_terms_its_quotes_lack(question: str) -> None:
    answer = ask(question)
    assert SETTINGS.refuse_below <= (answer.confidence or 0) < SETTINGS.unsure_below
    assert any("not certain" in line and "hospital" in line for line in answer.warnings)


def test_a_confident_answer_has_no_warnings() -> None:
    sure = ask("What is the efficiency of the K80-250 at rated flow?")
    assert (sure.confidence or 0) >= SETTINGS.unsure_below
    assert not sure.warnings


@pytest.mark.parametrize("question", ["Who signs the book at the north gate?", "Who stores the EPDM rings?"])
def test_an_answer_without_the_kind_of_value_asked_for_has_a_warning(question: str) -> None:
    assert any("no quote gives what is asked for (person)" in line for line in ask(question).warnings)


def test_sources_with_different_values_are_a_conflict() -> None:
    texts = {
        "old.txt": "The required suction head of the K65-200 is 2.9 m.",
        "new.txt": "The required suction head of the K65-200 is 3.4 m.",
        "else.txt": "The hall is 40 m long.",
    }
    answer = ask("How many metres of suction head are required for the K65-200?", texts)
    assert len(answer.conflicts) == 1
    assert "2.9 m" in answer.conflicts[0]
    assert "3.4 m" in answer.conflicts[0]


def test_a_table_row_can_conflict_with_a_sentence() -> None:
    texts = {
        "slides.txt": "Final torque of the casing bolts: 75 N·m\n\nTorque of the seal cover: 18 N·m",
        "manual.txt": "Joint | Torque, N·m\nCasing bolts | 68\nSeal cover | 18",
    }
    answer = ask("What torque do the casing bolts need?", texts)
    assert len(answer.conflicts) == 1
    assert "Casing bolts; Torque, N·m: 68" in answer.conflicts[0]
    assert "seal cover" not in answer.conflicts[0].lower()


RINGS = {
    "sheet.txt": (
        "Ring | Lowest, °C | Not suitable for\nEPDM | -20 | Mineral oil, fuels\nFKM | -10 | Hot water\n\n"
        "Part | Use | Material\nCasing ring | Mineral oil | FKM\nCasing ring | Hot water | EPDM"
    )
}


def test_a_row_that_excludes_what_is_asked_about_is_not_the_answer() -> None:
    never_refused = AnswerSettings(refuse_below=0)
    assert ask("Which ring material suits mineral oil?", RINGS, never_refused).claims[0].text.endswith("Material: FKM")


@pytest.mark.parametrize(
    ("question", "denying", "affirming"),
    [
        (
            "Which ring suits mineral oil?",
            "Ring | Not suitable for\nEPDM | Mineral oil",
            "Stock in hall 7 and 8 on Monday | Mineral oil\nFKM | Mineral oil",
        ),
        (
            "Welche Dichtung eignet sich für Mineralöl?",
            "Dichtung | Farbe | Nicht geeignet für\nEPDM | schwarz | Mineralöl",
            "Bestand in Halle 7 und 8 am Montag | Mineralöl\nFKM | Mineralöl",
        ),
        ("哪种密封圈适用于矿物油？", "密封圈 | 不适用于\nEPDM | 矿物油", "材料 | 用途\nFKM | 矿物油"),
    ],
)
def test_cells_below_a_negated_column_name_are_not_affirmed(question: str, denying: str, affirming: str) -> None:
    answer = ask(question, {"sheet.txt": f"{denying}\n\n{affirming}"})
    assert "FKM" in answer.text
    assert "EPDM" not in answer.text


@pytest.mark.parametrize(
    "question", ["Which ring is not suitable for mineral oil?", "Is an EPDM ring suitable for mineral oil?"]
)
def test_a_negative_or_yes_no_question_is_answered_by_the_negated_column(question: str) -> None:
    assert "Not suitable for: Mineral oil" in ask(question, RINGS).claims[0].text


@pytest.mark.parametrize(
    ("question", "text", "told"),
    [
        ("What is the rated head of the pump ZP-60?", "Pump ZP-60. Rated head 132 metres. Speed 2950 rpm.", "132"),
        (
            "Wie hoch ist die Förderhöhe der Pumpe ZP-60?",
            "Pumpe ZP-60. Förderhöhe 132 Meter. Drehzahl 2950/min.",
            "132",
        ),
        ("Какой номинальный напор у насоса ЦНС-60?", "Насос ЦНС-60. Номинальный напор 132 метра.", "132"),
    ],
)
def test_a_sentence_that_only_repeats_the_question_is_not_the_answer(question: str, text: str, told: str) -> None:
    assert told in ask(question, {"sheet.txt": text}).claims[0].text


def test_a_sentence_that_repeats_a_yes_no_question_is_the_answer() -> None:
    assert (
        ask("Is the gate closed?", {"log.txt": "The gate is closed. The pump runs."})
        .claims[0]
        .text.startswith("The gate")
    )


def test_sources_that_agree_are_not_a_conflict() -> None:
    texts = {"a.txt": "The suction head of the K65-200 is 3.4 m.", "b.txt": "Suction head of the K65-200: 3.4 m"}
    assert ask("How many metres is the suction head of the K65-200?", texts).conflicts == ()


def test_a_summary_quotes_several_sentences_of_one_document_in_order() -> None:
    answer = ask("Summarise what the plan says about gates, visitors and bread.")
    spans = [citation.span for citation in answer.citations]
    assert len(spans) > 1
    assert spans == sorted(spans)
    assert {citation.uri for citation in answer.citations} == {"plan.txt"}


def test_an_empty_knowledge_base_yields_a_refusal_without_citations() -> None:
    answer = ask("What is the efficiency?", {})
    assert answer.abstained
    assert answer.citations == ()


def test_the_trace_lists_the_steps_of_an_extractive_answer() -> None:
    kinds = [step.kind for step in ask("For how many years may EPDM rings be stored?").trace]
    assert kinds == ["asked for", "retrieved", "sentences", "selected", "confidence"]


@given(st.text(max_size=80))
@settings(max_examples=40, deadline=None)
def test_quotes_of_any_question_are_spans_of_their_source(question: str) -> None:
    answer = ask(question)
    assert all(citation.quote == citation.span.slice(PUMPS[citation.uri]) for citation in answer.citations)
    assert answer.abstained == (answer.text == NOT_IN_DOCUMENTS)
