from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from pipelines.atomize.atomic_questions import can_tell_when, distinct, is_question
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side


class Alike:
    """An embedder that gives all texts the same vector."""

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("alike", "", 2)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return np.tile(np.array([1, 0], dtype=np.float32), (len(texts), 1))

    def close(self) -> None: ...


def test_questions_with_reordered_words_are_duplicates() -> None:
    texts = ["Who leads Acme?", "Acme: who leads?", "Who owns Acme?"]
    assert distinct(texts, None, 0.9) == ["Who leads Acme?", "Who owns Acme?"]


def test_questions_above_the_similarity_threshold_are_duplicates() -> None:
    assert distinct(["Who leads Acme?", "Who is the chief?"], Alike(), 0.9) == ["Who leads Acme?"]
    assert distinct(["Who leads Acme?", "Who is the chief?"], Alike(), 1.0) == ["Who leads Acme?"]


def test_questions_with_different_interrogatives_are_not_duplicates() -> None:
    texts = ["When did Hayek study in Vienna?", "Where did Hayek study in Vienna?", "What did Hayek study in Vienna?"]
    assert distinct([*texts, "Hayek studied what in Vienna?"], Alike(), 0.5) == texts
    assert distinct(["谁生产水泵？", "何时生产水泵？"], Alike(), 0.5) == ["谁生产水泵？", "何时生产水泵？"]


def test_questions_with_different_numbers_are_not_duplicates() -> None:
    texts = ["What is the speed of pump 1?", "What is the speed of pump 2?"]
    assert distinct(texts, Alike(), 0.5) == texts


def test_an_empty_list_or_a_single_question_is_unchanged() -> None:
    assert distinct([], Alike(), 0.9) == []
    assert distinct(["Who?"], Alike(), 0.9) == ["Who?"]


@pytest.mark.parametrize("text", ["Who sells seals", "Seals?", "压力是多少", "怎样安装变送器"])
def test_a_question_is_recognized_by_its_mark_or_interrogative(text: str) -> None:
    assert is_question(text)


@pytest.mark.parametrize(
    ("text", "language"),
    [("Wer verkauft Dichtungen", "de"), ("Où est la vanne", "fr"), ("¿Cuánto pesa la bomba", "es")],
)
def test_a_question_is_recognized_by_interrogatives_of_its_language(text: str, language: str) -> None:
    assert is_question(text, language)
    assert is_question(text)
    assert not is_question("Dichtungen", language)


def test_german_questions_with_different_interrogatives_are_not_duplicates() -> None:
    texts = ["Wann wird die Pumpe geprüft?", "Wo wird die Pumpe geprüft?", "Warum wird die Pumpe geprüft?"]
    assert distinct(texts, Alike(), 0.5, "de") == texts


def test_a_name_or_term_is_not_a_question() -> None:
    assert not is_question("PT-300 压力变送器")
    assert not is_question("Mechanical seal")


def test_a_when_question_needs_a_passage_with_a_time_expression() -> None:
    assert not can_tell_when("When was the pump sold?", "The pump was sold to Ahlen.")
    assert can_tell_when("When was the pump sold?", "The pump was sold in 2019.")
    assert can_tell_when("Who sold the pump?", "The pump was sold to Ahlen.")
    assert not can_tell_when("Wann wurde die Pumpe verkauft?", "Die Pumpe ging an Ahlen.", "de", "de")
    assert can_tell_when("Wann wird die Pumpe verkauft?", "Die Pumpe geht nach der Messe an Ahlen.", "de", "de")
    assert not can_tell_when("水泵何时售出？", "水泵售给了阿伦公司。", "zh", "zh")
    assert can_tell_when("What trips when it is hot?", "The pump is of cast iron.", "en", "en")
    assert can_tell_when("When was the tower built?", "The tower was built in 1874.", "en", "en")
