"""The protocol of embedders, texts to unit vectors, and an embedder without a model."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms


class Side(StrEnum):
    """The side of the search that a text is on; some models embed queries and passages differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """The identity of an embedder, recorded in a knowledge base; vectors of different ones are never mixed.

    The metric is always the cosine of unit vectors.
    """

    name: str
    model: str
    dimension: int
    metric: str = "cosine"


@runtime_checkable
class Embedder(Protocol):
    """Turns texts into unit vectors."""

    @property
    def info(self) -> EmbedderInfo: ...

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        """Return an array of shape (len(texts), dimension) with rows of length 1, and zero rows for empty texts.

        Raises `CallFailed` and its subclasses if an endpoint does the work.
        """
        ...

    def close(self) -> None: ...


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the rows scaled to length 1, as float32; a row that is zero or not finite becomes zero."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    sound = np.isfinite(lengths) & (lengths > 0)
    units: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=sound)
    return units


def embed_filled(texts: Sequence[str], dimension: int, embed: Callable[[list[str]], Vectors]) -> Vectors:
    """Return unit rows for `texts`, calling `embed` only with those that are not blank."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    filled = [number for number, text in enumerate(texts) if text.strip()]
    if filled:
        vectors[filled] = unit_rows(embed([_plain(texts[number]) for number in filled]))
    return vectors


def _plain(text: str) -> str:
    """Return `text` without characters that tokenizers reject: NUL, which ends a C string, and lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class HashingEmbedder:
    """Feature hashing (Weinberger et al. 2009): each term adds 1 or -1 to the component that its hash selects.

    The similarity of texts depends on their common terms. A text without terms has a zero row.
    """

    def __init__(self, dimension: int = 256) -> None:
        self._dimension = dimension

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("hashing", "terms", self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._rows)

    def close(self) -> None:
        """There is nothing to release."""

    def _rows(self, texts: list[str]) -> Vectors:
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                hashed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest())
                row[hashed % self._dimension] += 1.0 if hashed >> 63 else -1.0
        return rows
