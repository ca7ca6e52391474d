"""Questions whose answer is in several documents: comparisons, lists over data sheets, and second questions."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines.ingest.build import build
from pipelines.settings import load
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings

SHEET = """# {name} process pump

The {name} is a close-coupled process pump for clean liquids.

| Property | Value |
| --- | --- |
| Rated flow | {flow} m³/h |
| Weight with motor | {mass} kg |
| Explosion protection | {protection} |

The list price of 2026 is {price} EUR, ex works.
"""
RUEHRWERK = """# Rührwerk {name}

| Merkmal | Wert |
| --- | --- |
| Drehzahl | {speed} min⁻¹ |
| Gewicht | {mass} kg |
"""
FILES = {
    "hx20.md": SHEET.format(name="HX 20", flow=20, mass=61, protection="ATEX II 2G Ex h IIC T4", price="2,140"),
    "hx45.md": SHEET.format(name="HX 45", flow=45, mass=118, protection="not available", price="3,480"),
    "hx90.md": SHEET.format(name="HX 90", flow=90, mass=205, protection="ATEX II 2G Ex h IIC T3", price="6,920"),
    "rw1.md": RUEHRWERK.format(name="RW 100", speed=90, mass=44),
    "rw2.md": RUEHRWERK.format(name="RW 250", speed=140, mass=73),
    "equipment.csv": (
        "Tag,Description,Type,Feeds,Installed\n"
        "P-101,Feed pump,HX 45,Reactor R-1,2021-04-12\n"
        "P-102,Cooling water pump,HX 90,Heat exchanger E-7,2019-09-30\n"
        "P-103,Drain pump,HX 20,Tank T-12,2023-02-01\n"
        "T-12,Waste water tank,GRP,,2018-06-15\n"
    ),
    "lines.csv": "Line,Adhesive,Shift leader\nL1,Bondix 210,Amara Obi\nL2,Bondix 330,\nL3,Bondix 330,Ruth Kane\n",
    "adhesives.md": (
        "# Adhesives guide\n\n## Bondix 210\n\nAn epoxy for metals. Pot life 45 minutes.\n\n"
        "## Bondix 330\n\nAn acrylic for plastics. Pot life 4 minutes.\n\n"
        "## How to mix Bondix 210\n\n### Preparation\n\nWear gloves.\n\n### Steps\n\n"
        "1. Warm both parts.\n2. Take two parts of resin.\n3. Stir.\n"
    ),
    "costi.csv": "Macchina;Reparto;Costo (€)\nTornio T2;Officina;84.500\nFresa F5;;127.900\nMuletto M1;Posta;31.200\n",
    "anlage.csv": "Kennung;Gerät;Halle\nM-7;RW 250;3\nM-8;RW 100;4\n",
    "runbook.md": (
        "# Reactor\n\n- Valve V-17 must be closed. It is opened only for draining.\n"
        "- The mixer turns at 40 rpm. The hatch is painted blue.\n"
    ),
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")
    build(folder, kb, load(None, {"ingest.workers": 1}, QaSettings).settings)
    with KnowledgeBase.open(kb) as opened:
        yield opened


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        (
            "Which pump has the higher flow, the HX 20 or the HX 45?",
            ["HX 20 process pump: Rated flow; Value: 20 m³/h", "HX 45 process pump: Rated flow; Value: 45 m³/h"],
        ),
        (
            "How much more expensive is the HX 90 than the HX 45?",
            [
                "HX 90 process pump: The list price of 2026 is 6,920 EUR, ex works.",
                "HX 45 process pump: The list price of 2026 is 3,480 EUR, ex works.",
            ],
        ),
        (
            "Worin unterscheiden sich das RW 100 und das RW 250 in der Drehzahl?",
            ["Rührwerk RW 100: Drehzahl; Wert: 90 min⁻¹", "Rührwerk RW 250: Drehzahl; Wert: 140 min⁻¹"],
        ),
    ],
)
def test_a_comparison_quotes_the_property_from_both_documents(
    knowledge: KnowledgeBase, question: str, quotes: list[str]
) -> None:
    answer = knowledge.ask(question)
    assert [claim.text for claim in answer.claims] == quotes
    assert not answer.warnings


def test_all_documents_with_a_property_are_listed(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which pumps have ATEX approval?")
    assert [one.uri for one in answer.citations] == ["hx20.md", "hx90.md"]


@pytest.mark.parametrize(
    ("question", "quotes"),
    [
        (
            "How much does P-103 weigh?",
            [
                "Weight with motor; Value: 61 kg",
                "P-103; Description: Drain pump; Type: HX 20; Feeds: Tank T-12; Installed: 2023-02-01",
            ],
        ),
        ("Wie schwer ist M-7?", ["Gewicht; Wert: 73 kg", "M-7; Gerät: RW 250; Halle: 3"]),
    ],
)
def test_a_row_leads_to_the_document_about_the_thing(
    knowledge: KnowledgeBase, question: str, quotes: list[str]
) -> None:
    answer = knowledge.ask(question)
    assert [claim.text for claim in answer.claims] == quotes
    assert answer.question == question
    assert "second question" in [step.kind for step in answer.trace]


@pytest.mark.parametrize("question", ["How much does T-12 weigh?", "What is the diameter of P-102?"])
def test_a_row_leads_to_no_answer_that_is_not_there(knowledge: KnowledgeBase, question: str) -> None:
    answer = knowledge.ask(question)
    assert answer.abstained or answer.warnings


def test_rows_with_an_empty_cell_are_compared(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which equipment was installed before 2020?")
    assert [claim.text.split(";")[0] for claim in answer.claims] == ["P-102", "T-12"]


def test_a_sentence_that_lacks_the_answer_is_quoted_with_the_next_one(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("What is valve V-17 for?")
    assert answer.citations[0].quote == "Valve V-17 must be closed. It is opened only for draining."
    assert len(knowledge.ask("At what speed does the mixer turn?").citations[0].quote) < 40


def test_two_sections_are_compared(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which adhesive has the longer pot life, Bondix 210 or Bondix 330?")
    assert [claim.text for claim in answer.claims] == [
        "Bondix 210: Pot life 45 minutes.",
        "Bondix 330: Pot life 4 minutes.",
    ]


def test_the_thing_that_has_a_property_is_named(knowledge: KnowledgeBase) -> None:
    told = "HX 45 process pump: Explosion protection; Value: not available"
    assert knowledge.ask("Which pump is not available with explosion protection?").claims[0].text == told


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("Which line has no shift leader?", ["L2"]),
        ("Which lines use Bondix 330?", ["L2", "L3"]),
        ("Quale macchina non ha un reparto?", ["Fresa F5"]),
        ("Qual è la macchina più costosa?", ["Fresa F5"]),
    ],
)
def test_rows_are_selected_by_empty_cells_names_and_amounts(
    knowledge: KnowledgeBase, question: str, rows: list[str]
) -> None:
    assert [claim.text.split(";")[0] for claim in knowledge.ask(question).claims] == rows


def test_the_steps_are_quoted_although_another_section_comes_first(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How do I mix Bondix 210?")
    assert [claim.text for claim in answer.claims][1:] == [
        "1. Warm both parts.",
        "2. Take two parts of resin.",
        "3. Stir.",
    ]


def test_rows_are_counted_although_a_cell_leads_to_another_document(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How many lines use Bondix 330?")
    assert answer.claims[0].text == "2 rows"
    assert not answer.warnings


@pytest.mark.parametrize(
    "question", ["How is it?", "How do I?", "List all", "Which one or the other?", "Wie geht das?"]
)
def test_a_question_of_function_words_gets_an_answer_or_a_refusal(knowledge: KnowledgeBase, question: str) -> None:
    answer = knowledge.ask(question)
    assert answer.abstained or answer.claims
