"""Tests of the number formats of lists in Office documents."""

from __future__ import annotations

import pytest

from pipelines.parse.office.characters import numeral


@pytest.mark.parametrize(
    ("number", "form", "expected"),
    [
        (3, "decimal", "3"),
        (3, "decimalZero", "03"),
        (28, "lowerLetter", "bb"),
        (2, "upperLetter", "B"),
        (1994, "upperRoman", "MCMXCIV"),
        (4, "lowerRoman", "iv"),
        (0, "lowerRoman", "0"),
        (21, "chineseCounting", "二十一"),
        (10, "ideographDigital", "十"),
        (3, "decimalEnclosedCircle", "③"),
        (22, "ordinal", "22nd"),
        (13, "ordinal", "13th"),
        (7, "somethingElse", "7"),
    ],
)
def test_a_number_is_written_in_its_format(number: int, form: str, expected: str) -> None:
    assert numeral(number, form) == expected
