"""The blocks of an RTF file, built from its paragraphs, rows and pictures (RTF 1.9.1)."""

from __future__ import annotations

import binascii
from dataclasses import dataclass, field

from pipelines.core.document import BlockKind
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder, Image
from pipelines.parse.lines import BULLET_GLYPHS
from pipelines.parse.lookalikes import Look, Lookalikes
from pipelines.parse.office.header_rows import with_named_columns
from pipelines.parse.web.flow import add_references
from pipelines.parse.web.inline import Anchor

_BLIPS = {"pngblip": "image/png", "jpegblip": "image/jpeg", "emfblip": "image/emf", "wmetafile": "image/wmf"}
_ENDS = ("par", "sect", "page", "pagebb", "column")
_NEAR = 60
"""Maximum distance in twips of edges that are treated as one."""
ASIDES = ("footnote", "note", "header", "footer")
"""Destinations of text apart from the body."""
ParagraphProperties = tuple[int, bool, int, int]
"""Heading level, whether it is the title, list number, list level."""


class RtfBlocks:
    """Collects text until a paragraph, cell or row ends, and appends blocks to the builder in order."""

    def __init__(self, builder: DocumentBuilder) -> None:
        self._builder = builder
        self._buffers: dict[str, list[str]] = {}
        self._asides: list[tuple[str, str]] = []
        self._rows: list[RtfRow] = []
        self._row = RtfRow()
        self._next = RowCell()
        self._in_table = False
        self._links: list[Anchor] = []
        self._link: tuple[str, int] | None = None
        self._picture = bytearray()
        self._blip = ""
        self._figures: list[Image] = []
        self._looks: set[Look] = set()
        self._lookalikes = Lookalikes()
        self.heading_level = 0
        self.is_title = False
        self._list = 0
        self._level = 0

    @property
    def properties(self) -> ParagraphProperties:
        """The properties of the next paragraph."""
        return self.heading_level, self.is_title, self._list, self._level

    def close_group(self, before: ParagraphProperties) -> None:
        """Restore the properties from before a group, unless it ended within a paragraph."""
        if not self._buffers.get("body"):
            self.heading_level, self.is_title, self._list, self._level = before

    def text(self, text: str, into: str, look: Look = Look()) -> None:
        """Add text to the body, or to a footnote, note, header or footer (`into`)."""
        self._buffer(into).append(text)
        if text.strip():
            self._looks.add(look)

    def word(self, word: str, value: int, into: str) -> None:
        """Apply a control word for paragraphs or tables."""
        if word in _ENDS:
            self.paragraph_end(into)
        elif word == "pard":
            self.heading_level, self.is_title, self._in_table, self._list, self._level = 0, False, False, 0, 0
        elif word == "outlinelevel":
            # 9 is the level of text (RTF 1.9.1, `\outlinelevel`, as in Word).
            self.heading_level = value + 1 if value < 9 else 0
        elif word == "intbl":
            self._in_table = True
        elif word == "ls":
            self._list = value
        elif word == "ilvl":
            self._level = value
        else:
            self._table_word(word, value)

    def _table_word(self, word: str, value: int) -> None:
        match word:
            case "trowd":
                self._row.cells.clear()
                self._row.header, self._next = False, RowCell()
            case "trhdr":
                self._row.header = True
            case "clmrg":
                self._next.from_left = True
            case "clvmrg":
                self._next.from_above = True
            case "cellx":
                self._next.edge = value
                self._row.cells.append(self._next)
                self._next = RowCell()
            case "cell":
                self._row.texts.append(self._take("body"))
                self._looks.clear()
            case "nestcell" | "nestrow":
                self.text("\n", "body")
            case "row":
                self._end_row()

    def paragraph_end(self, into: str) -> None:
        """End a paragraph; within a cell or a footnote, note, header or footer, only a line."""
        if into in ASIDES or (self._in_table and into != "skip"):
            self.text("\n", into)
            return
        self._paragraph(self._take("body"))

    def end(self) -> None:
        """Append what is left, and find headings by their look if no style marks them."""
        self._paragraph(self._take("body"))
        self._end_table()
        self._builder.promote(self._lookalikes.headings(self._builder.last))

    # -- links, asides, pictures

    def open_link(self, target: str) -> None:
        if target:
            self._link = (target, len(self._buffer("body")))

    def close_link(self) -> None:
        if self._link is not None:
            target, start = self._link
            self._links.append(Anchor(target, "".join(self._buffer("body")[start:]).strip()))
            self._link = None

    def end_aside(self, into: str) -> None:
        text = self._take(into)
        if into == "header":
            self._builder.furniture(BlockKind.PAGE_HEADER, text, new_words=1)
        elif into == "footer":
            self._builder.furniture(BlockKind.PAGE_FOOTER, text, new_words=1)
        else:
            self._asides.append((into, text))

    def picture_word(self, word: str) -> None:
        self._blip = _BLIPS.get(word, self._blip)

    def picture_hex(self, data: bytes) -> None:
        self._picture += bytes(byte for byte in data if byte not in b" \t\r\n")

    def picture_bytes(self, data: bytes) -> None:
        if data:
            self._figures.append(Image(data, self._blip or "image/png"))

    def end_picture(self) -> None:
        digits, self._picture = bytes(self._picture), bytearray()
        kind, self._blip = self._blip, ""
        try:
            data = binascii.unhexlify(digits[: len(digits) // 2 * 2])
        except binascii.Error:
            return
        if data and kind:
            self._figures.append(Image(data, kind))

    # -- appending

    def _buffer(self, into: str) -> list[str]:
        return self._buffers.setdefault(into if into in ASIDES else "body", [])

    def _take(self, into: str) -> str:
        buffer = self._buffer(into)
        text = "".join(buffer).strip()
        buffer.clear()
        return text

    def _look(self) -> Look:
        """Return the look of the text since the previous paragraph or cell."""
        looks, self._looks = self._looks, set()
        return Look(max((look.size for look in looks), default=0.0), bool(looks) and all(look.bold for look in looks))

    def _paragraph(self, text: str) -> None:
        if text or self._figures:
            self._end_table()
        builder, look = self._builder, self._look()
        self._lookalikes.told |= bool(text and (self.is_title or self.heading_level))
        if self.is_title and text:
            builder.title(text)
        elif self.heading_level and text:
            builder.heading(" ".join(text.split()), self.heading_level)
        elif text and (self._list or text[0] in BULLET_GLYPHS):
            builder.list_item(text, self._level + 1)
        elif builder.paragraph(text):
            self._lookalikes.add(builder.last, text, look)
        self._append_attached()

    def _end_row(self) -> None:
        self._rows.append(RtfRow(list(self._row.cells), self._row.texts, header=self._row.header))
        self._row.texts = []

    def _end_table(self) -> None:
        if self._row.texts:  # the row has no end
            self._end_row()
        if not self._rows:
            return
        self._builder.table(with_named_columns(table_cells(self._rows)))
        self._rows = []
        self._append_attached()

    def _append_attached(self) -> None:
        """Append the links, pictures and notes of the block appended last."""
        add_references(self._builder, self._links)
        self._links = []
        for image in self._figures:
            self._builder.figure(image)
        self._figures = []
        for into, text in self._asides:
            self._builder.footnote(text) if into == "footnote" else self._builder.note(text)
        self._asides = []


@dataclass(slots=True)
class RowCell:
    """The definition of a cell in its row: the right edge, and whether it continues its left or upper neighbour."""

    edge: int = 0
    from_left: bool = False
    from_above: bool = False


@dataclass(slots=True)
class RtfRow:
    """A row: the definitions of its cells, their texts, and whether it is a repeated header."""

    cells: list[RowCell] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    header: bool = False


def table_cells(rows: list[RtfRow]) -> list[Cell]:
    """Return the cells of consecutive rows; columns are divided at every edge that any row has."""
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
                cells[-1] = _extended(cells[-1], end - column, 0, text)
            elif definition.from_above and column in above:
                cells[above[column]] = _extended(cells[above[column]], 0, 1, text)
                begun[column] = above[column]
            else:
                begun[column] = len(cells)
                cells.append(Cell(number, column, text, 1, end - column, row.header))
            column = end
        above = begun
    return cells


def _extended(cell: Cell, columns: int, rows: int, text: str) -> Cell:
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
