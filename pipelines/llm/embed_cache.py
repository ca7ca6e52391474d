"""Vectors kept by the digest of their text, so that an unchanged text is embedded once."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import numpy as np

from pipelines.core.ids import digest
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.llm.sqlite_file import SqliteFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID
"""
_BATCH = 256
"""Texts embedded before their vectors are written: what a kill can cost."""


class CachedEmbedder:
    """An embedder around one that is slow or costs money; safe under threads and several processes.

    Where the file cannot be written, no vector is kept.
    """

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        self._file = SqliteFile(path, _SCHEMA)

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
        info = self.info
        return digest(repr((info.name, info.model, info.dimension, side.value, text)).encode())

    def _get(self, key: str) -> Vectors | None:
        rows = self._file.rows("SELECT vector FROM vectors WHERE key = ?", (key,))
        return np.frombuffer(cast("bytes", rows[0][0]), dtype="<f4") if rows else None

    def _put(self, keys: list[str], vectors: Vectors) -> None:
        if self._file.read_only:
            return
        pairs = zip(keys, vectors, strict=True)
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in pairs]
        self._file.write_all("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
