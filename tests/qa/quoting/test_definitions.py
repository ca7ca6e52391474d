"""What a thing is: the sentence, row or section that says it is quoted before others that speak of the thing."""

from __future__ import annotations

import asyncio

import pytest

from qa.quoting.question_terms import defined_thing, read_question
from qa.settings import AnswerSettings
from qa.strategies.quote_sentences import extractive
from tests.qa.memory import MemoryRetrieval

TEXTS = {
    "en": {
        "setup.txt": "The host and its daemon start. The daemon asks the host at each start.",
        "book.txt": "Start the host. A daemon (in Unix) is a program that waits in the background.",
    },
    "de": {
        "setup.txt": "Das Laufwerk und sein Einhängepunkt fehlen.",
        "buch.txt": "Man wähle das Laufwerk. Ein Einhängepunkt ist ein Verzeichnis, das ein Dateisystem aufnimmt.",
    },
    "fr": {
        "pose.txt": "Le greffon et son dossier manquent.",
        "livre.txt": "Ouvrir le menu. Un greffon est un programme qui ajoute des fonctions à un autre.",
    },
    "zh": {
        "安装.txt": "安装时要检查守护进程。日志保存在目录中。",
        "手册.txt": "先启动主机。一个守护进程是指在后台等待的一类程序。",
    },
}


def first(question: str, texts: dict[str, str], language: str = "en") -> str:
    found = asyncio.run(
        extractive(question, MemoryRetrieval(texts, language=language), None, AnswerSettings(refuse_below=0))
    )
    return found.citations[0].quote


@pytest.mark.parametrize(
    ("language", "question", "said"),
    [
        ("en", "What is a daemon?", "is a program"),
        ("de", "Was ist ein Einhängepunkt?", "ist ein Verzeichnis"),
        ("fr", "Qu'est-ce qu'un greffon ?", "est un programme"),
        ("zh", "守护进程是什么?", "一类程序"),
        ("zh", "什么是守护进程?", "一类程序"),
    ],
)
def test_the_sentence_that_says_what_a_thing_is_comes_first(language: str, question: str, said: str) -> None:
    assert said in first(question, TEXTS[language], language)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Jonas Beck?", "Jonas Beck spoke of the training. Present: Li Na (instruments), Jonas Beck (quality)."),
        ("What is FKM?", "FKM is used here and FKM rings are kept. Take a ring of FKM (fluorinated rubber)."),
        ("Wer ist Jonas Beck?", "Jonas Beck sprach von der Schulung. Anwesend: Li Na (Technik), Jonas Beck (Leitung)."),
    ],
)
def test_words_in_brackets_behind_a_name_say_what_it_is(question: str, text: str) -> None:
    assert first(question, {"a.txt": text}, "de" if "Wer" in question else "en").endswith(").")


@pytest.mark.parametrize(
    ("language", "question", "text", "said"),
    [
        (
            "en",
            "What is MTBF?",
            "MTBF of the fan is 9 years. The mean time between failures (MTBF) is given.",
            "mean time",
        ),
        ("en", "What does MTBF mean?", "MTBF is 9 years. MTBF = mean time between failures in service.", "between"),
        (
            "de",
            "Wofür steht die Abkürzung RCD?",
            "Der RCD löst aus. Ein Fehlerstromschutzschalter (RCD) fehlt.",
            "Fehler",
        ),
        (
            "fr",
            "Que signifie VMC ?",
            "La VMC est arrêtée. La ventilation mécanique contrôlée (VMC) marche.",
            "contrôlée",
        ),
        ("zh", "BMS是什么意思？", "BMS在10 V时断开。电池管理系统(BMS)安装在箱内。", "电池管理系统"),
    ],
)
def test_the_long_form_of_an_abbreviation_says_what_it_means(
    language: str, question: str, text: str, said: str
) -> None:
    assert said in first(question, {"a.txt": text}, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "What is NPSHr?", "NPSHr of the feed pump should be given as 3.4 m. The NPSHr rises with the flow."),
        ("en", "What does NPSHr stand for?", "NPSHr of the feed pump should be given as 3.4 m."),
        ("de", "Was bedeutet Vorlauf?", "Den Vorlauf vor der Pumpe am Kessel messen."),
        ("fr", "Que signifie VMC ?", "Arrêter la VMC avant le nettoyage du filtre."),
    ],
)
def test_a_meaning_that_no_sentence_gives_is_not_answered_by_a_use_of_the_word(
    language: str, question: str, text: str
) -> None:
    retrieval = MemoryRetrieval({"a.txt": text}, language=language)
    answer = asyncio.run(extractive(question, retrieval, None, AnswerSettings(refuse_below=0)))
    assert answer.abstained
    assert any("says what" in warning for warning in answer.warnings)


