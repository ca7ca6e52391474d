"""Conversion of a tree of HTML elements to blocks, in reading order; iterative, so that depth is no problem."""

from __future__ import annotations

import re

from lxml import etree

from pipelines.core.document import BlockKind
from pipelines.core.errors import TooLarge
from pipelines.lang.quantities import phones_and_mails
from pipelines.parse.assemble import NOWHERE, DocumentBuilder, Image, Place
from pipelines.parse.office.header_rows import with_named_columns
from pipelines.parse.web.controls import task_mark
from pipelines.parse.web.dom import (
    BLOCKS,
    HEADINGS,
    LISTS,
    VERBATIM,
    Element,
    ListNumbers,
    is_hidden,
    text_of,
)
from pipelines.parse.web.flow import (
    add_references,
    caption_of,
    cells_of,
    close_inline,
    is_layout,
    open_inline,
    read_cell,
    read_text,
    slots_of,
)
from pipelines.parse.web.inline import (
    Anchor,
    Inline,
    Resolver,
    descriptions_of,
    image_of,
    is_tracker,
    labels_of,
    math_text,
    no_files,
)
from pipelines.parse.web.site_parts import before_main, is_furniture, navigation_parts

_FOOTNOTE_ID = re.compile(r"(?:fn|footnote|cite_note|note)[-:_]?(\d{1,4})", re.IGNORECASE)
_MARK = re.compile(r"\[\w{1,20}\]")
_ITEMS = ("li", "dt", "dd")
_CAPTION_CLASS = re.compile(r"(?:^|\s)(?:caption|wp-caption-text|figure-caption|img-caption)(?:$|\s)")
_CAPTIONS = ("figcaption", "caption")


