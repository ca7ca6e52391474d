from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.llm.chat import AttachedImage, Message
from pipelines.llm.tokens import count_tokens, estimate_input, estimate_tokens

# Counted by the tokenizer of Qwen2.5.
COUNTED = [
    ("The centrifugal pump of the second stage was taken out of service because its mechanical seal leaked.", 19),
    ("压力变送器应安装在无振动且便于维护的位置，环境温度不得超过八十五摄氏度。", 23),
    ("DS-2041 | 0 to 16 bar | 4-20 mA | 1.4404 | 129.00 EUR", 38),
    ('{"questions": ["How many seals does the pump have?", "What is the range?"]}', 19),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_the_estimate_is_near_what_a_tokenizer_counts(text: str, counted: int) -> None:
    assert estimate_tokens(text) == pytest.approx(counted, rel=0.35)


@given(st.text(), st.text())
def test_more_text_is_never_fewer_tokens(one: str, other: str) -> None:
    assert estimate_tokens(f"{one} {other}") >= max(estimate_tokens(one), estimate_tokens(other)) - 1


def test_no_text_is_no_token_and_a_sign_is_one() -> None:
    assert [estimate_tokens(text) for text in ("", "a", ".")] == [0, 1, 1]


def test_turns_and_pictures_count() -> None:
    plain = Message("user", "hello")
    assert estimate_input((plain, plain)) == 2 * estimate_input((plain,))
    assert estimate_input((Message("user", "hello", (AttachedImage("image/png", b""),)),)) > 500


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
