import pytest

from pipelines.lang.dates import CALENDAR, DATE, TELLS_WHEN, WRITTEN_DATE


@pytest.mark.parametrize(
    "text",
    ["2024-11-15", "15.11.2024", "4 May 1998", "1st of June", "May 1998", "12. Oktober 2019", "12. Okt 2019", "in 1998",
     "2024年11月15日", "11月15日", "4 de mayo", "1er juin", "12 maart", "4 мая"],
)  # fmt: skip
def test_a_date_in_a_text_is_found(text: str) -> None:
    assert DATE.search(text)


@pytest.mark.parametrize("text", ["98 pumps", "version 3.4", "May we?", "15 min", "set 4 pumps"])
def test_what_is_no_date_is_none(text: str) -> None:
    assert not DATE.search(text)


def test_a_date_in_a_cell_is_in_figures() -> None:
    assert all(WRITTEN_DATE.fullmatch(text) for text in ("2024-11", "2024-11-15", "15/11/24", "2024年11月"))
    assert not WRITTEN_DATE.fullmatch("4 May 1998")


def test_days_and_months_are_in_the_calendar() -> None:
    assert {"may", "sept", "monday"} <= CALENDAR
    assert "mai" not in CALENDAR


@pytest.mark.parametrize("text", ["on Tuesdays", "in March", "after the start", "at 9:30", "每天"])
def test_a_word_of_time_tells_when(text: str) -> None:
    assert TELLS_WHEN.search(text)


def test_a_text_without_a_word_of_time_does_not_tell_when() -> None:
    assert not TELLS_WHEN.search("The housing is of cast iron.")
