"""Rarity and semantic similarity of the words of a corpus."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.llm.embedders import reads

MOST = 16_384
"""Cached words: 16 MiB with vectors of 256 numbers. The passages of an answer have about 400 words."""


class WordVectors:
    """Embeds words, with a cache of the last `most` ones; thread-safe.

    The passages of consecutive answers have most of their words in common.
    """

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder, self._most = embedder, most
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    @property
    def info(self) -> EmbedderInfo:
        return self._embedder.info

    def of(self, words: Sequence[str]) -> Vectors:
        """Return the vectors of words as passages, shape (len(words), dimension)."""
        with self._lock:
            found = {word: self._kept[word] for word in words if word in self._kept}
            for word in found:
                self._kept.move_to_end(word)
        lacking = [word for word in dict.fromkeys(words) if word not in found]
        if lacking:
            new = dict(zip(lacking, self._embedder.embed(lacking, Side.PASSAGE), strict=True))
            found |= new
            self._keep(new)
        return np.stack([found[word] for word in words])

    def _keep(self, new: dict[str, Vectors]) -> None:
        with self._lock:
            self._kept |= {
                word: vector.copy() for word, vector in new.items()
            }  # a copy, so that the batch can be freed
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


_SHARED: dict[EmbedderInfo, WordVectors] = {}


def shared_words(embedder: Embedder) -> WordVectors:
    """Return the word vectors shared by the whole process: they do not depend on the knowledge base."""
    return _SHARED.setdefault(embedder.info, WordVectors(embedder))


class CorpusLexicon:
    """Rarity and similarity of the words of a corpus.

    `frequency` returns the number of chunks with a term, out of `size`. `embedder` is that of the knowledge base;
    `words` has the vectors of single words, by default from the same embedder.
    """

    def __init__(
        self, frequency: Callable[[str], int], size: int, embedder: Embedder, words: WordVectors | None = None
    ) -> None:
        self._frequency, self._size = frequency, max(1, size)
        self._embedder = embedder
        self._words = words or WordVectors(embedder)

    def rarity(self, term: str) -> float:
        """Return log((n + 1) / (df + 0.5)) divided by its maximum, which it has at df = 0; never below 0."""
        top = math.log((self._size + 1) / 0.5)
        return max(0.0, math.log((self._size + 1) / (self._frequency(term) + 0.5)) / top)

    def word_similarities(
        self, words: Sequence[str], others: Sequence[str], language: str
    ) -> Sequence[Sequence[float]]:
        """Return for each of `words` its cosines with `others`.

        In a language that is not supported, words with the same letters would be similar: "salaire" and "sala" by 0.85.
        """
        if not words or not others or not reads(self._words.info, language):
            return tuple([0.0] * len(others) for _ in words)
        vectors = self._words.of([*words, *others])
        rows: list[list[float]] = (vectors[: len(words)] @ vectors[len(words) :].T).tolist()
        return rows

    def similarities(self, question: str, texts: Sequence[str], language: str) -> Sequence[float]:
        """Return the cosine of each text with the question, by the knowledge base's embedder."""
        if not texts or not reads(self._embedder.info, language):
            return (0.0,) * len(texts)
        vector = self._embedder.embed([question], Side.QUERY)[0]
        return [float(value) for value in self._embedder.embed(list(texts), Side.PASSAGE) @ vector]
