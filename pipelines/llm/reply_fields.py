"""Fields of replies in which the forms that small models get wrong are put right, not refused.

A validator changes what is read and not the schema that a model is shown.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator

NONE = frozenset({"", "none", "null", "n/a", "nothing", "无"})


def number_of(value: Any) -> Any:
    """Return a number given as "[2]", "2." or a list of one; nothing as 0."""
    if isinstance(value, list):
        value = value[0] if value else 0
    if value is None or (isinstance(value, str) and value.strip().lower() in NONE):
        return 0
    if isinstance(value, str):
        digits = "".join(character for character in value if character.isdigit() or character == "-")
        return digits[:9] or value
    return value


def _text(value: Any) -> Any:
    """A text given as a number, a truth value, or a list of texts; nothing as the empty text."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list) and all(isinstance(item, str | int | float) for item in value):
        return ", ".join(str(item) for item in value)
    return value


def _texts(value: Any) -> Any:
    if value is None:
        return []
    if isinstance(value, str):
        return [line for line in value.splitlines() if line.strip()]
    if isinstance(value, list):
        return [_of_object(item) for item in value]
    return value


def _of_object(item: Any) -> Any:
    """The text of {"question": "..."}, where a text was asked for."""
    if isinstance(item, dict):
        return next((value for value in item.values() if isinstance(value, str)), "")
    return _text(item)


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Place = Annotated[int, BeforeValidator(number_of)]
