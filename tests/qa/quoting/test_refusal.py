"""Tests that the extractive answer refuses questions the documents almost answer, in several languages."""

from __future__ import annotations

import asyncio

import pytest

from pipelines.lang.questions import value_kinds
from qa.answer import Answer
from qa.settings import AnswerSettings
from qa.strategies.quote_sentences import extractive
from tests.qa.memory import MemoryRetrieval

PUMPS = {
    "sheet.txt": (
        "Model | Max. head | Power input | Weight\nC25-60 | 6.0 m | 39 W | 2.3 kg\nC32-80 | 8.0 m | 95 W | 4.8 kg"
    ),
    "faults.txt": "Code | Meaning\nE04 | Supply voltage too low\nE11 | Dry running",
    "trial.txt": "The trial at Mossbank school in 2021 was led by Agnes Thorburn. Electricity use fell to 610 kWh.",
    "service.txt": "Repairs are done by the service centre in Utrecht. The warranty is 36 months.",
}
VALVES = {
    "vannes.txt": "Référence | Pression maximale | Masse\nV-20 | 40 bar | 0,48 kg\nV-32 | 25 bar | 1,15 kg",
    "essai.txt": "Le laboratoire de Nantes a soumis douze vannes V-32 à un essai en 2019.",
    "ventes.txt": "Le bureau des ventes se trouve à Angers. Les retours sont acceptés pendant trente jours.",
}


def ask(question: str, texts: dict[str, str], language: str) -> Answer:
    return asyncio.run(extractive(question, MemoryRetrieval(texts, language=language), None, AnswerSettings()))


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What does the C32-80 weigh?", "4.8 kg"),
        ("How much power does the C25-60 draw?", "39 W"),
        ("What does E11 mean?", "Dry running"),
        ("Who led the trial at Mossbank?", "Agnes Thorburn"),
        ("How long is the warranty?", "36 months"),
    ],
)
def test_a_question_that_the_documents_answer_is_answered(question: str, value: str) -> None:
    answer = ask(question, PUMPS, "en")
    assert not answer.abstained
    assert value in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "What does the C50-100 weigh?",
        "What does E15 mean?",
        "How many C32-80 were sold in 2023?",
        "How much did the C32-80 cost in 2019?",
        "Who led the trial at Mossbank in 2017?",
        "Why was the C25-60 withdrawn from sale?",
        "How do I renew a library card?",
    ],
)
def test_a_question_about_a_missing_model_year_or_property_is_refused(question: str) -> None:
    assert ask(question, PUMPS, "en").abstained


@pytest.mark.parametrize("question", ["What is the max. head of the C32-8?", "What does the C25-39 weigh?"])
def test_an_unknown_code_is_not_matched_by_its_parts(question: str) -> None:
    assert ask(question, PUMPS, "en").abstained


def test_french_questions_about_unknown_models_are_refused() -> None:
    assert "25 bar" in ask("Quelle est la pression maximale de la vanne V-32 ?", VALVES, "fr").text
    assert ask("Combien de V-32 ont été vendues en 2021 ?", VALVES, "fr").abstained
    assert ask("Quelle est la masse de la V-65 ?", VALVES, "fr").abstained


@pytest.mark.parametrize(
    ("question", "language", "kind"),
    [
        ("Ile kosztuje falownik?", "pl", "money"),
        ("Kolik to stojí?", "cs", "money"),
        ("Хто очолює лабораторію?", "uk", "person"),
        ("Hur länge gäller biljetten?", "sv", "time"),
        ("Hvornår blev Tivoli åbnet?", "da", "date"),
        ("Açılış neden gecikti?", "tr", "reason"),
        ("ما عمق المسبح؟", "ar", "length"),
        ("दूध की कीमत क्या है?", "hi", "money"),
        ("호두파이의 무게는?", "ko", "mass"),
        ("Nhiệt độ là bao nhiêu?", "vi", "temperature"),
        ("Πόσο κοστίζει;", "el", "money"),
    ],
)
def test_the_kind_of_value_asked_for_is_recognized_in_more_languages(question: str, language: str, kind: str) -> None:
    assert kind in {str(one) for one in value_kinds(question, language)}


def test_german_heisst_does_not_ask_for_a_temperature() -> None:
    assert not value_kinds("Wie heißt die Distribution?", "de")


FITTINGS = {
    "fittings.txt": (
        "Part | Thread | Subtotal\nNipple 1/4 male | NPT | $3.89\nNipple 3/4 male | NPT | $6.10\n"
        "Elbow 5.9 mm | G | $2.20"
    ),
}


@pytest.mark.parametrize(
    ("question", "figure"),
    [
        ("What is the subtotal of the nipple 6/4 male?", "6"),
        ("What is the subtotal of the nipple 9/4 male?", "9"),
        ("What is the subtotal of the elbow 7.2 mm?", "7.2"),
    ],
)
def test_a_row_that_lacks_a_figure_of_the_question_is_not_quoted_without_a_warning(question: str, figure: str) -> None:
    answer = ask(question, FITTINGS, "en")
    assert answer.abstained or any(f"no quote has {figure}" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("question", "said"),
    [("What is the subtotal of the nipple 3/4 male?", "$6.10"), ("What is the subtotal of the elbow 5.9 mm?", "$2.20")],
)
def test_a_row_with_all_figures_of_the_question_is_quoted_without_a_warning(question: str, said: str) -> None:
    answer = ask(question, FITTINGS, "en")
    assert said in answer.text
    assert not answer.warnings


@pytest.mark.parametrize(
    ("question", "texts", "language"),
    [
        ("Which school uses the C32-80?", PUMPS, "en"),
        ("Dans quelle école se trouve la V-20 ?", VALVES, "fr"),
    ],
)
def test_a_row_without_the_property_asked_for_is_not_quoted_without_a_warning(
    question: str, texts: dict[str, str], language: str
) -> None:
    answer = ask(question, texts, language)
    assert answer.abstained or answer.warnings
