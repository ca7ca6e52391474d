"""Vectors and full text in LanceDB, one table a kind of record. The only module that imports `lancedb`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TypeVar

import lancedb
import numpy as np
import pyarrow as pa
from lancedb.index import FTS, BTree, IvfFlat

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.core.terms import terms
from pipelines.core.vectors import Vectors
from pipelines.store.vector import Embedded, Filter, Record, RecordKind, Scored

BATCH = 4096
INDEX_FROM = 50_000
"""Rows from which a table gets an approximate index; below it search is exact and fast enough."""
PROBED_SHARE = 0.05
"""Share of an index's partitions that a search looks into."""

KEPT_VERSIONS = timedelta(hours=1)
"""How long readers that opened a table before a write may go on reading it."""

T = TypeVar("T")


class LanceVectorStore:
    """A folder of LanceDB tables. Lexical search is BM25 over `pipelines.core.terms`, tokenized by Strata itself."""

    def __init__(self, path: Path, dimension: int) -> None:
        self._dimension = dimension
        self._db = lancedb.connect(str(path))
        names = set(self._db.list_tables(limit=100).tables)
        self._tables = {kind: self._db.open_table(kind.value) for kind in RecordKind if kind.value in names}
        for table in self._tables.values():
            self._check_dimension(table)

    def write(self, owners: Collection[str], embedded: Embedded) -> None:
        if len(embedded.records) and embedded.vectors.shape != (len(embedded.records), self._dimension):
            expected = (len(embedded.records), self._dimension)
            raise StoreMismatch(f"vectors of shape {embedded.vectors.shape}, not {expected}")
        for kind in RecordKind:
            places = [i for i, record in enumerate(embedded.records) if record.kind is kind]
            if places or kind in self._tables:
                self._replace(kind, owners, [embedded.records[i] for i in places], embedded.vectors[places])

    def search(self, kind: RecordKind, vector: Vectors, limit: int, where: Filter = Filter()) -> list[Scored]:
        table = self._tables.get(kind)
        if table is None or limit < 1 or not np.any(vector):
            return []
        query = table.search(np.asarray(vector, dtype=np.float32), vector_column_name="vector").distance_type("cosine")
        query = query.limit(limit).select(["id", "chunk", "_distance"])
        partitions = _partitions(table)
        if partitions:
            query = query.nprobes(max(1, round(partitions * PROBED_SHARE)))
        if condition := _condition(where):
            query = query.where(condition, prefilter=True)
        rows = _guarded(query.to_arrow).to_pylist()
        return _ranked([Scored(row["id"], row["chunk"], 1.0 - row["_distance"]) for row in rows])

    def match(self, kind: RecordKind, text: str, limit: int, where: Filter = Filter()) -> list[Scored]:
        table, wanted = self._tables.get(kind), terms(text)
        if table is None or limit < 1 or not wanted:
            return []
        query = table.search(" ".join(dict.fromkeys(wanted)), query_type="fts", fts_columns="terms")
        query = query.limit(limit).select(["id", "chunk", "_score"])
        if condition := _condition(where):
            query = query.where(condition, prefilter=True)
        rows = _guarded(query.to_arrow).to_pylist()
        return _ranked([Scored(row["id"], row["chunk"], row["_score"]) for row in rows])

    def records(
        self, kinds: Collection[RecordKind] = (), owners: Collection[str] | None = None
    ) -> Iterator[Embedded]:
        for kind in sorted(kinds or RecordKind):
            table = self._tables.get(kind)
            if table is None or (owners is not None and not owners):
                continue
            rows = table.search().limit(table.count_rows())
            if owners is not None:
                rows = rows.where(_among("owner", owners))
            found = _guarded(rows.to_arrow).sort_by("id")
            for start in range(0, found.num_rows, BATCH):
                yield self._embedded(kind, found.slice(start, BATCH))

    def optimize(self) -> None:
        for table in self._tables.values():
            rows = table.count_rows()
            if rows >= INDEX_FROM and not _partitions(table):
                config = IvfFlat(distance_type="cosine", num_partitions=max(1, int(rows**0.5)))
                _guarded(lambda table=table, config=config: table.create_index("vector", config=config))
            _guarded(lambda table=table: table.optimize(cleanup_older_than=KEPT_VERSIONS))

    def close(self) -> None:
        self._tables.clear()

    def _replace(self, kind: RecordKind, owners: Collection[str], records: Sequence[Record], vectors: Vectors) -> None:
        table = self._tables.get(kind)
        if table is None:
            table = self._create(kind)
        if owners:
            _guarded(lambda: table.delete(_among("owner", owners)))
        if records:
            _guarded(lambda: table.add(self._rows(records, vectors)))

    def _create(self, kind: RecordKind) -> lancedb.table.Table:
        table = self._db.create_table(kind.value, schema=_schema(self._dimension), exist_ok=True)
        text = FTS(
            base_tokenizer="whitespace", stem=False, lower_case=False, remove_stop_words=False, ascii_folding=False,
            with_position=False, max_token_length=None,
        )  # fmt: skip
        table.create_index("terms", config=text)
        table.create_index("owner", config=BTree())
        self._tables[kind] = table
        return table

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

    def _check_dimension(self, table: lancedb.table.Table) -> None:
        stored = table.schema.field("vector").type.list_size
        if stored != self._dimension:
            raise StoreMismatch(
                f"the vectors of this knowledge base have {stored} dimensions, the embedder {self._dimension}",
                hint="`strata reindex --embedder NAME` changes the embedder",
            )


