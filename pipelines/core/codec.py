"""Values to bytes and back, the same bytes on every machine.

Every typed decoding goes through here. What msgspec knows of a type it works out when it first meets it, and two
threads that do so at once crash the process: so it is done once, under a lock, before a decoder is handed out.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Any, TypeVar, cast

import msgspec

T = TypeVar("T")

DecodeError = msgspec.DecodeError
"""What decoding raises on bytes that are not well formed or not of the type."""
Raw = msgspec.Raw
"""A part of a value that is left as it is."""

_LOCK = Lock()
_JSON: dict[Any, msgspec.json.Decoder[Any]] = {}
_PACKED: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def encode(value: object) -> bytes:
    """Return `value` as JSON with its keys in order of declaration and mappings sorted."""
    return msgspec.json.encode(value, order="deterministic")


def decode(data: bytes | str, type: type[T]) -> T:
    """Return the value of `type` that JSON holds; raises `DecodeError` on anything else."""
    decoder = _JSON.get(type)
    if decoder is None:
        with _LOCK:
            decoder = _JSON.setdefault(type, msgspec.json.Decoder(type))
    return cast("T", decoder.decode(data))


def pack(value: object) -> bytes:
    """Return `value` as MessagePack, which holds bytes as they are."""
    return msgspec.msgpack.encode(value)


def unpack(data: bytes, type: type[T]) -> T:
    """Return the value of `type` that MessagePack holds; raises `DecodeError` on anything else."""
    decoder = _PACKED.get(type)
    if decoder is None:
        with _LOCK:
            decoder = _PACKED.setdefault(type, msgspec.msgpack.Decoder(type))
    return cast("T", decoder.decode(data))


def convert(plain: object, type: type[T]) -> T:
    """Return the value of `type` that dictionaries and lists hold; raises `DecodeError` on anything else."""
    with _LOCK:
        return msgspec.convert(plain, type)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's cyclic garbage collector while very many values are decoded, among which there are no cycles.

    It would look at all of them again and again; what has no more references is freed all the same.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
