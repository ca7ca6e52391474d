"""Columns of a table in plain text: the places at which all lines have a gap of blanks or a tab."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import NamedTuple

from pipelines.parse.lines import DOTS

_GAP = 2
"""Minimum blanks between columns; words are one apart."""
_TAB_STOP = 8
"""Columns of characters per tab, as in terminals and printers."""
_PART = re.compile(r"\S+(?: \S+)*")
_WIDE = ("W", "F")
"""East Asian widths of characters that take two columns (Unicode Standard Annex 11)."""


class Part(NamedTuple):
    """Text between gaps of a line, in the columns of characters from `start` to before `end`."""

    start: int
    end: int
    text: str


def parts_of(line: str) -> list[Part]:
    """Return the parts of a line between gaps; none if it is an entry of a table of contents."""
    if DOTS.search(line):
        return []
    places = _spread(line)
    return [Part(*found.span(), found.group().replace("\0", "")) for found in _PART.finditer(places)]


def _spread(line: str) -> str:
    """Return a line with a gap in place of tabs, and with a null behind each character that takes two columns."""
    if not line.isascii():
        line = "".join(one + "\0" * (unicodedata.east_asian_width(one) in _WIDE) for one in line)
    spread, *others = line.split("\t")
    for other in others:
        gap = _TAB_STOP - len(spread) % _TAB_STOP
        spread += " " * (gap if gap > 1 else gap + _TAB_STOP) + other
    return spread


class Columns:
    """The columns of a table, found line by line; there is a gap between each two.

    `shifted` counts the lines with as many parts as there are columns, but at other places.
    """

    def __init__(self, parts: Sequence[Part]) -> None:
        self._spans = [(part.start, part.end) for part in parts]
        self.shifted = 0

    @property
    def count(self) -> int:
        return len(self._spans)

    def take(self, parts: Sequence[Part]) -> bool:
        """Add the parts of a line if they keep the columns apart, or if they are as many."""
        spans = _united([*self._spans, *((part.start, part.end) for part in parts)])
        starts = [start for start, _ in self._spans]
        are_apart = all(bisect_left(starts, end) - bisect_left(starts, start) <= 1 for start, end in spans)
        if len(parts) < 2:
            return bool(parts) and are_apart and len(spans) == self.count and parts[0].start >= self._spans[0][1]
        if are_apart and (len(spans) == self.count or not self.shifted):
            self._spans = spans
            return True
        self.shifted += len(parts) == self.count
        return len(parts) == self.count

    def fields(self, parts: Sequence[Part]) -> list[str]:
        """Return the text in each column of a line that was taken."""
        if len(parts) == self.count:
            return [part.text for part in parts]
        fields = [""] * self.count
        starts = [start for start, _ in self._spans]
        for part in parts:
            column = bisect_right(starts, part.start) - 1
            fields[column] = f"{fields[column]} {part.text}".strip()
        return fields


def _united(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return spans with those joined that have no gap between them."""
    united: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if united and start - united[-1][1] < _GAP:
            united[-1] = (united[-1][0], max(end, united[-1][1]))
        else:
            united.append((start, end))
    return united