_TEXTS = ("id", "owner", "text", "chunk", "uri", "media_type", "date")


def _schema(dimension: int) -> pa.Schema:
    fields = [pa.field(name, pa.string()) for name in _TEXTS]
    fields += [pa.field("page", pa.int32()), pa.field("tags", pa.list_(pa.string())), pa.field("terms", pa.string())]
    return pa.schema([*fields, pa.field("vector", pa.list_(pa.float32(), dimension))])


def _ranked(found: list[Scored]) -> list[Scored]:
    return sorted(found, key=lambda scored: (-scored.score, scored.id))


def _partitions(table: lancedb.table.Table) -> int:
    """The number of partitions of a table's vector index, 0 where it has none."""
    for index in table.list_indices():
        if index.columns == ["vector"]:
            return max(1, int(table.count_rows() ** 0.5))
    return 0


def _condition(where: Filter) -> str:
    """The filter as a condition of SQL; every value is quoted."""
    parts = []
    if where.documents:
        parts.append(f"({_among('uri', where.documents)} OR {_among('owner', where.documents)})")
    if where.folders:
        parts.append("(" + " OR ".join(f"starts_with(uri, {_quoted(_prefix(name))})" for name in where.folders) + ")")
    if where.media_types:
        parts.append(_among("media_type", where.media_types))
    if where.tags:
        parts.append("(" + " OR ".join(f"array_has(tags, {_quoted(tag)})" for tag in where.tags) + ")")
    if where.pages:
        parts.append("page IN (" + ", ".join(str(int(page)) for page in where.pages) + ")")
    if where.since:
        parts.append(f"date >= {_quoted(where.since)}")
    if where.until:
        # A day includes its hours: "2026-03-01T10:00" is not after "2026-03-01".
        parts.append(f"date <> '' AND date <= {_quoted(where.until + '~')}")
    return " AND ".join(parts)


def _prefix(folder: str) -> str:
    return folder.rstrip("/") + "/"


def _among(column: str, values: Collection[str]) -> str:
    return f"{column} IN (" + ", ".join(_quoted(value) for value in sorted(values)) + ")"


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _guarded(call: Callable[[], T]) -> T:
    """The result of a call of the library, its errors as ours: it raises OSError and RuntimeError for a store at fault."""
    try:
        return call()
    except (OSError, RuntimeError) as error:
        raise StoreUnavailable(f"LanceDB: {error}") from error
