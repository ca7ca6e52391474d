"""An embedder that hashes terms: no model, equal on every machine, for tests and as a floor to compare with."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled


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
