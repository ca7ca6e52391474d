"""Tests of lists and glossaries, whose items are as the document has them, and of the noun that a question asks for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pipelines import build
from pipelines.settings import load
from qa import KnowledgeBase
from qa.answer import Answer
from qa.settings import QaSettings

FILES = {
    "errors.html": "<h1>Oven: errors</h1><dl><dt>E-101</dt><dd>Tray jammed. Pull out the tray.</dd><dt>E-105</dt>"
    "<dd>Lamp burnt out. Replace the lamp.</dd></dl>",
    "tienda.md": "# Tienda\n\n## Comprobación diaria\n\n- Mirar el indicador de la caja: debe estar verde\n"
    "- Comprobar la fecha de caducidad de los panes\n- Imprimir el recibo de prueba del día\n\n"
    "La tienda abre a las ocho de la mañana.\n",
    "codes.md": "# Machine codes\n\n| Code | Fault | Remedy |\n| --- | --- | --- |\n"
    "| F12 | Dough too wet | Add 50 g of flour |\n| F20 | Belt blocked | Remove the loaf |\n",
    "parts.csv": "part,order no.,price\nflow sensor,FS-25,85 EUR\nrain sensor,RS-1,59 EUR\n",
    "water.md": "# Bewässerung\n\n| Abschnitt | Beginn | Menge (l/m²) |\n| --- | --- | --- |\n"
    "| Nord | 06:30 | 1,8 |\n| Süd | 07:30 | 2,6 |\n",
    "washer.md": "# Trolley washer\n\nThe washer was run for eight hours at 300 trays per hour. The water consumption"
    " was 0.19 litres per tray. No more than 12 trays may stand in a lane of the store.\n\n"
    "Flour trays are stored upright.\n",
    "start.md": "# Starting the mixer\n\n1. Release the emergency stops.\n2. Rinse the bowl with hot water.\n"
    "3. Set the height with the crank.\n4. Start at low speed.\n",
    "mail.md": "# Complaint\n\nOn Friday we received 14 boxes of batch L26.\n\nBakehouse Norden Ltd\n",
}


@pytest.fixture(scope="module")
def knowledge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KnowledgeBase]:
    folder, kb = tmp_path_factory.mktemp("bakery"), tmp_path_factory.mktemp("kb") / "kb"
    for name, text in FILES.items():
        (folder / name).write_text(text, "utf-8")
    settings = load(None, {"ingest.workers": 1}, QaSettings).settings
    build(folder, kb, settings)
    with KnowledgeBase.open(kb, settings) as opened:
        yield opened


def quotes(answer: Answer) -> list[str]:
    return [claim.text for claim in answer.claims]


def test_a_term_of_a_glossary_is_explained_by_what_is_below_it(knowledge: KnowledgeBase) -> None:
    assert quotes(knowledge.ask("What does E-101 mean?"))[0] == "E-101: Tray jammed. Pull out the tray."
    assert quotes(knowledge.ask("What should I do at E-105?"))[0].startswith("E-105: ")


def test_all_items_below_a_heading_that_names_the_question_are_quoted(knowledge: KnowledgeBase) -> None:
    assert quotes(knowledge.ask("¿Qué hay que comprobar a diario?")) == [
        "Comprobación diaria",
        "Mirar el indicador de la caja: debe estar verde",
        "Comprobar la fecha de caducidad de los panes",
        "Imprimir el recibo de prueba del día",
    ]


def test_what_is_done_after_a_step_is_the_next_step(knowledge: KnowledgeBase) -> None:
    found = quotes(knowledge.ask("What must be done after rinsing the bowl?"))
    assert found == ["2. Rinse the bowl with hot water.", "3. Set the height with the crank."]


def test_a_row_is_quoted_whole_if_the_question_only_introduces_its_code(knowledge: KnowledgeBase) -> None:
    assert quotes(knowledge.ask("What should I do about fault F20?")) == [
        "F20; Fault: Belt blocked; Remedy: Remove the loaf"
    ]
    assert quotes(knowledge.ask("What is the remedy for F12?")) == ["F12; Remedy: Add 50 g of flour"]


def test_an_order_number_is_asked_for_like_any_other_column(knowledge: KnowledgeBase) -> None:
    assert "order no.: FS-25" in quotes(knowledge.ask("What is the order number of the flow sensor?"))[0]


def test_an_extreme_that_was_not_compared_is_doubted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Welcher Abschnitt bekommt am meisten Wasser?")
    assert "2,6" in quotes(answer)[0] or answer.warnings


def test_the_noun_behind_how_much_is_in_the_quote(knowledge: KnowledgeBase) -> None:
    (quote,) = quotes(knowledge.ask("How much water does the washer use per tray?"))
    assert "0.19 litres" in quote


def test_either_word_of_what_is_counted_can_be_behind_the_number(knowledge: KnowledgeBase) -> None:
    assert "12 trays" in quotes(knowledge.ask("How many flour trays may stand in a lane of the store?"))[0]


def test_a_quote_without_the_noun_that_is_asked_for_is_doubted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("Which colour does Bakehouse Norden prefer?")
    assert any("colour" in warning for warning in answer.warnings)


def test_a_value_asked_for_must_be_in_what_is_quoted(knowledge: KnowledgeBase) -> None:
    answer = knowledge.ask("How much does the trolley washer weigh?")
    assert not answer.claims or any("mass" in warning for warning in answer.warnings)
