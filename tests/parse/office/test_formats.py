"""Tests of formatting the numbers of sheets as text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.office.xlsx.formats import PLAIN, built_in, number_text, other_form, parse_format


@pytest.mark.parametrize(
    ("raw", "code", "expected"),
    [
        ("5", "General", "5"),
        ("1.0", "General", "1.0"),
        ("0.1", "General", "0.1"),
        ("35.900000000000006", "General", "35.9"),
        ("0.333333333333333", "0.00", "0.333333333333333"),
        ("1044.72", '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', "1044.72"),
        ("19.95", "[$$-1409]#,##0.00;[Red]\\-[$$-1409]#,##0.00", "19.95"),
        ("0.125", "0%", "12%"),
        ("0.125", "0.0%", "12.5%"),
        ("42", "00000", "00042"),
        ("12.5", '0.0" mm"', "12.5 mm"),
        ("1", "\\1\\.0#", "1.01"),
        ("43831", "yyyy\\-mm\\-dd", "2020-01-01"),
        ("43831.5", "yyyy-mm-dd h:mm:ss", "2020-01-01 12:00:00"),
        ("0.75", "h:mm AM/PM", "18:00:00"),
        ("1.5", "[h]:mm:ss", "36:00:00"),
        ("59", "d/m/yyyy", "1900-02-28"),
        ("-1", "yyyy-mm-dd", "-1"),
        ("1E-3", "0.00E+00", "0.001"),
        ("n/a", "0%", "n/a"),
        ("1e999", "General", "inf"),
    ],
)
def test_a_stored_number_is_converted_to_text(raw: str, code: str, expected: str) -> None:
    assert number_text(raw, parse_format(code)) == expected


@pytest.mark.parametrize(
    ("raw", "code", "expected"),
    [
        ("1044.72", '_("$"* #,##0.00_);_("$"* \\(#,##0.00\\)', "$1,044.72"),
        ("-1999", "#,##0.00 [$€-407]", "-1,999.00 €"),
        ("19.95", "[$$-1409]#,##0.00", "$19.95"),
        ("0.333333333333333", "0.00", "0.33"),
        ("12345", "#,##0", "12,345"),
        ("0.8312", "0%", "0.8312"),
        ("0.831234567891", "0%", ""),
        ("0.25", "0%", ""),
        ("5", "0.00", ""),
        ("5", "General", ""),
        ("0.5", "# ?/?", ""),
        ("43831", "yyyy-mm-dd", ""),
        ("n/a", "0.00", ""),
        ("1e300", "#,##0.00", ""),
    ],
)
def test_a_number_has_a_second_form_if_the_sheet_displays_it_differently(raw: str, code: str, expected: str) -> None:
    assert other_form(raw, parse_format(code)) == expected


def test_days_may_be_counted_from_1904() -> None:
    assert number_text("0", parse_format("yyyy-mm-dd"), since_1904=True) == "1904-01-01"


def test_built_in_formats_need_no_definition() -> None:
    assert [number_text("0.5", built_in(id)) for id in (9, 21, 2)] == ["50%", "12:00:00", "0.5"]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_a_plain_number_keeps_its_value(number: float) -> None:
    assert float(number_text(repr(number), PLAIN)) == pytest.approx(number, rel=1e-14)


@given(st.text(max_size=30), st.text(max_size=10))
def test_any_format_and_value_can_be_converted(code: str, raw: str) -> None:
    assert isinstance(number_text(raw, parse_format(code)), str)
    assert isinstance(other_form(raw, parse_format(code)), str)
