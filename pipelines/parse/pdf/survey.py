"""Survey of all pages of a PDF: body style, vocabulary, column gutters, running headers and footers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median

from pipelines.core.document import BlockKind
from pipelines.lang.characters import right_to_left
from pipelines.parse.limits import Clock
from pipelines.parse.lines import PAGE_NUMBER, RUNNING, Line, TextStyle
from pipelines.parse.pdf.library import FAULTS
from pipelines.parse.pdf.mupdf import PdfFile

_EDGE_SHARE = 0.14
"""Share of the page's height at the top and at the bottom in which furniture is found: 1.6 inches on A4, for a margin
of one inch and three lines."""
_NUMBER_EDGE_SHARE = 0.09
"""The same for a single page number: an inch on A4 (72 of 842 points); numbers further in are text."""
_MOST_ROWS = 4
"""Rows of lines from the edge that are examined: a title block has three or four."""
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")

_LARGER = 1.3
"""Minimum size of a title, in those of the text: "PT-480" above a data sheet is no page number."""

EdgeKey = tuple[BlockKind, str, bool]
"""An edge, a text, and whether the line is separated from the body; the numbers of such a text are masked."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """The texts that recur at the edges of pages: running headers and footers, title blocks."""

    keys: frozenset[EdgeKey] = frozenset()

    def recurring(self, lines: Sequence[Line], height: float) -> list[Line]:
        """Return the lines of a page that recur on other pages, without page numbers, which may be table entries."""
        return [line for line, key in _edges(lines, height) if self._recurs(key)]

    def _recurs(self, key: EdgeKey) -> bool:
        """Whether a text recurs; that of a footer with letters also does if no gap separates it from the body."""
        edge, text, _ = key
        apart = (edge, masked(text), True)
        return key in self.keys or (
            edge is BlockKind.PAGE_FOOTER and apart in self.keys and _LETTER.search(text) is not None
        )

    def split(self, lines: Sequence[Line], height: float) -> tuple[list[Line], list[tuple[BlockKind, Line]]]:
        """Return the lines of a page's body, and the lines that are furniture, each with its kind."""
        keys = dict(_edges(lines, height))
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


def _edges(lines: Sequence[Line], height: float) -> list[tuple[Line, EdgeKey]]:
    """Return the lines at the edges of a page, each with the key by which it is compared with other pages.

    Numbers are masked in lines that are separated from the body by a gap, since these may have page numbers.
    """
    downward = sorted(lines, key=lambda line: line.rect.top)
    found = _from_edge(downward, BlockKind.PAGE_HEADER) + _from_edge(downward[::-1], BlockKind.PAGE_FOOTER)
    return [(line, key) for line, key in found if _at_edge(line, key[0], height)]


def _from_edge(inward: Sequence[Line], edge: BlockKind) -> list[tuple[Line, EdgeKey]]:
    """Return the lines of the first rows from an edge, each with its key."""
    rows = [0]
    for outer, line in pairwise(inward):
        rows.append(rows[-1] + (not outer.rect.beside(line.rect)))
    near = [line for line, row in zip(inward, rows, strict=False) if row < _MOST_ROWS]
    looked = inward[: len(near) + 1]
    gap = next((position for position, pair in enumerate(pairwise(looked)) if _is_separated(*pair)), None)
    last = gap if gap is not None else len(near) - 1 if len(looked) == len(near) else -1
    return [
        (line, (edge, masked(line.text) if position <= last else line.text, position <= last))
        for position, line in enumerate(near)
    ]


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
    """Return the keys of the lines at the edges of a page, each with its height in steps of 6 points."""
    # 6 points, half a line: recurring lines have the same height, except for rounding.
    return {(key, round(line.rect.top / 6)) for line, key in _edges(lines, height)}


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


_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS = 100_000
"""Maximum words of the vocabulary: more than the everyday vocabulary of a language; further ones are names and codes,
which are not hyphenated."""
_TIME_SHARE = 0.3
"""Share of the file's processor time after which no further page is surveyed."""


