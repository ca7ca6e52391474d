from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.chunk.tokens import count_tokens


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), (" \n", 0), ("pump", 1), ("extraordinarily", 3), ("3.5 kPa", 4), ("水泵", 2), ("DS-2041", 4), ("_x", 2)],
)
def test_tokens_are_counted(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(max_size=60), st.integers(0, 60))
def test_parts_count_as_much_as_the_whole_or_more(text: str, at: int) -> None:
    assert count_tokens(text[:at]) + count_tokens(text[at:]) >= count_tokens(text)


@given(st.text(max_size=60))
def test_every_text_that_is_not_blank_counts(text: str) -> None:
    assert bool(count_tokens(text)) == bool(text.strip())
