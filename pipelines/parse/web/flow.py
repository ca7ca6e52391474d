"""Text of HTML elements with its links, and the cells of tables, by the grid of the HTML standard (4.9.12)."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from lxml import etree

from pipelines.core.document import ReferenceKind
from pipelines.core.errors import TooLarge
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.office.characters import raised
from pipelines.parse.web.controls import CONTROLS, control_text, is_labelled, is_operated, text_of_icons
from pipelines.parse.web.dom import BLOCKS, HEADINGS, Element, is_hidden, text_of
from pipelines.parse.web.inline import EXPONENT, Anchor, Inline, math_text, source_of

_DIGITS = 9
"""Number of digits at which the value of a span is ignored as an attack."""
_WIDEST = 1000
"""Maximum columns of a span (HTML 4.9.11)."""
_GROUPS = ("thead", "tbody", "tfoot")
_PAGE_WORDS = 100
"""Minimum words of a cell that is a part of the page rather than data, if its table has a single row. Firefox takes all
tables of one row for layout (HTMLTableAccessible::IsProbablyLayoutTable), but a name beside its value is data."""
_OF_PAGES = ("table", "fieldset", *HEADINGS)
"""Elements in the cells of tables that arrange a page."""
_RICH = frozenset("a b strong i em u s del ins code pre kbd samp sub sup mark math br ul ol dl".split())


@dataclass(frozen=True, slots=True)
class Slot:
    """A cell's element and its position in the grid."""

    element: Element
    row: int
    column: int
    row_span: int
    column_span: int
    header: bool


def is_layout(table: Element) -> bool:
    """Whether a table only arranges the page, so that its cells are read as separate blocks."""
    if table.get("role") in ("presentation", "none"):
        return True
    if next(table.iterchildren("caption", "thead"), None) is not None:
        return False
    rows = [cells for row in rows_of(table) if (cells := [cell for cell in row if cell.tag in ("td", "th")])]
    if sum(map(len, rows)) <= 1 or _is_text_beside_pictures(rows) or _is_page(rows):
        return True
    if not _contains(table, *_OF_PAGES):
        return False
    return not any(sum(_is_plain(cell) for cell in row) > 1 for row in rows)


def _contains(element: Element, *tags: str) -> bool:
    return next(element.iterdescendants(*tags), None) is not None


def _is_text_beside_pictures(rows: Sequence[Sequence[Element]]) -> bool:
    """Whether each row has at most one cell with text, such as a note beside its icon, so that it is not a table."""
    filled = [[bool(text_of(cell)) for cell in row] for row in rows]
    pictures = any(cell.find(".//img") is not None for row in rows for cell in row if not text_of(cell))
    return pictures and all(sum(row) <= 1 for row in filled)


def _is_page(rows: Sequence[Sequence[Element]]) -> bool:
    """Whether there is a single row without a header, with a cell as long as a page's text."""
    if len(rows) > 1 or any(cell.tag == "th" for cell in rows[0]):
        return False
    return any(len(text_of(cell).split()) >= _PAGE_WORDS for cell in rows[0])


def _is_plain(cell: Element) -> bool:
    return not _contains(cell, *_OF_PAGES) and bool(text_of(cell))


def rows_of(table: Element) -> Iterator[Element]:
    """Yield the rows of a table without those of nested tables; rows of the head first, of the foot last."""
    groups = [child for child in table if child.tag in _GROUPS or child.tag == "tr"]
    for group in sorted(groups, key=lambda child: {"thead": 0, "tfoot": 2}.get(str(child.tag), 1)):
        yield from [group] if group.tag == "tr" else group.iterchildren("tr")


def slots_of(table: Element, limit: int, uri: str) -> list[Slot]:
    """Return the cells of a table with their positions. Raises `TooLarge` beyond `limit` cells with text."""
    rows = list(rows_of(table))
    ends = _group_ends(rows)
    taken: set[tuple[int, int]] = set()
    slots: list[Slot] = []
    for number, row in enumerate(rows):
        below = ends[number] - number
        column = 0
        for cell in row.iterchildren("td", "th"):
            while (number, column) in taken:
                column += 1
            slot = _slot(cell, number, column, below)
            slots.append(slot)
            taken.update(_places(slot))
            column += slot.column_span
            # Cells without text do not count: twice as many cells are allowed, on four times as many positions.
            if len(slots) > 2 * limit or len(taken) > 4 * limit:
                raise TooLarge(f"a table of more than {limit} cells", ids=(uri,))
    return _without_flat_rows(_without_excess_span(slots), len(rows))


