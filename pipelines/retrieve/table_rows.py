"""The table rows of a chunk: column names, merged cells, and columns of units ("Efficiency | % | 79" means "79 %")."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby, takewhile, zip_longest
from string import ascii_uppercase

from pipelines.core.provenance import Span
from pipelines.lang.quantities import Kind, in_row, unit_kind
from pipelines.lang.questions import value_kinds
from pipelines.retrieve.hit import TableRow

_MIN_SHARE = 2 / 3
"""Minimum share of a column's cells that are known units next to a figure; units and figures may be missing."""
_MIN_ROWS = 2
"""Minimum rows with a unit: a single cell may look like a unit by chance."""
_DASHES = "-–—− /"
"""Placeholders in rows without a unit."""
_CLASSES = frozenset(ascii_uppercase)
"""Units that may also be names of classes; a column with only one of these is not taken for units."""

Fields = tuple[tuple[str, str], ...]
"""The cells of a row as (column name, cell)."""
RULE = " | "
_BLANK = "\n\n"


def with_units(rows: Sequence[Fields], language: str) -> list[Fields]:
    """Return the rows of one table with the units of its unit column appended to the figures.

    `language` is that of the text (ISO 639-1). Rows without a unit or a figure are unchanged, and so are all rows if
    there is no unit column. Figures in a column whose heading names another kind of value, or a unit, get no unit.
    """
    found = next(_columns_of_units(rows, language), None)
    return [_with_unit(row, *found, language) if found else row for row in rows]


def _columns_of_units(rows: Sequence[Fields], language: str) -> Iterator[tuple[int, list[int]]]:
    """Yield the index of each unit column with those of the figure columns to its right, or else to its left."""
    width = len(rows[0]) if len({tuple(name for name, _ in row) for row in rows}) == 1 else 0
    for place in range(1, width):
        filled = [row for row in rows if row[place][1].strip(_DASHES)]
        measured = [row for row in filled if unit_kind(row[place][1], language)]
        units = {row[place][1] for row in measured}
        if len(measured) < _MIN_ROWS or (len(units) == 1 and units < _CLASSES):
            continue
        kinds = frozenset(filter(None, (unit_kind(unit, language) for unit in units)))
        for beside in (range(place + 1, width), range(place - 1, 0, -1)):
            run = takewhile(partial(_has_figures, measured, _MIN_SHARE * len(filled)), beside)
            if figures := [one for one in run if _may_measure(rows[0][one][0], kinds, language)]:
                yield place, figures


def _has_figures(rows: Sequence[Fields], least: float, place: int) -> bool:
    return sum(_is_figure(row[place][1]) for row in rows) >= least


def _with_unit(row: Fields, place: int, figures: Sequence[int], language: str) -> Fields:
    unit = row[place][1]
    measured = [one for one in figures if unit_kind(unit, language) and _is_figure(row[one][1])]
    cells = [(name, f"{cell} {unit}" if one in measured else cell) for one, (name, cell) in enumerate(row)]
    return tuple(field for one, field in enumerate(cells) if one != place or not measured)


def _may_measure(name: str, kinds: frozenset[Kind], language: str) -> bool:
    """Whether a column heading is compatible with values of these kinds and does not name a unit."""
    named = value_kinds(name, language) - {Kind.NUMBER}
    return not in_row(((name, "1"),), language) and (not named or not named.isdisjoint(kinds))


def _is_figure(cell: str) -> bool:
    """Whether a cell has digits and no letters: "79", "-10 ... 40"."""
    return any(map(str.isdigit, cell)) and not any(map(str.isalpha, cell))


@dataclass(slots=True)
class EvidenceLine:
    """A unit of evidence under construction, with some of the fields of `EvidenceUnit`.

    The words of a `silent` unit are not searched: headers of mails, salutations and closings.
    """

    span: Span
    text: str
    header: str = ""
    heading: str = ""
    label: bool = False
    fields: Fields = ()
    group: str = ""
    table: str = ""
    depth: int = 0
    said: str = ""
    silent: bool = False

    @property
    def is_row(self) -> bool:
        return is_row(self.text)


def is_row(line: str) -> bool:
    """Whether a line is a table row; the second cell of "Pump |" is empty."""
    return RULE in line or line.rstrip().endswith(RULE.rstrip())


