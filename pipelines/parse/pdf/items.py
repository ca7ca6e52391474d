"""The items of a page: tables that go on over the page joined, links tied to the items that they stand in."""

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

LOW, _HIGH = 0.7, 0.3
"""How far down the page the first part must reach, and how far up the next must begin."""
_EDGE = 0.03
"""Of the page's width: 18 points, the shift between left and right pages of a book."""
_FLUSH = 0.005
"""Of the page's width: 3 points, between edges that are one."""
_CONTINUED = re.compile(any_of("continued"), re.IGNORECASE)
_BETWEEN = (BlockKind.FOOTNOTE, BlockKind.FIGURE)


@dataclass(frozen=True, slots=True)
class PageItem:
    """One block of a page. `style` is that of its first line; `rect` is on the upright page, `boxes` as it is shown.

    `parts` are the rows at which each page's share of a merged table begins; one that `continues` goes on from the
    column or page before. `seen` is what the layout model takes it for, None where it did not look; `boxed` says that
    it stands in a drawn box with text below.
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
    pointers: tuple[Pointer, ...] = ()
    seen: RegionKind | None = None
    boxed: bool = False


def merge_tables(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with each table that goes on at the top of the next page joined to its first part.

    It goes on if nothing but footnotes, labels beside it or a caption that says so stands between, and it was read in
    the columns of the first, or columns and left edges agree, or columns and head. A header that is printed again, on
    the next page or in the next column of a page, is kept once; `parts` tells where each page's rows begin.
    """
    merged: list[PageItem] = []
    open_table: int | None = None
    for item in items:
        if item.kind is BlockKind.TABLE:
            if open_table is not None:
                part = _in_columns_of(merged[open_table], item)
                above = _in_columns_of(part, merged[open_table])
                if _goes_on(above, part):
                    merged[open_table] = _joined(above, part)
                    continue
            open_table = len(merged)
        elif open_table is not None and not _between(merged[open_table], item):
            open_table = None
        merged.append(item)
    return merged


def _between(table: PageItem, item: PageItem) -> bool:
    """Whether an item may stand between two parts of a table: such as the labels of a figure over it."""
    last = table.boxes[-1]
    label = len(item.text) < RUNNING and any(box.page == last.page and box.bottom <= last.bottom for box in item.boxes)
    # A caption that says so does in its first words: 120 characters are one line and a half.
    return label or item.kind in _BETWEEN or _CONTINUED.search(item.text[:120]) is not None


def _goes_on(above: PageItem, below: PageItem) -> bool:
    last, first = above.boxes[-1], below.boxes[0]
    same = columns(above.cells) == columns(below.cells)
    # In the next column of a page, it stands higher up.
    next_column = first.page == last.page and first.top < last.bottom
    headed = (next_column or first.page == last.page + 1) and _repeated_rows(above.cells, below.cells)
    if same and (below.continues or headed):
        return True
    return (
        first.page == last.page + 1
        and last.bottom > LOW
        and first.top < _HIGH
        and same
        and (abs(last.left - first.left) < _EDGE or _same_columns(above.cells, below.cells))
    )


def _same_columns(above: Sequence[Cell], below: Sequence[Cell]) -> bool:
    """Whether the inner columns of two parts begin at one place: a line of the page's head may widen a part's frame."""
    one, other = _inner_lefts(above), _inner_lefts(below)
    return one.keys() == other.keys() != set() and all(abs(one[column] - other[column]) < _FLUSH for column in one)


def _inner_lefts(cells: Sequence[Cell]) -> dict[int, float]:
    """Return where the columns behind the first begin: the middle one of their cells' left edges."""
    found: dict[int, list[float]] = {}
    for cell in cells:
        if cell.column and cell.boxes:
            found.setdefault(cell.column, []).append(cell.boxes[0].left)
    return {column: median(lefts) for column, lefts in found.items()}


def _in_columns_of(above: PageItem, below: PageItem) -> PageItem:
    """Return `below` with the columns of `above`, if all its fewer columns begin where some of those do.

    So goes on a table with rows whose cells are joined across, and so does one that begins with such rows.
    """
    edges = {cell.column: cell.boxes[0].left for cell in above.cells if cell.boxes}
    last = columns(above.cells)
    if not 1 < columns(below.cells) < last or len(edges) < last or not all(cell.boxes for cell in below.cells):
        return below
    starts: dict[int, int] = {columns(below.cells): last}
    for cell in below.cells:
        at = min(edges, key=lambda column: abs(edges[column] - cell.boxes[0].left))
        # A frame is rougher than the white between columns.
        off = abs(edges[at] - cell.boxes[0].left) > (_FLUSH if cell.column else _EDGE)
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
    repeated = _repeated_rows(above.cells, below.cells)
    # What goes on of the last row may be blank.
    while repeated < _rows(below.cells) and not _row(below.cells, repeated):
        repeated += 1
    if _is_rest(above.cells, below.cells, repeated):
        above = replace(above, cells=_with_rest(above.cells, _cells(below.cells, repeated)))
        repeated += 1
    at = _rows(above.cells)
    more = tuple(
        replace(cell, row=cell.row - repeated + at, header=False) for cell in below.cells if cell.row >= repeated
    )
    if not more:
        return above
    return replace(
        above,
        text=f"{above.text}\n{below.text}",
        cells=above.cells + more,
        parts=(*above.parts, at),
        boxes=above.boxes + below.boxes,
        pointers=above.pointers + below.pointers,
    )


