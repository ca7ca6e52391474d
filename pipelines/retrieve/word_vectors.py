"""Vectors of single words, kept: the passages of one answer have most of their words in common with the next."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from threading import Lock

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side

MOST = 16_384
"""Words that are kept: 16 MiB of 256 numbers each. The passages of an answer have some 400."""


class WordVectors:
    """Embeds words, each once as long as it is among the last `MOST`; may be used from several threads."""

    def __init__(self, embedder: Embedder, most: int = MOST) -> None:
        self._embedder, self._most = embedder, most
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

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
            self._kept |= {word: vector.copy() for word, vector in new.items()}  # not the whole batch with each
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)


_SHARED: dict[EmbedderInfo, WordVectors] = {}


def shared_words(embedder: Embedder) -> WordVectors:
    """Return those that the whole process has in common: what a word means does not change with an ingest."""
    return _SHARED.setdefault(embedder.info, WordVectors(embedder))
