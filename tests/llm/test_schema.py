from __future__ import annotations

from pydantic import BaseModel, Field

from pipelines.llm.typed_reply import strict_schema


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
    part = schema["$defs"]["Part"]  # type: ignore[index]
    assert part["required"] == ["title", "count"]
    assert part["additionalProperties"] is False


def test_a_field_that_is_named_like_a_keyword_stays() -> None:
    part = strict_schema(Whole)["$defs"]["Part"]  # type: ignore[index]
    assert part["properties"]["title"] == {"type": "string", "maxLength": 9, "description": "its name"}


def test_limits_can_be_left_out() -> None:
    schema = strict_schema(Whole, limits=False)
    assert "maxItems" not in schema["properties"]["parts"]  # type: ignore[index]
    part = schema["$defs"]["Part"]  # type: ignore[index]
    assert part["properties"]["title"] == {"type": "string", "description": "its name"}
    assert part["properties"]["count"] == {"anyOf": [{"type": "integer"}, {"type": "null"}]}
