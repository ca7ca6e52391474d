import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.ids import normalize
from pipelines.lang.terms import terms, words


def test_latin_words_are_stemmed() -> None:
    assert terms("Pumps overheating") == terms("pump overheated")


def test_a_compound_is_found_whole_and_by_its_parts() -> None:
    assert terms("DS-2041") == ["ds-2041", "ds", "2041"]


def test_chinese_is_matched_by_character_pairs() -> None:
    assert terms("过热报警") == ["过热", "热报", "报警"]
    assert terms("泵") == ["泵"]


def test_mixed_scripts_are_divided() -> None:
    assert terms("PT-300压力变送器")[:3] == ["pt-300", "pt", "300"]


def test_stop_words_stay_where_asked() -> None:
    assert terms("the pump") == ["pump"]
    assert terms("the pump", stop=False) == ["the", "pump"]


def test_full_width_and_case_do_not_matter() -> None:
    assert normalize("ＤＳ－２０４１  Rev") == "ds-2041 rev"


@given(st.text())
def test_any_text_has_terms_without_white_space(text: str) -> None:
    assert all(term and not any(char.isspace() for char in term) for term in terms(text))


@given(st.text())
def test_normalizing_twice_changes_nothing(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text())
def test_words_are_normalized(text: str) -> None:
    assert all(normalize(word) == word for word in words(text))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("de", "Häuser", "Haus"), ("fr", "continuellement", "continuelle"), ("ru", "насосы", "насоса")],
)
def test_words_are_stemmed_as_those_of_their_language(language: str, one: str, other: str) -> None:
    assert terms(one, language) == terms(other, language)
    assert terms(one) != terms(other)


def test_stop_words_are_those_of_the_language() -> None:
    assert terms("Die Pumpe", "de") == ["pump"]
    assert terms("to die", "en") == ["die"]
