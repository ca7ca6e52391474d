"""Replies on disk, by the key of their request: one SQLite file for build and question answering."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from pipelines.core.errors import StoreUnavailable
from pipelines.llm.chat import Reply, Usage

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, used_day INTEGER NOT NULL
) WITHOUT ROWID
"""
_PUT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?)"
_GET = "SELECT text, model, finish, input_tokens, output_tokens, used_day FROM replies WHERE key = ?"
_STATS = """
SELECT role, model, count(*), sum(input_tokens), sum(output_tokens), sum(length(CAST(text AS BLOB)))
FROM replies GROUP BY role, model ORDER BY role, model
"""
_PRUNE = """
DELETE FROM replies
WHERE used_day <= :day AND (:role = '' OR role = :role) AND (:model = '' OR model = :model)
"""
_DAY = 86_400


@dataclass(frozen=True, slots=True)
class CacheLine:
    """What the cache holds for one role and model; `size` is the bytes of the texts."""

    role: str
    model: str
    replies: int
    input_tokens: int
    output_tokens: int
    size: int


class ReplyStore:
    """Replies by key, each written through at once. Any number of threads and processes may share the file.

    Writes go through SQLite's write-ahead log, so one that was killed leaves all replies that it had written.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self._now = now
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._db = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute(_SCHEMA)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the cache at {path} cannot be opened: {error}") from error

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under `key`, None where there is none; it counts as used today."""
        row = self._run(_GET, (key,)).fetchone()
        if row is None:
            return None
        text, model, finish, input_tokens, output_tokens, used = row
        if used != self._today():
            self._run("UPDATE replies SET used_day = ? WHERE key = ?", (self._today(), key))
        return Reply(text, model, Usage(input_tokens, output_tokens, 0), finish, cached=True)

    def has(self, key: str) -> bool:
        """Whether a reply is kept under `key`."""
        return self._run("SELECT 1 FROM replies WHERE key = ?", (key,)).fetchone() is not None

    def put(self, key: str, role: str, reply: Reply) -> None:
        """Keep a reply; the first one under a key stays."""
        usage = reply.usage
        text = reply.text.encode("utf-8", "replace").decode()
        values = (key, role, reply.model, text, reply.finish, usage.input_tokens, usage.output_tokens, self._today())
        self._run(_PUT, values)

    def stats(self) -> tuple[CacheLine, ...]:
        """Return what is held, in order of role and model."""
        return tuple(CacheLine(*row) for row in self._run(_STATS, ()))

    def prune(self, unused_days: int = 0, role: str = "", model: str = "") -> int:
        """Remove replies that were not used for so many days, 0 for all; of one role or model where named.

        Returns how many were removed, and gives their room on the disk back.
        """
        values: dict[str, object] = {"day": self._today() - unused_days, "role": role, "model": model}
        removed = self._run(_PRUNE, values).rowcount
        self._run("PRAGMA wal_checkpoint(TRUNCATE)", ())
        self._run("VACUUM", ())
        return removed

    def close(self) -> None:
        self._db.close()

    def _today(self) -> int:
        return int(self._now() // _DAY)

    def _run(self, statement: str, values: tuple[object, ...] | dict[str, object]) -> sqlite3.Cursor:
        try:
            return self._db.execute(statement, values)
        except sqlite3.Error as error:
            raise StoreUnavailable(f"the cache of replies broke off: {error}") from error
