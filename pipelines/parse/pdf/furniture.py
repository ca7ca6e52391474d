"""What is at the edges of pages: running headers and footers, title blocks, page numbers, and what only looks so."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median
from typing import TYPE_CHECKING

from pipelines.core.document import BlockKind
from pipelines.parse.lines import PAGE_NUMBER, Line
from pipelines.parse.pdf.items import PageItem

if TYPE_CHECKING:
    from pipelines.parse.pdf.pages import ReadPage

_EDGE_SHARE = 0.14
"""Share of the page's height at the top and at the bottom in which furniture is found: 1.6 inches on A4, for a margin
of one inch and three lines."""
_NUMBER_EDGE_SHARE = 0.09
"""The same for a single page number: an inch on A4 (72 of 842 points); numbers further in are text."""
_LEAST_OVERLAP = 0.3
"""Minimum overlap of the lines of a row: lines set close overlap by a fifth, those of cells centred beside others more.
"""
_MOST_ROWS = 4
"""Rows of lines from the edge that are examined: a title block has three or four."""
_STEP = 6
"""Points to which heights are rounded, half a line: recurring lines have the same height, except for rounding."""
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")

_LARGER = 1.3
"""Minimum size of a title, in those of the text: "PT-480" above a data sheet is no page number."""

EdgeKey = tuple[BlockKind, str, bool]
"""An edge, a text, and whether the line is separated from the body; the numbers of such a text are masked."""

_Height = tuple[BlockKind, int]
"""An edge, and the height of a line's middle in steps of `_STEP`."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """The texts that recur at the edges of pages: running headers and footers, title blocks."""

    keys: frozenset[EdgeKey] = frozenset()

    def recurring(self, lines: Sequence[Line], height: float) -> list[Line]:
        """Return the lines of a page that recur on other pages, without page numbers, which may be table entries."""
        return [line for line, key in edges(lines, height) if self._recurs(key)]

    def _recurs(self, key: EdgeKey) -> bool:
        """Whether a text recurs; that of a footer with letters also does if no gap separates it from the body."""
        edge, text, _ = key
        apart = (edge, masked(text), True)
        return key in self.keys or (
            edge is BlockKind.PAGE_FOOTER and apart in self.keys and _LETTER.search(text) is not None
        )

    def split(self, lines: Sequence[Line], height: float) -> tuple[list[Line], list[tuple[BlockKind, Line]]]:
        """Return the lines of a page's body, and the lines that are furniture, each with its kind."""
        keys = dict(edges(lines, height))
        usual = median(line.size for line in lines) if lines else 0.0
        numbers = [line for line in _page_numbers(keys, height) if line.size < _LARGER * usual]
        own: list[Line] = []
        furniture: list[tuple[BlockKind, Line]] = []
        for line in lines:
            key = keys.get(line)
            if key is not None and (self._recurs(key) or any(_same_height(line, number) for number in numbers)):
                furniture.append((key[0], line))
            else:
                own.append(line)
        return own, furniture


def edges(lines: Sequence[Line], height: float) -> list[tuple[Line, EdgeKey]]:
    """Return the lines at the edges of a page, each with the key by which it is compared with other pages.

    Numbers are masked in lines that are separated from the body by a gap, since these may have page numbers.
    """
    downward = sorted(lines, key=lambda line: line.rect.top)
    found = _from_edge(downward, BlockKind.PAGE_HEADER) + _from_edge(downward[::-1], BlockKind.PAGE_FOOTER)
    return [(line, key) for line, key in found if _at_edge(line, key[0], height)]


def _from_edge(inward: Sequence[Line], edge: BlockKind) -> list[tuple[Line, EdgeKey]]:
    """Return the lines of the first rows from an edge, each with its key."""
    rows: list[int] = []
    outer: Line | None = None  # the first line of a row: the cells of a title block may be at different heights
    for line in inward:
        begins = outer is None or _overlap(outer, line) < _LEAST_OVERLAP
        rows.append(rows[-1] + begins if rows else 0)
        outer = line if begins else outer
    near = [line for line, row in zip(inward, rows, strict=False) if row < _MOST_ROWS]
    looked = inward[: len(near) + 1]
    gap = next((position for position, pair in enumerate(pairwise(looked)) if _is_separated(*pair)), None)
    last = gap if gap is not None else len(near) - 1 if len(looked) == len(near) else -1
    return [
        (line, (edge, masked(line.text) if position <= last or _is_named(line) else line.text, position <= last))
        for position, line in enumerate(near)
    ]


def _overlap(one: Line, other: Line) -> float:
    """Return the common height of two lines as a share of the lower one's, negative if they are apart."""
    common = min(one.rect.bottom, other.rect.bottom) - max(one.rect.top, other.rect.top)
    return common / max(1.0, min(one.rect.height, other.rect.height))


