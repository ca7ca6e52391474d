"""Replies on disk, by the key of their request: one SQLite file for build and question answering."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from pipelines.llm.chat import Reply, Usage
from pipelines.llm.sqlite_file import SqliteFile

_SCHEMA = """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, used_day INTEGER NOT NULL,
    subject TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID
"""
_PUT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)"
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

_Row = tuple[str, str, str, int, int, int]
_Stats = tuple[str, str, int, int, int, int]


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
        self._file = SqliteFile(path, _SCHEMA)

    def get(self, key: str) -> Reply | None:
        """Return the reply kept under `key`, None where there is none; it counts as used today."""
        for row in self._file.rows(_GET, (key,)):
            text, model, finish, input_tokens, output_tokens, used = cast("_Row", row)
            if used != self._today() and not self._file.read_only:
                self._file.write("UPDATE replies SET used_day = ? WHERE key = ?", (self._today(), key))
            return Reply(text, model, Usage(input_tokens, output_tokens, 0), finish, cached=True)
        return None

    def has(self, key: str) -> bool:
        """Whether a reply is kept under `key`."""
        return bool(self._file.rows("SELECT 1 FROM replies WHERE key = ?", (key,)))

    def put(self, key: str, role: str, reply: Reply, subject: str = "") -> None:
        """Keep a reply about `subject`; the first one under a key stays. Where nothing can be written none is kept."""
        if self._file.read_only:
            return
        usage = reply.usage
        text = reply.text.encode("utf-8", "replace").decode()
        counted = (usage.input_tokens, usage.output_tokens)
        values = (key, role, reply.model, text, reply.finish, *counted, self._today(), subject)
        self._file.write(_PUT, values)

    def stats(self) -> tuple[CacheLine, ...]:
        """Return what is held, in order of role and model."""
        return tuple(CacheLine(*cast("_Stats", row)) for row in self._file.rows(_STATS))

    def prune(self, unused_days: int = 0, role: str = "", model: str = "") -> int:
        """Remove replies that were not used for so many days, 0 for all; of one role or model where named.

        Returns how many were removed, and gives their room on the disk back.
        """
        values: dict[str, object] = {"day": self._today() - unused_days, "role": role, "model": model}
        removed = self._file.write(_PRUNE, values)
        self._file.write("PRAGMA wal_checkpoint(TRUNCATE)")
        self._file.write("VACUUM")
        return removed

    def forget(self, subjects: Collection[str]) -> int:
        """Remove the replies about these subjects, and return how many there were."""
        return sum(
            self._file.write("DELETE FROM replies WHERE subject = ?", (subject,)) for subject in sorted(subjects)
        )

    def close(self) -> None:
        self._file.close()

    def _today(self) -> int:
        return int(self._now() // _DAY)
