from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from pipelines.llm.reply_schema import read_reply


class Item(BaseModel):
    name: str
    pages: list[int] = Field(default_factory=list)


class Items(BaseModel):
    items: list[str] = Field(default_factory=list)


@pytest.mark.parametrize(
    "text",
    [
        '{"name": "泵", "pages": [1, 2]}',
        '```json\n{"name": "泵", "pages": [1, 2]}\n```',
        'Sure! Here it is:\n{"name": "泵", "pages": [1, 2]}\nAnything else?',
        "<think>the user wants {json}</think>\n{'name': '泵', 'pages': [1, 2]}",
        '{"name": "泵", "pages": [1, 2',
        '{"name": "泵", "pages": ["1", 2],}',
        '[{"name": "泵", "pages": [1, 2]}]',
        '{"name": "泵", "pages": [1, 2], "why": "line one\nline two"}',
    ],
)
def test_json_is_extracted_and_repaired(text: str) -> None:
    assert read_reply(text, Item).value == Item(name="泵", pages=[1, 2])


def test_a_bare_list_is_the_only_field_of_its_reply() -> None:
    assert read_reply('["a", "b"]', Items).value == Items(items=["a", "b"])


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no JSON"),
        ("I cannot help with that.", "no JSON"),
        ('{"nam": "a"}', "none of the fields name, pages"),
        ('{"name": ["a"]}', "name: Input should be a valid string"),
        ('{"name": "a", "pages": ["x", "y"]}', "pages.0:"),
        ("[1, 2", "none of the fields"),
        ("{}", "none of the fields"),
    ],
)
def test_an_unusable_reply_has_a_described_problem(text: str, problem: str) -> None:
    read = read_reply(text, Item)
    assert read.value is None
    assert problem in read.problem


@pytest.mark.parametrize("text", ["{}", '{"garbled": tru', "{ oh well", '{"error": "overloaded"}'])
def test_malformed_text_is_not_read_as_an_empty_reply(text: str) -> None:
    assert read_reply(text, Items).value is None


@given(st.lists(st.text()))
def test_valid_json_is_read_unchanged(items: list[str]) -> None:
    assert read_reply(json.dumps({"items": items}), Items).value == Items(items=items)


@given(st.text())
def test_any_text_gives_either_a_value_or_a_problem(text: str) -> None:
    read = read_reply(text, Item)
    assert (read.value is None) == bool(read.problem)
