from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from pipelines.atomize.atomic_questions import can_tell_when, distinct, is_question
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side


class Alike:
    """An embedder to which all texts are one."""

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("alike", "", 2)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    def close(self) -> None: ...


def test_the_same_words_in_another_order_repeat() -> None:
    texts = ["Who leads Acme?", "Acme: who leads?", "Who owns Acme?"]
    assert distinct(texts, None, 0.9) == ["Who leads Acme?", "Who owns Acme?"]


def test_the_same_meaning_repeats_where_an_embedder_says_so() -> None:
    assert distinct(["Who leads Acme?", "Who is the chief?"], Alike(), 0.9) == ["Who leads Acme?"]
    assert distinct(["Who leads Acme?", "Who is the chief?"], Alike(), 1.0) == ["Who leads Acme?"]


def test_other_interrogatives_never_repeat() -> None:
    texts = ["When did Hayek study in Vienna?", "Where did Hayek study in Vienna?", "What did Hayek study in Vienna?"]
    assert distinct([*texts, "Hayek studied what in Vienna?"], Alike(), 0.5) == texts
    assert distinct(["谁生产水泵？", "何时生产水泵？"], Alike(), 0.5) == ["谁生产水泵？", "何时生产水泵？"]


def test_other_numbers_never_repeat() -> None:
    texts = ["What is the speed of pump 1?", "What is the speed of pump 2?"]
    assert distinct(texts, Alike(), 0.5) == texts


def test_no_texts_and_one_text_stay() -> None:
    assert distinct([], Alike(), 0.9) == []
    assert distinct(["Who?"], Alike(), 0.9) == ["Who?"]


@pytest.mark.parametrize("text", ["Who sells seals", "Seals?", "压力是多少", "怎样安装变送器"])
def test_a_question_is_known_by_its_mark_or_its_words(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Wer verkauft Dichtungen", "de"), ("Où est la vanne", "fr"), ("¿Cuánto pesa la bomba", "es")],
)
def test_a_question_is_known_by_the_words_of_its_language(text: str, language: str) -> None:
    assert is_question(text, language)
    assert is_question(text)
    assert not is_question("Dichtungen", language)


def test_what_asks_for_another_thing_never_repeats_in_any_language() -> None:
    texts = ["Wann wird die Pumpe geprüft?", "Wo wird die Pumpe geprüft?", "Warum wird die Pumpe geprüft?"]
    assert distinct(texts, Alike(), 0.5, "de") == texts


def test_a_name_asks_nothing() -> None:
    assert not is_question("PT-300 压力变送器")
    assert not is_question("Mechanical seal")


def test_only_a_passage_with_a_word_of_time_can_tell_when() -> None:
    assert not can_tell_when("When was the pump sold?", "The pump was sold to Ahlen.")
    assert can_tell_when("When was the pump sold?", "The pump was sold in 2019.")
    assert can_tell_when("Who sold the pump?", "The pump was sold to Ahlen.")
    assert not can_tell_when("Wann wurde die Pumpe verkauft?", "Die Pumpe ging an Ahlen.", "de", "de")
    assert can_tell_when("Wann wird die Pumpe verkauft?", "Die Pumpe geht nach der Messe an Ahlen.", "de", "de")
    assert not can_tell_when("水泵何时售出？", "水泵售给了阿伦公司。", "zh", "zh")
    assert can_tell_when("What trips when it is hot?", "The pump is of cast iron.", "en", "en")
    assert can_tell_when("When was the tower built?", "The tower was built in 1874.", "en", "en")
