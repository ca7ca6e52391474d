"""A first look at all pages of a PDF: its running text, and the headers and footers that come back page after page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from pipelines.core.document import BlockKind
from pipelines.lang.word_lists import any_of
from pipelines.parse.limits import Clock
from pipelines.parse.lines import RUNNING, Line, TextStyle
from pipelines.parse.pdf.mupdf import FAULTS, PdfFile

_EDGE = 0.14
"""Share of the page's height, at the top and at the bottom, where furniture stands: 1.6 inches of A4, its margins (one
inch) and three lines."""
_NUMBER_EDGE = 0.09
"""As much where a page number alone stands: an inch of A4 (72 of 842 points), further in figures are text."""
_DEEPEST = 4
"""Rows of lines from the edge that are looked at: a title block of a document has three or four."""
_PAGE_NUMBER = re.compile(
    rf"{any_of('page')}?\s*+[-–—|]?\s*+(?:\d{{1,4}}|[ivxlc]{{1,6}}|[A-Z]{{0,2}}\d{{0,3}}-\d{{1,3}})\s*+[-–—|]?\s*+{any_of('page')}?"
    rf"(?:\s*+(?:{any_of('of')}|/)\s*+\d{{1,4}}\s*+{any_of('page')}?)?",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")

Key = tuple[BlockKind, str, bool]
"""An edge, a text, and whether the line is set apart from the page's own text; then its figures are blotted out."""


@dataclass(frozen=True, slots=True)
class Furniture:
    """The texts that return, by edge."""

    keys: frozenset[Key] = frozenset()

    def returning(self, lines: Sequence[Line], height: float) -> list[Line]:
        """Return the lines of a page that stand on other pages too; a lone page number may be an entry of a table."""
        return [line for line, key in _edges(lines, height) if self._holds(key)]

    def _holds(self, key: Key) -> bool:
        """Whether a text returns; words of a footer do, too, where a table reaches down to them without a gap."""
        edge, text, _ = key
        apart = (edge, blotted(text), True)
        return key in self.keys or (
            edge is BlockKind.PAGE_FOOTER and apart in self.keys and _LETTER.search(text) is not None
        )

    def parted(self, lines: Sequence[Line], height: float) -> tuple[list[Line], list[tuple[BlockKind, Line]]]:
        """Return the lines of a page that are its own, and those that are furniture with what they are."""
        keys = dict(_edges(lines, height))
        numbers = _page_numbers(keys, height)
        own: list[Line] = []
        furniture: list[tuple[BlockKind, Line]] = []
        for line in lines:
            key = keys.get(line)
            if key is not None and (self._holds(key) or any(_beside(line, number) for number in numbers)):
                furniture.append((key[0], line))
            else:
                own.append(line)
        return own, furniture


def _edges(lines: Sequence[Line], height: float) -> list[tuple[Line, Key]]:
    """Return the lines at the edges of a page, each with the key under which it would return.

    Where text runs on without a gap, only the same words are the same; a line set apart may count its pages.
    """
    downward = sorted(lines, key=lambda line: line.rect.top)
    found = _from_edge(downward, BlockKind.PAGE_HEADER) + _from_edge(downward[::-1], BlockKind.PAGE_FOOTER)
    return [(line, key) for line, key in found if _at_edge(line, key[0], height)]


def _from_edge(inward: Sequence[Line], edge: BlockKind) -> list[tuple[Line, Key]]:
    """Return the first rows of lines from an edge, each line with its key."""
    rows = [0]
    for outer, line in pairwise(inward):
        rows.append(rows[-1] + (not outer.rect.beside(line.rect)))
    near = [line for line, row in zip(inward, rows, strict=False) if row < _DEEPEST]
    looked = inward[: len(near) + 1]
    gap = next((position for position, pair in enumerate(pairwise(looked)) if _gap(*pair)), None)
    last = gap if gap is not None else len(near) - 1 if len(looked) == len(near) else -1
    return [
        (line, (edge, blotted(line.text) if position <= last else line.text, position <= last))
        for position, line in enumerate(near)
    ]


def _page_numbers(keys: Mapping[Line, Key], height: float) -> list[Line]:
    """Return the outermost page number of each edge; figures further in belong to the page's own text."""
    found = [line for line in keys if _is_page_number(line, height)]
    tops = [line for line in found if keys[line][0] is BlockKind.PAGE_HEADER]
    feet = [line for line in found if keys[line][0] is BlockKind.PAGE_FOOTER]
    first = min(tops, key=lambda line: line.rect.top, default=None)
    last = max(feet, key=lambda line: line.rect.top, default=None)
    return [line for line in (first, last) if line is not None]


def _beside(line: Line, number: Line) -> bool:
    """Whether a line is a page number or stands on its height: the chapter's name in a running header."""
    return abs(line.rect.middle[1] - number.rect.middle[1]) < 0.5 * max(line.rect.height, number.rect.height)


def _gap(one: Line, other: Line) -> bool:
    """Whether a line's height of white is between two lines, or another size of type begins."""
    upper, lower = sorted((one, other), key=lambda line: line.rect.top)
    # Lines of text have .2 of their size between them, up to .8 in spaced text. 1.5 points are a step of type.
    return lower.rect.top - upper.rect.bottom > 0.9 * upper.size or abs(one.size - other.size) >= 1.5


