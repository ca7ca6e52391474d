"""Vectors kept by the digest of their text, so that an unchanged text is embedded once."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from threading import Lock

import numpy as np

from pipelines.core.ids import digest
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side

_SCHEMA = """
CREATE TABLE IF NOT EXISTS vectors (key TEXT PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID
"""
_BATCH = 256
"""Texts embedded before their vectors are written: what a kill can cost."""


class CachedEmbedder:
    """An embedder around one that is slow or costs money; safe under threads and several processes."""

    def __init__(self, inner: Embedder, path: Path) -> None:
        self._inner = inner
        path.parent.mkdir(parents=True, exist_ok=True)
        self._db = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._db.execute("PRAGMA journal_mode = WAL")
        self._db.execute("PRAGMA synchronous = NORMAL")
        self._db.execute(_SCHEMA)
        self._lock = Lock()

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
        with self._lock:
            self._db.close()
        self._inner.close()

    def _key(self, text: str, side: Side) -> str:
        info = self.info
        return digest(repr((info.name, info.model, info.dimension, side.value, text)).encode())

    def _get(self, key: str) -> Vectors | None:
        with self._lock:
            row = self._db.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        return np.frombuffer(row[0], dtype="<f4") if row else None

    def _put(self, keys: list[str], vectors: Vectors) -> None:
        rows = [(key, vector.astype("<f4").tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        with self._lock:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", rows)
            self._db.execute("COMMIT")
