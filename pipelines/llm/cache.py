"""The cache of replies: a SQLite file of replies by request, and a chat that sends each request once."""

from __future__ import annotations

import asyncio
import json
import time
import zlib
from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import cast

from pipelines.core.cache_file import CacheFile, Values
from pipelines.llm.chat import Chat, Reply, Request, Usage, request_key
from pipelines.llm.reply_schema import read_reply

_SCHEMA = (
    """
CREATE TABLE IF NOT EXISTS replies (
    key TEXT PRIMARY KEY, role TEXT NOT NULL, model TEXT NOT NULL, text TEXT NOT NULL, finish TEXT NOT NULL,
    input_tokens INTEGER NOT NULL, output_tokens INTEGER NOT NULL, used_day INTEGER NOT NULL,
    subject TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID
""",
    # Checksums of the texts, and the documents shown to the model. Files of earlier versions lack both tables.
    "CREATE TABLE IF NOT EXISTS sums (key TEXT PRIMARY KEY, sum INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE IF NOT EXISTS shown (document TEXT, key TEXT, PRIMARY KEY (document, key)) WITHOUT ROWID",
)
_PUT = "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?, ?, ?, ?, '')"
_SUM = "INSERT OR IGNORE INTO sums VALUES (?, ?)"
_SHOWN = "INSERT OR IGNORE INTO shown VALUES (?, ?)"
_GET = """
SELECT text, model, finish, input_tokens, output_tokens, used_day, sum
FROM replies LEFT JOIN sums USING (key) WHERE key = ?
"""
_STATS = """
SELECT role, model, count(*), sum(input_tokens), sum(output_tokens), sum(length(CAST(text AS BLOB)))
FROM replies GROUP BY role, model ORDER BY role, model
"""
_PRUNE = """
DELETE FROM replies
WHERE used_day <= :day AND (:role = '' OR role = :role) AND (:model = '' OR model = :model)
"""
_KEEP = (
    "DELETE FROM shown WHERE document NOT IN (SELECT value FROM json_each(?))",
    "DELETE FROM replies WHERE key NOT IN (SELECT key FROM shown)",
)
_LEFT_OVER = (
    "DELETE FROM shown WHERE key NOT IN (SELECT key FROM replies)",
    "DELETE FROM sums WHERE key NOT IN (SELECT key FROM replies)",
)
_DAY = 86_400

_Row = tuple[str, str, str, int, int, int, int | None]
_Stats = tuple[str, str, int, int, int, int]


@dataclass(frozen=True, slots=True)
class CacheLine:
    """The cached replies of one role and model; `size` is the bytes of their texts."""

    role: str
    model: str
    replies: int
    input_tokens: int
    output_tokens: int
    size: int


