"""Settings to an embedder, and the file in which the vectors of slow ones are kept."""

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
"""Embedders that are as quick as looking a vector up."""


def open_embedder(settings: EmbedSettings = EmbedSettings(), cache_path: Path | None = None) -> Embedder:
    """Return the embedder that `settings` name; no model is loaded before the first text.

    The slower ones keep their vectors in a file at `cache_path`. A name such as `my_embedders:Mine` is that of a
    class which is given the settings and fits `Embedder`; `pipelines.llm.testing.EmbedderContract` tests it. Raises
    `MissingExtra` where the package is not installed, `SettingsError` for a class, a dimension or a model that there
    is not.
    """
    embedder = _open(settings)
    if cache_path is None or not settings.cache or settings.name in QUICK:
        return embedder
    return CachedEmbedder(embedder, cache_path)


def reads(info: EmbedderInfo, language: str) -> bool:
    """Return whether an embedder was made for texts in a language; "" is a language that is not known.

    WordLlama was made for English; all others are taken to read every language, one of your own too.
    """
    return info.name != "wordllama" or language in ("", "en")


def default_embedder() -> Embedder:
    """Return the embedder that compares names, questions and tags, whatever the knowledge base's own is.

    It is WordLlama, which has its model in its package and takes thousands of texts a second.
    """
    return _open(EmbedSettings())


def _open(settings: EmbedSettings) -> Embedder:
    """Import the one that is asked for; the others' libraries stay out of the process."""
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
        raise SettingsError(f"{settings.name} has vectors of {only} numbers, not {settings.dimension}")


_SCHEMA = ("CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID",)
_SUM_BYTES = 4
_BATCH = 256
"""Texts embedded before their vectors are written: what a kill can cost."""


class CachedEmbedder:
    """An embedder around one that is slow or costs money; safe under threads and several processes.

    Where the file cannot be written, no vector is kept.
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
    """Remove from the file at `path` the vectors of all but these texts, down to their bytes; return how many."""
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
    """The vector, None where it is damaged; those of earlier versions have no checksum."""
    data, sum = kept[: 4 * dimension], kept[4 * dimension :]
    if len(data) != 4 * dimension or sum not in (b"", zlib.crc32(data).to_bytes(_SUM_BYTES)):
        return None
    return np.frombuffer(data, dtype="<f4")
