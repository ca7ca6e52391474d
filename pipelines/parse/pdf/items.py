"""The items of a page; joining of tables across pages, and assignment of links to items."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from statistics import median

from pipelines.core.document import BlockKind, ReferenceKind
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.lang.word_lists import any_of
from pipelines.parse.assemble import Image
from pipelines.parse.lines import PLAIN, RUNNING, Rect, TextStyle, join_lines
from pipelines.parse.near import Near
from pipelines.parse.pdf.page import PageLink, PageWord, RegionKind
from pipelines.parse.pieces import Pointer

LEAST_BOTTOM, _MOST_TOP = 0.7, 0.3
"""Share of the page's height that the first part of a table must reach, and above which the next part must begin."""
_BOOK_SHIFT = 0.03
"""Share of the page's width: 18 points, the shift between left and right pages of a book."""
_SAME_EDGE = 0.005
"""Share of the page's width within which two edges are the same: 3 points."""
_CONTINUED = re.compile(any_of("continued"), re.IGNORECASE)
_BETWEEN = (BlockKind.FOOTNOTE, BlockKind.FIGURE)


@dataclass(frozen=True, slots=True)
class PageItem:
    """A block of a page.

    `style` is that of the first line; `rect` is on the upright page, `boxes` on the displayed page, `breaks` as in
    `pipelines.core.document.Block`. `parts` are the
    first rows of each page's part of a joined table, `continues` says that a table is the continuation of one in the
    column or page before. `region` is the kind of its region in the layout model, None if the model was not used;
    `boxed` says that a heading is in a drawn box with text below.
    """

    kind: BlockKind
    text: str
    page: int
    rect: Rect
    style: TextStyle = PLAIN
    level: int = 0
    confidence: float = 1.0
    cells: tuple[Cell, ...] = ()
    parts: tuple[int, ...] = (0,)
    continues: bool = False
    image: Image | None = None
    boxes: tuple[Box, ...] = ()
    breaks: tuple[int, ...] = ()
    pointers: tuple[Pointer, ...] = ()
    region: RegionKind | None = None
    boxed: bool = False


