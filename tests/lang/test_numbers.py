from __future__ import annotations

import pytest

from pipelines.lang.numbers import decimal, number_words, numbers, values


def test_numbers_inside_codes_are_ignored() -> None:
    assert [number.text for number in numbers("K80-250, P-1108 and IR-2024-031 at 6.5 h, 142.5mm")] == ["6.5", "142.5"]


def test_a_number_after_a_code_is_separate() -> None:
    assert [number.text for number in numbers("the K80 395 kg, the K65 1 148 kg")] == ["395", "1 148"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1,104.84", {1104.84}),
        ("1.104,84", {1104.84}),
        ("10 000", {10000.0}),
        ("1,104", {1104.0, 1.104}),
        ("2.5", {2.5}),
    ],
)
def test_a_number_has_the_readings_of_all_number_formats(text: str, expected: set[float]) -> None:
    assert values(text) == expected


def test_a_percent_sign_belongs_to_its_number() -> None:
    assert [number.percent for number in numbers("20 % of 50, 7%")] == [True, False, True]


@pytest.mark.parametrize(
    ("text", "exact", "right"),
    [
        ("33.3", 100 / 3, True),
        ("33.4", 100 / 3, False),
        ("33", 100 / 3, True),
        ("2.50", 2.504, True),
        ("2.50", 2.51, False),
    ],
)
def test_a_number_is_compared_to_its_written_precision(text: str, exact: float, right: bool) -> None:
    (number,) = numbers(text)
    assert number.rounds(float(text), exact) is right


@pytest.mark.parametrize(
    ("figure", "value"),
    [("395", 395.0), ("1,104.5", 1104.5), ("3,5", 3.5), ("2-3.5", 3.5), ("1,104", 1104.0), ("1.2.3", None)],
)
def test_the_last_number_of_a_text_is_read_as_a_decimal(figure: str, value: float | None) -> None:
    assert decimal(figure) == value


@pytest.mark.parametrize(
    ("figure", "language", "value"),
    [
        ("4.500", "de", 4500.0),
        ("4.500", "en", 4.5),
        ("4.500,25", "da", 4500.25),
        ("4,500", "it", 4.5),
        ("0.500", "de", 0.5),
        ("1,234.567", "de", 1234.567),
        ("4 500", "cs", 4500.0),
        ("12\u202f500,5", "fr", 12500.5),
        ("۴۵۰۰", "fa", 4500.0),
    ],
)
def test_a_mark_before_three_digits_separates_thousands_where_the_language_writes_so(
    figure: str, language: str, value: float
) -> None:
    assert decimal(figure, language) == value


@pytest.mark.parametrize(
    ("text", "language", "written", "value"),
    [
        ("after twenty-five years", "en", "twenty-five", 25.0),
        ("treinta y cinco días", "es", "treinta y cinco", 35.0),
        ("innen achtzehn Tagen", "de", "achtzehn", 18.0),
        ("около двадцати пяти часов", "ru", "двадцати пяти", 25.0),
        ("두 시간 발효한다", "ko", "두", 2.0),
        ("तीन घंटे", "hi", "तीन", 3.0),
        ("二十五天", "zh", "二十五", 25.0),
        ("İki saat", "tr", "İki", 2.0),
    ],
)
def test_numbers_in_words_are_read_whole_in_any_language(text: str, language: str, written: str, value: float) -> None:
    ((start, end, found),) = number_words(text, language)
    assert (text[start:end], found) == (written, value)


@pytest.mark.parametrize(("text", "language"), [("한국에서", "ko"), ("Zehntel", "de"), ("often", "en"), ("तीनों", "hi")])
def test_a_part_of_a_word_is_no_number(text: str, language: str) -> None:
    assert number_words(text, language) == []
