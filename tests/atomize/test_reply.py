from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from pipelines.atomize.reply import ChunkReply, Fact, chunk_reply

KINDS = ("person", "failure mode")
REPLY = chunk_reply(KINDS, 2, 2)


@pytest.mark.parametrize(
    "fact",
    [
        {"subject": "a", "relation": "r", "object": "b"},
        {"head": "a", "type": "r", "tail": "b"},
        ["a", "r", "b"],
        "a | r | b",
    ],
)
def test_facts_are_read_from_objects_lists_and_strings(fact: object) -> None:
    assert REPLY.model_validate({"facts": [fact]}).facts == [Fact(subject="a", relation="r", object="b")]


@pytest.mark.parametrize("fact", [{}, [], "a", ["a", "b"], {"subject": "a"}, None, 3, ["a", "", "b"]])
def test_malformed_facts_are_left_out(fact: object) -> None:
    assert REPLY.model_validate({"facts": [fact]}).facts == []


def test_questions_in_objects_and_tags_as_single_strings_are_read() -> None:
    reply = REPLY.model_validate({"questions": [{"question": "Why?"}, "", 3], "tags": {"failure mode": "leak"}})
    assert reply.questions == ["Why?", "3"]
    assert reply.tags.by_kind() == {"person": [], "failure mode": ["leak"]}


def test_questions_over_the_limits_of_length_and_number_are_cut() -> None:
    reply = REPLY.model_validate({"questions": ["a" * 9999, "b", "c"]})
    assert reply.questions == ["a" * 240, "b"]


def test_the_reply_schema_contains_kinds_and_limits_and_is_cached() -> None:
    schema = json.dumps(REPLY.model_json_schema())
    assert all(kind in schema for kind in KINDS)
    assert '"maxItems": 2' in schema
    assert chunk_reply(KINDS, 2, 2) is REPLY


def test_an_empty_reply_says_nothing() -> None:
    assert REPLY().says_nothing()
    assert not REPLY(questions=["Why?"]).says_nothing()


NAMES = st.sampled_from([*ChunkReply.model_fields, "x"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner),
    max_leaves=12,
)


@settings(deadline=None)
@given(st.dictionaries(NAMES, JSON))
def test_any_object_is_validated_or_rejected_as_a_whole(value: dict[str, object]) -> None:
    try:
        reply = REPLY.model_validate(value)
    except ValidationError:
        return
    assert len(reply.facts) <= 2
    assert all(fact.subject and fact.relation and fact.object for fact in reply.facts)
