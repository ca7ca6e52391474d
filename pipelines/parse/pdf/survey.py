"""Survey of all pages of a PDF: body style, vocabulary, column gutters, and what recurs at the edges of pages."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pipelines.lang.characters import right_to_left
from pipelines.parse.limits import Clock
from pipelines.parse.lines import RUNNING, TextStyle
from pipelines.parse.pdf.furniture import EdgeKey, Furniture, edge_keys, edges, find_furniture
from pipelines.parse.pdf.library import FAULTS
from pipelines.parse.pdf.mupdf import PdfFile

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
    at_edges: list[set[tuple[EdgeKey, int]]] = []
    extents: Counter[tuple[int, int]] = Counter()
    edge_only_pages = directed = 0
    for number in range(1, file.pages + 1):
        if clock.past(_TIME_SHARE):
            break
        try:
            lines, height = file.lines(number)
        except FAULTS:
            continue  # reported when the page is read
        at_edges.append(edge_keys(lines, height))
        edge_only_pages += bool(lines) and len(dict(edges(lines, height))) == len(lines)
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
    furniture = find_furniture(at_edges) if 2 * edge_only_pages <= len(at_edges) else Furniture()
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
