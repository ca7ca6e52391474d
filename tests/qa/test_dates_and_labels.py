"""Tests of extractive answers to questions with dates, labels and headings, in two languages."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

LOG = """date,crane,work,fitter
2026-01-08,Crane 2,replaced limit switch,J. Okafor
2026-05-11,Crane 1,greased slewing ring,M. Duval
2026-06-22,Crane 3,new hook block,L. Brandt
2026-10-12,Crane 1,changed hoist rope,L. Brandt
"""
HANDOVER = """# Handover, 12 November 2026

**Duty officer:** Marie Duval

The gate of berth 4 is shut. The tug Orsa lies at berth 2.

Next duty officer: Tomasz Wilk.
"""
PFLEGE = """# Pflegeplan Winde

## Täglich

- Seil auf Schäden prüfen.
- Bremse prüfen und Haken drehen.
- Trommel abwischen.

## Alle 500 Stunden

- Getriebe schmieren.

## Ersatzteile

| Teil | Lieferzeit | Preis |
| --- | --- | --- |
| Seilrolle | 3 Tage | 84,50 € |
| Bremsbelag | 2 Wochen | 132,00 € |
| Hakenflasche | 5 Tage | 41,20 € |
"""
TERMINE = """Auftrag;Kunde;Termin
4711;Reederei Nord;2. November 2026
4712;Hafen Kiel;12. Oktober 2026
4713;Werft Süd;1. Dezember 2026
"""


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    files = {"log.csv": LOG, "handover.md": HANDOVER, "winde.md": PFLEGE, "termine.csv": TERMINE}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "told", "untold"),
    [
        ("What was done on 11 May 2026?", ["greased slewing ring"], ["hook block", "limit switch"]),
        ("Which crane got a new part on June 22, 2026?", ["Crane 3"], ["Crane 1", "Crane 2"]),
        ("Which crane had work in October 2026?", ["Crane 1", "changed hoist rope"], ["slewing ring", "hook block"]),
        ("Which works were done after 1 June 2026?", ["hook block", "hoist rope"], ["limit switch", "slewing ring"]),
        ("Which crane was serviced first?", ["replaced limit switch"], ["hoist rope"]),
        ("When was Crane 1 last serviced?", ["2026-10-12"], ["2026-05-11"]),
        ("Which crane had work on 2026-11-12?", [], ["Crane 2"]),
        ("Welcher Auftrag hat den Termin 2026-10-12?", ["4712"], ["4711", "4713"]),
        ("Welche Aufträge haben einen Termin vor dem 15.11.2026?", ["4711", "4712"], ["4713"]),
        ("Welcher Termin ist am frühesten?", ["4712"], ["4713"]),
    ],
)
def test_dates_are_found_and_compared_however_they_are_written(
    knowledge: KnowledgeBase, question: str, told: list[str], untold: list[str]
) -> None:
    text = knowledge.ask(question, strategy="extractive").text
    assert [one for one in told if one not in text] == []
    assert [one for one in untold if one in text] == []


def test_the_label_that_the_question_names_is_quoted(knowledge: KnowledgeBase) -> None:
    assert "Marie Duval" in knowledge.ask("Who is the duty officer?", strategy="extractive").text
    assert "Tomasz Wilk" in knowledge.ask("Who is the next duty officer?", strategy="extractive").text


def test_a_heading_that_answers_is_quoted_with_all_items_below(knowledge: KnowledgeBase) -> None:
    text = knowledge.ask("Was ist täglich zu tun?", strategy="extractive").text
    assert all(one in text for one in ("Seil auf Schäden", "Bremse prüfen", "Trommel abwischen"))
    assert "Getriebe" not in text


@pytest.mark.parametrize("question", ["Was kostet die Winde?", "Was ist der Preis der Winde?"])
def test_a_row_that_the_question_does_not_name_is_doubted(knowledge: KnowledgeBase, question: str) -> None:
    answer = knowledge.ask(question, strategy="extractive")
    assert not answer.claims or any("none of 3 rows" in warning for warning in answer.warnings)
    named = knowledge.ask("Was kostet der Bremsbelag?", strategy="extractive")
    assert "132,00" in named.text
    assert not named.warnings


def test_an_unknown_property_of_a_known_thing_is_doubted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("What is the displacement of the tug Orsa?", strategy="extractive")
    assert not answer.claims or any("displacement" in warning for warning in answer.warnings)


def test_a_question_for_a_value_of_nothing_is_doubted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How expensive is it?", strategy="extractive")
    assert not answer.claims or answer.warnings
