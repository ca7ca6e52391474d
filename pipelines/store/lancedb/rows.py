"""The columns of a table of vectors, and records as its rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
import pyarrow as pa

from pipelines.core.vectors import KEPT, Vectors
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind

LANGUAGE = "language"
"""A column that tables of earlier versions do not have until they are written again."""
TEXTS = ("id", "owner", "text", "chunk", "uri", "media_type", "date", LANGUAGE)
"""The columns with a text."""


def vector_type(dimension: int) -> pa.DataType:
    """Return the type of the vectors of a new table; in tables of earlier versions the numbers are twice as large."""
    return pa.list_(pa.from_numpy_dtype(KEPT), dimension)


def schema_with(vectors: pa.DataType) -> pa.Schema:
    """Return the schema of a table with vectors of this type."""
    fields = [pa.field(name, pa.string()) for name in TEXTS]
    fields += [pa.field("page", pa.int32()), pa.field("tags", pa.list_(pa.string())), pa.field("terms", pa.string())]
    return pa.schema([*fields, pa.field("vector", vectors)])


def rows_of(embedded: EmbeddedRecords, vectors: pa.DataType, columns: Sequence[str] | None = None) -> pa.Table:
    """Return records as rows with these columns (None: all), for a table with vectors of this type."""
    records = embedded.records
    schema = schema_with(vectors)
    if columns is not None:
        schema = pa.schema([schema.field(name) for name in columns])
    values: dict[str, Callable[[], object]] = {
        **{name: partial(_column, records, name) for name in (*TEXTS, "page")},
        "tags": lambda: [list(record.tags) for record in records],
        "terms": lambda: embedded.terms,
        "vector": lambda: _vector_column(embedded.vectors, vectors),
    }
    return pa.table({name: values[name]() for name in schema.names}, schema=schema)


def records_of(kind: RecordKind, rows: pa.Table) -> EmbeddedRecords:
    """Return the records of rows with all columns of a table."""
    flat = rows["vector"].combine_chunks().flatten().to_numpy(zero_copy_only=False).astype(np.float32)
    columns = [name for name in (*TEXTS, "page", "tags") if name in rows.column_names]
    texts = rows.select(columns).to_pylist()
    records = tuple(Record(kind=kind, **{**row, "tags": tuple(row["tags"])}) for row in texts)
    return EmbeddedRecords(records, flat.reshape(len(records), rows["vector"].type.list_size))


def _column(records: Sequence[Record], name: str) -> list[object]:
    return [getattr(record, name) for record in records]


def _vector_column(vectors: Vectors, stored: pa.DataType) -> pa.Array:
    flat = pa.array(np.ascontiguousarray(vectors, stored.value_type.to_pandas_dtype()).ravel())
    return pa.FixedSizeListArray.from_arrays(flat, stored.list_size)
