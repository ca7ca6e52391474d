"""Tests of the cache of word vectors."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import HashingEmbedder, Side
from pipelines.retrieve.lexicon import WordVectors


class Counting(HashingEmbedder):
    """An embedder that records the texts it was given."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        self.asked.append(tuple(texts))
        return super().embed(texts, side)


def test_a_word_is_embedded_once() -> None:
    embedder = Counting()
    words = WordVectors(embedder)
    first, second = words.of(["pump", "seal", "pump"]), words.of(["seal", "bolt"])
    assert embedder.asked == [("pump", "seal"), ("bolt",)]
    assert np.array_equal(first, HashingEmbedder().embed(["pump", "seal", "pump"]))
    assert np.array_equal(second, HashingEmbedder().embed(["seal", "bolt"]))


def test_the_least_recently_used_word_is_evicted() -> None:
    embedder = Counting()
    words = WordVectors(embedder, most=2)
    for asked in (["a", "b"], ["a"], ["c"], ["a"], ["b"]):
        words.of(asked)
    assert embedder.asked == [("a", "b"), ("c",), ("b",)]
