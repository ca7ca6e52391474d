"""Running headers and footers: what comes back at the same height page after page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pipelines.core.document import BlockKind
from pipelines.parse.lines import Line

_EDGE = 0.14
"""Share of the page's height, at the top and at the bottom, where furniture stands."""
_NUMBER_EDGE = 0.09
_DEEPEST = 4
"""Lines from the edge that are looked at."""
_PAGE_NUMBER = re.compile(
    r"(?:page|seite|p\.|pag\.|página|第)?\s*[-–—|]?\s*(?:\d{1,4}|[ivxlc]{1,6}|[A-Z]{0,2}\d{0,3}-\d{1,3})\s*[-–—|]?\s*(?:页|頁)?"
    r"(?:\s*(?:of|von|/|de|共)\s*\d{1,4}\s*页?)?",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"\d+|\b[ivxlc]{1,6}\b")

Key = tuple[BlockKind, str]


@dataclass(frozen=True, slots=True)
class Furniture:
    """The texts that return, with their figures blotted out, by edge."""

    keys: frozenset[Key]

    def kind(self, line: Line, height: float, width: float) -> BlockKind | None:
        """Return PAGE_HEADER or PAGE_FOOTER for a line that is furniture."""
        edge = edge_of(line, height)
        if edge is None:
            return None
        if (edge, blotted(line.text)) in self.keys:
            return edge
        return edge if _is_page_number(line, height) else None


def edge_of(line: Line, height: float) -> BlockKind | None:
    if line.rect.bottom < _EDGE * height:
        return BlockKind.PAGE_HEADER
    return BlockKind.PAGE_FOOTER if line.rect.top > (1 - _EDGE) * height else None


def _is_page_number(line: Line, height: float) -> bool:
    middle = line.rect.middle[1]
    at_edge = middle < _NUMBER_EDGE * height or middle > (1 - _NUMBER_EDGE) * height
    return at_edge and _PAGE_NUMBER.fullmatch(line.text.strip()) is not None


def blotted(text: str) -> str:
    """Return a text with its numbers as #, so that "Page 3" and "Page 4" are one."""
    return _DIGITS.sub("#", " ".join(text.casefold().split()))


def edge_keys(lines: Sequence[Line], height: float) -> set[tuple[Key, int]]:
    """Return what stands at the edges of one page, each with its height on it in steps of 6 points."""
    ordered = sorted(lines, key=lambda line: line.rect.top)
    found: set[tuple[Key, int]] = set()
    for line in (*ordered[:_DEEPEST], *ordered[-_DEEPEST:]):
        edge = edge_of(line, height)
        if edge is not None:
            found.add(((edge, blotted(line.text)), round(line.rect.top / 6)))
    return found


def find_furniture(pages: Iterable[set[tuple[Key, int]]]) -> Furniture:
    """Return what returns: on at least three pages, or on both of two, at heights that differ by a line at most."""
    counts: Counter[tuple[Key, int]] = Counter()
    total = 0
    for page in pages:
        total += 1
        counts.update(page)
    least = 2 if total == 2 else max(3, round(0.04 * total))
    keys = {
        key
        for (key, at), _ in counts.items()
        if sum(counts.get((key, near), 0) for near in (at - 1, at, at + 1)) >= least
    }
    return Furniture(frozenset(keys) if total > 1 else frozenset())
