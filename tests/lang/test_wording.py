"""Tests of the words by which documents name their parts, such as "figure", in every language."""

from __future__ import annotations

import re

import pytest

from pipelines.lang.profile import read_table
from pipelines.lang.word_lists import any_of, languages_with_words, wording

TABLES = read_table("wording")


def test_every_language_has_the_same_fields() -> None:
    shapes = {code: tuple(told) for code, told in TABLES.items()}
    assert set(shapes.values()) == {shapes["en"]}


def test_every_word_is_lower_case_and_unique() -> None:
    for told in TABLES.values():
        for field, written in told.items():
            words = written.split("|") if written else []
            assert all(word and word == " ".join(word.split()).lower() for word in words), (field, words)
            assert len(words) == len(set(words)), (field, words)


def test_words_are_listed_by_language() -> None:
    assert wording("appendix")["de"] == ("anhang", "anlage")
    assert set(wording("table")) == set(TABLES)


@pytest.mark.parametrize(
    ("field", "text", "found"),
    [
        ("figure", "see Figures", "Figure"),
        ("figure", "Abb. 3", "Abb."),
        ("table", "Vegetable 3", None),
        ("table", "在表3", "表"),
        ("appendix", "Phụ lục B", "Phụ lục"),
        ("see", "SEE  ALSO chapter 3", "SEE"),
        ("continued", "discontinued, continued", "continued"),
    ],
)
def test_a_pattern_matches_at_the_beginning_of_a_word(field: str, text: str, found: str | None) -> None:
    match = re.search(any_of(field), text, re.IGNORECASE)
    assert (match[0] if match else None) == found


def test_the_longer_of_two_words_is_matched() -> None:
    match = re.match(any_of("see"), "see also section 4", re.IGNORECASE)
    assert match is not None
    assert match[0] == "see also"


def test_words_can_be_restricted_to_languages() -> None:
    german = any_of("figure", languages=("de",))
    assert re.match(german, "Abbildung", re.IGNORECASE)
    assert not re.match(german, "Figure", re.IGNORECASE)
    assert not re.search(any_of("article", languages=("ru",)), "the la der", re.IGNORECASE)


def test_languages_are_divided_into_spaced_and_unspaced() -> None:
    assert {"en", "ar", "ru"} <= set(languages_with_words(spaced=True))
    assert set(languages_with_words(spaced=False)) <= {"ja", "th", "zh", "ko"}
