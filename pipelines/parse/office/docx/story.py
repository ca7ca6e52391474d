"""Paragraphs, lists, tables and drawings of Word, appended to a document in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.lookalikes import Story
from pipelines.parse.office.docx.inline import InlineReader
from pipelines.parse.office.docx.numbering import BULLET, Numbering, WordParagraph
from pipelines.parse.office.docx.styles import BODY_LEVEL, WordLooks, WordStyles, as_int
from pipelines.parse.office.docx.tables import (
    CellText,
    is_formatted,
    is_frame,
    read_table,
    row_cells,
    table_rows,
    unwrapped_children,
)
from pipelines.parse.office.drawing import Graphics, Item, TextItem, drawing_items
from pipelines.parse.office.ooxml import NAMESPACES, Element, children, qualified, relationships, value
from pipelines.parse.office.package import Package
from pipelines.parse.pieces import Pointer

_PARAGRAPH, _TABLE = qualified("w:p"), qualified("w:tbl")
_SKIPPED = frozenset(qualified(f"w:{name}") for name in ("sectPr", "del", "moveFrom", "sdtPr", "sdtEndPr", "tcPr"))
_PROPERTIES = qualified("w:pPr")
_Notes = tuple[str, dict[str, Element]]


@dataclass(frozen=True, slots=True)
class WordContext:
    """Data shared by all parts of a document. Notes are given with the name of their part."""

    package: Package
    builder: DocumentBuilder
    styles: WordStyles
    numbering: Numbering
    footnotes: _Notes = ("", {})
    endnotes: _Notes = ("", {})


@dataclass(slots=True)
class _TableAttachments:
    """Content of a table's cells other than text; it is appended after the table."""

    items: list[Item] = field(default_factory=list)
    tables: list[Element] = field(default_factory=list)
    links: list[Pointer] = field(default_factory=list)
    footnotes: list[str] = field(default_factory=list)


_MOST_QUOTED = 120
"""Maximum characters of the quoted words that a comment refers to: enough to find them."""


