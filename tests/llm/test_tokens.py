from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.llm.chat import AttachedImage, Message
from pipelines.llm.tokens import count_tokens, estimate_input, estimate_tokens

# Numbers of tokens by the tokenizer of Qwen2.5.
COUNTED = [
    ("The centrifugal pump of the second stage was taken out of service because its mechanical seal leaked.", 19),
    ("压力变送器应安装在无振动且便于维护的位置，环境温度不得超过八十五摄氏度。", 23),
    ("DS-2041 | 0 to 16 bar | 4-20 mA | 1.4404 | 129.00 EUR", 38),
    ('{"questions": ["How many seals does the pump have?", "What is the range?"]}', 19),
]


@pytest.mark.parametrize(("text", "counted"), COUNTED)
def test_the_estimate_is_close_to_a_real_tokenizer(text: str, counted: int) -> None:
    assert estimate_tokens(text) == pytest.approx(counted, rel=0.35)


@given(st.text(), st.text())
def test_a_longer_text_has_at_least_as_many_estimated_tokens(one: str, other: str) -> None:
    assert estimate_tokens(f"{one} {other}") >= max(estimate_tokens(one), estimate_tokens(other)) - 1


def test_no_text_is_zero_tokens_and_one_character_is_one() -> None:
    assert [estimate_tokens(text) for text in ("", "a", ".")] == [0, 1, 1]


def test_messages_and_images_are_counted() -> None:
    plain = Message("user", "hello")
    assert estimate_input((plain, plain)) == 2 * estimate_input((plain,))
    assert estimate_input((Message("user", "hello", (AttachedImage("image/png", b""),)),)) > 500


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), (" \n", 0), ("pump", 1), ("extraordinarily", 3), ("3.5 kPa", 4), ("水泵", 2), ("DS-2041", 4), ("_x", 2)],
)
def test_count_tokens_of_words_numbers_and_signs(text: str, tokens: int) -> None:
    assert count_tokens(text) == tokens


@given(st.text(max_size=60), st.integers(0, 60))
def test_splitting_a_text_does_not_lower_its_count(text: str, at: int) -> None:
    assert count_tokens(text[:at]) + count_tokens(text[at:]) >= count_tokens(text)


@given(st.text(max_size=60))
def test_every_text_that_is_not_blank_has_tokens(text: str) -> None:
    assert bool(count_tokens(text)) == bool(text.strip())
