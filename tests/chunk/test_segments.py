from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from pipelines.chunk.segments import base_split
from pipelines.llm.tokens import count_tokens


@settings(deadline=None)
@given(st.text(alphabet=st.sampled_from("ab0 .,;|\n\x1f。阀\u00a0"), max_size=300), st.integers(3, 20))
def test_the_joined_pieces_are_the_text(text: str, size: int) -> None:
    assert "".join(span.slice(text) for span in base_split(text, size)) == text


@settings(deadline=None)
@given(st.text(max_size=200), st.integers(3, 20))
def test_no_piece_is_too_large(text: str, size: int) -> None:
    assert all(count_tokens(span.slice(text)) <= size for span in base_split(text, size))


def test_text_is_split_at_the_coarsest_sufficient_separator() -> None:
    text = "one two three.\n\nfour five six. seven eight"
    assert [span.slice(text) for span in base_split(text, 5)] == [
        "one two three.\n\n", "four five six. ", "seven eight"
    ]  # fmt: skip