def _repeated_rows(above: Sequence[Cell], below: Sequence[Cell]) -> int:
    """Return how many leading rows of the second part are the first part's leading rows again."""
    count = 0
    # A head has four rows at most: what is the same beyond is data.
    while count < 4 and _row(below, count) and _row(above, count) == _row(below, count):
        count += 1
    return count


def _is_rest(above: Sequence[Cell], below: Sequence[Cell], first: int) -> bool:
    """Whether the `first` row of a part is the rest of the last one above: it alone lacks an entry in the first column.

    Above it entries of all its columns end.
    """
    rest = {column for column, _ in _row(below, first)}
    lacking = [_without_key(above, 0), _without_key(below, first)]
    return lacking == [set(), {first}] and rest <= {cell.column for cell in _ending(above) if cell.text}


def _without_key(cells: Sequence[Cell], first: int) -> set[int]:
    """Return the rows from the `first` on beside which no entry of the first column stands; blank ones need none."""
    keyed = {
        row for cell in cells if cell.column == 0 and cell.text for row in range(cell.row, cell.row + cell.row_span)
    }
    return {cell.row for cell in cells if cell.text and cell.row >= first} - keyed


def _ending(cells: Sequence[Cell]) -> list[Cell]:
    return [cell for cell in cells if cell.row + cell.row_span == _rows(cells)]


def _with_rest(above: Sequence[Cell], rest: Sequence[Cell]) -> tuple[Cell, ...]:
    """Return the cells of a part with what goes on below of its last row."""
    more = {cell.column: cell for cell in rest if cell.text}
    last = set(_ending(above))
    return tuple(
        replace(cell, text=join_lines([cell.text, more[cell.column].text]), boxes=cell.boxes + more[cell.column].boxes)
        if cell in last and cell.column in more
        else cell
        for cell in above
    )


def _cells(cells: Sequence[Cell], number: int) -> list[Cell]:
    return [cell for cell in cells if cell.row == number]


def _row(cells: Sequence[Cell], number: int) -> list[tuple[int, str]]:
    return [(cell.column, cell.text) for cell in _cells(cells, number) if cell.text]


_MOST_ITEMS = 500
"""Items of a page among which the one next to a link is looked for."""


def with_links(items: Sequence[PageItem], links: Sequence[PageLink], words: Sequence[PageWord]) -> list[PageItem]:
    """Return the items with their links, one that runs over several lines once; a link in no item goes to the next."""
    found: dict[tuple[int, str], list[PageLink]] = {}
    if not items:
        return []
    homes = _Homes(items)
    for link in links:
        target = link.uri or f"#page={link.page}"
        found.setdefault((homes.of(link.rect), target), []).append(link)
    near = Near(words, lambda word: word.rect)
    pointers: dict[int, list[Pointer]] = {}
    for (number, target), group in found.items():
        kind = ReferenceKind.HYPERLINK if group[0].uri else ReferenceKind.CROSS_REFERENCE
        pointers.setdefault(number, []).append(Pointer(kind, target, _covered(group, near)))
    return [replace(item, pointers=(*item.pointers, *pointers.get(n, ()))) for n, item in enumerate(items)]


class _Homes:
    """The items of a page by place; a link in none of them belongs to the next, one of the first so many."""

    def __init__(self, items: Sequence[PageItem]) -> None:
        self._items = items
        self._near = Near(range(len(items)), lambda number: items[number].rect.grown(2))

    def of(self, rect: Rect) -> int:
        """Return the number of the item that holds most of a link."""
        items, near = self._items, self._near.at(rect)
        best = max(near, key=lambda number: rect.share_in(items[number].rect.grown(2)), default=0)
        if near and rect.share_in(items[best].rect.grown(2)) > 0:
            return best
        return min(range(min(len(items), _MOST_ITEMS)), key=lambda number: _distance(rect, items[number].rect))


def _distance(one: Rect, other: Rect) -> float:
    (x, y), (across, down) = one.middle, other.middle
    return abs(x - across) + abs(y - down)


def _covered(links: Sequence[PageLink], words: Near[PageWord]) -> str:
    areas = (link.rect.grown(0.5) for link in links)
    return " ".join(word.text for area in areas for word in words.at(area) if word.rect.share_in(area) > 0.5)
