"""Vectors and full text in LanceDB, one table a kind of record. The only package that imports `lancedb`.

It takes half a second to import, so that is done when something is read or written, and not when a store is opened:
an ingest that finds nothing new does neither.

A Lance table may name folders and hosts that it is read from.

Ours never do. A table that does came from elsewhere, and opening it would ask those hosts, with keys of this machine's
environment. So the manifests are read before Lance does: a protobuf message (`Manifest` of Lance's `table.proto`) whose
place stands at the end of the file.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.core.vectors import Vectors
from pipelines.store.lancedb.library import import_lancedb
from pipelines.store.lancedb.table import ANEW, VectorTable, guarded
from pipelines.store.vector import EmbeddedRecords, Filter, RecordKind, Scored

if TYPE_CHECKING:
    import lancedb

_FOOTER = struct.Struct("<QHH4s")
_LENGTH = struct.Struct("<I")
_READER_FLAGS, _BASE_PATHS = 9, 18
"""Numbers of fields: what a reader must be able to do, and the other places."""
_HAS_BASE_PATHS = 16
"""The flag that says that there are such places."""
_FIXED = {1: 8, 5: 4}


class LanceVectorStore:
    """A folder of LanceDB tables. Lexical search is BM25 over `pipelines.lang.terms`, tokenized by Strata itself.

    `least` returns the versions that the tables had when they were last written, by name. A table that is missing or
    of an earlier version was damaged or deleted: the first use then raises `StoreMismatch`, as it does where the
    tables have another dimension, or name files outside their folder.
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
        least = self._least()  # before the tables are opened: they may grow newer meanwhile, and never older
        folders = {kind: self._path / f"{kind.value}.lance" for kind in RecordKind}
        found = [kind for kind, folder in folders.items() if has_version(folder)]
        for kind in found:
            refuse_elsewhere(folders[kind])
        tables = {kind: VectorTable.open(self._db, kind.value, self._dimension) for kind in found}
        held = {kind.value: table.version for kind, table in tables.items()}
        if lacking := sorted(name for name, version in least.items() if held.get(name, 0) < version):
            raise StoreMismatch(f"vectors are missing or damaged: {', '.join(lacking)}", ids=tuple(lacking), hint=ANEW)
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
            if erase:
                table.wipe()
            else:
                table.optimize()

    def versions(self) -> dict[str, int]:
        return {kind.value: table.version for kind, table in self._tables.items()}

    def _read(self, kind: RecordKind, work: Callable[[VectorTable], list[Scored]]) -> list[Scored]:
        """What a table says; where a writer has meanwhile wiped what was opened, it is opened anew."""
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
            self._tables[kind] = VectorTable.create(self._db, kind.value, self._dimension)
        return self._tables[kind]


def has_version(table: Path) -> bool:
    """Tell whether this folder holds a table: one whose making was cut off has files, and no version yet."""
    return any(_manifests(table))


def refuse_elsewhere(table: Path) -> None:
    """Raise `StoreMismatch` where a version of the table in this folder has files outside it, or cannot be read."""
    for path in sorted(_manifests(table)):
        try:
            elsewhere = _names_places(path.read_bytes())
        except FileNotFoundError:  # a writer has cleaned up
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


def _names_places(data: bytes) -> bool:
    place, _, _, magic = _FOOTER.unpack(data[-_FOOTER.size :])
    if magic != b"LANC":
        raise ValueError("not a manifest")
    (length,) = _LENGTH.unpack_from(data, place)
    message = data[place + _LENGTH.size :][:length]
    if len(message) < length:
        raise ValueError("cut off")
    return any(
        number == _BASE_PATHS or (number == _READER_FLAGS and bool(value & _HAS_BASE_PATHS))
        for number, value in _fields(message)
    )


def _fields(message: bytes) -> Iterator[tuple[int, int]]:
    """The fields of a message by number; of those that are no varint, the value is their length."""
    place = 0
    while place < len(message):
        tag, place = _varint(message, place)
        number, kind = tag >> 3, tag & 7
        if kind == 0:
            value, place = _varint(message, place)
        elif kind == 2:
            value, place = _varint(message, place)
            place += value
        elif kind in _FIXED:
            value = _FIXED[kind]
            place += value
        else:
            raise ValueError(f"a field of kind {kind}")
        if place > len(message):
            raise ValueError("cut off")
        yield number, value


def _varint(message: bytes, place: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = message[place]
        value |= (byte & 0x7F) << shift
        place, shift = place + 1, shift + 7
        if byte < 0x80:
            return value, place
        if shift > 63:
            raise ValueError("a number without end")
