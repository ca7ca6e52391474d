from __future__ import annotations

import pytest

from pipelines.lang.questions import subject_words

CORPUS = ("规定", "用户", "定用", "软限", "限制", "磁盘", "上海", "保証", "期間", "軸受", "点検", "보증", "기간")


def rarity(word: str) -> float:
    """Rarity in a corpus with a very frequent, a frequent and several less frequent words; unknown words have 1."""
    return {"用户": 0.1, "限制": 0.2}.get(word, 0.5 if word in CORPUS else 1.0)


@pytest.mark.parametrize(
    ("language", "question", "words"),
    [
        ("zh", "规定用户的磁盘", ["规定", "用户", "磁盘"]),
        ("zh", "上海有什么限制", ["上海", "限制"]),
        ("ja", "保証期間はどのくらいですか", ["保証", "期間"]),
        ("ja", "軸受はいつ点検しますか", ["軸受", "点検"]),
        ("ko", "보증기간은 무엇?", ["보증", "기간"]),
    ],
)
def test_a_question_without_spaces_is_segmented_into_words_of_the_corpus(
    language: str, question: str, words: list[str]
) -> None:
    assert list(subject_words(question, language, rarity)) == words


def test_a_particle_is_no_part_of_a_japanese_word_though_the_corpus_has_the_pair() -> None:
    assert list(subject_words("軸受を点検", "ja", lambda word: 0.1 if word in ("受を", "を点") else rarity(word))) == [
        "軸受",
        "点検",
    ]


def test_a_character_between_two_words_joins_the_one_known_to_the_corpus() -> None:
    assert list(subject_words("超出软限制", "zh", rarity)) == ["超出", "软限", "限制"]


def test_an_unknown_word_is_returned_once_and_not_as_all_its_bigrams() -> None:
    assert list(subject_words("用户摩诃衍", "zh", rarity)) == ["用户", "摩诃"]
