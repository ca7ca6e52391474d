from __future__ import annotations

from enum import StrEnum
from typing import Literal

from pydantic import BaseModel, Field

from pipelines.llm.prompt import fence
from pipelines.llm.reply_schema import strict_schema
from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback_wire import Call, CallTurn

TEXT = "The pump has two seals. Both are worn. The shaft is fine."


class Kind(StrEnum):
    PUMP = "pump"
    SEAL = "seal"


class Part(BaseModel):
    kind: Kind
    name: str = Field(max_length=10)
    weight: float = Field(ge=2)
    note: str | None = None


class Everything(BaseModel):
    parts: list[Part] = Field(min_length=3, max_length=5)
    answer: Literal["yes", "no"]
    sentence: int = Field(ge=1)
    sure: bool
    summary: str


def call(schema: type[BaseModel] | None) -> Call:
    turns = (CallTurn("system", "Read."), CallTurn("user", f"Here it is:\n{fence(TEXT)}\nWhat is in it?"))
    return Call("m", turns, strict_schema(schema) if schema else None)


def test_the_answer_matches_the_schema() -> None:
    answer = Everything.model_validate_json(answer_by_schema(call(Everything)))
    assert len(answer.parts) == 3


def test_strings_are_sentences_of_the_document() -> None:
    assert Everything.model_validate_json(answer_by_schema(call(Everything))).summary in TEXT
    assert answer_by_schema(call(None)) == "The pump has two seals."


def test_the_same_call_has_the_same_answer() -> None:
    assert answer_by_schema(call(Everything)) == answer_by_schema(call(Everything))
