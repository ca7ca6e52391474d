from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.lang.characters import locate

TEXT = "The ﬁrst appli-\ncation runs at “120 psi” – not | 20 psi. A second sentence follows here."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ('first application runs at "120 psi"', "ﬁrst appli-\ncation runs at “120 psi"),
        ("not 20 psi", "not | 20 psi"),
        ("FIRST   APPLICATION", "ﬁrst appli-\ncation"),
        ("runs at ... 20 psi.", "runs at “120 psi” – not | 20 psi."),
        ("A second sentence follows here", "A second sentence follows here"),
    ],
)
def test_a_quote_is_located_despite_ligatures_hyphenation_case_and_punctuation(quote: str, found: str) -> None:
    span = locate(quote, TEXT)
    assert span is not None
    assert span.slice(TEXT) == found


@pytest.mark.parametrize("quote", ["", "...", "“”", "a", "121 psi", "follows here. The first", "application not runs"])
def test_a_quote_that_is_not_in_the_text_is_not_located(quote: str) -> None:
    assert locate(quote, TEXT) is None


def test_a_number_is_not_located_inside_another() -> None:
    assert locate("20 psi", "at 120 psi") is None
    assert locate("5 bar", "at 1.5 bar") is None


@given(st.text(max_size=80), st.text(max_size=200))
def test_a_located_quote_is_a_span_of_the_text(quote: str, text: str) -> None:
    span = locate(quote, text)
    assert span is None or 0 <= span.start < span.end <= len(text)


@given(st.text(alphabet="abcdefgh ijk,", min_size=30, max_size=120), st.integers(0, 10), st.integers(12, 30))
def test_every_substring_of_a_text_is_located(text: str, start: int, length: int) -> None:
    quote = text[start : start + length].strip()
    if len(quote.replace(" ", "")) >= 2:
        assert locate(quote, text) is not None