def _group_ends(rows: list[Element]) -> list[int]:
    """Return for each row the end of its row group, beyond which no span extends."""
    ends = [len(rows)] * len(rows)
    for number in range(len(rows) - 2, -1, -1):
        same = rows[number].getparent() is rows[number + 1].getparent()
        ends[number] = ends[number + 1] if same else number + 1
    return ends


def _slot(cell: Element, row: int, column: int, below: int) -> Slot:
    row_span = _number(cell.get("rowspan"))
    width = max(1, min(_number(cell.get("colspan")), _WIDEST))
    height = below if row_span == 0 else min(row_span, below)
    parent = cell.getparent()
    group = parent.getparent() if parent is not None else None
    header = cell.tag == "th" or (group is not None and group.tag == "thead")
    return Slot(cell, row, column, height, width, header)


def _number(value: str | None) -> int:
    digits = (value or "1").strip()
    return int(digits) if digits.isdecimal() and len(digits) < _DIGITS else 1


def _places(slot: Slot) -> list[tuple[int, int]]:
    columns = range(slot.column, slot.column + slot.column_span)
    return [(row, column) for row in range(slot.row, slot.row + slot.row_span) for column in columns]


def _without_excess_span(slots: list[Slot]) -> list[Slot]:
    """Cut spans that are much wider than the table: `colspan=99` is written for "all columns"."""
    width = 1 + max((slot.column for slot in slots), default=0)
    widest = max((slot.column + slot.column_span for slot in slots), default=0)
    if widest <= 2 * width + 1:
        return slots
    return [replace(slot, column_span=min(slot.column_span, width - slot.column)) for slot in slots]


def _without_flat_rows(slots: list[Slot], rows: int) -> list[Slot]:
    """Remove rows in which no cell ends: all their cells continue below, and browsers give them no height."""
    ends = {slot.row + slot.row_span - 1 for slot in slots}
    begins = {slot.row for slot in slots}
    flat = [row for row in range(rows) if row in begins and row not in ends]
    if not flat:
        return slots
    return [_moved_up(slot, flat) for slot in slots]


def _moved_up(slot: Slot, flat: list[int]) -> Slot:
    above = bisect_left(flat, slot.row)
    inside = bisect_left(flat, slot.row + slot.row_span) - above
    return replace(slot, row=slot.row - above, row_span=slot.row_span - inside)


def cells_of(slots: list[Slot], read: Callable[[Element], str]) -> list[Cell]:
    """Return the cells of `slots`; `read` returns the text of an element."""
    return [_cell(slot, read(slot.element)) for slot in slots]


def _cell(slot: Slot, text: str) -> Cell:
    return Cell(slot.row, slot.column, text, slot.row_span, slot.column_span, slot.header, rich=_is_rich(slot.element))


def _is_rich(cell: Element) -> bool:
    """Whether a cell has more than one run of plain text; cells with a nested table do not count."""
    if _contains(cell, "table"):
        return False
    runs = sum(1 for run in cell.itertext() if run.strip())
    return runs > 1 or (runs == 1 and _contains(cell, *_RICH))


_WORDS_IN = frozenset({"span", "b", "strong", "label", "em", "i", "small"})
_LABEL = 3
"""Minimum letters at the end of a label; "x" before "2" is a formula."""
_NOT_FOLLOWED = ("javascript:", "data:", "cid:", "tel:", "about:")


