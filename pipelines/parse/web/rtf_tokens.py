"""RTF to tokens (groups, control words, text in the code page of its font), and its rows to cells (RTF 1.9.1)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines.core.table import Cell

_TOKEN = re.compile(
    rb"\\bin(?P<count>\d{1,9}) ?|\\(?P<word>[a-zA-Z]{1,32})(?P<number>-?\d{1,10})? ?|\\'(?P<byte>[0-9a-fA-F]{2})"
    rb"|\\(?P<symbol>[^a-zA-Z'])|(?P<brace>[{}])|[\r\n\x00]+|(?P<text>[^\\{}\r\n\x00]+)",
    re.DOTALL,
)
# \fcharset numbers of a font's code page.
CHARSETS = {
    0: "cp1252", 1: "", 77: "mac_roman", 128: "cp932", 129: "cp949", 130: "johab", 134: "gb18030", 136: "big5",
    161: "cp1253", 162: "cp1254", 163: "cp1258", 177: "cp1255", 178: "cp1256", 186: "cp1257", 204: "cp1251",
    222: "cp874", 238: "cp1250", 255: "cp437",
}  # fmt: skip
SYMBOLS = {
    "tab": "\t", "line": "\n", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "emdash": "—",
    "endash": "–", "bullet": "•", "emspace": " ", "enspace": " ", "qmspace": " ", "lbr": "\n", "softline": "\n",
}  # fmt: skip
_NEAR = 60
"""Twips within which two edges are one."""


@dataclass(frozen=True, slots=True)
class Token:
    """`kind` is "{", "}", "word", "text" (bytes yet to be decoded), "binary" or "symbol"."""

    kind: str
    word: str = ""
    number: int | None = None
    data: bytes = b""


def tokens(data: bytes) -> Iterator[Token]:
    """Yield the tokens of an RTF file in order; runs of bytes come as one."""
    place = 0
    pending = bytearray()
    while match := _TOKEN.match(data, place):
        place = match.end()
        if match["byte"] is not None:
            pending.append(int(match["byte"], 16))
            continue
        if match["text"] is not None:
            pending += match["text"]
            continue
        if match.lastgroup is None:  # a line end means nothing
            continue
        if pending:
            yield Token("text", data=bytes(pending))
            pending.clear()
        if match["count"] is not None:
            end = place + int(match["count"])
            yield Token("binary", data=data[place:end])
            place = end
        else:
            yield _token(match)
    if pending:
        yield Token("text", data=bytes(pending))


def _token(match: re.Match[bytes]) -> Token:
    if match["brace"] is not None:
        return Token(match["brace"].decode())
    if match["symbol"] is not None:
        return Token("symbol", match["symbol"].decode("latin-1"))
    number = int(match["number"]) if match["number"] is not None else None
    return Token("word", match["word"].decode(), number)


@dataclass(slots=True)
class RowCell:
    """A cell as its row defines it: its right edge, and whether it goes on from the left or from above."""

    edge: int = 0
    from_left: bool = False
    from_above: bool = False


@dataclass(slots=True)
class RtfRow:
    """A row: the definitions of its cells, their texts, and whether it is repeated as a header."""

    cells: list[RowCell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    left: int = 0
    header: bool = False


def table_cells(rows: list[RtfRow]) -> list[Cell]:
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


def _edges(rows: list[RtfRow]) -> list[int]:
    edges: list[int] = []
    for edge in sorted(cell.edge for row in rows for cell in row.cells if cell.edge):
        if not edges or edge > edges[-1] + _NEAR:
            edges.append(edge)
    return edges


def _column(edge: int, edges: list[int], start: int) -> int:
    """Return the number of the column after the one that ends at `edge`."""
    nearest = min(range(len(edges)), key=lambda place: abs(edges[place] - edge), default=start)
    return max(start + 1, nearest + 1)
