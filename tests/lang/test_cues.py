from __future__ import annotations

import pytest

from pipelines.lang.profile import read_table
from pipelines.lang.word_lists import cue

_LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"}


@pytest.mark.parametrize(
    ("name", "language", "text"),
    [("reason", "en", "because of heat"), ("reason", "de", "weil es heiß ist"),
     ("warns", "en", "75 would overstretch it"),
     ("warns", "de", "75 ist zu hoch"), ("lists", "fr", "Quelles étapes suivre ?"), ("points_back", "zh", "它的价格"),
     ("lists", "en", "Which printed parts are red?"), ("compares", "de", "A oder B?"), ("joins", "zh", "甲和乙"),
     ("goes_on", "de", "Und der Motor?"), ("whether", "ja", "できますか"), ("denies", "es", "no apto")],
)  # fmt: skip
def test_a_cue_is_found_in_its_language_and_without_a_language(name: str, language: str, text: str) -> None:
    assert cue(name, language).search(text)
    assert cue(name).search(text)


def test_a_language_without_cues_matches_nothing() -> None:
    assert not cue("reason", "eu").search("because koska")


def test_a_cue_is_a_whole_word_in_spaced_languages() -> None:
    assert not cue("joins", "en").search("sand organ")


@pytest.mark.parametrize("language", ["en", "es"])
def test_the_abbreviation_of_number_is_not_a_negation(language: str) -> None:
    assert not cue("denies", language).search("Part no.")
    assert cue("denies", language).search("no oil")


@pytest.mark.parametrize("name", sorted(read_table("cues")))
def test_each_cue_has_all_ten_languages(name: str) -> None:
    assert set(read_table("cues")[name]) >= _LANGUAGES
