"""Reply types: their JSON schema, for an endpoint or in a few words for one that takes none, and a text read as one.

An endpoint that takes schemas bills them with every call, so what they say twice is said once.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from string import ascii_lowercase
from typing import Generic, TypeVar, cast

from pydantic import BaseModel, ValidationError

Json = dict[str, object]

_SAID_ELSEWHERE = frozenset({"default", "title"})
_LIMITS = frozenset(
    "minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minItems maxItems uniqueItems".split()
)
_SHORT = 40
"""Characters of a part up to which a reference to it is no shorter."""
_WORDS = {"string": "text", "integer": "number", "boolean": "true or false"}


@lru_cache(maxsize=128)
def strict_schema(model: type[BaseModel], limits: bool = True) -> Json:
    """Return the model's schema in the strict form: every field required, nothing else allowed, nothing said twice.

    `limits` keeps lengths, ranges and patterns: a local model needs them, OpenAI's own endpoint refuses some. Of
    descriptions, those of fields stay. The result is shared and not to be changed.
    """
    strict = _strict(model.model_json_schema(), _SAID_ELSEWHERE if limits else _SAID_ELSEWHERE | _LIMITS)
    assert isinstance(strict, dict)  # noqa: S101
    return _shared(_inlined(strict))


@lru_cache(maxsize=128)
def reply_form(model: type[BaseModel]) -> str:
    """Return what a reply looks like, in place of a schema: `{"names": [text, ...] (at most 3), "end": number}`."""
    schema = strict_schema(model)
    return _form(schema, cast("dict[str, Json]", schema.get("$defs", {})), frozenset())


@lru_cache(maxsize=128)
def schema_text(model: type[BaseModel]) -> str:
    """Return the schema as it goes with a request, for its tokens to be counted."""
    return json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))


def _strict(node: object, dropped: frozenset[str]) -> object:
    if isinstance(node, list):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, dict):
        return node
    kept: Json = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # here the keys are names of the model's own, "title" may be one
            kept[key] = {name: _strict(item, dropped) for name, item in value.items()}
        elif key not in dropped and (key, value) != ("minItems", 0):
            kept[key] = _strict(value, dropped)
    if isinstance(node.get("properties"), dict):
        kept.pop("description", None)  # a docstring, for who reads the code
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept


def _inlined(schema: Json) -> Json:
    """Return a schema in which what is referred to once stands where it is meant."""
    definitions = cast("dict[str, Json]", schema.get("$defs", {}))
    uses = Counter(_references(schema))
    once = {name: one for name, one in definitions.items() if uses[name] == 1 and name not in _references(one)}

    def put(node: object) -> object:
        if isinstance(node, list):
            return [put(item) for item in node]
        if not isinstance(node, dict):
            return node
        name = str(node.get("$ref", "")).rpartition("/")[2]
        rest = {key: put(value) for key, value in node.items() if key != "$ref" or name not in once}
        return cast("Json", put(once[name])) | rest if name in once else rest

    kept = {name: put(one) for name, one in definitions.items() if name not in once}
    body = {key: put(value) for key, value in schema.items() if key != "$defs"}
    return ({"$defs": kept} if kept else {}) | body


def _references(node: object) -> Iterator[str]:
    """Yield the names of the definitions that a schema refers to, as often as it does."""
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for value in node.values():
            yield from _references(value)


def _shared(schema: Json) -> Json:
    """Return a schema whose parts that occur more than once stand under `$defs`, with references to them."""
    counts = Counter(json.dumps(part) for part in _parts(schema))
    repeated = [text for text, count in counts.items() if count > 1 and len(text) > _SHORT]
    definitions = cast("Json", schema.get("$defs", {}))
    letters = (letter for letter in ascii_lowercase if letter not in definitions)  # one token each
    names = dict(zip(repeated, letters, strict=False))
    body = {key: _referring(value, names) for key, value in schema.items() if key != "$defs"}
    defined = {name: _referring(value, names) for name, value in definitions.items()}
    used = json.dumps([body, defined])
    defined |= {name: json.loads(text) for text, name in names.items() if f"#/$defs/{name}" in used}
    return ({"$defs": defined} if defined else {}) | body


def _parts(node: object) -> Iterator[Json]:
    """Yield the schemas of lists and texts in a schema."""
    if isinstance(node, list):
        for item in node:
            yield from _parts(item)
    elif isinstance(node, dict):
        if node.get("type") in ("array", "string"):
            yield node
        for value in node.values():
            yield from _parts(value)


def _referring(node: object, names: dict[str, str]) -> object:
    if isinstance(node, list):
        return [_referring(item, names) for item in node]
    if not isinstance(node, dict):
        return node
    name = names.get(json.dumps(node))
    return {"$ref": f"#/$defs/{name}"} if name else {key: _referring(value, names) for key, value in node.items()}


def _form(node: Json, definitions: dict[str, Json], inside: frozenset[str]) -> str:
    """The form of what a schema describes; `inside` are the definitions that it is part of."""
    reference = str(node.get("$ref", "")).rpartition("/")[2]
    if reference:
        return "..." if reference in inside else _form(definitions[reference], definitions, inside | {reference})
    text = _form_of_type(node, definitions, inside)
    return f"{text} ({node['description']})" if "description" in node else text


def _form_of_type(node: Json, definitions: dict[str, Json], inside: frozenset[str]) -> str:
    for key in ("anyOf", "oneOf", "allOf"):
        if key in node:
            return " or ".join(_form(one, definitions, inside) for one in cast("list[Json]", node[key]))
    if "enum" in node:
        return " or ".join(json.dumps(value, ensure_ascii=False) for value in cast("list[object]", node["enum"]))
    if node.get("type") == "object" and "properties" in node:
        fields = cast("dict[str, Json]", node["properties"]).items()
        return "{" + ", ".join(f'"{name}": {_form(one, definitions, inside)}' for name, one in fields) + "}"
    if node.get("type") == "array":
        items = _form(cast("Json", node.get("items", {})), definitions, inside)
        most, least = node.get("maxItems"), node.get("minItems")
        count = f"exactly {most}" if most == least else f"at most {most}"
        return f"[{items}, ...]" + (f" ({count})" if most is not None else "")
    return _WORDS.get(str(node.get("type", "")), str(node.get("type", "text")))


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
