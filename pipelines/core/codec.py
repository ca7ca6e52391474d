"""Values to bytes and back, the same bytes on every machine."""

from __future__ import annotations

from typing import TypeVar

import msgspec

T = TypeVar("T")


def encode(value: object) -> bytes:
    """Return `value` as JSON with its keys in order of declaration and mappings sorted."""
    return msgspec.json.encode(value, order="deterministic")


def decode(data: bytes | str, type: type[T]) -> T:
    """Return the value of `type` that `data` holds; raises `msgspec.ValidationError` on anything else."""
    return msgspec.json.decode(data, type=type)
