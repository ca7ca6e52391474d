"""A first look at all pages of a PDF: what its running text looks like, and what comes back on every page."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from pipelines.parse.limits import Clock
from pipelines.parse.lines import TextStyle
from pipelines.parse.pdf.furniture import Furniture, Key, edge_keys, find_furniture
from pipelines.parse.pdf.mupdf import FAULTS, PdfFile

_WORD = re.compile(r"[^\W\d_]{2,}")
_MOST_WORDS = 100_000
_LONGEST = 0.3
"""Share of the file's time after which no further page is surveyed."""


@dataclass(frozen=True, slots=True)
class Survey:
    """`body` is the style of most characters, `vocabulary` the words in small letters that stand within lines."""

    body: TextStyle
    furniture: Furniture
    vocabulary: frozenset[str]


def survey(file: PdfFile, clock: Clock) -> Survey:
    """Return the survey of a file; its pages are held one at a time, and the later ones left out where it is slow."""
    styles: Counter[tuple[float, str, bool]] = Counter()
    vocabulary: set[str] = set()
    edges: list[set[tuple[Key, int]]] = []
    for number in range(1, file.pages + 1):
        if clock.past(_LONGEST):
            break
        try:
            lines, height = file.lines(number)
        except FAULTS:
            continue  # the page's own turn will tell
        edges.append(edge_keys(lines, height))
        for line in lines:
            styles[line.style.size, line.style.font, line.style.bold] += len(line.text)
            if len(vocabulary) < _MOST_WORDS:
                vocabulary.update(_inner_words(line.text))
    return Survey(_body(styles), find_furniture(edges), frozenset(vocabulary))


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