class WordStory(Story[WordLooks]):
    """Reads the blocks of one part; `paged` says whether the part marks page breaks."""

    def __init__(self, context: WordContext, part: str, *, paged: bool = False) -> None:
        self._context = context
        super().__init__(context.builder, WordLooks(context.styles), Place(1 if paged else None))
        self._styles = context.styles
        links = relationships(context.package, part) if part else {}
        self._inline = InlineReader(links, context.styles.is_hidden)
        self._graphics = Graphics(context.package, links, context.builder)
        self.endnotes: list[str] = []

    def commented(self, id: str) -> str:
        """Return the words that a comment refers to."""
        words = self._inline.comments.get(id, "")
        return words if len(words) <= _MOST_QUOTED else f"{words[: _MOST_QUOTED - 1]}…"

    def add(self, element: Element) -> None:
        """Append a paragraph, a table, or the content of a content control or tracked insertion."""
        if element.tag == _PARAGRAPH:
            self._paragraph(element)
        elif element.tag == _TABLE:
            self._table(element)
        elif element.tag not in _SKIPPED:
            for child in children(element):
                self.add(child)

    def text(self, element: Element) -> str:
        """Return the text of the paragraphs below an element, one per line."""
        return "\n".join(filter(None, (self._inline.read(p).text.strip() for p in element.iter(_PARAGRAPH))))

    # -- paragraphs

    def _paragraph(self, element: Element) -> None:
        content = self._inline.read(element)
        style = self._style(element)
        marker, level = self._number(element, style, content)
        self._turn(content.breaks_before)
        code = bool(content.text) and self._styles.is_code(style)
        if self._code and not code:
            self._flush()
        self._draw(content.before)
        if code:
            self._code.append(content.text)
        elif content.text.strip() and self._write(element, style, content, marker, level):
            contents = self._styles.is_contents(style)
            if not contents:
                self._builder.references(content.links)
            if not contents and not content.checked and not content.formula and marker != BULLET:
                self._looks.see(element, style, _with_number(marker, content.text), self._builder.last)
        self._draw(content.after)
        self._notes(content)
        self._turn(content.breaks_within)

    def _write(self, element: Element, style: str, content: WordParagraph, marker: str, level: int) -> bool:
        builder, text = self._builder, content.text
        if content.formula:
            return builder.formula(text, self.place)
        heading = self._heading_level(element, style)
        if heading is not None:
            self._looks.told = True
            return builder.heading(_with_number(marker, text), heading, self.place)
        if self._styles.is_title(style):
            return builder.title(" ".join(text.split()), self.place)
        if self._styles.is_caption(style):
            return builder.caption(text, self.place)
        if self._styles.is_contents(style) or not (marker or content.checked):
            return builder.paragraph(text, self.place)
        return builder.list_item(text if marker in ("", BULLET) else f"{marker} {text.strip()}", level, self.place)

    def _style(self, element: Element) -> str:
        return value(element, "w:pPr/w:pStyle") or self._styles.default_style

    def _heading_level(self, element: Element, style: str) -> int | None:
        own = as_int(value(element, "w:pPr/w:outlineLvl"))
        if own is not None:
            return own + 1 if own < BODY_LEVEL else None
        return self._styles.heading_level(style)

    def _number(self, element: Element, style: str, content: WordParagraph) -> tuple[str, int]:
        """Return marker and level of a list paragraph; one deleted by a tracked change is not counted."""
        number, level = self._styles.numbering(style)
        properties = element.find(_PROPERTIES)
        number = value(properties, "w:numPr/w:numId") or number
        own = as_int(value(properties, "w:numPr/w:ilvl"))
        if number is None or not self._context.numbering.is_list(number):
            return "", 1
        if not content.text and properties is not None and properties.find("w:rPr/w:del", NAMESPACES) is not None:
            return "", 1
        level = own if own is not None else level
        level = level if level is not None else self._context.numbering.level_of_style(number, style) or 0
        return self._context.numbering.marker(number, level), level + 1

    # -- tables

    def _table(self, element: Element) -> None:
        self._flush()
        if is_frame(element):
            self.add(row_cells(table_rows(element)[0])[0])
            return
        attachments, place = _TableAttachments(), self.place
        cells = read_table(element, lambda cell: self._cell(cell, attachments), self._builder.settings.limits.cells)
        if self._builder.table(cells, place):
            self._builder.references(attachments.links)
        self.place, after = place, self.place
        for item in attachments.items:
            self._item(item)
        for table in attachments.tables:
            self._table(table)
        self.place = after
        for id in attachments.footnotes:
            self._footnote(id)

    def _cell(self, cell: Element, attachments: _TableAttachments) -> CellText:
        lines = [line for line in self._cell_lines(cell, attachments) if line]
        return CellText("\n".join(lines), len(lines) > 1 or is_formatted(cell))

    def _cell_lines(self, cell: Element, attachments: _TableAttachments) -> Iterator[str]:
        for child in unwrapped_children(cell, _PARAGRAPH, _TABLE):
            if child.tag == _PARAGRAPH:
                yield self._cell_paragraph(child, attachments)
            elif is_frame(child):
                yield from self._cell_lines(row_cells(table_rows(child)[0])[0], attachments)
            else:
                attachments.tables.append(child)

    def _cell_paragraph(self, element: Element, attachments: _TableAttachments) -> str:
        """Return the text of a paragraph in a cell; a list number without text is the text, as in numbered rows."""
        content = self._inline.read(element)
        marker, _ = self._number(element, self._style(element), content)
        self._turn(content.breaks_before + content.breaks_within)
        attachments.items += [item for drawing in (*content.before, *content.after) for item in drawing_items(drawing)]
        attachments.links += content.links
        attachments.footnotes += [mark.id for mark in content.note_marks if mark.kind == "footnote"]
        self.endnotes += [mark.id for mark in content.note_marks if mark.kind == "endnote"]
        if content.formula:
            return f"${content.text}$"
        return content.text.strip() or ("" if marker == BULLET else marker)

    # -- drawings and notes of a paragraph

    def _draw(self, drawings: list[Element]) -> None:
        for drawing in drawings:
            for item in drawing_items(drawing):
                self._item(item)

    def _item(self, item: Item) -> None:
        if isinstance(item, TextItem):
            for child in children(item.content):
                self.add(child)
        else:
            self._graphics.add(item, self.place)

    def _notes(self, content: WordParagraph) -> None:
        for mark in content.note_marks:
            if mark.kind == "footnote":
                self._footnote(mark.id)
            elif mark.kind == "endnote":
                self.endnotes.append(mark.id)

    def _footnote(self, id: str) -> None:
        part, notes = self._context.footnotes
        if id in notes:
            self._builder.footnote(WordStory(self._context, part).text(notes[id]), self.place)


def _with_number(marker: str, text: str) -> str:
    """Return a heading with its number, without the full stop after the number."""
    text = " ".join(text.split())
    return text if marker in ("", BULLET) else f"{marker.rstrip('.')} {text}"
