"""The JSON schema of a reply type, as endpoints take it."""

from __future__ import annotations

from functools import lru_cache

from pydantic import BaseModel

Json = dict[str, object]

_SAID_ELSEWHERE = frozenset({"default", "title"})
_LIMITS = frozenset(
    "minLength maxLength pattern format minimum maximum exclusiveMinimum exclusiveMaximum multipleOf"
    " minItems maxItems uniqueItems".split()
)


@lru_cache(maxsize=128)
def strict_schema(model: type[BaseModel], limits: bool = True) -> Json:
    """Return the model's schema in the strict form: every field required, nothing else allowed.

    `limits` keeps lengths, ranges and patterns: a local model needs them, OpenAI's own endpoint refuses some. The
    result is shared and not to be changed.
    """
    strict = _strict(model.model_json_schema(), _SAID_ELSEWHERE if limits else _SAID_ELSEWHERE | _LIMITS)
    assert isinstance(strict, dict)  # noqa: S101
    return strict


def _strict(node: object, dropped: frozenset[str]) -> object:
    if isinstance(node, list):
        return [_strict(item, dropped) for item in node]
    if not isinstance(node, dict):
        return node
    kept: Json = {}
    for key, value in node.items():
        if key in ("properties", "$defs"):  # here the keys are names of the model's own, "title" may be one
            kept[key] = {name: _strict(item, dropped) for name, item in value.items()}
        elif key not in dropped:
            kept[key] = _strict(value, dropped)
    if isinstance(node.get("properties"), dict):
        kept["required"] = list(node["properties"])
        kept["additionalProperties"] = False
    return kept
