"""A model's text read as a value of a reply type."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

T = TypeVar("T", bound=BaseModel)

_THOUGHT = re.compile(r"^\s*<think>.*?(</think>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```(?:json)?\s*\n(.*?)(?:\n```|\Z)", re.DOTALL)
_PROBLEMS_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Read(Generic[T]):
    """What a text was read as: the value, or else the problem in words for the model to mend."""

    value: T | None = None
    problem: str = ""


def read_reply(text: str, schema: type[T]) -> Read[T]:
    """Return the reply that `text` holds: JSON as it is, in a code fence or amid prose, repaired where broken.

    A single object in a list, and a bare list where the reply has one field that is a list, are put right.
    """
    found = _json_in(_THOUGHT.sub("", text))
    if found is None:
        return Read(problem="there is no JSON object in it")
    shaped = _shaped(found, schema)
    if not isinstance(shaped, dict) or not _known(shaped, schema):
        # Where every field has a default, pydantic would take any object for a reply that says nothing.
        return Read(problem=f"it has none of the fields {', '.join(schema.model_fields)}")
    try:
        return Read(schema.model_validate(shaped))
    except ValidationError as error:
        return Read(problem=describe(error))


def describe(error: ValidationError) -> str:
    """Return the first few validation errors, one a line, as `place: what is wrong`."""
    lines = []
    for problem in error.errors(include_url=False, include_context=False)[:_PROBLEMS_SHOWN]:
        place = ".".join(str(part) for part in problem["loc"]) or "reply"
        lines.append(f"{place}: {problem['msg']}")
    return "\n".join(lines)


def _json_in(body: str) -> object | None:
    """The JSON value of a text, None where it holds none worth the name."""
    fenced = _FENCED.search(body)
    candidate = fenced.group(1) if fenced else body
    starts = [at for at in (candidate.find("{"), candidate.find("[")) if at >= 0]
    if not starts:
        return None
    try:
        value: object = json.JSONDecoder(strict=False).raw_decode(candidate, min(starts))[0]
    except ValueError:
        import json_repair

        value = json_repair.loads(candidate[min(starts) :])
    # What opens as an object and is read as a list was made up in the mending.
    return value if isinstance(value, dict if candidate[min(starts)] == "{" else list) else None


def _shaped(value: object, schema: type[BaseModel]) -> object:
    """The object that a list holds, or the one whose only field the list is."""
    if not isinstance(value, list):
        return value
    objects = [item for item in value if isinstance(item, dict) and _known(item, schema)]
    if objects:
        return objects[0]
    return dict.fromkeys(schema.model_fields, value) if len(schema.model_fields) == 1 else value


def _known(value: dict[str, object], schema: type[BaseModel]) -> bool:
    names = {field.alias or name for name, field in schema.model_fields.items()}
    return not names.isdisjoint(value)