_CROSSING_SHARE, _SIDE_SHARE, _LEAST_GUTTER = 0.15, 0.15, 6
"""Maximum share of the lines of running text that cross a gutter, minimum share on either side of it, and its minimum
width in points. Tables across two columns are a tenth of the lines of a print; 0.05 to 0.25 find gutters in the
same documents of ../shared/data/pdf and documents/pdf."""


@dataclass(frozen=True, slots=True)
class Survey:
    """Properties of a whole file.

    `body` is the style of most characters. `vocabulary` has the words inside lines, in lower case. `gutters` are the
    left and right edges of the gaps between the columns of the running text. `backwards` says that a quarter of
    this text runs from right to left: in such documents, more than half may be names and code in Latin letters.
    """

    body: TextStyle
    furniture: Furniture
    vocabulary: frozenset[str]
    gutters: tuple[tuple[float, float], ...] = ()
    backwards: bool = False


def survey(file: PdfFile, clock: Clock) -> Survey:
    """Return the survey of a file, without its last pages if time is short."""
    styles: Counter[tuple[float, str, bool]] = Counter()
    vocabulary: set[str] = set()
    edges: list[set[tuple[EdgeKey, int]]] = []
    extents: Counter[tuple[int, int]] = Counter()
    edge_only_pages = directed = 0
    for number in range(1, file.pages + 1):
        if clock.past(_TIME_SHARE):
            break
        try:
            lines, height = file.lines(number)
        except FAULTS:
            continue  # reported when the page is read
        edges.append(edge_keys(lines, height))
        edge_only_pages += bool(lines) and len(dict(_edges(lines, height))) == len(lines)
        for line in lines:
            styles[line.style.size, line.style.font, line.style.bold] += len(line.text)
            if len(line.text) >= RUNNING:
                extents[round(line.rect.left), round(line.rect.right)] += 1
                # Three to one: a quarter of the lines decides; prints of an Arabic handbook have up to half in Latin.
                directed += 0 if line.style.mono else 3 if right_to_left(line.text) else -1
            if len(vocabulary) < _MOST_WORDS:
                # The first and the last word of a line may be parts of hyphenated words.
                vocabulary.update(word.lower() for word in _WORD.findall(line.text)[1:-1])
    # If more than half of the pages only have lines at their edges, these are their text.
    furniture = find_furniture(edges) if 2 * edge_only_pages <= len(edges) else Furniture()
    return Survey(_body(styles), furniture, frozenset(vocabulary), _gutters(extents), directed > 0)


def _gutters(extents: Counter[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
    """Return the gaps between columns, which few lines cross and on both sides of which are enough lines."""
    begin: Counter[int] = Counter()
    end: Counter[int] = Counter()
    for (left, right), count in extents.items():
        begin[left] += count
        end[right] += count
    total, begun, ended, since = extents.total(), 0, 0, 0
    found: dict[int, int] = {}
    for x in sorted({*begin, *end}):
        clear = begun - ended <= _CROSSING_SHARE * total and x - since >= _LEAST_GUTTER
        if clear and min(ended, total - begun) >= _SIDE_SHARE * total:
            found[since] = x
        if begun - ended > _CROSSING_SHARE * total >= begun - ended - end[x]:
            since = x
        begun, ended = begun + begin[x], ended + end[x]
    return tuple(found.items())


def _body(styles: Counter[tuple[float, str, bool]]) -> TextStyle:
    """Return the most common font and weight of the most common size."""
    if not styles:
        return TextStyle()
    sizes: Counter[float] = Counter()
    for (size, _, _), count in styles.items():
        sizes[size] += count
    size = sizes.most_common(1)[0][0]
    best = max((key for key in styles if key[0] == size), key=lambda key: (styles[key], key))
    return TextStyle(size, best[1], best[2])
