"""Embeddings by fastembed: ONNX models from its list, or from a local folder."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipelines.core.errors import MissingExtra, SettingsError
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import EmbedderInfo, Side, embed_filled

if TYPE_CHECKING:
    from fastembed import TextEmbedding

DEFAULT_MODEL = "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2"


class FastEmbedEmbedder:
    """A local neural embedder. fastembed downloads a model of its list with the first text, if `download` is set.

    `path` is a folder with the model's files, so that nothing is downloaded; it can contain a model that is not on the
    list, with mean pooling, whose `dimension` must be given. Raises `MissingExtra` if the package is not installed,
    `SettingsError` for a model that is neither on the list nor in a folder.
    """

    def __init__(
        self, model: str = "", path: str = "", dimension: int = 0, batch: int = 64, download: bool = True
    ) -> None:
        try:
            import fastembed  # noqa: F401
        except ImportError as error:
            raise MissingExtra("fastembed", "embedding with an ONNX model") from error
        self._name = model or (Path(path).name if path else DEFAULT_MODEL)
        self._path, self._batch, self._download = path, batch, download
        self._dimension = _listed(self._name) or dimension
        if not self._dimension:
            hint = "give its dimension" if path else "fastembed.TextEmbedding.list_supported_models() has the list"
            raise SettingsError(f"fastembed does not know the model {self._name}", hint=hint)

    @property
    def info(self) -> EmbedderInfo:
        return EmbedderInfo("fastembed", self._name, self._dimension)

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        return embed_filled(texts, self._dimension, self._queries if side is Side.QUERY else self._passages)

    def close(self) -> None:
        self.__dict__.pop("_model", None)

    @cached_property
    def _model(self) -> TextEmbedding:
        from fastembed import TextEmbedding

        if self._path and not _listed(self._name):
            _enlist(self._name, Path(self._path), self._dimension)
        try:
            if self._path:
                return TextEmbedding(self._name, specific_model_path=self._path)
            return TextEmbedding(self._name, local_files_only=not self._download)
        except (OSError, ValueError, RuntimeError) as error:
            hint = "give the folder that it is in as [embed] path"
            if not self._download:
                hint += ", or let it be downloaded: --set embed.name=fastembed"
            raise SettingsError(f"the model {self._name} cannot be loaded: {error}", hint=hint) from error

    def _queries(self, texts: list[str]) -> Vectors:
        return np.stack(list(self._model.query_embed(texts))).astype(np.float32)

    def _passages(self, texts: list[str]) -> Vectors:
        return np.stack(list(self._model.passage_embed(texts, batch_size=self._batch))).astype(np.float32)


def _listed(name: str) -> int:
    """Return the dimension of a model of fastembed's list, 0 for any other."""
    from fastembed import TextEmbedding

    models = TextEmbedding.list_supported_models()
    return next((int(model["dim"]) for model in models if model["model"].casefold() == name.casefold()), 0)


def _enlist(name: str, folder: Path, dimension: int) -> None:
    from fastembed import TextEmbedding
    from fastembed.common.model_description import ModelSource, PoolingType

    found = sorted(folder.rglob("*.onnx"))
    if not found:
        raise SettingsError(f"no .onnx file in {folder}")
    TextEmbedding.add_custom_model(
        model=name,
        pooling=PoolingType.MEAN,
        normalization=True,
        sources=ModelSource(hf=name),
        dim=dimension,
        model_file=found[0].relative_to(folder).as_posix(),
    )