def _at_edge(line: Line, edge: BlockKind, height: float) -> bool:
    if edge is BlockKind.PAGE_HEADER:
        return line.rect.bottom < _EDGE * height
    return line.rect.top > (1 - _EDGE) * height


def _is_page_number(line: Line, height: float) -> bool:
    middle = line.rect.middle[1]
    at_edge = middle < _NUMBER_EDGE * height or middle > (1 - _NUMBER_EDGE) * height
    return at_edge and _PAGE_NUMBER.fullmatch(line.text.strip()) is not None


def blotted(text: str) -> str:
    """Return a text with its numbers as #, so that "Page 3" and "Page 4" are one."""
    return _DIGITS.sub("#", " ".join(text.casefold().split()))


def edge_keys(lines: Sequence[Line], height: float) -> set[tuple[Key, int]]:
    """Return what stands at the edges of one page, each with its height on it in steps of 6 points."""
    # 6 points, half a line: what returns is printed at one height, to rounding.
    return {(key, round(line.rect.top / 6)) for line, key in _edges(lines, height)}


def find_furniture(pages: Iterable[set[tuple[Key, int]]]) -> Furniture:
    """Return what returns at heights that differ by a line at most: on three pages at least, or on both of two.

    What is not set apart must stand on every other page: the head of a table does not.
    """
    counts: Counter[tuple[Key, int]] = Counter()
    total = 0
    for page in pages:
        total += 1
        counts.update(page)
    # Chapters have running heads of their own: one page in 25 is a chapter of a book of 25 chapters.
    least = 2 if total == 2 else max(3, round(0.04 * total))
    keys: set[Key] = set()
    for key, at in counts:
        times = sum(counts.get((key, near), 0) for near in (at - 1, at, at + 1))
        if times >= (least if key[2] else max(least, total / 2)):
            keys.add(key)
    return Furniture(frozenset(keys) if total > 1 else frozenset())


_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS = 100_000
"""More words than a language's everyday vocabulary: a longer file adds names and codes, which are not divided."""
_LONGEST = 0.3
"""Share of the file's time after which no further page is surveyed."""


_ACROSS, _PART, _WHITE = 0.05, 0.15, 6
"""Of the lines of running text, those that may run across a gutter and those on either side of it; its least width."""


@dataclass(frozen=True, slots=True)
class Survey:
    """`body` is the style of most characters, `vocabulary` the words in small letters that stand within lines.

    `gutters` are the left and right edges of the white between the columns in which all running text is set.
    """

    body: TextStyle
    furniture: Furniture
    vocabulary: frozenset[str]
    gutters: tuple[tuple[float, float], ...] = ()


def survey(file: PdfFile, clock: Clock) -> Survey:
    """Return the survey of a file; its pages are held one at a time, and the later ones left out where it is slow."""
    styles: Counter[tuple[float, str, bool]] = Counter()
    vocabulary: set[str] = set()
    edges: list[set[tuple[Key, int]]] = []
    extents: Counter[tuple[int, int]] = Counter()
    bare = 0
    for number in range(1, file.pages + 1):
        if clock.past(_LONGEST):
            break
        try:
            lines, height = file.lines(number)
        except FAULTS:
            continue  # the page's own turn will tell
        edges.append(edge_keys(lines, height))
        bare += bool(lines) and len(dict(_edges(lines, height))) == len(lines)
        for line in lines:
            styles[line.style.size, line.style.font, line.style.bold] += len(line.text)
            if len(line.text) >= RUNNING:
                extents[round(line.rect.left), round(line.rect.right)] += 1
            if len(vocabulary) < _MOST_WORDS:
                vocabulary.update(_inner_words(line.text))
    # Pages that hold nothing else, more than half of all: what stands at their edges is their text.
    furniture = find_furniture(edges) if 2 * bare <= len(edges) else Furniture()
    return Survey(_body(styles), furniture, frozenset(vocabulary), _gutters(extents))


def _gutters(extents: Counter[tuple[int, int]]) -> tuple[tuple[float, float], ...]:
    """Return the white between columns: where hardly a line runs across, with a good part of all on either side."""
    begin: Counter[int] = Counter()
    end: Counter[int] = Counter()
    for (left, right), count in extents.items():
        begin[left] += count
        end[right] += count
    total, begun, ended, since = extents.total(), 0, 0, 0
    found: dict[int, int] = {}
    for x in sorted({*begin, *end}):
        clear = begun - ended <= _ACROSS * total and x - since >= _WHITE
        if clear and min(ended, total - begun) >= _PART * total:
            found[since] = x
        if begun - ended > _ACROSS * total >= begun - ended - end[x]:
            since = x
        begun, ended = begun + begin[x], ended + end[x]
    return tuple(found.items())


def _inner_words(text: str) -> list[str]:
    """Return the words of a line but its first and last, which may be halves."""
    return [word.lower() for word in _WORD.findall(text)[1:-1]]


def _body(styles: Counter[tuple[float, str, bool]]) -> TextStyle:
    """Return the commonest style; sizes weigh first, so that one size in two fonts is not beaten by a third."""
    if not styles:
        return TextStyle()
    sizes: Counter[float] = Counter()
    for (size, _, _), count in styles.items():
        sizes[size] += count
    size = sizes.most_common(1)[0][0]
    best = max((key for key in styles if key[0] == size), key=lambda key: (styles[key], key))
    return TextStyle(size, best[1], best[2])
