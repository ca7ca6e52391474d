"""Vectors and full text in LanceDB, with one table for each kind of record. The only package that imports `lancedb`.

The import takes half a second, so it is done at the first read or write, not when a store is opened: an ingest without
changes needs neither.

A Lance table can name other folders and hosts to read data from. Strata's tables never do, so such a table comes from a
stranger, and opening it would send requests to these hosts with the credentials in this machine's environment.
Therefore the manifests are checked before Lance reads them: each is a protobuf message (`Manifest` in Lance's
`table.proto`) whose offset is at the end of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.core.vectors import Vectors
from pipelines.store.lancedb.guard import REBUILD, guarded
from pipelines.store.lancedb.library import import_lancedb
from pipelines.store.vector import EmbeddedRecords, Filter, RecordKind, Scored

if TYPE_CHECKING:
    import lancedb

    from pipelines.store.lancedb.table import VectorTable

_FOOTER = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
_READER_FLAGS, _BASE_PATHS = 9, 18
"""Field numbers in the manifest: the features that a reader must support, and other locations of data."""
_HAS_BASE_PATHS = 16
"""The feature flag of tables with other locations."""
_FIXED = {1: 8, 5: 4}


class LanceVectorStore:
    """A folder of LanceDB tables. Lexical search is BM25 over `pipelines.lang.terms`, tokenized by Strata.

    `least` returns the versions of the tables after the last write, by name. The first use raises `StoreMismatch` if a
    table is missing or has an earlier version, because it was damaged or deleted; also if the tables have a different
    dimension, or name files outside their folder.
    """

    def __init__(self, path: Path, dimension: int, least: Callable[[], Mapping[str, int]] = dict) -> None:
        self._path = path
        self._dimension = dimension
        self._least = least

    @cached_property
    def _db(self) -> lancedb.DBConnection:
        lancedb = import_lancedb()
        return guarded(lambda: lancedb.connect(str(self._path)))

    @cached_property
    def _tables(self) -> dict[RecordKind, VectorTable]:
        least = self._least()  # before the tables are opened: another process may increase their versions
        folders = {kind: self._path / f"{kind.value}.lance" for kind in RecordKind}
        found = [kind for kind, folder in folders.items() if has_version(folder)]
        for kind in found:
            refuse_elsewhere(folders[kind])
        from pipelines.store.lancedb.table import VectorTable

        tables = {kind: VectorTable.open(self._db, kind.value, self._dimension) for kind in found}
        held = {kind.value: table.version for kind, table in tables.items()}
        if lacking := sorted(name for name, version in least.items() if held.get(name, 0) < version):
            raise StoreMismatch(
                f"vectors are missing or damaged: {', '.join(lacking)}", ids=tuple(lacking), hint=REBUILD
            )
        return tables

    def write(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        expected = (len(embedded.records), self._dimension)
        if embedded.records and embedded.vectors.shape != expected:
            raise StoreMismatch(f"vectors of shape {embedded.vectors.shape}, not {expected}")
        places = {(record.kind, record.id): place for place, record in enumerate(embedded.records)}
        for kind in RecordKind:
            own = [place for (its_kind, _), place in places.items() if its_kind is kind]
            if own or kind in self._tables:
                self._table(kind).replace(owners, embedded.at(own))

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        if limit <= 0 or not np.any(vector):
            return []
        return self._read(kind, lambda table: table.search(vector, limit, where))

    def match(
        self, kind: RecordKind, wanted: Mapping[str, float], limit: int, where: Filter = Filter()
    ) -> list[Scored]:
        return self._read(kind, lambda table: table.match(wanted, limit, where)) if limit > 0 and wanted else []

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[EmbeddedRecords]:
        for kind in sorted(kinds or RecordKind):
            table = self._tables.get(kind)
            if table is not None and (owners is None or owners):
                yield from table.records(kind, owners)

    def optimize(self, *, erase: bool = False) -> None:
        for table in self._tables.values():
            if erase and not table.is_intact:
                table.wipe()
            else:
                table.optimize()

    def texts(self, kind: RecordKind, owner: str) -> Mapping[str, str]:
        """See `Revisable`."""
        table = self._tables.get(kind)
        return table.texts(owner) if table else {}

    def terms(self, kind: RecordKind, owners: Collection[str] | None) -> Iterator[tuple[str, str]]:
        """See `Termed`."""
        table = self._tables.get(kind)
        if table is not None and (owners is None or owners):
            yield from table.terms(owners)

    def revise(self, kind: RecordKind, owner: str, gone: Sequence[str], added: EmbeddedRecords) -> None:
        """See `Revisable`."""
        if gone or added.records:
            self._table(kind).revise(owner, gone, added)

    def versions(self) -> dict[str, int]:
        return {kind.value: table.version for kind, table in self._tables.items()}

    def _read(self, kind: RecordKind, work: Callable[[VectorTable], list[Scored]]) -> list[Scored]:
        """Return the result of `work` on a table, which is opened again if a writer has wiped its old files."""
        try:
            table = self._tables.get(kind)
            return work(table) if table else []
        except StoreUnavailable:
            self.close()
            table = self._tables.get(kind)
            return work(table) if table else []

    def close(self) -> None:
        for name in ("_tables", "_db"):
            self.__dict__.pop(name, None)

    def _table(self, kind: RecordKind) -> VectorTable:
        if kind not in self._tables:
            from pipelines.store.lancedb.table import VectorTable

            self._tables[kind] = VectorTable.create(self._db, kind.value, self._dimension)
        return self._tables[kind]


def has_version(table: Path) -> bool:
    """Return whether this folder has a table; if its creation was interrupted, it has files but no version."""
    return any(_manifests(table))


def refuse_elsewhere(table: Path) -> None:
    """Raise `StoreMismatch` if a version of the table in this folder has files outside it, or cannot be read."""
    for path in sorted(_manifests(table)):
        try:
            elsewhere = _has_other_locations(path.read_bytes())
        except FileNotFoundError:  # a writer has removed this version
            continue
        except (ValueError, IndexError, OverflowError, struct.error) as error:
            raise StoreMismatch(f"a manifest of the vectors is damaged: {path.name}", ids=(str(path),)) from error
        if elsewhere:
            raise StoreMismatch(
                "the vectors name files outside the knowledge base, which Strata never does; they are not opened",
                ids=(str(path),),
                hint="remove its folder `vectors` and ingest again",
            )


def _manifests(table: Path) -> Iterator[Path]:
    return (table / "_versions").glob("*.manifest")


def _has_other_locations(data: bytes) -> bool:
    offset, _, _, magic = _FOOTER.unpack(data[-_FOOTER.size :])
    if magic != b"LANC":
        raise ValueError("not a manifest")
    (length,) = _LENGTH.unpack_from(data, offset)
    message = data[offset + _LENGTH.size :][:length]
    if len(message) < length:
        raise ValueError("cut off")
    return any(
        number == _BASE_PATHS or (number == _READER_FLAGS and bool(value & _HAS_BASE_PATHS))
        for number, value in _fields(message)
    )


def _fields(message: bytes) -> Iterator[tuple[int, int]]:
    """Yield the number and value of each field of a protobuf message; for types other than varint, their length."""
    offset = 0
    while offset < len(message):
        tag, offset = _varint(message, offset)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, offset = _varint(message, offset)
        elif kind == 2:
            value, offset = _varint(message, offset)
            offset += value
        elif kind in _FIXED:
            value = _FIXED[kind]
            offset += value
        else:
            raise ValueError(f"a field of kind {kind}")
        if offset > len(message):
            raise ValueError("cut off")
        yield number, value


def _varint(message: bytes, offset: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[offset]
        value |= (byte & 0x7F) << shift
        offset, shift = offset + 1, shift + 7
        if byte < 0x80:
            return value, offset
        if shift > 63:
            raise ValueError("a number without end")
