"""Names and symbols of chemical elements."""

from __future__ import annotations

import pytest

from pipelines.lang.elements import symbols_in, symbols_of


@pytest.mark.parametrize(
    ("word", "language", "expected"),
    [
        ("nickel", "en", {"Ni"}),
        ("níquel", "es", {"Ni"}),
        ("никеля", "ru", {"Ni"}),
        ("kupfergehalt", "de", {"Cu"}),
        ("炭素", "ja", {"C"}),
        ("pump", "en", set()),
        ("eis", "de", set()),
    ],
)
def test_the_symbols_of_an_element_are_found_by_its_name(word: str, language: str, expected: set[str]) -> None:
    assert symbols_of(word, language) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Heat | C | Si | Mn | Cr | Ni", {"C", "Si", "Mn", "Cr", "Ni"}),
        ("20 °C at 230 V, 5 W", set()),
        ("Iron (Fe) | mg/kg | 74", {"Fe"}),
        ("No. 5 in the Nile", set()),
    ],
)
def test_symbols_of_one_letter_count_beside_others_only(text: str, expected: set[str]) -> None:
    assert symbols_in(text) == expected
