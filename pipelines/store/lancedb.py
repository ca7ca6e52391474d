"""Vectors and full text in LanceDB, one table a kind of record. The only module that imports `lancedb`.

It takes a second or two to import, so that is done when something is read or written, and not when a store is opened:
an ingest that finds nothing new does neither.
"""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import pyarrow as pa

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.store.lance_filter import among, condition
from pipelines.store.lance_manifest import refuse_elsewhere
from pipelines.store.vector import Embedded, Filter, Record, RecordKind, Scored

if TYPE_CHECKING:
    import lancedb

BATCH = 4096
INDEX_FROM = 8_000
"""Rows from which a table gets an approximate index; below it search is exact, and fast enough."""
PROBED_SHARE, PROBED_LEAST = 0.05, 50
"""Share of an index's partitions that a search looks into, and their number at least."""
OUTGROWN = 4
"""An index is made anew once the table has so many times the rows that its partitions were made for."""
KEPT_VERSIONS = timedelta(hours=1)
"""How long readers that opened a table before a write may go on reading it."""
_TEXTS = ("id", "owner", "text", "chunk", "uri", "media_type", "date")
_VECTOR_INDEX = "vector_idx"
ANEW = "`strata fsck --repair` makes the vectors anew"
_TOLD = 300
"""Characters of an error of the library that are told."""

T = TypeVar("T")


class LanceVectorStore:
    """A folder of LanceDB tables. Lexical search is BM25 over `pipelines.lang.terms`, tokenized by Strata itself.

    `least` gives the versions that tables had when they were last written, by name: one that is not there, or is of an
    earlier version, was damaged or taken away, and is not taken for one that holds nothing. The first use raises
    `StoreMismatch` there, where what is there has another dimension, and where it names files elsewhere.
    """

    def __init__(self, path: Path, dimension: int, least: Callable[[], Mapping[str, int]] = dict) -> None:
        self._path = path
        self._dimension = dimension
        self._least = least

    @cached_property
    def _db(self) -> lancedb.DBConnection:
        os.environ.setdefault("LANCEDB_LOG", "error")  # it warns of every empty partition of an index
        import lancedb

        return guarded(lambda: lancedb.connect(str(self._path)))

    @cached_property
    def _tables(self) -> dict[RecordKind, _Table]:
        names = set(guarded(lambda: self._db.list_tables(limit=100)).tables)
        least = self._least()  # before the tables are opened: they may grow newer meanwhile, and never older
        found = [kind for kind in RecordKind if kind.value in names]
        for kind in found:
            refuse_elsewhere(self._path / f"{kind.value}.lance")
        tables = {kind: _Table.open(self._db, kind.value, self._dimension) for kind in found}
        held = {kind.value: table.version for kind, table in tables.items()}
        if lacking := sorted(name for name, version in least.items() if held.get(name, 0) < version):
            raise StoreMismatch(f"vectors are missing or damaged: {', '.join(lacking)}", ids=tuple(lacking), hint=ANEW)
        return tables

    def write(self, owners: Collection[str], embedded: Embedded) -> None:
        expected = (len(embedded.records), self._dimension)
        if embedded.records and embedded.vectors.shape != expected:
            raise StoreMismatch(f"vectors of shape {embedded.vectors.shape}, not {expected}")
        places = {(record.kind, record.id): place for place, record in enumerate(embedded.records)}
        for kind in RecordKind:
            own = [place for (its_kind, _), place in places.items() if its_kind is kind]
            if own or kind in self._tables:
                records = [embedded.records[place] for place in own]
                self._table(kind).replace(owners, records, embedded.vectors[own])

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        if limit <= 0 or not np.any(vector):
            return []
        return self._read(kind, lambda table: table.search(vector, limit, where))

    def match(self, kind: RecordKind, text: str, limit: int, where: Filter = Filter()) -> list[Scored]:
        wanted = list(dict.fromkeys(terms(text)))
        return self._read(kind, lambda table: table.match(wanted, limit, where)) if limit > 0 and wanted else []

    def records(self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None) -> Iterator[Embedded]:
        for kind in sorted(kinds or RecordKind):
            table = self._tables.get(kind)
            if table is not None and (owners is None or owners):
                yield from table.records(kind, owners)

    def optimize(self) -> None:
        for table in self._tables.values():
            table.optimize()

    def wipe(self) -> None:
        for table in self._tables.values():
            table.wipe()

    def versions(self) -> dict[str, int]:
        return {kind.value: table.version for kind, table in self._tables.items()}

    def clear(self) -> None:
        self.close()
        self._least = dict
        shutil.rmtree(self._path, ignore_errors=True)

    def _read(self, kind: RecordKind, work: Callable[[_Table], list[Scored]]) -> list[Scored]:
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

    def _table(self, kind: RecordKind) -> _Table:
        if kind not in self._tables:
            self._tables[kind] = _Table.create(self._db, kind.value, self._dimension)
        return self._tables[kind]


