"""Tests of retrieval over a knowledge base of several languages."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from evaluate.questions import Passage, passage_id
from evaluate.sets import open_passages
from pipelines.lang.questions import question_language
from pipelines.retrieve.flat_search import Mode
from pipelines.retrieve.query import analyze_query
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from qa.settings import QaSettings

PASSAGES = (
    Passage(
        "de-quota",
        "Speicherplatz für Benutzer",
        "Das Plattenlimit legt fest, wie viel Speicher die Benutzer belegen dürfen. Der Verwalter ändert es jederzeit.",
    ),
    Passage(
        "de-haus",
        "Umbau der Gebäude",
        "Die alten Häuser am Hafen werden umgebaut. Die Arbeiten dauern zwei Jahre und werden von der Stadt bezahlt.",
    ),
    Passage(
        "de-pumpe",
        "Wartung der Anlage",
        "Die Schrauben des Gehäuses werden mit 68 N·m angezogen. Danach wird die Anlage wieder eingeschaltet.",
    ),
    Passage(
        "fr-vanne",
        "Entretien des soupapes",
        "Les soupapes de sûreté sont vérifiées chaque année. Le technicien note la pression dans le registre.",
    ),
    Passage(
        "fr-port",
        "Horaires du port",
        "Le port ouvre à six heures du matin. Les bateaux de pêche doivent annoncer leur arrivée par radio.",
    ),
    Passage(
        "ru-nasos",
        "Обслуживание насосов",
        "Насосы проверяют каждые шесть месяцев. Подшипники смазывают, а уплотнения заменяют новыми.",
    ),
    Passage(
        "ru-gavan",
        "Расписание гавани",
        "Гавань открывается в шесть часов утра. Рыбацкие лодки должны сообщать о прибытии по радио.",
    ),
    Passage(
        "en-clock",
        "Clock settings",
        "Every server keeps its own timezone. The administrator chooses it when the machine is first started.",
    ),
    Passage(
        "en-ferry",
        "The ferry",
        "The ferry crosses the bay twice a day. Passengers may die of boredom, for the crossing takes five hours.",
    ),
    Passage(
        "ja-pump",
        "ポンプの保守",
        "ポンプの軸受は六か月ごとに点検します。異常な振動があるときは、すぐに運転を止めてください。",
    ),
)


@pytest.fixture(scope="module")
def retriever(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    with open_passages(PASSAGES, load(None, {}, QaSettings).settings, tmp_path_factory.mktemp("kb")) as opened:
        yield opened


def first_passage(retriever: Retriever, question: str, mode: Mode = Mode.GRAPH) -> str:
    hits = retriever.retrieve(question, 3, mode=mode)
    return passage_id(hits[0].uri) if hits else ""


@pytest.mark.parametrize("mode", [Mode.GRAPH, Mode.BM25])
@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Wer bezahlt das Haus?", "de-haus"),
        ("Qui vérifie une soupape ?", "fr-vanne"),
        ("Когда проверяют насос?", "ru-nasos"),
        ("crossings of a ferry", "en-ferry"),
        ("軸受の点検", "ja-pump"),
    ],
)
def test_a_word_is_found_by_another_inflection(retriever: Retriever, question: str, passage: str, mode: Mode) -> None:
    assert first_passage(retriever, question, mode) == passage


@pytest.mark.parametrize(
    ("question", "passage"),
    [
        ("Wie hoch ist das Plattenlmit?", "de-quota"),
        ("vérification des soupappes", "fr-vanne"),
        ("смазка подшыпника", "ru-nasos"),
        ("passangers of the fery", "en-ferry"),
    ],
)
def test_a_misspelt_word_finds_the_passage(retriever: Retriever, question: str, passage: str) -> None:
    assert first_passage(retriever, question) == passage


@pytest.mark.parametrize(("question", "passage"), [("Что проверочное?", "ru-nasos"), ("les vérifiables", "fr-vanne")])
def test_a_word_in_no_passage_is_found_by_one_that_begins_alike(
    retriever: Retriever, question: str, passage: str
) -> None:
    assert first_passage(retriever, question) == passage


def test_a_compound_is_found_by_its_part_and_by_a_longer_compound(retriever: Retriever) -> None:
    assert first_passage(retriever, "Welches Limit gilt?") == "de-quota"
    assert first_passage(retriever, "Was kostet der Hafenumbau?") == "de-haus"


@pytest.mark.parametrize("question", ["Which time zone has a server?", "time-zone", "the timezone"])
def test_a_compound_is_found_written_together_apart_or_hyphenated(retriever: Retriever, question: str) -> None:
    assert first_passage(retriever, question) == "en-clock"


@pytest.mark.parametrize("question", ["68 Nm", "68 N·m", "68Nm"])
def test_a_value_is_found_in_different_spellings_of_its_unit(retriever: Retriever, question: str) -> None:
    assert first_passage(retriever, question) == "de-pumpe"


def test_a_word_of_several_languages_counts_once(retriever: Retriever) -> None:
    index = retriever.index
    assert set(index.languages) == {"de", "fr", "ru", "en", "ja"}
    query = analyze_query("Radio radio", index)
    assert query.terms == ("radio",)
    assert query.ideal == pytest.approx(float(query.weights[0]))


def test_a_stop_word_is_ignored_only_in_its_own_language(retriever: Retriever) -> None:
    assert analyze_query("die Häuser", retriever.index).terms == ("haus",)
    assert "die" in analyze_query("When did the passengers die?", retriever.index).terms
    assert first_passage(retriever, "When may passengers die?") == "en-ferry"


@pytest.mark.parametrize(
    ("question", "language"),
    [
        ("Wie lange dauert der Umbau?", "de"),
        ("Quand ouvre le port ?", "fr"),
        ("Когда открывается гавань?", "ru"),
        ("How long does it take?", "en"),
        ("いつ点検しますか", "ja"),
        ("Hur lång tid tar det att bygga om husen?", "sv"),
    ],
)
def test_the_language_of_a_question_is_detected_by_its_function_words(
    retriever: Retriever, question: str, language: str
) -> None:
    assert question_language(question, retriever.index.languages) == language


@pytest.mark.parametrize(("question", "language"), [("Häuser?", "de"), ("Soupapes ?", "fr"), ("Passengers?", "en")])
def test_a_question_of_one_word_has_the_language_of_the_texts_that_contain_it(
    retriever: Retriever, question: str, language: str
) -> None:
    assert analyze_query(question, retriever.index).language == language


def test_a_language_outside_the_corpus_is_detected_by_its_script() -> None:
    assert question_language("多久校准一次变送器？", ("en", "de")) == "zh"
    assert question_language("DS-2041", ("de", "en")) == "de"


@pytest.mark.parametrize(
    ("question", "language"), [("误用 at 排了一个作业，怎么删掉它？", "zh"), ("Как запустить and и or?", "ru")]
)
def test_foreign_words_in_a_question_do_not_change_its_language(question: str, language: str) -> None:
    assert question_language(question, ("en", language)) == language


def test_vectors_only_count_in_languages_that_the_embedder_supports(retriever: Retriever) -> None:
    languages = [retriever.index.languages[place] for place in retriever.index.language_of]
    readable = retriever.features("When does the ferry cross?").layers.readable
    assert [language for language, reads in zip(languages, readable, strict=True) if reads] == ["en", "en"]
    assert not retriever.features("Wann fährt die Fähre?").layers.readable.any()


@pytest.mark.parametrize(
    ("title", "text", "question"),
    [
        ("Más", "Las bombas de la casa se revisan cada año.", "¿Qué más hay que revisar en las bombas?"),
        ("Und", "Die Pumpen werden jedes Jahr geprüft.", "Wann werden die Pumpen und die Häuser geprüft?"),
    ],
)
def test_a_title_of_function_words_is_not_recognized_in_a_question(
    tmp_path: Path, title: str, text: str, question: str
) -> None:
    passage = Passage("one", title, text)
    with open_passages((passage,), load(None, {}, QaSettings).settings, tmp_path) as retriever:
        assert analyze_query(question, retriever.index).titles == {}
