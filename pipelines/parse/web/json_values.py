"""Values of JSON, and lists of objects read as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pipelines.core.table import Cell

Scalar = str | bool | None


@dataclass(frozen=True, slots=True)
class Object:
    """An object's key-value pairs in order; keys may be repeated."""

    pairs: tuple[tuple[str, Value], ...]


Value = Scalar | Object | list["Value"]
_MOST_NAMES, _LONGEST_NAME = 2, 80
"""Maximum keys whose values are the heading of an object in a list, a number and a name; maximum characters of each."""
_WIDEST_TABLE = 200
"""Maximum columns of a readable table; wider objects are written one by one."""


def pairs_of(item: Value) -> tuple[tuple[str, Value], ...]:
    return item.pairs if isinstance(item, Object) else ()


def with_keys(item: Value, kept: Callable[[str], bool]) -> Value:
    """Return an object with the pairs whose keys are `kept`, and other values as they are."""
    return Object(tuple(pair for pair in item.pairs if kept(pair[0]))) if isinstance(item, Object) else item


def flattened(item: Value) -> Value:
    """Return an object with the pairs of flat objects inside it among its own: "customer.city"."""
    if not isinstance(item, Object):
        return item
    pairs: list[tuple[str, Value]] = []
    for key, value in item.pairs:
        inside = pairs_of(value)
        flat = bool(inside) and all(is_flat(one) for _, one in inside)
        pairs += [(f"{key}.{name}", one) for name, one in inside] if flat else [(key, value)]
    return Object(tuple(pairs))


def is_flat(value: Value) -> bool:
    return is_scalar(value) or _is_short_list(value)


def headings_of(items: Sequence[Value]) -> list[str]:
    """Return a heading for each object of a list: the first values that tell them apart, "T-1041 – Leak at press P3".

    Empty if no key has such values.
    """
    texts = [_names_in(item) for item in items]
    shared = [key for key in texts[0] if all(key in named for named in texts)]
    keys = [key for key in shared if len({named[key] for named in texts}) == len(texts)][:_MOST_NAMES]
    return [" – ".join(dict.fromkeys(named[key] for key in keys)) for named in texts] if keys else []


def _names_in(item: Value) -> dict[str, str]:
    """Return the values of an object that may name it: short texts with a letter, or whole numbers."""
    texts = ((key, value) for key, value in pairs_of(item) if isinstance(value, str) and len(value) <= _LONGEST_NAME)
    return {key: value for key, value in texts if value.isdigit() or any(map(str.isalpha, value))}


def columns_of(items: Sequence[Value]) -> list[str]:
    """Return the keys of all items if they are flat objects that share most of their keys, none twice, else nothing."""
    objects = [item for item in items if isinstance(item, Object)]
    if not objects or len(objects) < len(items):
        return []
    if not all(is_flat(value) for item in objects for _, value in item.pairs):
        return []
    keys = list(dict.fromkeys(key for item in objects for key, _ in item.pairs))
    if any(len(dict(item.pairs)) < len(item.pairs) for item in objects):  # a cell has one value
        return []
    filled = sum(len(item.pairs) for item in objects)
    return keys if len(keys) <= _WIDEST_TABLE and 2 * filled >= len(keys) * len(objects) else []


def cells_of(items: Sequence[Value], columns: list[str]) -> list[Cell]:
    places = {key: place for place, key in enumerate(columns)}
    cells = [Cell(0, place, key, header=True) for key, place in places.items()]
    for row, item in enumerate(items, 1):
        if isinstance(item, Object):
            cells += [Cell(row, places[key], text_of_value(value)) for key, value in item.pairs]
    return cells


def is_scalar(value: Value) -> bool:
    return not isinstance(value, (Object, list))


def _is_short_list(value: Value) -> bool:
    # Twenty values are one or two lines in a cell.
    return isinstance(value, list) and len(value) <= 20 and all(is_scalar(item) for item in value)


def text_of_value(value: Value) -> str:
    if isinstance(value, list):
        return ", ".join(text_of_value(item) for item in value)
    if isinstance(value, bool):
        return "true" if value else "false"
    return "null" if value is None else str(value)
