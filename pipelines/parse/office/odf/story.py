"""Paragraphs, lists, tables and drawings of OpenDocument, appended to a document in reading order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.lookalikes import Story
from pipelines.parse.office.odf.document import LEVELS, OdfLooks, OdfStyles, marker, qualified
from pipelines.parse.office.odf.objects import Objects, OdfParagraph, plain_text, read_paragraph, read_table
from pipelines.parse.office.ooxml import Element, local

_SKIPPED = frozenset(
    {"tracked-changes", "sequence-decls", "variable-decls", "forms", "user-field-decls", "index-title-template",
     "table-of-content-source", "alphabetical-index-source", "shapes", "dde-connection-decls", "title", "desc"}
)  # fmt: skip
_STYLE = qualified("text:style-name")
_RICH = tuple(qualified(name) for name in ("text:list", "text:a", "table:table", "draw:frame"))


@dataclass(slots=True)
class _ListState:
    """The list being read: style, depth from 1, and counts by level."""

    style: str
    depth: int
    counts: list[int]


@dataclass(slots=True)
class _TableAttachments:
    """Content of a table's cells other than text; it is appended after the table."""

    contents: list[OdfParagraph] = field(default_factory=list)
    tables: list[Element] = field(default_factory=list)


class OdfStory(Story[OdfLooks]):
    """Appends the blocks below an element."""

    def __init__(self, builder: DocumentBuilder, styles: OdfStyles, objects: Objects, place: Place) -> None:
        super().__init__(builder, OdfLooks(styles), place)
        self._styles = styles
        self._objects = objects
        self._outline = [0] * LEVELS
        self._finished: dict[str, list[int]] = {}

    def add(self, parent: Element) -> None:
        """Append everything below `parent`; if no paragraph is marked as a heading, headings are found by look."""
        for child in parent:
            self._block(child, None)
        self.finish()

    def shape(self, shape: Element) -> None:
        """Append the content of a frame, shape or group."""
        self._drawing(shape)
        self._flush()

    def _block(self, element: Element, inside: _ListState | None) -> None:
        name = local(element)
        if name in ("p", "h"):
            self._paragraph(element, inside)
        elif name == "list":
            self._list(element, inside)
        elif name == "table":
            self._flush()
            self._table(element)
        elif name == "soft-page-break":
            self._turn(1)
        elif name in ("frame", "custom-shape", "g", "rect", "ellipse", "path", "polygon"):
            self._flush()
            self._drawing(element)
        elif name and name not in _SKIPPED:
            for child in element:
                self._block(child, inside)

    # -- paragraphs

    def _paragraph(self, element: Element, inside: _ListState | None, number: str = "") -> None:
        content = read_paragraph(element)
        self._turn(content.breaks)
        style = element.get(_STYLE, "")
        if content.text and self._styles.is_code(style) and local(element) == "p":
            self._code.append(content.text)
        else:
            self._flush()
            if content.text and self._append_block(element, content.text, style, inside, number):
                self._builder.references(content.links)
        self._append_attachments(content)

    def _append_block(self, element: Element, text: str, style: str, inside: _ListState | None, number: str) -> bool:
        builder = self._builder
        level = self._heading_level(element, style)
        if level:
            self._looks.told = True
            return builder.heading(f"{self._number(level)} {' '.join(text.split())}".strip(), level, self.place)
        if self._styles.is_title(style):
            return builder.title(" ".join(text.split()), self.place)
        if self._styles.is_caption(style):
            return builder.caption(text, self.place)
        if inside is not None:
            return builder.list_item(f"{number} {text}".strip(), inside.depth, self.place)
        added = builder.paragraph(text, self.place)
        if added:
            self._looks.see(element, style, text, builder.last)
        return added

    def _heading_level(self, element: Element, style: str) -> int:
        if local(element) != "h":
            return self._styles.heading_level(style)
        level = element.get(qualified("text:outline-level"), "1")
        return int(level) if level.isdigit() and 0 < int(level) <= LEVELS else 1

    def _number(self, level: int) -> str:
        """Count a heading and return its number, empty if the outline is not numbered."""
        self._outline[level - 1] += 1
        self._outline[level:] = [0] * (LEVELS - level)
        return marker(self._styles.outline, self._outline, level).rstrip(".")

    # -- lists

    def _list(self, element: Element, inside: _ListState | None) -> None:
        own = element.get(_STYLE, "")
        style = own or (inside.style if inside is not None else "")
        if inside is None:
            resumed = element.get(qualified("text:continue-numbering")) == "true" or element.get(
                qualified("text:continue-list")
            )
            counts = list(self._finished.get(style, [])) if resumed else []
            current = _ListState(style, 1, counts or [0] * LEVELS)
        else:
            current = _ListState(style, min(inside.depth + 1, LEVELS), inside.counts)
            current.counts[current.depth - 1 :] = [0] * (LEVELS - current.depth + 1)
        for item in element:
            if local(item) in ("list-item", "list-header"):
                self._item(item, current)
        if inside is None:
            self._finished[style] = current.counts

    def _item(self, item: Element, current: _ListState) -> None:
        """Append an item; its first paragraph has the number, an item that only contains a list has none."""
        first = next((child for child in item if local(child)), None)
        number = ""
        if first is not None and local(first) != "list":
            self._count(item, current)
            levels = [self._styles.level(current.style, depth) for depth in range(1, LEVELS + 1)]
            number = marker(levels, current.counts, current.depth) if local(item) == "list-item" else ""
        for child in item:
            if local(child) in ("p", "h"):
                self._paragraph(child, current if child is first else None, number if child is first else "")
            else:
                self._block(child, current)

    def _count(self, item: Element, current: _ListState) -> None:
        start = item.get(qualified("text:start-value"), "")
        at = current.depth - 1
        if start.isdigit():
            current.counts[at] = int(start)
        elif current.counts[at]:
            current.counts[at] += 1
        else:
            current.counts[at] = self._styles.level(current.style, current.depth).start

    # -- tables

    def _table(self, element: Element) -> None:
        attachments, place = _TableAttachments(), self.place
        cells = read_table(element, lambda cell: self._cell(cell, attachments), self._builder.settings.limits.cells)
        if self._builder.table(cells, place):
            for content in attachments.contents:
                self._builder.references(content.links)
        for content in attachments.contents:
            self._append_attachments(content)
        for table in attachments.tables:
            self._table(table)

    def _cell(self, cell: Element, attachments: _TableAttachments) -> tuple[str, bool]:
        lines = [content.text for content in self._cell_contents(cell, attachments) if content.text]
        rich = len(lines) > 1 or next(cell.iter(*_RICH), None) is not None
        return "\n".join(lines), rich

    def _cell_contents(self, parent: Element, attachments: _TableAttachments) -> Iterator[OdfParagraph]:
        for child in parent:
            name = local(child)
            if name in ("p", "h"):
                content = read_paragraph(child)
                self._turn(content.breaks)
                attachments.contents.append(content)
                yield content
            elif name == "table":
                attachments.tables.append(child)
            elif name and name not in _SKIPPED:
                yield from self._cell_contents(child, attachments)

    # -- drawings and notes of a paragraph

    def _append_attachments(self, content: OdfParagraph) -> None:
        for drawing in content.drawings:
            self._drawing(drawing)
        for note in content.notes:
            body = note.find(qualified("text:note-body"))
            self._builder.footnote(plain_text(body) if body is not None else "", self.place)
        for comment in content.comments:
            self._builder.note(_annotation_text(comment), self.place)

    def _drawing(self, element: Element) -> None:
        """Append the text, tables, pictures and objects of a frame, shape or group."""
        self._objects.add(element, self.place)
        for child in element:
            name = local(child)
            if name == "text-box":
                for inner in child:
                    self._block(inner, None)
            elif name in ("p", "list", "table", "h", "frame", "custom-shape", "g", "rect", "ellipse"):
                self._block(child, None)


def annotation_author(comment: Element) -> str:
    """Return the author and the date of a comment."""
    return ", ".join(filter(None, (comment.findtext(qualified(f"dc:{name}")) for name in ("creator", "date"))))


def _annotation_text(comment: Element) -> str:
    head, text = annotation_author(comment), plain_text(comment)
    return f"[{head}] {text}" if head and text else text
