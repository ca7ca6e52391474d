"""The protocol of embedders, texts in and unit vectors out, and the simplest one, which needs no model."""

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
    """Which side of the search a text is on; some models embed the two differently."""

    QUERY = "query"
    PASSAGE = "passage"


@dataclass(frozen=True, slots=True)
class EmbedderInfo:
    """What a knowledge base records and refuses to mix. The metric is always the cosine of unit vectors."""

    name: str
    model: str
    dimension: int
    metric: str = "cosine"


@runtime_checkable
class Embedder(Protocol):
    """Texts to unit vectors."""

    @property
    def info(self) -> EmbedderInfo: ...

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        """Return an array of shape (len(texts), dimension), rows of length 1; an empty text has a zero row.

        No texts give shape (0, dimension). Raises `CallFailed` and its kin where a service does the work.
        """
        ...

    def close(self) -> None: ...


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the rows at length 1, as float32; a row of zeros, or with anything not finite, becomes zeros."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    sound = np.isfinite(lengths) & (lengths > 0)
    units: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=sound)
    return units


def embed_filled(texts: Sequence[str], dimension: int, embed: Callable[[list[str]], Vectors]) -> Vectors:
    """Return unit rows for `texts`, asking `embed` only for those that are not blank."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    filled = [number for number, text in enumerate(texts) if text.strip()]
    if filled:
        vectors[filled] = unit_rows(embed([_plain(texts[number]) for number in filled]))
    return vectors


def _plain(text: str) -> str:
    """`text` without what no tokenizer takes: NUL, which ends a C string, and lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")


class HashingEmbedder:
    """Each term adds 1 or -1 at a place that its hash names, so texts are near as far as they share terms.

    A text without terms has a zero row, as an empty one has. (Weinberger et al. 2009, Feature hashing.)
    """

    def __init__(self, dimension: int = 256) -> None:
        self._dimension = dimension

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("hashing", "terms", self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._rows)

    def close(self) -> None:
        """Nothing is held."""

    def _rows(self, texts: list[str]) -> Vectors:
        rows = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            for term in terms(text):
                hashed = int.from_bytes(hashlib.blake2b(term.encode(), digest_size=8).digest())
                row[hashed % self._dimension] += 1.0 if hashed >> 63 else -1.0
        return rows
