"""Embeddings by WordLlama: token vectors distilled from language models, averaged; the model is in its package."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipelines.core.errors import SettingsError
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled

if TYPE_CHECKING:
    from wordllama.inference import WordLlamaInference

DIMENSIONS = (256, 128, 64)
_MODEL = "l2_supercat"
_BATCH = 256


@contextmanager
def _root_logger_kept() -> Iterator[None]:
    """Keep the root logger as it is: WordLlama would set it up when imported, so that every library prints."""
    root, taken = logging.getLogger(), logging.NullHandler()
    root.addHandler(taken)  # `basicConfig` leaves alone what has a handler
    try:
        yield
    finally:
        root.removeHandler(taken)


@cache
def _load(dimension: int) -> WordLlamaInference:
    with _root_logger_kept():
        import wordllama

    # Without its own folder as the cache it looks for the tokenizer on a hub.
    folder = Path(wordllama.__file__).parent
    shorter = None if dimension == DIMENSIONS[0] else dimension
    model = wordllama.WordLlama.load(cache_dir=folder, trunc_dim=shorter, disable_download=True)
    model.tokenizer.no_padding()
    return model


class WordLlamaEmbedder:
    """The default: no download, some thousands of passages a second.

    The model is loaded at the first text, once for all embedders of a process. `dimension` is 256, or 128 or 64: the
    vectors are trained to be cut. Both sides of the search embed alike.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension not in DIMENSIONS:
            raise SettingsError(f"wordllama has vectors of {DIMENSIONS} numbers, not {dimension}")
        self._dimension = dimension

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("wordllama", _MODEL, self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._means)

    def close(self) -> None:
        """Nothing to give back: the model is shared."""

    def _means(self, texts: list[str]) -> Vectors:
        """The mean of each text's token vectors. WordLlama's own pads a batch to its longest text: half a gigabyte
        for 64 texts of which one has 8,000 tokens, and most of the time."""
        model = _load(self._dimension)
        table, tokenizer = model.embedding, model.tokenizer
        means = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            encodings = tokenizer.encode_batch_fast(texts[start : start + _BATCH], add_special_tokens=False)
            for number, encoding in enumerate(encodings, start):
                if encoding.ids:
                    means[number] = table[encoding.ids].mean(axis=0)
        return means
