"""Embeddings by WordLlama: averages of token vectors distilled from language models, with the model in its package.

Only the package's two data files are read, token vectors and tokenizer: importing it loads an HTTP client and takes
longer than answering a question.
"""

from __future__ import annotations

import json
import math
import os
import struct
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipelines.core.errors import SettingsError
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from tokenizers import Tokenizer

DIMENSIONS = (256, 128, 64)
_MODEL = "l2_supercat"
_TENSOR = "embedding.weight"
_LENGTH = struct.Struct("<Q")
"""The first field of a safetensors file: the size of its JSON header in bytes."""
_BATCH = 256


class WordLlamaEmbedder:
    """The default embedder: no download, thousands of passages per second.

    The model is loaded with the first text, once per process. `dimension` is 256, 128 or 64: the vectors are trained
    for truncation. Queries and passages are embedded in the same way.
    """

    def __init__(self, dimension: int = 256) -> None:
        if dimension not in DIMENSIONS:
            raise SettingsError(f"wordllama has vectors of {DIMENSIONS} dimensions, not {dimension}")
        self._dimension = dimension

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("wordllama", _MODEL, self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._means)

    def close(self) -> None:
        """There is nothing to release: the model is shared."""

    def _means(self, texts: list[str]) -> Vectors:
        """Return the mean of each text's token vectors. WordLlama's own code pads a batch to its longest text, which
        takes half a gigabyte for 64 texts if one of them has 8,000 tokens, and most of the time."""
        table, tokenizer = _vectors(self._dimension), _tokenizer()
        means = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            encodings = tokenizer.encode_batch_fast(texts[start : start + _BATCH], add_special_tokens=False)
            for number, encoding in enumerate(encodings, start):
                if encoding.ids:
                    means[number] = table[encoding.ids].mean(axis=0)
        return means


@cache
def _vectors(dimension: int) -> NDArray[np.float32]:
    """Return the vectors of all tokens as float32, which is faster to add than the float16 of the file."""
    path = _folder() / "weights" / f"{_MODEL}_{DIMENSIONS[0]}.safetensors"
    with path.open("rb") as file:
        (length,) = _LENGTH.unpack(file.read(_LENGTH.size))
        told = json.loads(file.read(length))[_TENSOR]
        if told["dtype"] != "F16":
            raise SettingsError(f"the vectors of this version of wordllama are {told['dtype']}, not F16")
        file.seek(told["data_offsets"][0], os.SEEK_CUR)
        stored = np.fromfile(file, np.float16, math.prod(told["shape"]))
    return stored.reshape(told["shape"])[:, :dimension].astype(np.float32)


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    return Tokenizer.from_file(str(_folder() / "tokenizers" / f"{_MODEL}_tokenizer_config.json"))


def _folder() -> Path:
    """Return the folder of the package without importing it."""
    spec = find_spec("wordllama")
    if spec is None or spec.origin is None:
        raise ModuleNotFoundError("wordllama is not installed", name="wordllama")
    return Path(spec.origin).parent
