import pytest

from pipelines.lang.numbers import DATE, WRITTEN_DATE, calendar, tells_when


@pytest.mark.parametrize(
    "text",
    ["2024-11-15", "15.11.2024", "4 May 1998", "1st of June", "May 1998", "12. Oktober 2019", "12. Okt 2019", "in 1998",
     "2024年11月15日", "11月15日", "4 de mayo", "1er juin", "12 maart", "4 мая"],
)  # fmt: skip
def test_a_date_in_a_text_is_found(text: str) -> None:
    assert DATE.search(text)


@pytest.mark.parametrize(
    "text", ["98 pumps", "version 3.4", "May we?", "15 min", "set 4 pumps", "see DS-2041", "IR-2025-007"]
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