class ReplyStore:
    """Replies by key, each committed at once. Any number of threads and processes may share the file.

    SQLite's write-ahead log keeps all written replies if the process is killed.
    """

    def __init__(self, path: Path, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._file = CacheFile(path, _SCHEMA)

    def get(self, key: str, touch: bool = True) -> Reply | None:
        """Return the reply under `key`, None if there is none or it is damaged.

        With `touch`, the reply is marked as used today, and a damaged one is deleted.
        """
        touch = touch and not self._file.read_only
        for row in self._file.rows(_GET, (key,)):
            text, model, finish, input_tokens, output_tokens, used, kept = cast("_Row", row)
            if kept not in (None, _sum(text)):
                if touch:
                    self._remove(key)
                return None
            if touch and used != self._today():
                self._file.write("UPDATE replies SET used_day = ? WHERE key = ?", (self._today(), key))
            return Reply(text, model, Usage(input_tokens, output_tokens, 0), finish, cached=True)
        return None

    def has(self, key: str) -> bool:
        """Whether there is a reply under `key`."""
        return bool(self._file.rows("SELECT 1 FROM replies WHERE key = ?", (key,)))

    def put(self, key: str, role: str, reply: Reply, document: str = "") -> None:
        """Store a reply; the first one under a key is kept. Does nothing if the file is read-only.

        `document` is the id of the document shown to the model, empty for several.
        """
        if self._file.read_only:
            return
        usage = reply.usage
        text = reply.text.encode("utf-8", "replace").decode()
        counted = (usage.input_tokens, usage.output_tokens)
        values = (key, role, reply.model, text, reply.finish, *counted, self._today())
        shown: list[tuple[str, Values]] = [(_SHOWN, (document, key))] if document else []
        self._file.write_together([(_PUT, values), (_SUM, (key, _sum(text))), *shown])

    def shown(self, key: str, document: str) -> None:
        """Record that the reply under `key` was also used for a request that shows `document` (if not empty)."""
        if not document or self._file.read_only:
            return
        if not self._file.rows("SELECT 1 FROM shown WHERE (document, key) = (?, ?)", (document, key)):
            self._file.write(_SHOWN, (document, key))

    def stats(self) -> tuple[CacheLine, ...]:
        """Return the number and size of replies, in order of role and model."""
        return tuple(CacheLine(*cast("_Stats", row)) for row in self._file.rows(_STATS))

    def prune(self, unused_days: int = 0, role: str = "", model: str = "") -> int:
        """Delete replies not used for so many days (0: all), optionally of one role or model only.

        Returns the number of deleted replies, and frees their disk space.
        """
        values: dict[str, object] = {"day": self._today() - unused_days, "role": role, "model": model}
        removed = self._file.write(_PRUNE, values)
        self._file.write_together([(statement, ()) for statement in _LEFT_OVER])
        self._file.wipe()
        return removed

    def keep_only(self, documents: Collection[str]) -> int:
        """Erase the replies about documents other than these; return their number.

        Replies to requests that showed no single document, such as answers to questions, are erased as well.
        """
        before = self._count()
        live = json.dumps(sorted(documents))
        self._file.write_together([(_KEEP[0], (live,)), (_KEEP[1], ()), *((one, ()) for one in _LEFT_OVER)])
        self._file.wipe()
        return before - self._count()

    def damaged(self) -> tuple[str, ...]:
        """Return the keys of replies whose checksum is wrong; reads all replies."""
        kept = self._file.rows("SELECT key, text, sum FROM replies JOIN sums USING (key) ORDER BY key")
        return tuple(str(key) for key, text, sum in kept if _sum(str(text)) != sum)

    def _remove(self, key: str) -> None:
        self._file.write("DELETE FROM replies WHERE key = ?", (key,))
        self._file.write("DELETE FROM sums WHERE key = ?", (key,))

    def _count(self) -> int:
        return cast("int", self._file.rows("SELECT count(*) FROM replies")[0][0])

    def close(self) -> None:
        self._file.close()

    def _today(self) -> int:
        return int(self._now() // _DAY)


def _sum(text: str) -> int:
    return zlib.crc32(text.encode())


class CacheChat:
    """A chat that answers from `store` if possible, and stores the replies of the inner chat.

    Failures and replies that do not match their schema are not stored, so a later run sends the request again. Equal
    concurrent requests share one call; all but the first get its reply as cached.
    """

    def __init__(self, inner: Chat, store: ReplyStore) -> None:
        self._inner, self._store = inner, store
        self._under_way: dict[str, asyncio.Task[Reply]] = {}

    async def complete(self, request: Request) -> Reply:
        key = request_key(request)
        if (task := self._under_way.get(key)) is not None:
            reply = _shared(await asyncio.shield(task))
            self._store.shown(key, request.document)
            return reply
        if (kept := self._store.get(key)) is not None:
            self._store.shown(key, request.document)
            return kept
        # A separate task: if the first caller is cancelled, the others still get the reply.
        task = asyncio.create_task(self._ask(key, request))
        self._under_way[key] = task
        task.add_done_callback(lambda done: self._finish(key, done))
        return await asyncio.shield(task)

    async def close(self) -> None:
        for task in self._under_way.values():
            task.cancel()
        await asyncio.gather(*self._under_way.values(), return_exceptions=True)
        await self._inner.close()
        self._store.close()

    async def _ask(self, key: str, request: Request) -> Reply:
        reply = await self._inner.complete(request)
        if request.schema is None or read_reply(reply.text, request.schema).value is not None:
            self._store.put(key, request.role, reply, request.document)
        return reply

    def _finish(self, key: str, task: asyncio.Task[Reply]) -> None:
        del self._under_way[key]
        if not task.cancelled():
            task.exception()  # marks it as retrieved, so that asyncio does not log it if nobody waits any more


def _shared(reply: Reply) -> Reply:
    return replace(reply, usage=replace(reply.usage, calls=0), cached=True)