def merge_tables(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with tables that continue on the next page or in the next column joined.

    Only footnotes, figures, labels beside the table or a caption that says "continued" may be between the parts, and
    one paragraph if the second part was read in the columns of the first. The parts have the same columns, and either
    that is so, or their left edges or headers agree. A repeated header is kept once; `parts` are the first rows of each
    page's part.
    """
    merged: list[PageItem] = []
    open_table: int | None = None
    after_text = False
    for item in items:
        if item.kind is BlockKind.TABLE:
            if open_table is not None:
                part = _with_columns_of(merged[open_table], item)
                above = _with_columns_of(part, merged[open_table])
                if (item.continues or not after_text) and _continues(above, part):
                    merged[open_table], after_text = _joined(above, part), False
                    continue
            open_table, after_text = len(merged), False
        elif open_table is not None and not _may_be_between(merged[open_table], item):
            open_table = open_table if item.kind is BlockKind.PARAGRAPH and not after_text else None
            after_text = True
        merged.append(item)
    return merged


def _may_be_between(table: PageItem, item: PageItem) -> bool:
    """Whether an item may be between two parts of a table, such as a label beside it."""
    last = table.boxes[-1]
    label = len(item.text) < RUNNING and any(box.page == last.page and box.bottom <= last.bottom for box in item.boxes)
    # A caption says "continued" in its first words: 120 characters are one and a half lines.
    return label or item.kind in _BETWEEN or _CONTINUED.search(item.text[:120]) is not None


def _continues(above: PageItem, below: PageItem) -> bool:
    last, first = above.boxes[-1], below.boxes[0]
    same = columns(above.cells) == columns(below.cells)
    # In the next column of a page, it begins higher up.
    next_column = first.page == last.page and first.top < last.bottom
    headed = (next_column or first.page == last.page + 1) and _repeated_rows(above.cells, below.cells)
    if same and (below.continues or headed):
        return True
    return (
        first.page == last.page + 1
        and last.bottom > LEAST_BOTTOM
        and first.top < _MOST_TOP
        and same
        and (abs(last.left - first.left) < _BOOK_SHIFT or _same_columns(above.cells, below.cells))
    )


def _same_columns(above: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether the inner columns of two parts have the same left edges; the outer frame may differ."""
    one, other = _inner_lefts(above), _inner_lefts(below)
    return one.keys() == other.keys() != set() and all(abs(one[column] - other[column]) < _SAME_EDGE for column in one)


def _inner_lefts(cells: Sequence[Cell]) -> dict[int, float]:
    """Return the median left edges of the cells of each column after the first."""
    found: dict[int, list[float]] = {}
    for cell in cells:
        if cell.column and cell.boxes:
            found.setdefault(cell.column, []).append(cell.boxes[0].left)
    return {column: median(lefts) for column, lefts in found.items()}


def _with_columns_of(above: PageItem, below: PageItem) -> PageItem:
    """Return `below` with the columns of `above`, if it has fewer columns that all begin at some of those.

    This is the case if all rows of a part have merged cells.
    """
    edges = {cell.column: cell.boxes[0].left for cell in above.cells if cell.boxes}
    last = columns(above.cells)
    if not 1 < columns(below.cells) < last or len(edges) < last or not all(cell.boxes for cell in below.cells):
        return below
    starts: dict[int, int] = {columns(below.cells): last}
    for cell in below.cells:
        at = min(edges, key=lambda column: abs(edges[column] - cell.boxes[0].left))
        # The left edge of a table's frame is less exact than the gaps between columns.
        off = abs(edges[at] - cell.boxes[0].left) > (_SAME_EDGE if cell.column else _BOOK_SHIFT)
        if off or starts.setdefault(cell.column, at) != at:
            return below
    cells = tuple(
        replace(cell, column=starts[cell.column], column_span=starts[end] - starts[cell.column])
        for cell in below.cells
        if (end := cell.column + cell.column_span) in starts
    )
    return replace(below, cells=cells) if len(cells) == len(below.cells) else below


def columns(cells: Sequence[Cell]) -> int:
    return max(cell.column + cell.column_span for cell in cells)


def _rows(cells: Sequence[Cell]) -> int:
    return max(cell.row + cell.row_span for cell in cells)


def _joined(above: PageItem, below: PageItem) -> PageItem:
    """Return two parts of a table as one; the last of merged entries of the first column is beside further rows too."""
    repeated_rows = _repeated_rows(above.cells, below.cells)
    # Rows below the repeated header may be empty.
    while repeated_rows < _rows(below.cells) and not _row_texts(below.cells, repeated_rows):
        repeated_rows += 1
    if _continues_row(above.cells, below.cells, repeated_rows):
        above = replace(above, cells=_with_continued_row(above.cells, _cells_of_row(below.cells, repeated_rows)))
        repeated_rows += 1
    at = _rows(above.cells)
    own = [cell for cell in below.cells if cell.row >= repeated_rows]
    first = min((cell.row for cell in own if cell.column == 0 and cell.text), default=repeated_rows)
    key = max((cell for cell in above.cells if cell.column == 0), key=lambda cell: cell.row, default=None)
    goes_on = key is not None and key.column_span == 1 and _has_merged_keys(above.cells)
    unkeyed = range(repeated_rows, first if goes_on else repeated_rows)
    more = tuple(
        replace(cell, row=cell.row - repeated_rows + at, header=False)
        for cell in own
        if cell.column or cell.row not in unkeyed
    )
    if not more:
        return above
    return replace(
        above,
        text=f"{above.text}\n{below.text}",
        cells=tuple(replace(c, row_span=c.row_span + len(unkeyed)) if c is key else c for c in above.cells) + more,
        parts=(*above.parts, at),
        boxes=above.boxes + below.boxes,
        pointers=above.pointers + below.pointers,
    )


def _repeated_rows(above: Sequence[Cell], below: Sequence[Cell]) -> int:
    """Return how many leading rows of the second part repeat those of the first part."""
    count = 0
    # A header has at most four rows: further equal rows are data.
    while count < 4 and _row_texts(below, count) and _row_texts(above, count) == _row_texts(below, count):
        count += 1
    return count


def _continues_row(above: Sequence[Cell], below: Sequence[Cell], first: int) -> bool:
    """Whether the row `first` of a part continues the last row above, since only it has no entry in the first column.

    The last row above has entries in all its columns. If entries of the first column are beside several rows, as the
    last one may be, the row also begins with small letters.
    """
    if _has_merged_keys(above) and not all(text[:1].islower() for _, text in _row_texts(below, first)):
        return False
    rest = {column for column, _ in _row_texts(below, first)}
    lacking = [_rows_without_key(above, 0), _rows_without_key(below, first)]
    return lacking == [set(), {first}] and rest <= {cell.column for cell in _last_cells(above) if cell.text}


def _has_merged_keys(cells: Sequence[Cell]) -> bool:
    """Whether some entry of the first column, not only a header, is beside several rows."""
    return any(cell.column == 0 and cell.row_span > 1 and not cell.header for cell in cells)


def _rows_without_key(cells: Sequence[Cell], first: int) -> set[int]:
    """Return the rows from `first` on that have text, but no entry in the first column."""
    keyed = {
        row for cell in cells if cell.column == 0 and cell.text for row in range(cell.row, cell.row + cell.row_span)
    }
    return {cell.row for cell in cells if cell.text and cell.row >= first} - keyed


def _last_cells(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.row + cell.row_span == _rows(cells)]


def _with_continued_row(above: Sequence[Cell], rest: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells of a part with the continuation of its last row appended."""
    more = {cell.column: cell for cell in rest if cell.text}
    last = set(_last_cells(above))
    return tuple(
        replace(cell, text=join_lines([cell.text, more[cell.column].text]), boxes=cell.boxes + more[cell.column].boxes)
        if cell in last and cell.column in more
        else cell
        for cell in above
    )


def _cells_of_row(cells: Sequence[Cell], number: int) -> list[Cell]:
    return [cell for cell in cells if cell.row == number]


def _row_texts(cells: Sequence[Cell], number: int) -> list[tuple[int, str]]:
    return [(cell.column, cell.text) for cell in _cells_of_row(cells, number) if cell.text]


_MOST_ITEMS = 500
"""Maximum items of a page that are searched for the one nearest to a link."""


def with_links(items: Sequence[PageItem], links: Sequence[PageLink], words: Sequence[PageWord]) -> list[PageItem]:
    """Return the items with their links; one over several lines is one link, one outside all items is the nearest's."""
    found: dict[tuple[int, str], list[PageLink]] = {}
    if not items:
        return []
    index = _ItemIndex(items)
    for link in links:
        target = link.uri or f"#page={link.page}"
        found.setdefault((index.of(link.rect), target), []).append(link)
    near = Near(words, lambda word: word.rect)
    pointers: dict[int, list[Pointer]] = {}
    for (number, target), group in found.items():
        kind = ReferenceKind.HYPERLINK if group[0].uri else ReferenceKind.CROSS_REFERENCE
        pointers.setdefault(number, []).append(Pointer(kind, target, _text_below(group, near)))
    return [replace(item, pointers=(*item.pointers, *pointers.get(n, ()))) for n, item in enumerate(items)]


class _ItemIndex:
    """The items of a page by position."""

    def __init__(self, items: Sequence[PageItem]) -> None:
        self._items = items
        self._near = Near(range(len(items)), lambda number: items[number].rect.grown(2))

    def of(self, rect: Rect) -> int:
        """Return the index of the item that contains most of a link, or of the nearest one."""
        items, near = self._items, self._near.at(rect)
        best = max(near, key=lambda number: rect.share_in(items[number].rect.grown(2)), default=0)
        if near and rect.share_in(items[best].rect.grown(2)) > 0:
            return best
        return min(range(min(len(items), _MOST_ITEMS)), key=lambda number: _distance(rect, items[number].rect))


def _distance(one: Rect, other: Rect) -> float:
    (x, y), (across, down) = one.middle, other.middle
    return abs(x - across) + abs(y - down)


def _text_below(links: Sequence[PageLink], words: Near[PageWord]) -> str:
    areas = (link.rect.grown(0.5) for link in links)
    return " ".join(word.text for area in areas for word in words.at(area) if word.rect.share_in(area) > 0.5)
