"""Tests of the extractive answer in languages other than English."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from pipelines.ingest.build import build
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.retrieve.question_reading import read_question
from qa.answer import Answer
from qa.knowledge_base import KnowledgeBase
from qa.settings import AnswerSettings
from qa.strategies.quote_sentences import extractive
from tests.qa.memory import MemoryRetrieval

OTHERS = {
    "de": {
        "pumpe.txt": "Die Pumpe steht in Halle 3. Sie fördert Wasser aus dem Brunnen.",
        "kantine.txt": "Die Kantine öffnet um elf Uhr. Freitags gibt es Fisch.",
    },
    "fr": {
        "pompe.txt": "La pompe se trouve dans le hall 3. Elle tire l'eau du puits.",
        "cantine.txt": "La cantine ouvre le matin. Le vendredi on sert du poisson.",
    },
    "es": {
        "bomba.txt": "La bomba está en la nave 3. Saca agua del pozo.",
        "comedor.txt": "El comedor abre a las once.",
    },
    "ru": {"насос.txt": "Насос стоит в цехе 3.", "столовая.txt": "Столовая открывается утром."},
    "ja": {"ポンプ.txt": "ポンプは第三工場にあります。", "食堂.txt": "食堂は朝に開きます。"},
}
ASKED = [
    ("de", "Wie lange dauert die Probezeit?", "Die Probezeit dauert sechs Monate."),
    ("fr", "Combien de temps dure la période d'essai ?", "La période d'essai dure six mois."),
    ("es", "¿Cuánto tiempo dura el periodo de prueba?", "El periodo de prueba dura seis meses."),
    ("ru", "Как долго длится испытательный срок?", "Испытательный срок длится шесть месяцев."),
    ("ja", "試用期間はどのくらいの期間ですか。", "試用期間は六か月です。"),
]


def ask(question: str, texts: Mapping[str, str], language: str) -> Answer:
    return asyncio.run(extractive(question, MemoryRetrieval(texts, language=language), None, AnswerSettings()))


@pytest.mark.parametrize(("language", "question", "sentence"), ASKED)
def test_a_question_is_answered_in_its_language(language: str, question: str, sentence: str) -> None:
    answer = ask(question, {**OTHERS[language], "a.txt": sentence}, language)
    assert not answer.abstained
    assert answer.citations[0].quote == sentence


@pytest.mark.parametrize(("language", "question", "sentence"), ASKED)
def test_a_question_is_refused_if_no_document_has_the_answer(language: str, question: str, sentence: str) -> None:
    assert ask(question, OTHERS[language], language).abstained


def test_an_inflected_word_is_stemmed_in_the_language_of_the_documents() -> None:
    lexicon = MemoryRetrieval(OTHERS["de"], language="de").lexicon
    asked = read_question("Wo stehen die Pumpen?", lexicon, ("de",))
    assert asked.language == "de"
    assert asked.weights.keys() == {"steh", "pump"}
    assert asked.form("pump", "en") == "pumpen"


@pytest.mark.parametrize(
    ("language", "question"),
    [("de", "Wie lange dauert die Porbezeit?"), ("ru", "Как долго длится испытатеьлный срок?")],
)
def test_a_misspelt_word_still_finds_the_answer(language: str, question: str) -> None:
    sentence = next(told for code, _, told in ASKED if code == language)
    answer = ask(question, {**OTHERS[language], "a.txt": sentence}, language)
    assert not answer.abstained
    assert answer.citations[0].quote == sentence


@pytest.mark.parametrize(
    ("language", "question", "asks"),
    [
        ("fr", "Comment changer le joint, et pourquoi ?", {"comment", "pourquoi"}),
        ("de", "Wohin kommt die Dichtung, und wofür?", {"wohin", "wofur"}),
        ("es", "¿Cómo y cuándo se cambia la junta?", {"com", "cuand"}),
        ("ru", "Где стоит насос и зачем?", {"где", "зач"}),
    ],
)
def test_question_words_are_not_terms(language: str, question: str, asks: set[str]) -> None:
    lexicon = MemoryRetrieval(OTHERS[language], language=language).lexicon
    assert not asks & read_question(question, lexicon, (language,)).weights.keys()


def test_a_chinese_bigram_of_the_corpus_is_kept_if_it_contains_a_question_word() -> None:
    lexicon = MemoryRetrieval({"a.txt": "上海工厂生产泵。"}, language="zh").lexicon
    assert "上海" in read_question("上海工厂生产什么?", lexicon, ("zh",)).weights


def test_a_question_in_a_language_without_a_word_list_is_answered() -> None:
    texts = {"a.txt": "Katseaeg kestab kuus kuud.", "b.txt": "Pump on kolmandas hallis."}
    answer = ask("Kui kaua katseaeg kestab?", texts, "et")
    assert answer.citations[0].quote == texts["a.txt"]
    assert Kind.TIME not in read_question("Kui kaua?", MemoryRetrieval(texts).lexicon, ("et",)).wants


@pytest.mark.parametrize(
    ("language", "address", "by_mail"),
    [
        ("fr", "Quelle est l'adresse e-mail du support ?", "Qui reçoit le rapport par courriel ?"),
        ("es", "¿Cuál es la dirección de correo del soporte?", "¿Quién recibe el informe por correo electrónico?"),
        ("pt", "Qual é o endereço de e-mail do suporte?", "Quem recebe o relatório por e-mail?"),
    ],
)
def test_a_question_for_a_mail_address_is_distinguished_from_one_about_sending_mail(
    language: str, address: str, by_mail: str
) -> None:
    assert value_kinds(address, language) == {Kind.MAIL}
    assert Kind.MAIL not in value_kinds(by_mail, language)


SCRIPTS = [
    (
        "# מדריך משאבה K80-250\n\n## תחזוקה\n\n"
        "יש להחליף את אטם הציר כל 4000 שעות. מומנט ההידוק של ברגי הבית הוא 68 Nm.\n",
        "מה מחיר המשאבה K80-250?",
        "מהו מומנט ההידוק של ברגי הבית?",
    ),
    (
        "# Εγχειρίδιο αντλίας K80-250\n\n## Συντήρηση\n\n"
        "Η τσιμούχα του άξονα αντικαθίσταται κάθε 4000 ώρες. Η ροπή σύσφιξης των "
        "κοχλιών του κελύφους είναι 68 Nm.\n",
        "Πόσο κοστίζει η αντλία K80-250;",
        "Ποια είναι η ροπή σύσφιξης των κοχλιών του κελύφους;",
    ),
]


@pytest.mark.parametrize(("text", "price", "torque"), SCRIPTS, ids=["he", "el"])
def test_a_script_outside_the_embedder_vocabulary_does_not_make_all_words_similar(
    text: str, price: str, torque: str, tmp_path: Path
) -> None:
    """No document states the price; the embedder gives all words of the script vectors close to that of the word."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "manual.md").write_text(text, encoding="utf-8")
    build(tmp_path / "folder", tmp_path / "kb")
    with KnowledgeBase.open(tmp_path / "kb") as knowledge:
        assert (knowledge.ask(price).confidence or 0) < AnswerSettings().unsure_below
        assert "68 Nm" in knowledge.ask(torque).text
