import pytest

from pipelines.lang.dates import date_words, dates, with_iso_dates
from pipelines.lang.numbers import DATE, WRITTEN_DATE, calendar, calendar_forms, names_month_or_weekday, tells_when


@pytest.mark.parametrize(
    "text",
    ["2024-11-15", "15.11.2024", "4 May 1998", "1st of June", "May 1998", "12. Oktober 2019", "12. Okt 2019", "in 1998",
     "2024年11月15日", "11月15日", "4 de mayo", "1er juin", "12 maart", "4 мая",
     "12-10-2026", "11/Oct/26", "12-OCT-2026"],
)  # fmt: skip
def test_a_date_in_a_text_is_found(text: str) -> None:
    assert DATE.search(text)


@pytest.mark.parametrize(
    "text", ["98 pumps", "version 3.4", "May we?", "15 min", "set 4 pumps", "see DS-2041", "IR-2025-007", "10-12-14"]
)
def test_numbers_and_codes_are_not_dates(text: str) -> None:
    assert not DATE.search(text)


def test_a_written_date_is_numeric() -> None:
    assert all(WRITTEN_DATE.fullmatch(text) for text in ("2024-11", "2024-11-15", "15/11/24", "2024年11月"))
    assert not WRITTEN_DATE.fullmatch("4 May 1998")


def test_the_calendar_has_days_and_months_of_its_language() -> None:
    assert {"may", "sept", "monday"} <= calendar()
    assert "mai" not in calendar()
    assert {"mai", "montag", "may"} <= calendar("de")


@pytest.mark.parametrize(
    ("text", "language"),
    [("on Tuesdays", "en"), ("in March", "en"), ("after the start", "en"), ("at 9:30", "en"), ("每天", "zh"),
     ("nach dem Einschalten", "de"), ("jeden Montag", "de"), ("avant la mise en marche", "fr"), ("cada año", "es"),
     ("при включении", "ru"), ("in 2019", "fi"), ("after the start", ""),
     ("in 1874", "en"), ("It opened on Tuesday.", "en"), ("Es öffnet am Montag.", "de"), ("(March)", "en")],
)  # fmt: skip
def test_a_text_with_a_time_expression_tells_when(text: str, language: str) -> None:
    assert tells_when(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The housing is of cast iron.", "en"),
        ("Das Gehäuse ist aus Gusseisen.", "de"),
        ("Le corps est en fonte.", "fr"),
    ],
)
def test_a_text_without_a_time_expression_does_not_tell_when(text: str, language: str) -> None:
    assert not tells_when(text, language)


@pytest.mark.parametrize(
    ("text", "language"),
    [("due 11 May 2026", "en"), ("May 11, 2026", "en"), ("the 11th of May 2026", "en"), ("5/11/2026", "pt"),
     ("2026-05-11", ""), ("11.05.2026", ""), ("2026/5/11", ""), ("am 11. Mai 2026", "de"), ("11 May 2026", "de"),
     ("11 de mayo de 2026", "es"), ("le 11 mai 2026", "fr"), ("11 мая 2026 г.", "ru"), ("11 maja 2026", "pl"),
     ("2026年5月11日", "zh"), ("2026년 5월 11일", "ko"), ("2026. május 11.", "hu"), ("11 Mayıs 2026", "tr"),
     ("11 tháng 5 năm 2026", "vi"), ("11-May-2026", "en"), ("May-11-2026", "en"),
     ("11/May/2026", "en")],
)  # fmt: skip
def test_a_date_is_read_in_any_form(text: str, language: str) -> None:
    (found,) = dates(text, language)
    assert found.iso == ("2026-11-05" if "/11/2026" in text else "2026-05-11")


def test_a_month_of_a_year_is_a_date_without_a_day() -> None:
    assert with_iso_dates("Ende Mai 2026 oder 2026年5月", "de") == "Ende 2026-05 oder 2026-05"


@pytest.mark.parametrize("text", ["3/11/2026", "v1.2.2019.4", "IR-2026-05-11", "2026-13-01", "1990-2000", "Mai 2026"])
def test_what_may_be_no_date_or_another_one_is_left(text: str) -> None:
    assert with_iso_dates(text, "en") == text


def test_a_date_contains_its_month_year_and_day() -> None:
    assert date_words("2026-05-11", "de") == ("2026-05-11", "2026-05", "2026", "mai", "11")
    assert date_words("2026-05", "en") == ("2026-05", "2026", "may")
    assert date_words("ds-2041") == date_words("2026-15") == ()


@pytest.mark.parametrize(
    ("word", "language", "short"),
    [("friday", "en", "fri"), ("freitag", "de", "fr"), ("пятницу", "ru", "пт"), ("november", "en", "nov")],
)
def test_a_month_or_weekday_has_its_abbreviations(word: str, language: str, short: str) -> None:
    assert short in calendar_forms(word, language)
    assert "sat" not in calendar_forms(word, language)
    assert calendar_forms("pump", language) == frozenset()


@pytest.mark.parametrize(
    ("text", "language"), [("Oct", "en"), ("Okt", "de"), ("Mrz", "de"), ("Avr", "fr"), ("Sept.", "fr")]
)
def test_an_abbreviated_month_alone_is_a_name(text: str, language: str) -> None:
    assert names_month_or_weekday(text, language)
    assert not names_month_or_weekday(text.lower(), language)
    assert not names_month_or_weekday(f"Pump {text} 3", language)
