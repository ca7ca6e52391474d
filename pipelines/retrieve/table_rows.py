"""The rows of tables in a chunk: the names of their columns, merged cells, and columns of units of measure.

"Efficiency | % | 79" says "79 %".
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, takewhile, zip_longest
from string import ascii_uppercase

from pipelines.core.provenance import Span
from pipelines.lang.quantities import Kind, in_row, quantities
from pipelines.lang.questions import value_kinds
from pipelines.retrieve.hit import TableRow

_MOST = 2 / 3
"""Share of a column's cells that are units beside a figure: some units are in no list, and some rows have no figure."""
_ROWS = 2
"""Rows with a unit at least: one cell is a unit by chance."""

_DASHES = "-–—− /"
"""What stands in place of a unit where a row has none."""
_CLASSES = frozenset(ascii_uppercase)
"""Units that are names of classes as well: a column of one of these alone may be one of classes."""

Fields = tuple[tuple[str, str], ...]
"""The cells of a row, each under the name of its column."""
RULE = " | "
_BLANK = "\n\n"


def with_units(rows: Sequence[Fields], language: str) -> list[Fields]:
    """Return the rows of one table with its units behind the figures that they measure, in place of a column of units.

    `language` is that of the text (ISO 639-1). A row without a unit or without a figure for it stays as it is, and so
    do all where no column is one of units. Figures under a heading that names another kind of value, or a unit of its
    own, take none.
    """
    found = next(_columns_of_units(rows, language), None)
    return [_with_unit(row, *found, language) if found else row for row in rows]


def _columns_of_units(rows: Sequence[Fields], language: str) -> Iterator[tuple[int, list[int]]]:
    """Yield the places of columns of units, each with those of the columns of figures to its right, or else left."""
    width = len(rows[0]) if len({tuple(name for name, _ in row) for row in rows}) == 1 else 0
    for place in range(1, width):
        filled = [row for row in rows if row[place][1].strip(_DASHES)]
        measured = [row for row in filled if _kinds(row[place][1], language)]
        units = {row[place][1] for row in measured}
        if len(measured) < _ROWS or (len(units) == 1 and units < _CLASSES):
            continue
        kinds = frozenset[Kind]().union(*(_kinds(unit, language) for unit in units))
        for beside in (range(place + 1, width), range(place - 1, 0, -1)):
            run = takewhile(partial(_has_figures, measured, _MOST * len(filled)), beside)
            if figures := [one for one in run if _may_measure(rows[0][one][0], kinds, language)]:
                yield place, figures


def _has_figures(rows: Sequence[Fields], most: float, place: int) -> bool:
    return sum(_is_figure(row[place][1]) for row in rows) >= most


def _with_unit(row: Fields, place: int, figures: Sequence[int], language: str) -> Fields:
    unit = row[place][1]
    measured = [one for one in figures if _kinds(unit, language) and _is_figure(row[one][1])]
    cells = [(name, f"{cell} {unit}" if one in measured else cell) for one, (name, cell) in enumerate(row)]
    return tuple(field for one, field in enumerate(cells) if one != place or not measured)


def _may_measure(name: str, kinds: frozenset[Kind], language: str) -> bool:
    """Whether a heading leaves open what its figures measure, or names one of these kinds."""
    named = value_kinds(name, language) - {Kind.NUMBER}
    return not in_row(((name, "1"),), language) and (not named or not named.isdisjoint(kinds))


def _kinds(cell: str, language: str) -> frozenset[Kind]:
    """The kind of value that a cell is a unit of, none where it is no unit alone."""
    return frozenset(value.kind for value in quantities(f"1 {cell}", language) if value.text == f"1 {cell}")


def _is_figure(cell: str) -> bool:
    """Whether a cell has figures and signs, and no word: "79", "-10 ... 40"."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


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
