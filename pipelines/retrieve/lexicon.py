"""The corpus's words: how rare each is, and what is near to it in meaning."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pipelines.llm.embedder import Embedder, Side


class CorpusLexicon:
    """`frequency` tells in how many of the `size` chunks a term stands; `words` embeds single words."""

    def __init__(
        self, frequency: Callable[[str], int], size: int, embedder: Embedder, words: Embedder | None = None
    ) -> None:
        self._frequency, self._size = frequency, max(1, size)
        self._embedder, self._words = embedder, words or embedder

    def rarity(self, term: str) -> float:
        """Return log((n + 1) / (df + 0.5)) as a share of its highest value, at df = 0; not under 0."""
        top = math.log((self._size + 1) / 0.5)
        return max(0.0, math.log((self._size + 1) / (self._frequency(term) + 0.5)) / top)

    def kinship(self, word: str, others: Sequence[str]) -> Sequence[float]:
        """Return the cosines of the words' vectors."""
        if not others:
            return ()
        vectors = self._words.embed([word, *others], Side.PASSAGE)
        return [float(value) for value in vectors[1:] @ vectors[0]]

    def nearness(self, question: str, texts: Sequence[str]) -> Sequence[float]:
        """Return the cosines of the texts with the question, by the knowledge base's embedder."""
        if not texts:
            return ()
        asked = self._embedder.embed([question], Side.QUERY)[0]
        return [float(value) for value in self._embedder.embed(list(texts), Side.PASSAGE) @ asked]