class Walker:
    """Appends the visible content of a tree to `builder`. Each walker is used for one tree.

    `titled` makes the only h1 the document's title. `furniture` separates navigation and the site's header and footer
    from the text. `place` is the location of all blocks. `resolve` returns the bytes of pictures.
    """

    def __init__(
        self,
        builder: DocumentBuilder,
        *,
        titled: bool = True,
        furniture: bool = True,
        place: Place = NOWHERE,
        resolve: Resolver = no_files,
    ) -> None:
        self._builder = builder
        self._resolve = resolve
        self._furniture = furniture
        self._place = place
        self._titled = titled
        self._inline = Inline()
        self._lists = 0
        self._numbers = ListNumbers()
        self._number = ""
        self._item = 0
        self._notes = 0
        self._verbatim = 0
        self._captions = 0
        self._mark = ""
        self._pictures: list[Image] = []
        """Pictures of the current line, which are appended after it."""
        self._navigation: frozenset[Element] = frozenset()
        self._head: frozenset[Element] = frozenset()

    def walk(self, root: Element) -> None:
        """Append the tree. Raises `TooLarge` for tables beyond the limits of depth and cells."""
        self._titled = self._titled and sum(not is_hidden(heading) for heading in root.iter("h1")) == 1
        self._navigation = navigation_parts(root) if self._furniture else frozenset()
        self._head = before_main(root) if self._furniture else frozenset()
        events = etree.iterwalk(root, events=("start", "end", "comment"))
        skipped: Element | None = None
        for event, element in events:
            if event == "start":
                if self._start(element):
                    skipped = element
                    events.skip_subtree()
                continue
            if event == "end" and element is not skipped:
                self._end(element)
            if element is not root:
                self._inline.text(element.tail, verbatim=bool(self._verbatim))
        self._flush()

    # -- one element

    def _start(self, element: Element) -> bool:
        """Begin an element; return whether it has been read completely."""
        tag = str(element.tag)
        if tag in BLOCKS and not is_hidden(element):
            self._flush()
            if self._set_apart(element) or (tag == "table" and self._table(element)):
                return True
            self._enter(element, tag)
        elif tag == "math" and element.get("display") == "block":
            self._flush()
            self._builder.formula(math_text(element), self._place)
            return True
        elif tag == "img" and not is_hidden(element) and not is_tracker(element):
            self._pictures.append(image_of(element, self._resolve))
        elif tag == "svg" and (labels := labels_of(element)):
            description = " ".join(descriptions_of(element))
            self._pictures.append(
                Image(media_type="image/svg+xml", ocr_text="\n".join(labels), description=description)
            )
        return open_inline(element, self._inline, verbatim=bool(self._verbatim))

    def _enter(self, element: Element, tag: str) -> None:
        if tag in LISTS:
            self._lists += 1
            self._numbers.begin(element)
        elif tag in _ITEMS:
            self._item = max(1, self._lists) + (tag == "dd")
            self._number = self._numbers.take(element) + task_mark(element)
        elif tag in VERBATIM:
            self._verbatim += 1
        elif tag in _CAPTIONS:
            self._captions += 1
        self._notes += _has_footnotes(element)
        if self._notes and tag == "li" and (number := _FOOTNOTE_ID.fullmatch(element.get("id", ""))):
            self._inline.text(f"[{number.group(1)}] ")

    def _end(self, element: Element) -> None:
        tag = str(element.tag)
        if tag not in BLOCKS:
            close_inline(element, self._inline)
            return
        self._flush(element)
        if tag in LISTS:
            self._lists -= 1
            self._numbers.end()
        elif tag in _ITEMS:
            self._item = 0
        elif tag in VERBATIM:
            self._verbatim -= 1
        elif tag in _CAPTIONS:
            self._captions -= 1
        self._notes -= _has_footnotes(element)

    # -- pieces

    def _flush(self, ended: Element | None = None) -> None:
        """Append the text collected so far as a block of the kind of `ended`, by default as a paragraph."""
        tag = str(ended.tag) if ended is not None else ""
        text = self._inline.take(verbatim=bool(self._verbatim))
        captioned = ended is not None and _CAPTION_CLASS.search(ended.get("class", "")) is not None
        if self._append(tag, text, captioned):
            self._item = 0
        links = self._inline.take_links()
        for image in self._pictures:
            self._builder.figure(image, self._place)
        self._pictures.clear()
        add_references(self._builder, links)

    def _append(self, tag: str, text: str, captioned: bool) -> bool:
        builder, place = self._builder, self._place
        if not text.strip():
            return False
        if self._verbatim:
            return builder.code(text, place)
        if tag in HEADINGS:
            return self._heading(" ".join(text.split()), HEADINGS[tag])
        if tag in _CAPTIONS or captioned or self._captions:
            return builder.caption(text, place)
        return self._append_running(text)

    def _append_running(self, text: str) -> bool:
        """Append text as a footnote, list item or paragraph, depending on the enclosing elements."""
        builder, place = self._builder, self._place
        if self._notes:
            return self._footnote(text)
        if self._item:
            number = "" if text.startswith(self._number) else self._number
            return builder.list_item(number + text, min(self._item, builder.settings.limits.depth), place)
        return builder.paragraph(text, place)

    def _heading(self, text: str, level: int) -> bool:
        if level == 1 and self._titled:
            return self._builder.title(text, self._place)
        return self._builder.heading(text, level, self._place)

    def _footnote(self, text: str) -> bool:
        """Append a footnote; a mark on a line of its own is kept for the text that follows."""
        if _MARK.fullmatch(text):
            self._mark = f"{text} "
            return False
        mark, self._mark = self._mark, ""
        return self._builder.footnote(mark + text, self._place)

    def _set_apart(self, element: Element) -> bool:
        """Store a navigation block or the site's header or footer apart from the text; return whether it is one.

        Lines of a footer that tell how to reach somebody are part of the text too.
        """
        if not self._furniture:
            return False
        if not (element in self._navigation or element in self._head or is_furniture(element)):
            return False
        kind = BlockKind.PAGE_FOOTER if element.tag == "footer" else BlockKind.PAGE_HEADER
        text, links = read_text(element)
        told = [line for line in text.splitlines() if element.tag == "footer" and phones_and_mails(line)]
        self._builder.furniture(kind, "\n".join(told), self._place, new_words=1)
        self._builder.furniture(kind, "\n".join(line for line in text.splitlines() if line not in told), self._place)
        if element in self._navigation:  # the linked pages are referred to, though the links are not text
            add_references(self._builder, links)
        return True

    # -- tables

    def _table(self, element: Element) -> bool:
        """Append a table and the tables in it; return False for a table that only arranges the page."""
        if is_layout(element):
            return False
        for table in element.iter("table"):
            if sum(1 for _ in table.iterancestors("table")) > self._builder.settings.limits.depth:
                raise TooLarge("tables nested too deep", ids=(self._builder.source.uri,))
            if table is element or not is_layout(table):
                self._append_table(table)
        for image in element.iter("img"):
            figure = None if is_tracker(image) or is_hidden(image) else image_of(image, self._resolve)
            if figure is not None and (figure.data or _is_beside_text(image)):  # otherwise it is the cell's text
                self._builder.figure(figure, self._place)
        return True

    def _append_table(self, table: Element) -> None:
        links: list[Anchor] = []

        def read(cell: Element) -> str:
            text, found = read_cell(cell)
            links.extend(found)
            return text

        uri, limits = self._builder.source.uri, self._builder.settings.limits
        cells = with_named_columns(cells_of(slots_of(table, limits.cells, uri), read))
        caption = caption_of(table)
        self._builder.caption(caption, self._place)
        if self._builder.table(cells, self._place, caption=caption):
            add_references(self._builder, links)


def _is_beside_text(image: Element) -> bool:
    cell = next(image.iterancestors("td", "th"), None)
    return cell is None or bool(text_of(cell))


def _has_footnotes(element: Element) -> bool:
    role, classes = element.get("role", ""), element.get("class", "").split()
    return role in ("doc-footnote", "doc-endnotes") or "footnotes" in classes or "footnote" in classes
