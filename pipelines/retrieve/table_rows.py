"""The rows of tables in a chunk: the names of their columns, and what stands in the cells that are merged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest

from pipelines.core.provenance import Span
from pipelines.retrieve.hit import TableRow
from pipelines.retrieve.unit_columns import Fields, with_units

RULE = " | "
_BLANK = "\n\n"


@dataclass(slots=True)
class EvidenceLine:
    """A unit of evidence in the making; `heading` is the line that heads it. See `EvidenceUnit` for the others."""

    span: Span
    text: str
    header: str = ""
    heading: str = ""
    label: bool = False
    fields: Fields = ()
    group: str = ""
    table: str = ""

    @property
    def is_row(self) -> bool:
        return RULE in self.text


def read_tables(
    pieces: Sequence[EvidenceLine], context: str, text: str, known: Sequence[TableRow], language: str
) -> None:
    """Give each row of a chunk its header (`context`, or the first full row of its run), its cells and what heads it.

    `known` are rows as their tables have them, by their place in `text`, the chunk's. They tell what stands in merged
    cells, and which rows are no header. A cell has the unit of its row's column of units.
    """
    by_start = {row.span.start: row for row in known}
    for first, rows in _runs(pieces, text):
        told = [by_start.get(row.span.start) for row in rows]
        caption = pieces[first - 1].text if first and not pieces[first - 1].is_row else ""
        _read_headers(rows, context if first == 0 else "", caption, told)
        _read_cells(rows, told)
        full = [row for row in rows if row.fields]
        for row, joined in zip(full, with_units([row.fields for row in full], language), strict=True):
            row.fields = joined


def _read_headers(rows: Sequence[EvidenceLine], header: str, caption: str, told: Sequence[TableRow | None]) -> None:
    for place, row in enumerate(rows):
        row.heading = f"{row.heading} {caption}"
        if header and not (place and rows[place - 1].label and not cells_of(row.text)[0]):
            row.header = header
        elif header:
            header, row.label = _joined(header, row.text), True  # the second row of a header
        elif len(rows) > 1 and told[place] is None:
            row.label = True
            full = sum(map(bool, cells_of(row.text))) * 2 > len(cells_of(row.text))
            header, caption = (row.text, caption) if full else ("", f"{caption} {row.text}")


def _read_cells(rows: Sequence[EvidenceLine], told: Sequence[TableRow | None]) -> None:
    """The cells of each row by its table, else by its text; a row that is one merged cell heads those below it."""
    group = ""
    for row, known in zip(rows, told, strict=True):
        if known is not None and known.is_one_cell:
            group, row.label = known.cells[0], True
            continue
        row.group, row.heading = group, f"{row.heading} {group}".rstrip()
        row.table = known.table if known is not None else ""
        if known is not None and _is_named(known):
            written = cells_of(row.text)
            row.fields = tuple(
                (name, _as_written(cell, written)) for name, cell in zip(known.names, known.cells, strict=True)
            )
        elif not row.label:
            names, cells = cells_of(row.header), cells_of(row.text)
            row.fields = tuple(zip(names, cells, strict=True)) if len(names) == len(cells) else ()


def _as_written(cell: str, written: Sequence[str]) -> str:
    """A cell with its number in its other form, if the row's text has it so: "14.8 (14.80 EUR)"."""
    return next((one for one in written if one.startswith(f"{cell} (")), cell)


def _is_named(row: TableRow | None) -> bool:
    return row is not None and any(row.names)


def _runs(pieces: Sequence[EvidenceLine], text: str) -> Iterator[tuple[int, Sequence[EvidenceLine]]]:
    """Yield the rows of each table with the place of the first; an empty line parts one table from the next."""
    start = 0
    while start < len(pieces):
        end = start + 1
        while end < len(pieces) and _BLANK not in text[pieces[end - 1].span.end : pieces[end].span.start]:
            end += 1
        for is_row, group in groupby(range(start, end), lambda place: pieces[place].is_row):
            run = list(group)
            if is_row:
                yield run[0], pieces[run[0] : run[-1] + 1]
        start = end


def cells_of(row: str) -> list[str]:
    """Return the cells of a row as it stands in a text."""
    return [cell.strip() for cell in row.split("|")]


def _joined(first: str, second: str) -> str:
    """Return the two rows of a header as one, cell by cell."""
    rows = [cells_of(row) for row in (first, second)]
    return RULE.join(" ".join(cell for cell in cells if cell) for cells in zip_longest(*rows, fillvalue=""))
