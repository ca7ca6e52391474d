import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pipelines.core.ids import normalize
from pipelines.lang.terms import edits, forms, is_akin, max_edits, spelled_like, terms, words


def test_latin_words_are_stemmed() -> None:
    assert terms("Pumps overheating") == terms("pump overheated")


def test_a_compound_has_itself_and_its_parts_as_terms() -> None:
    assert terms("DS-2041") == ["ds-2041", "ds", "2041"]


@pytest.mark.parametrize("identifier", ["shared_buffers", "max-age", "P-101/A", "std::vector", "os.path_sep"])
@pytest.mark.parametrize("language", ["en", "de", "fr", "zh", "ru"])
def test_an_identifier_has_itself_and_its_parts_as_terms(identifier: str, language: str) -> None:
    found = words(f"{identifier}压力", language)
    assert found[0] == identifier.lower()
    assert terms(identifier, language) == forms(found[0], language)
    assert len(terms(identifier, language)) > 1


def test_a_longer_identifier_has_the_terms_of_a_shorter_one() -> None:
    assert set(terms("IR-2024-031")) <= set(terms("IR-2024-031_pump_noise.md"))
    assert set(terms("P-101")) <= set(terms("P-101/A"))
    assert "10.5" in terms("10.5/20")
    assert set(terms("path_sep")) <= set(terms("os.path_sep"))


@pytest.mark.parametrize(
    ("name", "apart"),
    [
        ("HighLimit", "high limit"),
        ("maxOperatingTemperature", "max operating temperature"),
        ("XMLFileName", "xml file name"),
        ("Sensor1HighLimit_2", "high limit"),
        ("压力SensorLimit", "sensor limit"),
        ("ВерхнийПредел", "верхний предел"),
        ("NajwyższyŁadunek", "najwyższy ładunek"),
    ],
)
@pytest.mark.parametrize("language", ["", "en", "de", "ru"])
def test_a_name_of_several_words_written_as_one_has_the_terms_of_its_words(
    name: str, apart: str, language: str
) -> None:
    assert set(terms(apart, language)) < set(terms(name, language))


@pytest.mark.parametrize("word", ["GmbH", "kWh", "iPhone", "McDonald", "DS-2041", "HIGHLIMIT", "Highlimit"])
def test_capitals_alone_do_not_split_a_word(word: str) -> None:
    assert terms(word) == terms(word.lower())


def test_a_decimal_number_is_one_term() -> None:
    assert terms("1.71 m") == ["1.71", "m"]
    assert "2024" in terms("31.12.2024")


def test_chinese_terms_are_character_bigrams() -> None:
    assert terms("过热报警") == ["过热", "热报", "报警"]
    assert terms("泵") == ["泵"]


def test_mixed_scripts_are_split() -> None:
    assert terms("PT-300压力变送器")[:3] == ["pt-300", "pt", "300"]


def test_stop_words_are_kept_if_requested() -> None:
    assert terms("the pump") == ["pump"]
    assert terms("the pump", stop=False) == ["the", "pump"]


def test_full_width_characters_and_case_are_normalized() -> None:
    assert normalize("ＤＳ－２０４１  Rev") == "ds-2041 rev"


@given(st.text())
def test_terms_of_any_text_have_no_white_space(text: str) -> None:
    assert all(term and not any(char.isspace() for char in term) for term in terms(text))


@given(st.text())
def test_normalization_is_idempotent(text: str) -> None:
    assert normalize(normalize(text)) == normalize(text)


@given(st.text())
def test_words_are_normalized(text: str) -> None:
    assert all(normalize(word) == word for word in words(text))


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [("de", "Häuser", "Haus"), ("fr", "continuellement", "continuelle"), ("ru", "насосы", "насоса")],
)
def test_words_are_stemmed_in_their_language(language: str, one: str, other: str) -> None:
    assert terms(one, language) == terms(other, language)
    assert terms(one) != terms(other)


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("uk", "насосів", "насос"),
        ("bg", "помпите", "помпа"),
        ("hr", "pumpama", "pumpa"),
        ("sk", "čerpadlami", "čerpadlo"),
        ("sl", "črpalkami", "črpalka"),
        ("lv", "sūkņi", "sūknis"),
        ("he", "המשאבות", "משאבה"),
    ],
)
def test_without_a_stemmer_words_are_matched_by_their_dictionary_form(language: str, one: str, other: str) -> None:
    assert terms(one, language) == terms(other, language)
    assert terms("files", language) == terms("file", language)


