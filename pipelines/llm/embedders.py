"""Creation of the embedder that the settings name, and the cache of vectors of slow embedders."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import cast

import numpy as np

from pipelines.core.cache_file import CacheFile
from pipelines.core.errors import SettingsError
from pipelines.core.ids import digest
from pipelines.core.settings_section import load_by_name
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.llm.settings import EmbedSettings

QUICK = frozenset({"wordllama", "hashing"})
"""Embedders that are as fast as a cache look-up."""


def open_embedder(settings: EmbedSettings = EmbedSettings(), cache_path: Path | None = None) -> Embedder:
    """Return the embedder that `settings` name; its model is loaded with the first text.

    Slow embedders cache their vectors in the file at `cache_path`. A name such as `my_embedders:Mine` refers to a class
    that takes the settings and implements `Embedder`; `pipelines.llm.testing.contracts.EmbedderContract` tests it.
    Raises `MissingExtra` if the package is not installed, `SettingsError` for an unknown class, dimension or model.
    """
    embedder = _open(settings)
    if cache_path is None or not settings.cache or settings.name in QUICK:
        return embedder
    return CachedEmbedder(embedder, cache_path)


def reads(info: EmbedderInfo, language: str) -> bool:
    """Return whether an embedder supports a language; "" is an unknown language.

    WordLlama supports English; all others, including your own, are assumed to support every language.
    """
    return info.name != "wordllama" or language in ("", "en")


def default_embedder() -> Embedder:
    """Return the embedder for comparing names, questions and tags, independent of that of the knowledge base.

    It is WordLlama, whose model is in its package and which embeds thousands of texts per second.
    """
    return _open(EmbedSettings())


def _open(settings: EmbedSettings) -> Embedder:
    """Import only the requested embedder, so that the libraries of the others are not loaded."""
    match settings.name:
        case "wordllama":
            from pipelines.llm.wordllama import WordLlamaEmbedder

            return WordLlamaEmbedder(settings.dimension or 256)
        case "hashing":
            from pipelines.llm.embedder import HashingEmbedder

            return HashingEmbedder(settings.dimension or 256)
        case "e5":
            from pipelines.llm.e5 import E5Embedder

            _refuse_dimension(settings, 384)
            return E5Embedder()
        case "fastembed":
            from pipelines.llm.fastembed import FastEmbedEmbedder

            return FastEmbedEmbedder(
                settings.model, settings.path, settings.dimension, settings.batch, settings.download
            )
        case "openai":
            from pipelines.llm.openai_embedder import OpenAIEmbedder

            return OpenAIEmbedder(settings)
        case own:
            return load_by_name(own, Embedder, settings, setting="embed.name")


def _refuse_dimension(settings: EmbedSettings, only: int) -> None:
    if settings.dimension not in (0, only):
        raise SettingsError(f"{settings.name} has vectors of {only} dimensions, not {settings.dimension}")


_SCHEMA = ("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID",)
_SUM_BYTES = 4
_BATCH = 256
"""Texts embedded before their vectors are written: the most that is lost if the process is killed."""


class CachedEmbedder:
    """A cache around an embedder that is slow or costs money; safe for threads and several processes.

    Nothing is cached if the file cannot be written.
    """

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._file = CacheFile(path, _SCHEMA)

    @property
    def info(self) -> EmbedderInfo:
        return self._inner.info

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        keys = [self._key(text, side) for text in texts]
        vectors = np.zeros((len(texts), self.info.dimension), dtype=np.float32)
        missing: dict[str, list[int]] = {}
        for number, key in enumerate(keys):
            found = self._get(key)
            if found is None:
                missing.setdefault(key, []).append(number)
            else:
                vectors[number] = found
        todo = list(missing.items())
        for start in range(0, len(todo), _BATCH):
            batch = todo[start : start + _BATCH]
            made = self._inner.embed([texts[places[0]] for _, places in batch], side)
            self._put([key for key, _ in batch], made)
            for (_, places), vector in zip(batch, made, strict=True):
                vectors[places] = vector
        return vectors

    def close(self) -> None:
        self._file.close()
        self._inner.close()

    def _key(self, text: str, side: Side) -> str:
        return _key(self.info, text, side)

    def _get(self, key: str) -> Vectors | None:
        rows = self._file.rows("SELECT vector FROM vectors WHERE key = ?", (key,))
        return _unpacked(cast("bytes", rows[0][0]), self.info.dimension) if rows else None

    def _put(self, keys: list[str], vectors: Vectors) -> None:
        if self._file.read_only:
            return
        pairs = zip(keys, vectors, strict=True)
        self._file.write_all(
            "INSERT OR REPLACE INTO vectors VALUES (?, ?)", [(key, _packed(vector)) for key, vector in pairs]
        )


def keep_vectors(path: Path, info: EmbedderInfo, texts: Iterable[str]) -> int:
    """Erase the vectors of all other texts from the file at `path`; return their number."""
    file = CacheFile(path, _SCHEMA)
    try:
        live = json.dumps([_key(info, text, Side.PASSAGE) for text in texts])
        removed = file.write("DELETE FROM vectors WHERE key NOT IN (SELECT value FROM json_each(?))", (live,))
        file.wipe()
        return removed
    finally:
        file.close()


def _key(info: EmbedderInfo, text: str, side: Side) -> str:
    return digest(repr((info.name, info.model, info.dimension, side.value, text)).encode())


def _packed(vector: Vectors) -> bytes:
    data = vector.astype("<f4").tobytes()
    return data + zlib.crc32(data).to_bytes(_SUM_BYTES)


def _unpacked(kept: bytes, dimension: int) -> Vectors | None:
    """Return the vector, None if it is damaged; vectors of earlier versions have no checksum."""
    data, sum = kept[: 4 * dimension], kept[4 * dimension :]
    if len(data) != 4 * dimension or sum not in (b"", zlib.crc32(data).to_bytes(_SUM_BYTES)):
        return None
    return np.frombuffer(data, dtype="<f4")
