from __future__ import annotations

import pytest

from pipelines.lang.comparisons import comparison_asked
from pipelines.lang.ordinals import LAST, item_asked, ordinal_value
from pipelines.lang.profile import read_table

_LANGUAGES = {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "zh", "ja"}


@pytest.mark.parametrize(
    ("question", "language", "rank"),
    [
        ("Which pump has the 4th highest flow?", "en", 4),
        ("Welche Pumpe ist die fünfthöchste? Die fünftgrößte", "de", 5),
        ("Quel vin est le deuxième plus cher ?", "fr", 2),
        ("¿Cuál es la cuarta bomba más cara?", "es", 4),
        ("Welke pomp heeft de op drie na hoogste druk?", "nl", 4),
        ("租金第二高的帐篷是哪个？", "zh", 2),
        ("2番目に高い山はどれですか？", "ja", 2),
        ("一番高い山はどれですか？", "ja", 1),
    ],
)
def test_any_ordinal_is_the_rank_of_an_extreme(question: str, language: str, rank: int) -> None:
    asked = comparison_asked(question, language)
    assert asked is not None
    assert asked.rank == rank


@pytest.mark.parametrize(
    ("question", "language", "place", "words"),
    [
        ("What is the third step of the test?", "en", 3, "third step"),
        ("Was ist der dritte Schritt der Anmeldung?", "de", 3, "dritte Schritt"),
        ("Was ist Schritt 12?", "de", 12, "Schritt 12"),
        ("Quelle est la dernière étape ?", "fr", LAST, "dernière étape"),
        ("¿Cuál es el tercer paso?", "es", 3, "tercer paso"),
        ("Какой третий шаг?", "ru", 3, "третий шаг"),
        ("流程的第三步是什么？", "zh", 3, "第三步"),
        ("3番目の手順は何ですか？", "ja", 3, "3番目の手順"),
        ("Is a first aid box there?", "en", 0, ""),
    ],
)
def test_an_item_is_asked_for_by_its_place(question: str, language: str, place: int, words: str) -> None:
    found, start, end = item_asked(question, language)
    assert (found, question[start:end]) == (place, words)


@pytest.mark.parametrize("name", ["words", "last", "items", "figures"])
def test_each_table_has_all_ten_languages(name: str) -> None:
    assert set(read_table("ordinals")[name]) == _LANGUAGES


@pytest.mark.parametrize("language", sorted(_LANGUAGES))
def test_the_ordinals_of_a_language_have_the_values_one_to_ten(language: str) -> None:
    words = read_table("ordinals")["words"][language]
    assert len(words) == 10
    assert not ordinal_value("X", language)


def test_the_words_of_a_limit_end_at_its_value() -> None:
    assert comparison_asked("Which pumps are above ZP 60?", "en") is None
    above = comparison_asked("Which pumps have a head above the 60 m?", "en")
    assert above is not None
    assert above.bound == "60 m"
