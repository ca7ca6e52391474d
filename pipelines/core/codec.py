"""Serialization of values to JSON and MessagePack, with the same bytes on every machine.

All typed decoding goes through this module. msgspec analyses a type on first use, and two threads that do so at the
same time crash the process; decoders are therefore created once, under a lock.
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
"""Raised when bytes are malformed or do not match the type."""
Raw = msgspec.Raw
"""A part of a value that is not decoded."""

_LOCK = Lock()
_JSON: dict[Any, msgspec.json.Decoder[Any]] = {}
_PACKED: dict[Any, msgspec.msgpack.Decoder[Any]] = {}


def encode(value: object) -> bytes:
    """Return `value` as JSON, with fields in order of declaration and mappings sorted by key."""
    return msgspec.json.encode(value, order="deterministic")


def decode(data: bytes | str, type: type[T]) -> T:
    """Return JSON as a value of `type`; raises `DecodeError` if it does not match."""
    decoder = _JSON.get(type)
    if decoder is None:
        with _LOCK:
            decoder = _JSON.setdefault(type, msgspec.json.Decoder(type))
    return cast("T", decoder.decode(data))


def pack(value: object) -> bytes:
    """Return `value` as MessagePack, which stores bytes without encoding them."""
    return msgspec.msgpack.encode(value)


def unpack(data: bytes, type: type[T]) -> T:
    """Return MessagePack as a value of `type`; raises `DecodeError` if it does not match."""
    decoder = _PACKED.get(type)
    if decoder is None:
        with _LOCK:
            decoder = _PACKED.setdefault(type, msgspec.msgpack.Decoder(type))
    return cast("T", decoder.decode(data))


def convert(plain: object, type: type[T]) -> T:
    """Return plain dictionaries and lists as a value of `type`; raises `DecodeError` if they do not match."""
    with _LOCK:
        return msgspec.convert(plain, type)


@contextmanager
def collector_paused() -> Iterator[None]:
    """Pause Python's cyclic garbage collector while very many values without cycles are decoded.

    The collector would traverse all of them repeatedly. Objects without references are still freed.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
