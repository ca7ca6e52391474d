"""Readers of files that are one table: CSV and TSV, with encoding and delimiter detected, Parquet and Arrow."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from pipelines.core.document import Page, Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.core.table import Cell, is_data
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.decode import decode
from pipelines.parse.limits import MEBIBYTE
from pipelines.parse.office.ranges import CellRange, address
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, signed
from pipelines.parse.settings import ParseSettings

# In order of preference: a comma is also a decimal sign and punctuation.
_DELIMITERS = ("\t", ";", "|", ",")
_DELIMITER_LINE = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
_SAMPLE_LINES = 300
"""Number of lines from which the delimiter is detected; the first ones may be prose."""
_SAMPLE_CHARACTERS = 20_000
"""Characters of a line from which it is detected: hundreds of columns."""
_MOST_FIELD_LINES = 200
"""Maximum lines of a field; a longer one begins with a quotation mark that is never closed."""
_GRID_LINES, _GRID_LEAST = 200, 3
"""Lines examined by `_looks_delimited`, and its minimum of lines and of fields: two may be coincidence in prose."""
_GRID_WIDEST, _GRID_FIELD = 4000, 40
"""Maximum characters of a line, and of a field on average: longer ones are sentences with commas."""
_BATCH_ROWS = 1000
"""Rows of a Parquet or Arrow file in memory at once: a fraction of `limits.cells`."""
# The default limit of the csv module (128 KiB, process-wide) is too small for long cells: 1 GiB is no limit.
csv.field_size_limit(1 << 30)
_TSV, _CSV = "text/tab-separated-values", "text/csv"


def find_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that splits the most rows into the same number of fields, a comma if none does."""
    if lines and (hint := _DELIMITER_LINE.fullmatch(lines[0])):
        return hint.group(1)
    sample = [line[:_SAMPLE_CHARACTERS] for line in lines[:_SAMPLE_LINES] if line.strip()]
    scores = {delimiter: _consistent_share(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ","


def read_rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the rows that are not empty; a quotation mark that is never closed is an ordinary character.

    A first line that declares the delimiter ("sep=;") is skipped.
    """
    position = 1 if lines and _DELIMITER_LINE.fullmatch(lines[0]) else 0
    while position < len(lines):
        reader = csv.reader(islice(lines, position, None), delimiter=delimiter, skipinitialspace=True)
        consumed = 0
        for row in reader:
            if reader.line_num - consumed > _MOST_FIELD_LINES:
                yield lines[position + consumed].rstrip("\n").split(delimiter)
                position += consumed + 1
                break
            consumed = reader.line_num
            if any(field.strip() for field in row):
                yield row
        else:
            return


def _consistent_share(lines: Sequence[str], delimiter: str) -> float:
    """Return the share of rows with the most common number of fields above one."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    divided = {fields: count for fields, count in counts.items() if fields > 1}
    return max(divided.values()) / sum(counts.values()) if divided else 0.0


class CsvReader:
    """Reads a delimited file as one table; rows beyond `limits.cells` are left out and reported as an issue."""

    formats = (
        FileFormat(_TSV, (".tsv", ".tab"), guess=lambda sample: _looks_delimited(sample.text, "\t"), also=(".txt",)),
        FileFormat(_CSV, (".csv",), guess=lambda sample: _looks_delimited(sample.text, ",;"), also=(".txt",)),
    )
    name = "csv"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        limits = settings.limits
        if source.size > limits.output_mb * MEBIBYTE:
            raise TooLarge(f"a table of more than {limits.output_mb} MiB", ids=(source.uri,))
        builder = DocumentBuilder(source, settings, self.name)
        decoded = decode(path.read_bytes())
        if decoded.damaged:
            builder.remark(f"{decoded.damaged} characters are not {decoded.encoding}")
        lines = io.StringIO(decoded.text, newline=None).readlines()
        _append_rows(read_rows(lines, find_delimiter(lines)), builder)
        return builder.build()


class ColumnReader:
    """Reads Parquet and Arrow files in batches of rows; the header is the column names."""

    formats = (
        signed("application/vnd.apache.parquet", ".parquet"),
        signed("application/vnd.apache.arrow.file", ".arrow", ".feather"),
    )
    name = "pyarrow"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        import pyarrow as pa
        import pyarrow.parquet as pq

        builder = DocumentBuilder(source, settings, self.name)
        try:
            if source.media_type == self.formats[0].media_type:
                file = pq.ParquetFile(path)
                _append_rows(_rows(file.schema_arrow.names, file.iter_batches(_BATCH_ROWS)), builder)
            else:
                with pa.ipc.open_file(path) as arrow:
                    batches = map(arrow.get_batch, range(arrow.num_record_batches))
                    _append_rows(_rows(arrow.schema.names, batches), builder)
        except (pa.ArrowException, OSError) as error:
            raise Malformed(f"not a readable table: {error}", ids=(source.uri,)) from error
        return builder.build()


def _rows(names: list[str], batches: Iterable[Any]) -> Iterator[list[str]]:
    yield names
    for batch in batches:
        for row in zip(*(column.to_pylist() for column in batch.columns), strict=True):
            yield ["" if value is None else str(value) for value in row]


def _append_rows(rows: Iterable[Sequence[str]], builder: DocumentBuilder) -> None:
    """Append rows as one table; those beyond `limits.cells` are left out and reported as an issue."""
    most = builder.settings.limits.cells
    cells, left_out = _cells(rows, most)
    if left_out:
        builder.page(Page(1, issue=f"rows from {left_out} on are left out: more than {most} cells"))
    if cells:
        if not is_data(cells):
            cells = [replace(cell, header=cell.row == 0) for cell in cells]
        area = CellRange(0, 0, max(cell.row for cell in cells), max(cell.column for cell in cells))
        builder.table(cells, Place(page=1 if left_out else None, cells=str(area)))


def _cells(rows: Iterable[Sequence[str]], most: int) -> tuple[list[Cell], int]:
    """Return the cells with text, and the first row, counted from 1, with cells beyond `most`; 0 if there is none."""
    cells: list[Cell] = []
    for row, fields in enumerate(rows):
        room = most - len(cells)
        filled = list(islice(((at, text.strip()) for at, text in enumerate(fields) if text.strip()), room + 1))
        cells += [Cell(row, column, text, address=address(row, column)) for column, text in filled[:room]]
        if len(filled) > room:
            return cells, row + 1
    return cells, 0


def _looks_delimited(text: str, delimiters: str) -> bool:
    """Whether one of the delimiters splits every line into the same number of short fields, at least three."""
    lines = [line for line in text.splitlines()[:_GRID_LINES] if line.strip()][:-1]  # the last line may be truncated
    return any(_splits_evenly(lines, delimiter) for delimiter in delimiters)


def _splits_evenly(lines: list[str], delimiter: str) -> bool:
    if len(lines) < _GRID_LEAST or delimiter not in lines[0] or max(map(len, lines)) > _GRID_WIDEST:
        return False
    try:
        rows = list(csv.reader(lines, delimiter=delimiter))
    except csv.Error:
        return False
    widths = {len(row) for row in rows}
    fields = [field for row in rows for field in row]
    return len(widths) == 1 and widths.pop() >= _GRID_LEAST and sum(map(len, fields)) < _GRID_FIELD * len(fields)
