from dataclasses import fields
from pathlib import Path

import pytest
import Stemmer

from pipelines.core.ids import normalize
from pipelines.lang.profile import (
    LanguageProfile,
    longest_first,
    named_languages,
    profile,
    read_table,
    read_words,
)
from pipelines.lang.questions import question_stop_words
from pipelines.lang.terms import is_paired

_CODES = sorted(path.stem for path in (Path(__file__).parents[2] / "pipelines" / "lang" / "data").glob("??.toml"))


@pytest.mark.parametrize("code", _CODES)
def test_the_profile_of_a_data_file_is_complete(code: str) -> None:
    one = profile(code)
    assert len(one.months) == 12
    assert len(one.weekdays) == 7
    assert not one.stemmer or one.stemmer in Stemmer.algorithms()
    assert one.stop_words <= one.function_words
    assert all(
        word == word.lower() for name in ("months", "weekdays") for forms in getattr(one, name) for word in forms
    )


@pytest.mark.parametrize("code", _CODES)
def test_a_data_file_has_only_fields_of_a_profile(code: str) -> None:
    known = {field.name.removeprefix("own_") for field in fields(LanguageProfile)} | {"other_numbers"}
    assert set(read_table(code)) <= known - {"code"}


def test_the_german_profile_combines_its_file_and_libraries() -> None:
    german = profile("de")
    assert (german.name, german.stemmer, german.spaced, german.decimal, german.group) == (
        "German", "german", True, ",", ".",
    )  # fmt: skip
    assert {"märz", "okt"} <= german.month_names
    assert {"der", "und", "nicht"} <= german.stop_words


_SPACED = [code for code in named_languages("common_words") if not is_paired(read_words("common_words", code)[0])]
_MOST = 3
"""Maximum words among the twenty most frequent that are not function words: names of countries, "time", "new"."""


@pytest.mark.parametrize("code", _SPACED)
def test_the_most_frequent_words_of_a_language_are_stop_words(code: str) -> None:
    frequent = read_words("common_words", code)[:20]
    others = [word for word in frequent if normalize(word) not in question_stop_words(code)]
    assert len(others) <= _MOST, others


def test_a_regional_variant_has_the_profile_of_its_language() -> None:
    assert profile("pt-BR").name == profile("pt_PT").name == "Portuguese"


def test_a_language_without_a_file_has_the_stop_words_of_the_library() -> None:
    assert profile("la").stop_words
    assert profile("la").months == ()


def test_an_unknown_language_has_only_its_code() -> None:
    assert profile("xx") == LanguageProfile("xx", "xx")
    assert profile("../en").months == profile("").months == ()


def test_the_chinese_profile_is_unspaced_and_has_numbers() -> None:
    chinese = profile("zh")
    assert not chinese.spaced
    assert chinese.numbers["两"] == chinese.numbers["二"] == 2


def test_words_are_sorted_longest_first() -> None:
    assert longest_first(["in", "inch", "inches", "in"]) == ["inches", "inch", "in"]