class _Table:
    """The records of one kind."""

    def __init__(self, table: lancedb.table.Table, dimension: int) -> None:
        self._table = table
        self._dimension = dimension
        held = guarded(lambda: set(table.schema.names))
        if lacking := sorted(set(_schema(dimension).names) - held):
            raise StoreMismatch(f"a table of the vectors is damaged: it lacks {', '.join(lacking)}", hint=ANEW)
        stored = guarded(lambda: table.schema.field("vector").type.list_size)
        if stored != dimension:
            raise StoreMismatch(
                f"the vectors of this knowledge base have {stored} dimensions, the embedder {dimension}",
                hint="`strata reindex --embedder NAME` changes the embedder",
            )
        self._probes = self._count_probes()

    @property
    def version(self) -> int:
        return int(guarded(lambda: self._table.version))

    @staticmethod
    def open(db: lancedb.DBConnection, name: str, dimension: int) -> _Table:
        return _Table(guarded(lambda: db.open_table(name)), dimension)

    @staticmethod
    def create(db: lancedb.DBConnection, name: str, dimension: int) -> _Table:
        table = guarded(lambda: db.create_table(name, schema=_schema(dimension), exist_ok=True))
        created = _Table(table, dimension)
        created._index_words()
        return created

    def _index_words(self) -> None:
        """Make the indexes of terms and owners anew, in place of those that are there."""
        from lancedb.index import FTS, BTree

        text = FTS(
            base_tokenizer="whitespace", stem=False, lower_case=False, remove_stop_words=False, ascii_folding=False,
            with_position=False, max_token_length=None,
        )  # fmt: skip
        guarded(lambda: self._table.create_index("terms", config=text))
        guarded(lambda: self._table.create_index("owner", config=BTree()))

    def replace(self, owners: Collection[str], records: Sequence[Record], vectors: Vectors) -> None:
        if owners:
            guarded(lambda: self._table.delete(among("owner", owners)))
        if records:
            guarded(lambda: self._table.add(self._rows(records, vectors)))

    def search(self, vector: Vectors, limit: int, where: Filter) -> list[Scored]:
        query = self._table.search(np.asarray(vector, dtype=np.float32), vector_column_name="vector")
        query = query.distance_type("cosine").limit(limit).select(["id", "chunk", "_distance"])
        if self._probes:
            query = query.nprobes(self._probes)
        found = _found(query, where)
        return _scored(found, 1.0 - found["_distance"].to_numpy())

    def match(self, wanted: Sequence[str], limit: int, where: Filter) -> list[Scored]:
        query = self._table.search(" ".join(wanted), query_type="fts", fts_columns="terms")
        found = _found(query.limit(limit).select(["id", "chunk", "_score"]), where)
        return _scored(found, found["_score"].to_numpy())

    def records(self, kind: RecordKind, owners: Collection[str] | None) -> Iterator[Embedded]:
        """The records in order of id, a batch in memory at a time."""
        query = self._table.search().select(["id"]).with_row_id(True).limit(max(1, self._count()))
        if owners is not None:
            query = query.where(among("owner", owners))
        places = guarded(query.to_arrow).sort_by("id")["_rowid"].to_pylist()
        for start in range(0, len(places), BATCH):
            rows = guarded(self._table.take_row_ids(places[start : start + BATCH]).to_arrow)
            yield self._embedded(kind, rows.sort_by("id"))

    def optimize(self) -> None:
        guarded(lambda: self._table.optimize(cleanup_older_than=KEPT_VERSIONS))
        self._index_vectors()

    def _index_vectors(self) -> None:
        rows = self._count()
        if rows >= INDEX_FROM and rows >= OUTGROWN * self._indexed_rows():
            self._partition(_partitions(rows))
        self._probes = self._count_probes()

    def _partition(self, partitions: int) -> None:
        """Make the index of vectors, with fewer partitions where too many vectors are alike for so many."""
        from lancedb.index import IvfFlat

        config = IvfFlat(distance_type="cosine", num_partitions=partitions)
        try:
            guarded(lambda: self._table.create_index("vector", config=config, name=_VECTOR_INDEX, replace=True))
        except StoreUnavailable:
            if partitions == 1:
                raise
            self._partition(partitions // 2)

    def wipe(self) -> None:
        """Write every row anew, as one commit, make the indexes from that, and remove all that was there before.

        Compaction would not do: it leaves a file as it is of which only few rows were deleted, and an index as it is.
        """
        guarded(lambda: self._table.update(values_sql={"id": "id"}))
        self._index_words()
        if self._indexed_rows():
            guarded(lambda: self._table.drop_index(_VECTOR_INDEX))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that readers of what was there have to read anew
            guarded(lambda: self._table.optimize(cleanup_older_than=timedelta(0), delete_unverified=True))
        self._index_vectors()

    def _indexed_rows(self) -> int:
        """The number of rows when the vector index was made, 0 without one."""
        stats = guarded(lambda: self._table.index_stats(_VECTOR_INDEX))
        return 0 if stats is None else int(stats.num_indexed_rows)

    def _count(self) -> int:
        return int(guarded(self._table.count_rows))

    def _count_probes(self) -> int:
        rows = self._indexed_rows()
        return max(PROBED_LEAST, round(_partitions(rows) * PROBED_SHARE)) if rows else 0

    def _rows(self, records: Sequence[Record], vectors: Vectors) -> pa.Table:
        flat = pa.array(np.ascontiguousarray(vectors, dtype=np.float32).ravel())
        columns = {name: [getattr(record, name) for record in records] for name in _TEXTS}
        return pa.table(
            {
                **columns,
                "page": [record.page for record in records],
                "tags": [list(record.tags) for record in records],
                "terms": [" ".join(terms(record.text)) for record in records],
                "vector": pa.FixedSizeListArray.from_arrays(flat, self._dimension),
            },
            schema=_schema(self._dimension),
        )

    def _embedded(self, kind: RecordKind, rows: pa.Table) -> Embedded:
        vectors = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False)
        texts = rows.select([*_TEXTS, "page", "tags"]).to_pylist()
        records = tuple(Record(kind=kind, **{**row, "tags": tuple(row["tags"])}) for row in texts)
        return Embedded(records, vectors.reshape(len(records), self._dimension))