def test_words_that_begin_alike_are_akin() -> None:
    assert is_akin("инвертир", "инвертирова")
    assert is_akin("değiştirilir", "değiştirmek")
    assert not is_akin("contain", "contamin")
    assert not is_akin("pump", "pumps")


def test_stop_words_are_those_of_the_language() -> None:
    assert terms("Die Pumpe", "de") == ["pump"]
    assert terms("to die", "en") == ["die"]


@pytest.mark.parametrize("written", ["68 N·m", "68 Nm", "68Nm"])
def test_a_value_has_the_same_terms_in_all_spellings(written: str) -> None:
    assert {"68", "nm"} <= set(terms(written))


@pytest.mark.parametrize(
    ("language", "written", "number"),
    [("de", "1.000,5", "1000.5"), ("en", "1,000.5", "1000.5"), ("de", "3,5", "3.5"), ("pl", "3,5", "3.5")],
)
def test_numbers_have_the_same_term_in_all_languages(language: str, written: str, number: str) -> None:
    assert number in terms(written, language)


@pytest.mark.parametrize(("written", "number"), [("V2.1", "2.1"), ("v1.2.3", "1.2.3")])
def test_a_version_has_the_term_of_its_number(written: str, number: str) -> None:
    assert {written.lower(), number} <= set(terms(written))


@pytest.mark.parametrize("written", ["192.168.0.1", "1.2.3", "v1.2", "2,3,4"])
def test_versions_and_addresses_are_not_read_as_numbers(written: str) -> None:
    assert terms(written, "en") == terms(written, "fr")


@pytest.mark.parametrize(
    ("language", "text", "word"),
    [("hi", "हिन्दी में पानी", "पानी"), ("th", "น้ำมันเครื่อง", "น้ำมัน"), ("ko", "펌프의 밀봉", "펌프")],
)
def test_combining_marks_stay_with_their_letter(language: str, text: str, word: str) -> None:
    assert set(terms(word, language)) & set(terms(text, language))
    assert all(not unicodedata.combining(term[0]) for term in terms(text, language))


@given(st.text(), st.sampled_from(["de", "en", "fr", "th", "hi", "ja"]))
@example("ก\u0ece", "th")  # a Lao sign that is not in Unicode 14, the version of Python 3.11
def test_a_word_has_the_same_number_of_forms_in_every_language(text: str, language: str) -> None:
    for word in words(text, language):
        assert len(forms(word, language)) == len(forms(word, "ru"))
        assert forms(word, language) == terms(word, language, stop=False)


def test_punctuation_between_words_is_part_of_neither() -> None:
    assert terms("・ポンプ・モータ", "ja") == terms("ポンプ モータ", "ja")


@pytest.mark.parametrize(
    ("one", "other", "number"),
    [("pump", "pump", 0), ("pmup", "pump", 1), ("подшыпник", "подшипник", 1), ("Drehmomnt", "Drehmoment", 1)],
)
def test_edits_are_counted(one: str, other: str, number: int) -> None:
    assert edits(one, other, 2) == edits(other, one, 2) == number


def test_a_distance_over_the_limit_is_the_limit_plus_one() -> None:
    assert edits("pump", "valve", 2) == 3


def test_similar_words_are_returned_by_index_with_their_distance() -> None:
    assert dict(spelled_like("soupappe", ("vanne", "soupape", "soupapes"), 2)) == {1: 1, 2: 2}


def test_longer_words_may_have_more_edits() -> None:
    assert [max_edits(word) for word in ("bar", "pump", "подшипник")] == [0, 1, 2]