def test_the_meaning_of_what_is_described_need_not_be_a_definition() -> None:
    text = "守护进程的名称常以字母d结尾(例如sshd、httpd)。"
    retrieval = MemoryRetrieval({"a.txt": text}, language="zh")
    question = "sshd、httpd 名称末尾的 d 是什么意思？"
    assert not asyncio.run(extractive(question, retrieval, None, AnswerSettings(refuse_below=0))).abstained


def test_the_number_of_a_clause_does_not_hide_a_definition() -> None:
    text = "Margin is shown here.\n\n3.4 Margin is the distance between both limits.\n\nMargin may be small."
    assert "distance" in first("What is margin?", {"a.txt": text})


def test_a_name_alone_is_no_answer() -> None:
    text = "Ingrid Solberg\n\nThe order came from Ingrid Solberg in purchasing."
    assert "purchasing" in first("Who is Ingrid Solberg?", {"a.txt": text})


def test_a_row_with_the_name_of_the_thing_says_what_it_is() -> None:
    text = "Set PEEP first, then PEEP is kept.\n\nTerm | Meaning\n1. PEEP | pressure left in the lungs\n2. PIP | peak"
    assert first("What is PEEP?", {"a.txt": text}).startswith("1. PEEP")


@pytest.mark.parametrize("mark", [":", " –", " -"])
def test_an_entry_of_a_glossary_says_what_its_term_is(mark: str) -> None:
    text = f"Ask the lender.\n\nLender{mark} the person or firm that gives a loan to others."
    assert first("What is a lender?", {"a.txt": text}).endswith("gives a loan to others.")


def test_a_row_with_a_figure_alone_does_not_say_what_its_thing_is() -> None:
    text = "Cause | Calls\nCavitation | 40\nDry run | 12\n\nCavitation is the growth of bubbles in a pump."
    assert "bubbles" in first("What is cavitation?", {"a.txt": text})


def test_the_first_sentence_below_a_heading_that_is_the_thing_says_what_it_is() -> None:
    text = "Run lintian.\n\n15.4.1. lintian\n\nThis tool is the checker of packages. Run lintian before lintian upload."
    assert first("What is lintian?", {"a.txt": text}) == "This tool is the checker of packages."


@pytest.mark.parametrize(
    ("question", "thing"),
    [
        ("What is a mount point?", "mount point"),
        ("Was ist OpenVPN?", "openvpn"),
        ("What does the pump of the hall weigh?", ""),
        ("Which valve closes first, and which pump stops?", ""),
        ("How many bar does the pump give?", ""),
        ("What is it?", ""),
    ],
)
def test_a_question_for_a_thing_names_one_thing_and_nothing_else(question: str, thing: str) -> None:
    assert defined_thing(read_question(question, MemoryRetrieval(TEXTS["en"]).lexicon)) == thing


def test_a_question_that_names_more_than_a_thing_is_answered_as_before() -> None:
    assert "asks the host" in first("Whom does the daemon ask at each start?", TEXTS["en"])


def test_what_an_option_does_is_told_by_the_first_sentence_of_its_entry() -> None:
    option = "MINUTES runtime in minutes\nIn a power failure the system is halted when the rest falls below the value."
    texts = {"manual.txt": f"Directives\n\n{option} This directive is ignored by dumb devices. The default is 3."}
    assert first("What does the MINUTES directive do?", texts).startswith("In a power failure the system is halted")
    answer = asyncio.run(
        extractive(
            "What is the default of MINUTES?", MemoryRetrieval(texts, "en"), None, AnswerSettings(refuse_below=0)
        )
    )
    assert answer.text.startswith("MINUTES runtime in minutes: The default is 3.")
