from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from qa.numbers import numbers, unsupported, values


def test_numbers_inside_codes_are_no_numbers() -> None:
    assert [number.text for number in numbers("K80-250, P-1108 and IR-2024-031 at 6.5 h, 142.5mm")] == ["6.5", "142.5"]


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
def test_a_number_has_every_reading_that_countries_give_it(text: str, expected: set[float]) -> None:
    assert values(text) == expected


def test_small_numbers_may_be_written_in_words() -> None:
    assert unsupported("3 valves, 2 times", ["three valves", "twice"]) == []


def test_a_number_that_no_source_has_is_named() -> None:
    assert unsupported("It holds 17 l at 3 bar", ["It holds 16 l at 3 bar"]) == ["17"]


def test_what_two_numbers_of_the_sources_give_is_supported() -> None:
    assert unsupported("60.12 more", ["1,104.84 in one", "1044.72 in the other"]) == []


@given(st.text(max_size=100))
def test_any_text_supports_itself(text: str) -> None:
    assert unsupported(text, [text]) == []
