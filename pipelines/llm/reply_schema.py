"""Reply types: their JSON schema for an endpoint, a short description in place of it, and the parsing of replies.

Endpoints bill schemas with every call, so repeated parts are factored out.
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
"""Maximum characters of a part for which a reference would not be shorter."""
_TEXTS = re.compile(r'"(?:text|answer|question)"\s*:\s*"((?:[^"\\]|\\.)*)("?)')
"""The texts of a reply in its JSON ; the last one may be incomplete."""
_WORDS = {"string": "text", "integer": "number", "boolean": "true or false"}


@lru_cache(maxsize=128)
def strict_schema(model: type[BaseModel], limits: bool = True) -> Json:
    """Return the model's schema in strict form: all fields required, no others allowed, without repetition.

    `limits` keeps lengths, ranges and patterns: local models need them, OpenAI's endpoint rejects some. Descriptions of
    fields are kept, others dropped. The result is cached and must not be modified.
    """
    strict = _strict(model.model_json_schema(), _SAID_ELSEWHERE if limits else _SAID_ELSEWHERE | _LIMITS)
    assert isinstance(strict, dict)  # noqa: S101
    return _shared(_inlined(strict))


@lru_cache(maxsize=128)
def reply_form(model: type[BaseModel]) -> str:
    """Return a short description of a reply: `{"names": [text, ...] (at most 3), "end": number}`."""
    schema = strict_schema(model)
    return _form(schema, cast("dict[str, Json]", schema.get("$defs", {})), frozenset())


@lru_cache(maxsize=128)
def schema_text(model: type[BaseModel]) -> str:
    """Return the schema as it is sent with a request, for counting its tokens."""
    return json.dumps(strict_schema(model), ensure_ascii=False, separators=(",", ":"))


def _strict(node: object, dropped: frozenset[str]) -> object:
    if isinstance(node, list):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, dict):
        return node
    kept: Json = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # these keys are names chosen by the model class; "title" may be one
            kept[key] = {name: _strict(item, dropped) for name, item in value.items()}
        elif key not in dropped and (key, value) != ("minItems", 0):
            kept[key] = _strict(value, dropped)
    if isinstance(node.get("properties"), dict):
        kept.pop("description", None)  # the docstring, which is for readers of the code
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept


def _inlined(schema: Json) -> Json:
    """Return a schema in which definitions that are referenced once are inlined."""
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
    """Yield the name of the definition of each reference in a schema."""
    if isinstance(node, list):
        for item in node:
            yield from _references(item)
    elif isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            yield reference.rpartition("/")[2]
        for value in node.values():
            yield from _references(value)


def _shared(schema: Json) -> Json:
    """Return a schema whose repeated parts are moved to `$defs` and referenced."""
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
    """Yield the subschemas of lists and strings."""
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
    """Return the description of a schema; `inside` are the definitions that contain it."""
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
    """A parsed reply: the value, or a description of the problem for the model."""

    value: T | None = None
    problem: str = ""


def read_reply(text: str, schema: type[T]) -> Read[T]:
    """Return the reply in `text`: plain JSON, in a code fence or within prose, repaired if broken.

    A single object in a list is unwrapped, and a bare list is accepted if the reply has one field only.
    """
    found = _json_in(_THOUGHT.sub("", text))
    if found is None:
        return Read(problem="there is no JSON object in it")
    shaped = _shaped(found, schema)
    if not isinstance(shaped, dict) or not _known(shaped, schema):
        # If every field has a default, pydantic would accept any object as an empty reply.
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
    """Return the JSON value in a text, None if there is none."""
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
    # An object that becomes a list is an artefact of the repair.
    return value if isinstance(value, dict if candidate[min(starts)] == "{" else list) else None


def _shaped(value: object, schema: type[BaseModel]) -> object:
    """Return the object in a list, or the object whose only field is the list."""
    if not isinstance(value, list):
        return value
    objects = [item for item in value if isinstance(item, dict) and _known(item, schema)]
    if objects:
        return objects[0]
    return dict.fromkeys(schema.model_fields, value) if len(schema.model_fields) == 1 else value


def _known(value: dict[str, object], schema: type[BaseModel]) -> bool:
    names = {field.alias or name for name, field in schema.model_fields.items()}
    return not names.isdisjoint(value)


def readable(reply: str) -> str:
    """Return the texts in the beginning of a JSON reply, one per line; the last one may be incomplete."""
    return "\n".join(_unescaped(match.group(1)) for match in _TEXTS.finditer(reply) if match.group(1))


def _unescaped(escaped: str) -> str:
    try:
        return str(json.loads(f'"{escaped}"'))
    except json.JSONDecodeError:
        return escaped