def read_tables(
    pieces: Sequence[EvidenceLine], context: str, text: str, known: Sequence[TableRow], language: str
) -> None:
    """Set header, fields and group of each table row of a chunk.

    The header is `context`, or the first full row of the run. `known` are rows of the parsed tables, with spans in
    `text`, the chunk's text: they give the merged cells and show which rows are not headers. Cells get the unit of
    their row's unit column.
    """
    by_start = {row.span.start: row for row in known}
    for first, rows in _runs(pieces, text):
        known_rows = [by_start.get(row.span.start) for row in rows]
        caption = pieces[first - 1].text if first and not pieces[first - 1].is_row else ""
        _read_headers(rows, context if first == 0 else "", caption, known_rows)
        _read_cells(rows, known_rows)
        full = [row for row in rows if row.fields]
        for row, joined in zip(full, with_units([row.fields for row in full], language), strict=True):
            row.fields = joined


def _read_headers(
    rows: Sequence[EvidenceLine], header: str, caption: str, known_rows: Sequence[TableRow | None]
) -> None:
    for place, row in enumerate(rows):
        row.heading = f"{row.heading} {caption}"
        if header and not (place and rows[place - 1].label and not cells_of(row.text)[0]):
            row.header = header
        elif header:
            header, row.label = _joined(header, row.text), True  # second row of the header
        elif len(rows) > 1 and known_rows[place] is None:
            row.label = True
            full = sum(map(bool, cells_of(row.text))) * 2 > len(cells_of(row.text))
            header, caption = (row.text, caption) if full else ("", f"{caption} {row.text}")


def _read_cells(rows: Sequence[EvidenceLine], known_rows: Sequence[TableRow | None]) -> None:
    """Set the fields of each row from its table, else from its text; a row of one merged cell is a group heading."""
    group = ""
    for row, known in zip(rows, known_rows, strict=True):
        if known is not None and (known.is_one_cell or _is_merged(known, cells_of(row.text))):
            group, row.label = known.cells[0], True
            continue
        row.group, row.heading = group, f"{row.heading} {group}".rstrip()
        row.table = known.table if known is not None else ""
        if known is not None and _is_named(known):
            row.fields = tuple(_filled(known, cells_of(row.text), cells_of(row.header)))
        elif not row.label:
            names, cells = cells_of(row.header), cells_of(row.text)
            row.fields = tuple(zip(names, cells, strict=True)) if len(names) == len(cells) else ()


def _is_merged(known: TableRow, written: Sequence[str]) -> bool:
    """Whether a row of a table without names of columns is a single cell: its text has it once, its cells twice."""
    return not _is_named(known) and len(known.cells) > 1 == len(set(known.cells)) == sum(map(bool, written))


def _filled(known: TableRow, written: Sequence[str], columns: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Yield the cells of a row of a parsed table, empty ones too if the `columns` of its header have all its names."""
    cells = dict(zip(known.names, (_as_written(cell, written) for cell in known.cells), strict=True))
    if len(cells) < len(known.names) or len(set(columns)) < len(columns) or not cells.keys() <= set(columns):
        yield from ((name, _as_written(cell, written)) for name, cell in zip(known.names, known.cells, strict=True))
        return
    yield from ((name, cells.get(name, "")) for name in columns)


def _as_written(cell: str, written: Sequence[str]) -> str:
    """Return a cell as written in the row's text, with its formatted number: "14.8 (14.80 EUR)"."""
    return next((one for one in written if one.startswith(f"{cell} (")), cell)


def _is_named(row: TableRow | None) -> bool:
    return row is not None and any(row.names)


def _runs(pieces: Sequence[EvidenceLine], text: str) -> Iterator[tuple[int, Sequence[EvidenceLine]]]:
    """Yield the rows of each table with the index of the first; an empty line separates two tables."""
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
    """Return the cells of a row as written in a text."""
    return [cell.strip() for cell in row.split("|")]


def _joined(first: str, second: str) -> str:
    """Return two header rows joined into one, cell by cell."""
    rows = [cells_of(row) for row in (first, second)]
    return RULE.join(" ".join(cell for cell in cells if cell) for cells in zip_longest(*rows, fillvalue=""))
