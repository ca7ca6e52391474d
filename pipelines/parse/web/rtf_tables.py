"""The tables of RTF: rows that each say where their cells end, in twips."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.core.table import Cell

_NEAR = 60
"""Twips within which two edges are one."""


@dataclass(slots=True)
class RowCell:
    """A cell as its row defines it: its right edge, and whether it goes on from the left or from above."""

    edge: int = 0
    from_left: bool = False
    from_above: bool = False


@dataclass(slots=True)
class Row:
    """A row: the definitions of its cells, their texts, and whether it is repeated as a header."""

    cells: list[RowCell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left: int = 0
    header: bool = False


def table_cells(rows: list[Row]) -> list[Cell]:
    """Return the cells of consecutive rows; the columns are all the edges that any row has."""
    edges = _edges(rows)
    above: dict[int, int] = {}
    cells: list[Cell] = []
    for number, row in enumerate(rows):
        column = 0
        begun: dict[int, int] = {}
        for place, text in enumerate(row.texts):
            definition = row.cells[place] if place < len(row.cells) else RowCell()
            end = _column(definition.edge, edges, column) if definition.edge else column + 1
            if definition.from_left and cells and begun:
                cells[-1] = _grown(cells[-1], end - column, 0, text)
            elif definition.from_above and column in above:
                cells[above[column]] = _grown(cells[above[column]], 0, 1, text)
                begun[column] = above[column]
            else:
                begun[column] = len(cells)
                cells.append(Cell(number, column, text, 1, end - column, row.header))
            column = end
        above = begun
    return cells


def _grown(cell: Cell, columns: int, rows: int, text: str) -> Cell:
    joined = f"{cell.text}\n{text}".strip()
    return Cell(cell.row, cell.column, joined, cell.row_span + rows, cell.column_span + columns, cell.header)


def _edges(rows: list[Row]) -> list[int]:
    edges: list[int] = []
    for edge in sorted(cell.edge for row in rows for cell in row.cells if cell.edge):
        if not edges or edge > edges[-1] + _NEAR:
            edges.append(edge)
    return edges


def _column(edge: int, edges: list[int], start: int) -> int:
    """Return the number of the column after the one that ends at `edge`."""
    nearest = min(range(len(edges)), key=lambda place: abs(edges[place] - edge), default=start)
    return max(start + 1, nearest + 1)
