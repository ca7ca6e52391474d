"""Tests of the cache of word vectors, and of similarities in languages that the embedder does not support."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import HashingEmbedder, Side
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.retrieve.lexicon import CorpusLexicon, WordVectors


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


def test_words_and_texts_are_similar_only_in_a_language_that_the_embedder_supports() -> None:
    lexicon = CorpusLexicon(lambda term: 1, 10, WordLlamaEmbedder())
    assert lexicon.word_similarities(["salaire"], ["sala", "patron"], "fr") == ([0.0, 0.0],)
    assert lexicon.similarities("Quel salaire ?", ["La sala.", "Le patron."], "fr") == (0.0, 0.0)
    ((near, far),) = lexicon.word_similarities(["salary"], ["wage", "pump"], "en")
    assert near > far
    assert lexicon.similarities("Which salary?", ["The wage."], "en")[0] > 0