def _is_named(line: Line) -> bool:
    """Whether a line is a page number that says so ("Page 3"), which is no entry of a table."""
    return PAGE_NUMBER.fullmatch(line.text) is not None and _LETTER.search(line.text) is not None


def _page_numbers(keys: Mapping[Line, EdgeKey], height: float) -> list[Line]:
    """Return the outermost page number of each edge; numbers further in belong to the body."""
    found = [line for line in keys if _is_page_number(line, height)]
    tops = [line for line in found if keys[line][0] is BlockKind.PAGE_HEADER]
    feet = [line for line in found if keys[line][0] is BlockKind.PAGE_FOOTER]
    first = min(tops, key=lambda line: line.rect.top, default=None)
    last = max(feet, key=lambda line: line.rect.top, default=None)
    return [line for line in (first, last) if line is not None]


def _same_height(line: Line, number: Line) -> bool:
    """Whether a line is at the height of a page number, such as the chapter's name in a running header."""
    return abs(line.rect.middle[1] - number.rect.middle[1]) < 0.5 * max(line.rect.height, number.rect.height)


def _is_separated(one: Line, other: Line) -> bool:
    """Whether there is a gap of a line's height between two lines, or the type size changes."""
    upper, lower = sorted((one, other), key=lambda line: line.rect.top)
    # Gaps in text are 0.2 of the type size, up to 0.8 with wide spacing. 1.5 points are a step of type size.
    return lower.rect.top - upper.rect.bottom > 0.9 * upper.size or abs(one.size - other.size) >= 1.5


def _at_edge(line: Line, edge: BlockKind, height: float) -> bool:
    if edge is BlockKind.PAGE_HEADER:
        return line.rect.bottom < _EDGE_SHARE * height
    return line.rect.top > (1 - _EDGE_SHARE) * height


def _is_page_number(line: Line, height: float) -> bool:
    middle = line.rect.middle[1]
    at_edge = middle < _NUMBER_EDGE_SHARE * height or middle > (1 - _NUMBER_EDGE_SHARE) * height
    return at_edge and PAGE_NUMBER.fullmatch(line.text.strip()) is not None


def masked(text: str) -> str:
    """Return a text in lower case with numbers replaced by #, so that "Page 3" and "Page 4" are equal."""
    return _DIGITS.sub("#", " ".join(text.casefold().split()))


def edge_keys(lines: Sequence[Line], height: float) -> set[tuple[EdgeKey, int]]:
    """Return the keys of the lines at the edges of a page, each with its height in steps of `_STEP`."""
    return {(key, round(line.rect.top / _STEP)) for line, key in edges(lines, height)}


def find_furniture(pages: Iterable[set[tuple[EdgeKey, int]]]) -> Furniture:
    """Return the keys that recur within one line of height on at least three pages, or on both of two pages.

    A text that is not separated from the body must recur on half of the pages, since it may be a table's header.
    """
    counts: Counter[tuple[EdgeKey, int]] = Counter()
    total = 0
    for page in pages:
        total += 1
        counts.update(page)
    # Running headers may differ by chapter: one page in 25 is a chapter of a book of 25 chapters.
    least = 2 if total == 2 else max(3, round(0.04 * total))
    keys: set[EdgeKey] = set()
    for key, at in counts:
        times = sum(counts.get((key, near), 0) for near in (at - 1, at, at + 1))
        if times >= (least if key[2] else max(least, total / 2)):
            keys.add(key)
    return Furniture(frozenset(keys) if total > 1 else frozenset())


def with_own_edges(pages: Sequence[ReadPage]) -> list[ReadPage]:
    """Return the pages with headers and footers that only one page has as its text, in front of the first item below.

    A letterhead, or a heading at the bottom of a page, is at the edge too, but no other page has a line at its height.
    """
    pages_at: dict[_Height, set[int]] = {}
    for page in pages:
        for item in page.furniture:
            pages_at.setdefault(_height(item), set()).add(item.page)
    found = []
    for page in pages:
        own = [item for item in page.furniture if _is_lone(item, pages_at)]
        items = list(page.items)
        for item in own:
            below = (at for at, other in enumerate(items) if other.rect.top > item.rect.top)
            items.insert(next(below, len(items)), replace(item, kind=BlockKind.PARAGRAPH))
        kept = tuple(item for item in page.furniture if item not in own)
        found.append(replace(page, items=tuple(items), furniture=kept))
    return found


def _height(item: PageItem) -> _Height:
    return item.kind, round(item.rect.middle[1] / _STEP)


def _is_lone(item: PageItem, pages_at: Mapping[_Height, set[int]]) -> bool:
    """Whether the layout model alone calls an item a header or footer, and only its page has one at its height."""
    kind, height = _height(item)
    pages = set[int]().union(*(pages_at.get((kind, near), ()) for near in (height - 1, height, height + 1)))
    return item.region is not None and len(pages) == 1 and not PAGE_NUMBER.fullmatch(item.text)
