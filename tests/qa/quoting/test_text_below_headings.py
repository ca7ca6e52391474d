"""Tests of quoting a heading or a sentence ending in a colon together with the lines below it."""

from __future__ import annotations

import asyncio

import pytest

from qa.settings import AnswerSettings
from qa.strategies.quote_sentences import extractive
from tests.qa.memory import MemoryRetrieval


def quotes(question: str, text: str, language: str = "en") -> list[str]:
    retrieval = MemoryRetrieval(
        {"manual.txt": text, "other.txt": "Store spare parts in a dry place."}, language=language
    )
    answer = asyncio.run(extractive(question, retrieval, None, AnswerSettings(refuse_below=0)))
    return [claim.text for claim in answer.claims]


SECTION = "Replacing the mechanical seal\n\nClose the valves. Drain the casing.\n\nWear rings\n\nMeasure the clearance."


def test_a_heading_is_quoted_with_its_sentences_up_to_the_next_heading() -> None:
    assert quotes("How do I replace the mechanical seal?", SECTION) == [
        "Replacing the mechanical seal",
        "Close the valves.",
        "Drain the casing.",
    ]


@pytest.mark.parametrize(
    ("question", "text", "language", "below"),
    [
        (
            "How do I preset the controller?",
            "To preset the controller send:\nPRESET 45\nThen wait.",
            "en",
            ["PRESET 45", "Then wait."],
        ),
        (
            "Wie wird die Pumpe entlüftet?",
            "So wird die Pumpe entlüftet:\n1. Ventil öffnen\n2. Handrad drehen\nDer Raum ist zu lüften.",
            "de",
            ["1. Ventil öffnen", "2. Handrad drehen"],
        ),
    ],
)
def test_a_sentence_ending_in_a_colon_is_quoted_with_the_items_below_it(
    question: str, text: str, language: str, below: list[str]
) -> None:
    assert quotes(question, text, language)[1:] == below


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        ("How do I drain the pump?", "Draining the pump\n\nThe pump drains slowly. Open the valve.", "en"),
        ("Wie kann man die Pumpe entleeren?", "Pumpe entleeren\n\nDie Pumpe leert sich. Das Ventil öffnen.", "de"),
        ("如何排空水泵？", "排空水泵\n\n水泵排空较慢。请打开阀门。", "zh"),
    ],
)
def test_a_how_to_question_is_answered_by_the_whole_section_about_it(question: str, text: str, language: str) -> None:
    assert len(quotes(question, text, language)) == 3


def test_a_section_over_the_quote_limit_warns_how_many_sentences_are_left_out() -> None:
    steps = " ".join(f"Turn screw number {number}." for number in range(8))
    retrieval = MemoryRetrieval({"manual.txt": f"Replacing the mechanical seal\n\n{steps}"}, language="en")
    settings = AnswerSettings(refuse_below=0)
    answer = asyncio.run(extractive("How do I replace the mechanical seal?", retrieval, None, settings))
    assert len(answer.claims) == 7
    assert "2 more" in " ".join(answer.warnings)


def test_a_question_for_a_value_is_not_answered_by_a_whole_section() -> None:
    text = "Tightening torque\n\nUse a wrench. The bolts are tightened to 68 Nm. Paint them."
    assert quotes("What is the tightening torque?", text) == ["The bolts are tightened to 68 Nm."]


@pytest.mark.parametrize(
    ("question", "text", "said", "language"),
    [
        (
            "How many suspension ropes does the lift have?",
            "2 Suspension ropes\n\nThe lift hangs on six suspension ropes.",
            "The lift hangs on six suspension ropes.",
            "en",
        ),
        (
            "Wie viele Tragseile hat der Aufzug?",
            "3 Tragseile\n\nDer Aufzug hängt an 6 Tragseilen.",
            "Der Aufzug hängt an 6 Tragseilen.",
            "de",
        ),
    ],
)
def test_the_number_of_a_heading_counts_nothing(question: str, text: str, said: str, language: str) -> None:
    retrieval = MemoryRetrieval({"lift.txt": text}, language=language)
    answer = asyncio.run(extractive(question, retrieval, None, AnswerSettings()))
    assert answer.citations[0].quote == said


@pytest.mark.parametrize(
    ("question", "text", "language", "said"),
    [
        (
            "What is the resolution of the PVS?",
            "Set the output voltage of the PVS. Read it back. The resolution is 12 bits. The housing is grey.",
            "en",
            "The resolution is 12 bits.",
        ),
        (
            "Welche Auflösung hat der Regler?",
            "Die Spannung am Regler einstellen. Sie wird angezeigt. Die Auflösung ist fein. Das Gehäuse ist grau.",
            "de",
            "Die Auflösung ist fein.",
        ),
    ],
)
def test_sentences_nearly_as_good_as_the_best_one_are_quoted_too(
    question: str, text: str, language: str, said: str
) -> None:
    found = quotes(question, text, language)
    assert said in found
    assert found[-1] not in ("The housing is grey.", "Das Gehäuse ist grau.")


def test_the_next_sentence_is_quoted_if_others_are_as_good() -> None:
    text = "Before the release, the port became 3493. It had been 3305. The daemon listens on port 3493."
    assert "It had been 3305." in quotes("What was the port before 3493?", text)


def test_a_sentence_with_the_value_asked_for_is_quoted_alone() -> None:
    text = "The tank of pump ZP-6 holds 40 l. The tank of pump ZP-6 is blue."
    assert quotes("How much does the tank of pump ZP-6 hold?", text) == ["The tank of pump ZP-6 holds 40 l."]


def test_a_line_with_a_colon_below_another_is_quoted_with_its_items() -> None:
    text = "The cable uses these signals of the port:\nReads:\n- CD, on battery\n- CTS, battery low\n\nIt is grey."
    found = quotes("Which signals of the port does the cable use?", text)
    assert found[1:] == ["Reads:", "- CD, on battery", "- CTS, battery low"]
