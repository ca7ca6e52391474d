from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pipelines.llm.chat import AttachedImage, Message, Request, request_key


class One(BaseModel):
    text: str


class Other(BaseModel):
    text: str = Field(description="said otherwise")


BASE = Request((Message("system", "a"), Message("user", "b")), role="atomize", schema=One, model="m")


@pytest.mark.parametrize(
    "other",
    [
        replace(BASE, model="n"),
        replace(BASE, messages=(Message("system", "a"), Message("user", "c"))),
        replace(BASE, messages=(Message("user", "a"), Message("user", "b"))),
        replace(BASE, messages=(Message("system", "a\nb"),)),
        replace(BASE, messages=(Message("system", "a"), Message("user", "b", (AttachedImage("image/png", b"1"),)))),
        replace(BASE, schema=None),
        replace(BASE, schema=Other),
        replace(BASE, temperature=0.7),
        replace(BASE, max_tokens=1),
        replace(BASE, attempt=1),
    ],
)
def test_everything_that_shapes_the_reply_changes_the_key(other: Request) -> None:
    assert request_key(other) != request_key(BASE)


def test_the_role_does_not_change_the_key() -> None:
    assert request_key(replace(BASE, role="answer")) == request_key(BASE)


def test_the_key_is_the_same_on_every_machine() -> None:
    known = "0f09745818dd25921ffa669c2fd1ce355bd45771df068945a571a0f48ce8071e"
    assert request_key(replace(BASE, schema=None)) == known


@given(st.lists(st.text()), st.lists(st.text()))
def test_keys_are_equal_if_and_only_if_the_messages_are(one: list[str], other: list[str]) -> None:
    keys = [request_key(Request(tuple(Message("user", text) for text in texts), "r")) for texts in (one, other)]
    assert (keys[0] == keys[1]) == (one == other)
