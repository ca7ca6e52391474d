from __future__ import annotations

import pytest

from pipelines.atomize.keyphrases import NamedSentence, key_phrases, repeated_han
from pipelines.atomize.name_recognition import find_names

TEXT = [
    "The mechanical seal of the feed pump keeps cooling water from leaking.",
    "When the mechanical seal is worn, replace the mechanical seal and check the shaft sleeve.",
]


def phrases(texts: list[str], headings: tuple[str, ...] = (), limit: int = 8) -> list[str]:
    sentences = [NamedSentence(text, [name.span for name in find_names(text, ())]) for text in texts]
    return [phrase.text for phrase in key_phrases(sentences, headings, limit, repeated_han("".join(texts)))]


def test_the_most_frequent_phrase_comes_first() -> None:
    found = phrases(TEXT)
    assert found[0] == "mechanical seal"
    assert {"feed pump", "shaft sleeve"} <= set(found)


def test_phrases_contain_no_function_words() -> None:
    for phrase in phrases(TEXT):
        assert not set(phrase.lower().split()) & {"the", "when", "replace", "is", "and", "of"}


def test_a_phrase_in_the_heading_weighs_more() -> None:
    assert phrases(TEXT, headings=("Shaft sleeve",))[:2] == ["mechanical seal", "shaft sleeve"]


def test_a_name_is_one_whole_phrase() -> None:
    assert "University of Oxford" in phrases(["It was made at the University of Oxford in England."])


def test_no_phrase_is_a_substring_of_another() -> None:
    found = [phrase.lower() for phrase in phrases([*TEXT, "A seal is a mechanical part."])]
    assert not any(one != other and one in other for one in found for other in found)


def test_weights_start_at_one_and_decrease() -> None:
    found = key_phrases([NamedSentence(text) for text in TEXT], (), 8)
    weights = [phrase.weight for phrase in found]
    assert weights[0] == 1
    assert weights == sorted(weights, reverse=True)


def test_chinese_terms_are_found() -> None:
    found = phrases(["更换机械密封时必须关闭进水阀门。", "机械密封的寿命为两年，进水阀门每年检查一次。"])
    assert {"机械密封", "进水阀门"} <= set(found)


def test_strings_that_occur_only_within_a_longer_repeated_one_are_not_terms() -> None:
    found = repeated_han("机械密封好。机械密封坏。")
    assert "机械密封" in found
    assert "械密" not in found


def test_text_without_words_yields_no_phrases() -> None:
    assert phrases([]) == []
    assert phrases(["... -- 12"]) == []


def test_a_phrase_ends_at_function_words_of_its_language() -> None:
    sentence = NamedSentence("die mechanische dichtung der pumpe wird mit dem kühlwasser der anlage gespült")
    found = [phrase.text for phrase in key_phrases([sentence], ["kühlwasser"], 8, language="de")]
    assert {"mechanische dichtung", "kühlwasser"} <= set(found)
    assert not any(set(phrase.split()) & {"der", "die", "dem", "wird", "mit"} for phrase in found)


def test_quantities_dates_and_references_yield_no_phrases() -> None:
    text = "Table 3 of Revision B gives 6 bar, 640 EUR and 12 hours for the check valve in February 2025."
    found = key_phrases([NamedSentence(text), NamedSentence("The check valve: 640 EUR, see Table 3.")], (), 9)
    assert [phrase.text for phrase in found] == ["check valve"]
    german = key_phrases([NamedSentence("Im Februar 2025 hielt das Rückschlagventil 6 Monate.")], (), 9, (), "de")
    assert [phrase.text for phrase in german] == ["Rückschlagventil"]


@pytest.mark.parametrize(
    ("language", "text", "wanted"),
    [
        ("es", "La batería permite descargas.", {"batería", "descargas"}),
        ("fr", "La vapeur contient le filtre bactérien.", {"vapeur", "filtre bactérien"}),
        ("it", "La valvola chiude l'aria compressa.", {"valvola", "aria compressa"}),
        ("de", "Der kleine Ölstand sinkt langsam, das Mitglied prüft die Anzeige.", {"kleine Ölstand", "Mitglied"}),
        ("sv", "Stora pumpen kräver smörjfett.", {"Stora pumpen", "smörjfett"}),
        ("pl", "Zawór bezpieczeństwa otwiera obieg chłodzenia.", {"Zawór bezpieczeństwa", "obieg chłodzenia"}),
        ("ru", "Насос содержит охлаждающую жидкость.", {"насос", "охлаждающую жидкость"}),
        ("en", "The oxygen tank holds liquid nitrogen.", {"oxygen tank", "liquid nitrogen"}),
        ("ja", "フィルターを清掃してください。冷却水ポンプです。", {"フィルター", "清掃", "冷却水ポンプ"}),
    ],
)
def test_a_phrase_has_no_verb(language: str, text: str, wanted: set[str]) -> None:
    found = key_phrases([NamedSentence(text)], [text], 9, language=language)
    assert {phrase.text.casefold() for phrase in found} >= {phrase.casefold() for phrase in wanted}
    assert not any(" " in phrase.text and phrase.text not in wanted for phrase in found)


@pytest.mark.parametrize(
    ("language", "text"), [("en", "the valve shuts"), ("ru", "и клапан"), ("sv", "en fjärrkontroll")]
)
def test_a_common_word_that_occurs_once_is_no_phrase_in_any_language(language: str, text: str) -> None:
    assert key_phrases([NamedSentence(text)], (), 8, language=language) == []
    assert key_phrases([NamedSentence(text)], (text,), 8, language=language) != []
