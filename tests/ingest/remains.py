"""A search for data in every file of a knowledge base: raw, decompressed, and in every table version."""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing
from pathlib import Path

import lancedb
import pyarrow as pa

_ZSTD = b"\x28\xb5\x2f\xfd"
"""The magic number of a zstd frame (RFC 8878, 3.1.1)."""
_HEAD = 64
"""Maximal offset of the compressed part in an artifact, in bytes."""


def remains(kb: Path, wanted: Mapping[str, bytes]) -> dict[str, set[str]]:
    """Return the files that contain each of the wanted values; values that no file contains are left out.

    `wanted` maps names to bytes; they are searched as they are and as UTF-16, ignoring case.
    """
    found: dict[str, set[str]] = {}
    for path in sorted(kb.rglob("*")):
        place = path.relative_to(kb).as_posix()
        for name, data in wanted.items():
            if any(form in place.encode().lower() for form in _forms(data)):
                found.setdefault(name, set()).add(f"{place} (its name)")
        if path.is_file():
            for content in _contents(path):
                lower = content.lower()
                for name, data in wanted.items():
                    if any(form in lower for form in _forms(data)):
                        found.setdefault(name, set()).add(place)
    for place, content in _tables(kb):
        for name, data in wanted.items():
            if data.lower() in content:
                found.setdefault(name, set()).add(place)
    return found


def _forms(data: bytes) -> Iterator[bytes]:
    yield data.lower()
    if data.isascii():
        yield data.decode().lower().encode("utf-16-le")
        yield data.decode().lower().encode("utf-16-be")


def _contents(path: Path) -> Iterator[bytes]:
    data = path.read_bytes()
    yield data
    for start in range(min(_HEAD, len(data))):
        if data[start : start + 1] == b"\x78":
            try:
                yield zlib.decompress(data[start:])
            except zlib.error:
                continue
        if data[start : start + len(_ZSTD)] == _ZSTD:
            with pa.CompressedInputStream(pa.BufferReader(data[start:]), "zstd") as stream:
                yield stream.read()
    if data.startswith(b"SQLite format 3"):
        yield from _rows(path)


def _rows(path: Path) -> Iterator[bytes]:
    with closing(sqlite3.connect(path)) as db:
        tables = [name for (name,) in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in db.execute(f'SELECT * FROM "{table}"'):
                yield b"\n".join(_bytes(value) for value in row)


def _tables(kb: Path) -> Iterable[tuple[str, bytes]]:
    """The rows of every version of every vector table."""
    for folder in kb.glob("vectors/*"):
        db = lancedb.connect(str(folder))
        for name in db.list_tables(limit=100).tables:
            table = db.open_table(name)
            for version in table.list_versions():
                table.checkout(version["version"])
                rows = table.search().limit(1_000_000).to_arrow().drop_columns(["vector"]).to_pylist()
                yield f"{folder.name}/{name} version {version['version']}", repr(rows).encode().lower()


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")