def open_inline(element: Element, inline: Inline, *, verbatim: bool = False) -> bool:
    """Add the beginning of `element`; return True if that is all, so that its content must be skipped."""
    tag = element.tag
    if (replacement := _replacement(element)) is not None:
        if replacement and is_labelled(element):
            inline.end_label()
        inline.text(f" {replacement} ")
        return True
    if is_hidden(element):
        return True
    if tag in ("frame", "iframe"):
        inline.link(element.get("src", ""), element.get("title") or element.get("name") or "")
        return True
    if tag == "sup" and len(element) == 0 and inline.ends_in_digit() and EXPONENT.fullmatch(element.text or ""):
        inline.text(raised(element.text or ""))  # 10⁶ must not become 106
        return True
    if tag == "br":
        inline.line_break()
    elif tag == "img":
        inline.link(_file_of(element), element.get("alt") or "")
    elif tag == "a" and element.get("href"):
        inline.open_link(element.get("href", "").strip())
        inline.text("[" if _is_note_mark(element) else "")
    inline.text(" " if not verbatim and _is_apart(element) else "")
    inline.text(element.text, verbatim=verbatim)
    return False


def _is_apart(element: Element) -> bool:
    """Whether a style sheet must set an element apart from the one before: "61 kg" behind "Weight", without a blank.

    Both have text alone, the former ends with a word in lower case, the latter begins with a digit or a capital letter.
    """
    before = element.getprevious()
    if before is None or before.tail or len(before) or len(element) or before.tag not in _WORDS_IN:
        return False
    label, value = (before.text or "").rstrip(":："), element.text or ""
    named = len(label) >= _LABEL and label[-_LABEL:].isalpha() and label[-1].islower()
    return element.tag in _WORDS_IN and named and len(value) > 1 and (value[0].isdigit() or value[0].isupper())


def _replacement(element: Element) -> str | None:
    """Return the text that replaces a formula, a form control or a button, or None for any other element."""
    if element.tag == "script" and element.get("type", "").startswith("math/"):
        return element.text or ""
    if element.tag in CONTROLS and element.get("hidden") is None:
        return control_text(element)
    if element.tag == "button" and is_operated(element):
        return ""
    return math_text(element) if element.tag == "math" and not is_hidden(element) else None


def _file_of(image: Element) -> str:
    """Return the address of a picture's file, which may be a document of its own, or '' for inline data."""
    address = source_of(image)
    return "" if address.startswith("data:") else address


def close_inline(element: Element, inline: Inline) -> None:
    if element.tag == "a" and element.get("href"):
        inline.text("]" if _is_note_mark(element) else "")
        inline.close_link()


def _is_note_mark(link: Element) -> bool:
    """Whether a link is a footnote mark (DPUB-ARIA 1.1) that lacks the usual brackets."""
    return link.get("role") == "doc-noteref" and text_of(link).isalnum()


def read_text(root: Element) -> tuple[str, list[Anchor]]:
    """Return the text of an element, one line per block in it, and its links; iterative, not recursive."""
    inline = Inline()
    events = etree.iterwalk(root, events=("start", "end", "comment"))
    skipped: Element | None = None
    for event, element in events:
        if event == "start":
            if element.tag in BLOCKS and element is not root:
                inline.line_break()
            if open_inline(element, inline):
                skipped = element
                events.skip_subtree()
        elif event == "end":
            if element is not skipped:
                close_inline(element, inline)
            if element.tag in BLOCKS and element is not root:
                inline.text(" ") if element.tag in ("td", "th") else inline.line_break()
        if event != "start" and element is not root:
            inline.text(element.tail)
    return inline.take(), inline.take_links()


def read_cell(cell: Element) -> tuple[str, list[Anchor]]:
    """Return the text and links of a table cell, on one line if it has a nested table; without text, its icons'."""
    text, links = read_text(cell)
    text = text or text_of_icons(cell)
    return (" ".join(text.split()) if _contains(cell, "table") else text), links


def add_references(builder: DocumentBuilder, links: list[Anchor]) -> None:
    """Add links as references of the last piece: cross-references within the page, or hyperlinks."""
    for link in links:
        if link.target.lower().startswith(_NOT_FOLLOWED) or link.target in ("", "#", "#top"):
            continue
        within = link.target.startswith("#")
        kind = ReferenceKind.CROSS_REFERENCE if within else ReferenceKind.HYPERLINK
        builder.reference(kind, link.target, link.text)


def caption_of(table: Element) -> str:
    """Return the caption of a table on one line."""
    caption = next(table.iterchildren("caption"), None)
    return " ".join(read_text(caption)[0].split()) if caption is not None else ""
