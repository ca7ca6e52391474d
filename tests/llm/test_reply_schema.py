from __future__ import annotations

import json

from pydantic import BaseModel, Field

from pipelines.atomize.reply import chunk_reply
from pipelines.llm.reply_schema import readable, reply_form, schema_text, strict_schema
from pipelines.llm.tokens import estimate_tokens


class Part(BaseModel):
    """A part of it."""

    title: str = Field("", max_length=9, description="its name")
    count: int | None = Field(None, ge=0)


class Whole(BaseModel):
    parts: list[Part] = Field(default_factory=list, max_length=3)


def test_every_object_requires_all_its_fields_and_allows_no_other() -> None:
    schema = strict_schema(Whole)
    assert schema["required"] == ["parts"]
    assert schema["additionalProperties"] is False
    part = schema["properties"]["parts"]["items"]  # type: ignore[index]
    assert part["required"] == ["title", "count"]
    assert part["additionalProperties"] is False


def test_a_field_named_like_a_schema_keyword_is_kept() -> None:
    part = strict_schema(Whole)["properties"]["parts"]["items"]  # type: ignore[index]
    assert part["properties"]["title"] == {"type": "string", "maxLength": 9, "description": "its name"}


def test_limits_can_be_omitted() -> None:
    schema = strict_schema(Whole, limits=False)
    assert "maxItems" not in schema["properties"]["parts"]  # type: ignore[index]
    part = schema["properties"]["parts"]["items"]  # type: ignore[index]
    assert part["properties"]["title"] == {"type": "string", "description": "its name"}
    assert part["properties"]["count"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}


def test_repeated_subschemas_are_shared_and_docstrings_omitted() -> None:
    schema = strict_schema(chunk_reply(("person", "failure mode"), 3, 2))
    text = json.dumps(schema)
    assert text.count('"maxLength": 80') == 2
    person = schema["properties"]["tags"]["properties"]["person"]  # type: ignore[index]
    assert schema["$defs"][person["$ref"].rpartition("/")[2]]["maxItems"] == 3  # type: ignore[index]
    assert "One reply" not in text
    assert "All that one reply" not in text


def test_the_schema_of_a_chunk_has_a_bounded_length() -> None:
    kinds = ("person", "organization", "place", "product", "service", "term")
    assert estimate_tokens(schema_text(chunk_reply(kinds, 4, 5))) < 320


def test_a_form_describes_a_schema_briefly() -> None:
    assert reply_form(Whole) == '{"parts": [{"title": text (its name), "count": number or null}, ...] (at most 3)}'
    kinds = ("person", "failure mode")
    assert reply_form(chunk_reply(kinds, 3, 2)) == (
        '{"tags": {"person": [text, ...] (at most 3), "failure mode": [text, ...] (at most 3)}, '
        '"facts": [[text, ...] (exactly 3), ...] (at most 3), "questions": [text, ...] (at most 2)}'
    )


class Tree(BaseModel):
    name: str
    children: list[Tree] = Field(default_factory=list)


def test_a_form_of_a_recursive_schema_ends() -> None:
    assert reply_form(Tree) == '{"name": text, "children": [..., ...]}'


def test_the_texts_of_a_partial_reply_are_readable() -> None:
    beginning = '{"claims": [{"text": "Merton \\"sits\\" in Leeds.", "passage": 1, "quote": "sits"}], "answer": "Lee'
    assert readable(beginning) == 'Merton "sits" in Leeds.\nLee'
    assert readable('{"claims": [') == ""
