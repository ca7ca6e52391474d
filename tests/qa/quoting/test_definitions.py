"""Tests of definition questions: the defining sentence, row or section is quoted before other mentions."""

from __future__ import annotations

import asyncio

import pytest

from pipelines.retrieve.question_reading import read_question
from pipelines.retrieve.question_terms import defined_thing
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


def first_quote(question: str, texts: dict[str, str], language: str = "en") -> str:
    found = asyncio.run(
        extractive(question, MemoryRetrieval(texts, language=language), None, AnswerSettings(refuse_below=0))
    )
    return found.citations[0].quote


def test_an_apposition_defines_a_thing_anywhere_in_a_sentence() -> None:
    told = "The K80 and its hose are stored in the shed. Boats are emptied by the K80, a self-priming pump."
    assert first_quote("What is the K80?", {"boats.txt": told}) == "Boats are emptied by the K80, a self-priming pump."


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
def test_the_defining_sentence_is_quoted_first(language: str, question: str, said: str) -> None:
    assert said in first_quote(question, TEXTS[language], language)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Who is Jonas Beck?", "Jonas Beck spoke of the training. Present: Li Na (instruments), Jonas Beck (quality)."),
        ("What is FKM?", "FKM is used here and FKM rings are kept. Take a ring of FKM (fluorinated rubber)."),
        ("Wer ist Jonas Beck?", "Jonas Beck sprach von der Schulung. Anwesend: Li Na (Technik), Jonas Beck (Leitung)."),
    ],
)
def test_a_parenthesis_after_a_name_is_a_definition(question: str, text: str) -> None:
    assert first_quote(question, {"a.txt": text}, "de" if "Wer" in question else "en").endswith(").")


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
        ("pl", "Co oznacza skrót RCD?", "RCD zadziałał. Wyłącznik różnicowoprądowy (RCD) jest w szafie.", "różnicowo"),
        ("sv", "Vad betyder JFB?", "JFB löste ut. Jordfelsbrytaren (JFB) sitter i skåpet.", "Jordfels"),
        ("tr", "KAK ne demek?", "KAK attı. Kaçak akım koruma rölesi (KAK) panoda.", "koruma"),
    ],
)
def test_the_long_form_of_an_abbreviation_is_its_meaning(language: str, question: str, text: str, said: str) -> None:
    assert said in first_quote(question, {"a.txt": text}, language)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "What is NPSHr?", "NPSHr of the feed pump should be given as 3.4 m. The NPSHr rises with the flow."),
        ("en", "What does NPSHr stand for?", "NPSHr of the feed pump should be given as 3.4 m."),
        ("de", "Was bedeutet Vorlauf?", "Den Vorlauf vor der Pumpe am Kessel messen."),
        ("fr", "Que signifie VMC ?", "Arrêter la VMC avant le nettoyage du filtre."),
    ],
)
def test_a_definition_question_is_refused_if_no_sentence_defines_the_term(
    language: str, question: str, text: str
) -> None:
    retrieval = MemoryRetrieval({"a.txt": text}, language=language)
    answer = asyncio.run(extractive(question, retrieval, None, AnswerSettings(refuse_below=0)))
    assert answer.abstained
    assert any("says what" in warning for warning in answer.warnings)


@pytest.mark.parametrize(
    ("language", "question", "text"),
    [
        ("en", "What does a yellow light mean?", "With a yellow light the battery is nearly empty."),
        ("de", "Was bedeutet das gelbe Licht?", "Bei gelbem Licht ist der Akku fast leer."),
    ],
)
def test_what_ordinary_words_mean_may_be_said_in_any_way(language: str, question: str, text: str) -> None:
    assert first_quote(question, {"a.txt": text}, language) == text


def test_a_meaning_question_about_a_part_of_a_name_does_not_require_a_definition() -> None:
    text = "守护进程的名称常以字母d结尾(例如sshd、httpd)。"
    retrieval = MemoryRetrieval({"a.txt": text}, language="zh")
    question = "sshd、httpd 名称末尾的 d 是什么意思？"
    assert not asyncio.run(extractive(question, retrieval, None, AnswerSettings(refuse_below=0))).abstained


def test_a_clause_number_before_a_definition_is_ignored() -> None:
    text = "Margin is shown here.\n\n3.4 Margin is the distance between both limits.\n\nMargin may be small."
    assert "distance" in first_quote("What is margin?", {"a.txt": text})


def test_a_line_with_only_the_name_is_not_a_definition() -> None:
    text = "Ingrid Solberg\n\nThe order came from Ingrid Solberg in purchasing."
    assert "purchasing" in first_quote("Who is Ingrid Solberg?", {"a.txt": text})


def test_a_table_row_named_after_the_term_is_a_definition() -> None:
    text = "Set PEEP first, then PEEP is kept.\n\nTerm | Meaning\n1. PEEP | pressure left in the lungs\n2. PIP | peak"
    assert first_quote("What is PEEP?", {"a.txt": text}).startswith("1. PEEP")


