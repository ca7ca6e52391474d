"""A LanceDB table with the records of one kind, and its indexes."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.core.vectors import Vectors
from pipelines.store.lancedb.changes import MOST_NAMED, all_new, row_changes
from pipelines.store.lancedb.conditions import among, condition
from pipelines.store.lancedb.guard import REBUILD, guarded
from pipelines.store.lancedb.rows import LANGUAGE, TEXTS, records_of, rows_of, schema_with, vector_type
from pipelines.store.vector import EmbeddedRecords, Filter, RecordKind, Scored

if TYPE_CHECKING:
    import lancedb
    from lancedb.query import FullTextQuery

BATCH = 4096
INDEX_FROM = 8_000
"""Minimum rows for an approximate index of vectors; with fewer rows, exact search is fast enough."""
PARTITIONED = 0.25
"""Partitions of an index per square root of its rows: each row is compared with all of them, which is most of the work
of making it. With 1, and 50 partitions read, that takes three times as long and finds no more
(`benchmarks/vector_index.py`)."""
PROBED_SHARE, PROBED_LEAST = 0.05, 20
"""Share of the partitions of an index that a search reads, and their minimum number."""
REFINED = 2
"""Candidates of the index per requested result, which are ranked by the full vectors: the index has only one byte per
dimension (`benchmarks/vector_index.py`)."""
SAMPLED = 32
"""Vectors per partition used to train an index: with eight times as many, training takes four times as long without
better results (`benchmarks/vector_index.py`)."""
OUTGROWN = 4
"""An index is trained again when the table has so many times the rows of the last training."""
KEPT_VERSIONS = timedelta(hours=1)
"""How long readers can use a version of a table after a newer one was written."""
_INDEXED = ("terms", "owner")
_VECTOR_INDEX = "vector_idx"


class VectorTable:
    """The records of one kind: a table with an index of terms and, from `INDEX_FROM` rows, one of vectors.

    `intact` is the path of an empty file that exists while no file of the table has removed rows, so that an erasure
    rewrites only the tables from which rows were removed, by this process or by an earlier one.
    """

    def __init__(self, table: lancedb.table.Table, dimension: int, intact: Path) -> None:
        self._table = table
        self._intact = intact
        held = guarded(lambda: set(table.schema.names))
        if lacking := sorted(set(schema_with(vector_type(dimension)).names) - held - {LANGUAGE}):
            raise StoreMismatch(f"a table of the vectors is damaged: it lacks {', '.join(lacking)}", hint=REBUILD)
        self._vectors = guarded(lambda: table.schema.field("vector").type)
        stored = self._vectors.list_size
        if stored != dimension:
            raise StoreMismatch(
                f"the vectors of this knowledge base have {stored} dimensions, the embedder {dimension}",
                hint="`strata reindex --embedder NAME` changes the embedder",
            )
        self._has_language = LANGUAGE in held
        self._probes = self._count_probes()
        self._is_new = False
        self._owners: set[str] | None = None
        """The owners with rows, for a table created here: no search is needed for other owners. None if unknown."""

    @property
    def _async_table(self) -> lancedb.table.AsyncTable:
        """The asynchronous table. The synchronous one waits for another thread six times in a search, which takes a
        third of the CPU time of a search in a small table."""
        return self._table._table

    @property
    def name(self) -> str:
        return str(self._table.name)

    @property
    def version(self) -> int:
        return int(guarded(lambda: self._table.version))

    @staticmethod
    def open(db: lancedb.DBConnection, name: str, dimension: int) -> VectorTable:
        return VectorTable(guarded(lambda: db.open_table(name)), dimension, _intact(db, name))

    @staticmethod
    def create(db: lancedb.DBConnection, name: str, dimension: int) -> VectorTable:
        table = guarded(lambda: db.create_table(name, schema=schema_with(vector_type(dimension)), exist_ok=True))
        created = VectorTable(table, dimension, _intact(db, name))
        created._index_words()
        created._is_new = True
        if not created._count():
            created._owners = set()
            created._intact.touch()
        return created

    def _index_words(self) -> None:
        """Create the indexes of terms and owners, replacing existing ones."""
        from lancedb.index import FTS, BTree

        text = FTS(
            base_tokenizer="whitespace", stem=False, lower_case=False, remove_stop_words=False, ascii_folding=False,
            with_position=False, max_token_length=None,
        )  # fmt: skip
        guarded(lambda: self._table.create_index("terms", config=text))
        guarded(lambda: self._table.create_index("owner", config=BTree()))

    def replace(self, owners: Collection[str], embedded: EmbeddedRecords) -> None:
        """Replace the rows of these owners by those of `embedded`; only rows that differ are written or deleted.

        If `embedded` has no terms, unchanged rows keep their terms.
        """
        self._add_language(embedded)
        columns = [*self._text_columns, "page", "tags", "vector", *(("terms",) if embedded.terms else ())]
        held = self._held(owners, columns)
        changes = (
            row_changes(held, rows_of(embedded, self._vectors, columns))
            if held.num_rows
            else all_new(len(embedded.records))
        )
        if changes.gone is None:
            self._delete(among("owner", owners))
        elif changes.gone:
            self._delete(f"{among('owner', owners)} AND {among('id', changes.gone)}")
        self._add(embedded.at(changes.added))

    def revise(self, owner: str, gone: Sequence[str], added: EmbeddedRecords) -> None:
        """Remove an owner's rows with the ids `gone`, and add the records `added`; see `Revisable`."""
        self._add_language(added)
        for start in range(0, len(gone), MOST_NAMED):
            self._delete(f"{among('owner', (owner,))} AND {among('id', gone[start : start + MOST_NAMED])}")
        self._add(added)

    def texts(self, owner: str) -> dict[str, str]:
        """Return the texts of an owner's records by id; see `Revisable`."""
        rows = self._held((owner,), ("id", "text"))
        ids = rows["id"].to_pylist()
        texts = dict(zip(ids, rows["text"].to_pylist(), strict=True))
        repeated = (id for id, count in Counter(ids).items() if count > 1) if len(texts) < len(ids) else ()
        return texts | dict.fromkeys(repeated, "")

    def terms(self, owners: Collection[str] | None) -> Iterator[tuple[str, str]]:
        """Yield the ids and terms of the records of these owners (None: all); see `Termed`."""
        query = self._table.search().select(["id", "terms"]).limit(max(1, self._count()))
        if owners is not None:
            query = query.where(among("owner", owners))
        batches = guarded(lambda: query.to_batches(BATCH))
        while batch := guarded(lambda: next(batches, None)):
            yield from zip(batch["id"].to_pylist(), batch["terms"].to_pylist(), strict=True)

    def _add_language(self, embedded: EmbeddedRecords) -> None:
        if embedded.records and not self._has_language:
            guarded(lambda: self._table.add_columns({LANGUAGE: "''"}))
            self._has_language = True

    def _delete(self, where: str) -> None:
        self._intact.unlink(missing_ok=True)
        guarded(lambda: self._table.delete(where))

    def _add(self, embedded: EmbeddedRecords) -> None:
        if self._owners is not None:
            self._owners.update(record.owner for record in embedded.records)
        if embedded.records:
            guarded(lambda: self._table.add(rows_of(embedded.with_terms(), self._vectors)))

    def _held(self, owners: Collection[str], columns: Sequence[str]) -> pa.Table:
        unknown = self._owners is not None and self._owners.isdisjoint(owners)
        if unknown or not owners or not (count := self._count()):
            return schema_with(self._vectors).empty_table().select(columns)
        query = self._table.search().select(list(columns)).where(among("owner", owners)).limit(count)
        return guarded(query.to_arrow).select(columns)

    def search(self, vector: Vectors, limit: int, where: Filter) -> list[Scored]:
        query = self._async_table.query().nearest_to(np.asarray(vector, dtype=np.float32)).column("vector")
        query = query.distance_type("cosine").limit(limit).select(["id", "chunk", "_distance"])
        if self._probes:
            query = query.nprobes(self._probes).refine_factor(REFINED)
        found = _found(query, where)
        return _scored(found, 1.0 - found["_distance"].to_numpy())

    def match(self, wanted: Mapping[str, float], limit: int, where: Filter) -> list[Scored]:
        query = self._async_table.query().nearest_to_text(_full_text(wanted))
        found = _found(query.limit(limit).select(["id", "chunk", "_score"]), where)
        return _scored(found, found["_score"].to_numpy())

    def records(self, kind: RecordKind, owners: Collection[str] | None) -> Iterator[EmbeddedRecords]:
        """Yield the records in order of id, in batches."""
        query = self._table.search().select(["id"]).with_row_id(True).limit(max(1, self._count()))
        if owners is not None:
            query = query.where(among("owner", owners))
        row_ids = guarded(query.to_arrow).sort_by("id")["_rowid"].to_pylist()
        for start in range(0, len(row_ids), BATCH):
            rows = guarded(self._table.take_row_ids(row_ids[start : start + BATCH]).to_arrow)
            yield records_of(kind, rows.sort_by("id"))

    def optimize(self) -> None:
        """Compact the files and update the indexes. Old files are removed when no reader can have them open.

        The old files of a table that was created here are removed at once: they are as large as the table.
        """
        kept = timedelta(0) if self._is_new else KEPT_VERSIONS
        self._is_new = False
        self._compact(cleanup_older_than=kept)
        if not self._has_word_indexes():
            self._index_words()
        self._index_vectors()

    def _compact(self, **options: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # that readers have to open the table again
            guarded(lambda: self._table.optimize(**options))

    def _has_word_indexes(self) -> bool:
        """Return whether the indexes of terms and owners exist; a writer can be killed before it creates them."""
        held = {column for index in guarded(self._table.list_indices) for column in index.columns}
        return held.issuperset(_INDEXED)

    def _index_vectors(self) -> None:
        rows = self._count()
        if rows >= INDEX_FROM and rows >= OUTGROWN * self._indexed_rows():
            self._partition(_partitions(rows))
        self._probes = self._count_probes()

    def _partition(self, partitions: int) -> None:
        """Create the index of vectors, with fewer partitions if too many vectors are equal."""
        from lancedb.index import IvfSq

        config = IvfSq(distance_type="cosine", num_partitions=partitions, sample_rate=SAMPLED)
        try:
            guarded(lambda: self._table.create_index("vector", config=config, name=_VECTOR_INDEX, replace=True))
        except StoreUnavailable:
            if partitions == 1:
                raise
            self._partition(partitions // 2)

    @property
    def is_intact(self) -> bool:
        """Whether no file of the table has removed rows."""
        return self._intact.is_file()

    def wipe(self) -> None:
        """Rewrite all rows in one commit, recreate the indexes of terms and owners, and remove all old files.

        Compaction is not enough: it keeps files of which only few rows are deleted, and the indexes. The index of
        vectors has no text, so it keeps its partitions and adds the new rows: training it again took 77 of 95 CPU
        seconds for the 870,000 rows of linux-doc, so this takes 18.
        """
        guarded(lambda: self._table.update(values_sql={"id": "id"}))
        self._index_words()
        self._compact(cleanup_older_than=timedelta(0), delete_unverified=True)
        self._index_vectors()
        self._intact.touch()

    def _indexed_rows(self) -> int:
        """Return the number of rows in the index of vectors, 0 if there is none."""
        stats = guarded(lambda: self._table.index_stats(_VECTOR_INDEX))
        return 0 if stats is None else int(stats.num_indexed_rows)

    def _count(self) -> int:
        return int(guarded(self._table.count_rows))

    def _count_probes(self) -> int:
        rows = self._indexed_rows()
        return max(PROBED_LEAST, round(_partitions(rows) * PROBED_SHARE)) if rows else 0

    @property
    def _text_columns(self) -> list[str]:
        """The text columns of this table."""
        return [name for name in TEXTS if name != LANGUAGE or self._has_language]


def _full_text(wanted: Mapping[str, float]) -> FullTextQuery:
    """Return a query for any of the terms, with one clause for each distinct weight."""
    from lancedb.query import BooleanQuery, MatchQuery, Occur

    by_weight: dict[float, list[str]] = {}
    for term, weight in wanted.items():
        by_weight.setdefault(weight, []).append(term)
    queries = [MatchQuery(" ".join(found), "terms", boost=weight) for weight, found in by_weight.items()]
    return queries[0] if len(queries) == 1 else BooleanQuery([(Occur.SHOULD, query) for query in queries])


def _partitions(rows: int) -> int:
    return max(1, int(PARTITIONED * rows**0.5))


def _found(query: lancedb.query.AsyncQueryBase, where: Filter) -> pa.Table:
    from lancedb.background_loop import LOOP

    if text := condition(where):
        query = query.where(text)  # applied before the search by default
    return guarded(lambda: LOOP.run(query.to_arrow()))


def _scored(found: pa.Table, scores: np.ndarray) -> list[Scored]:
    rows = zip(found["id"].to_pylist(), found["chunk"].to_pylist(), scores.tolist(), strict=True)
    # Scores that are NaN are left out: a zero vector has no cosine.
    return sorted((Scored(*row) for row in rows if row[2] == row[2]), key=lambda one: (-one.score, one.id))


def _intact(db: lancedb.DBConnection, name: str) -> Path:
    return Path(db.uri) / f"{name}.intact"