def guarded(call: Callable[[], T]) -> T:
    """Return the result of a call of the library; what it raises for a store at fault becomes `StoreUnavailable`."""
    try:
        return call()
    except (OSError, RuntimeError, ValueError, KeyError, pa.ArrowException) as error:
        raise _unavailable(error) from error
    except BaseException as error:
        if type(error).__name__ == "PanicException":  # of its native part, for a file that is damaged
            raise _unavailable(error) from error
        raise


def _unavailable(error: BaseException) -> StoreUnavailable:
    """The error in one line; where the disk is full that is all there is to say."""
    told = " ".join(str(error).split())
    if "No space left" in told:
        return StoreUnavailable("the vectors cannot be written: no space is left on the disk")
    return StoreUnavailable(f"the vectors cannot be used: {told[:_TOLD]}", hint=ANEW)


def _schema(dimension: int) -> pa.Schema:
    fields = [pa.field(name, pa.string()) for name in _TEXTS]
    fields += [pa.field("page", pa.int32()), pa.field("tags", pa.list_(pa.string())), pa.field("terms", pa.string())]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimension))])


def _partitions(rows: int) -> int:
    return max(1, int(rows**0.5))


def _found(query: lancedb.query.LanceQueryBuilder, where: Filter) -> pa.Table:
    if text := condition(where):
        query = query.where(text, prefilter=True)
    return guarded(query.to_arrow)


def _scored(found: pa.Table, scores: np.ndarray) -> list[Scored]:
    rows = zip(found["id"].to_pylist(), found["chunk"].to_pylist(), scores.tolist(), strict=True)
    # A zero vector has no cosine.
    return sorted((Scored(*row) for row in rows if row[2] == row[2]), key=lambda one: (-one.score, one.id))