@pytest.mark.parametrize("mark", [":", " –", " -"])
def test_a_glossary_entry_is_a_definition(mark: str) -> None:
    text = f"Ask the lender.\n\nLender{mark} the person or firm that gives a loan to others."
    assert first_quote("What is a lender?", {"a.txt": text}).endswith("gives a loan to others.")


def test_a_table_row_with_only_a_number_is_not_a_definition() -> None:
    text = "Cause | Calls\nCavitation | 40\nDry run | 12\n\nCavitation is the growth of bubbles in a pump."
    assert "bubbles" in first_quote("What is cavitation?", {"a.txt": text})


def test_the_first_sentence_below_a_heading_that_equals_the_term_is_a_definition() -> None:
    text = "Run lintian.\n\n15.4.1. lintian\n\nThis tool is the checker of packages. Run lintian before lintian upload."
    assert first_quote("What is lintian?", {"a.txt": text}) == "This tool is the checker of packages."


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
def test_a_definition_question_names_exactly_one_thing(question: str, thing: str) -> None:
    assert defined_thing(read_question(question, MemoryRetrieval(TEXTS["en"]).lexicon)) == thing


def test_a_question_with_more_than_the_defined_term_is_not_a_definition_question() -> None:
    assert "asks the host" in first_quote("Whom does the daemon ask at each start?", TEXTS["en"])


def test_a_question_about_what_an_option_does_is_answered_by_the_first_sentence_of_its_entry() -> None:
    option = "MINUTES runtime in minutes\nIn a power failure the system is halted when the rest falls below the value."
    texts = {"manual.txt": f"Directives\n\n{option} This directive is ignored by dumb devices. The default is 3."}
    assert first_quote("What does the MINUTES directive do?", texts).startswith(
        "In a power failure the system is halted"
    )
    answer = asyncio.run(
        extractive(
            "What is the default of MINUTES?", MemoryRetrieval(texts, "en"), None, AnswerSettings(refuse_below=0)
        )
    )
    assert answer.text.startswith("MINUTES runtime in minutes: The default is 3.")


@pytest.mark.parametrize(
    ("language", "question", "text", "said"),
    [
        ("en", "What is lintian used for?", "Run lintian first.\n\n1.2 lintian\n\nIt checks packages.", "It checks"),
        ("de", "Wozu dient lintian?", "Zuerst lintian starten.\n\n1.2 lintian\n\nEs prüft Pakete.", "Es prüft"),
        ("fr", "À quoi sert lintian ?", "Lancez lintian.\n\n1.2 lintian\n\nCet outil vérifie les paquets.", "vérifie"),
        ("it", "A cosa serve lintian?", "Avviare lintian.\n\n1.2 lintian\n\nControlla i pacchetti.", "Controlla"),
        ("ru", "Для чего нужен lintian?", "Запустите lintian.\n\n1.2 lintian\n\nПроверяет пакеты.", "Проверяет"),
        (
            "ja",
            "lintianは何のためのものですか。",
            "lintianを実行する。\n\n1.2 lintian\n\nパッケージを検査する。",
            "検査",
        ),
    ],
)
def test_a_question_for_the_purpose_of_a_thing_is_answered_by_its_definition(
    language: str, question: str, text: str, said: str
) -> None:
    assert said in first_quote(question, {"a.txt": text}, language)


@pytest.mark.parametrize(
    ("language", "question", "heading"),
    [
        ("it", "Che cos'è un NMU?", "5.11 Caricamenti di altri maintainer (NMU)"),
        ("fr", "Qu'est-ce qu'un NMU ?", "5.11 Mises à jour indépendantes (NMU)"),
        ("ru", "Что такое NMU?", "5.11 Загрузки не-сопровождающим (NMU)"),
        ("de", "Was ist ein NMU?", "5.11 Non-Maintainer Uploads (NMUs)"),
    ],
)
def test_a_heading_with_the_abbreviation_behind_its_long_form_is_a_definition(
    language: str, question: str, heading: str
) -> None:
    text = f"NMU NMU NMU.\n\n{heading}\n\nDebian 12."
    assert first_quote(question, {"a.txt": text}, language) == heading


@pytest.mark.parametrize(
    ("language", "question", "term", "text"),
    [
        (
            "en",
            "What does ERR_CORRUPTED mean?",
            "exception gammu.ERR_CORRUPTED",
            "The data that the phone has returned were damaged on their way, so that they are not read any further.",
        ),
        (
            "de",
            "Was bedeutet ERR_KAPUTT?",
            "Ausnahme telefon.ERR_KAPUTT",
            "Die vom Telefon gelieferten Daten wurden unterwegs beschädigt und werden deshalb nicht weiter gelesen.",
        ),
    ],
)
def test_a_term_may_have_its_kind_and_module_before_the_thing(
    language: str, question: str, term: str, text: str
) -> None:
    code = question.split()[-2 if language == "en" else -1].strip("?")
    used = f"{code} {'is raised by the driver.' if language == 'en' else 'wird vom Treiber gemeldet.'}"
    assert first_quote(question, {"use.txt": used, "api.txt": f"{term}\n{text}"}, language) == text
