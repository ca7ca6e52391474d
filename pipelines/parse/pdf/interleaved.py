"""Lines of a PDF that lie in the gaps of another line, put where they are read.

Some programs, LibreOffice among them, draw the characters of one font after those of another: the blanks between words
of a script that the font of the text lacks, or a few accented letters. The library returns them as lines of their own,
and the line that they belong to without them.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pipelines.lang.characters import MARK_CHARACTER
from pipelines.parse.lines import Rect, around

_SAME_BASELINE = 0.2
"""Distance of the baselines of one line in type sizes; those of superscripts are a third of an em away."""
_OVERLAP = 0.3
"""Maximum share of a character that kerning and slanted type print over the next one."""

_MOST_LINES = 400
"""Maximum lines on a baseline that are compared; those of text and tables have fewer, a page of scattered characters
more."""

Character = tuple[Any, Any]
"""A character and the span of the library that it is in."""


def has_interleaved(blocks: Iterable[Any]) -> bool:
    """Whether the rectangle of a line lies between the ends of another line on its baseline."""
    return any(True for row in _rows(blocks) for _ in _enclosed(row))


def without_interleaved(blocks: Sequence[Any]) -> Sequence[Any]:
    """Return blocks that were read character by character, with each line in the gaps of another line put into it."""
    printed = [
        {**block, "lines": [*filter(_has_print, block["lines"])]} if "lines" in block else block for block in blocks
    ]
    blanks = [blank for block in blocks for line in block.get("lines", ()) for blank in _blanks_at_the_end(line)]
    inside: dict[int, list[Any]] = {}
    for row in _rows([*printed, {"lines": blanks}]):
        for line in sorted(_enclosed(row), key=_width):
            home = next((one for one in _around(line, row) if _fits(line, one)), None)
            if home is not None:
                inside.setdefault(id(home), []).extend((*inside.pop(id(line), ()), line))
    gone = {id(line) for parts in inside.values() for line in parts}
    if not gone:
        return printed
    return [
        {**block, "lines": [_joined(line, inside.get(id(line), ())) for line in block["lines"] if id(line) not in gone]}
        if "lines" in block
        else block
        for block in printed
    ]


def _blanks_at_the_end(line: Any) -> Iterator[Any]:
    """Yield the blanks at the end of a line, or in one of blanks, as a line each: some belong into another line."""
    for span in reversed(line["spans"]):
        for one in reversed(span["chars"]):
            if not one["c"].isspace():
                return
            yield _line(line, [(one, span)])


def _line(line: Any, found: Sequence[Character]) -> Any:
    """Return a line with only these of its characters."""
    spans = [_span(list(group)) for _, group in groupby(found, key=lambda one: id(one[1]))]
    return {**line, "spans": spans, "bbox": tuple(around(Rect(*span["bbox"]) for span in spans))}


def _rows(blocks: Iterable[Any]) -> Iterator[list[Any]]:
    """Yield the horizontal lines by baseline, where there are several, but not too many."""
    lines = [line for block in blocks for line in block.get("lines", ()) if line["spans"] and line["dir"][0] == 1.0]
    row: list[Any] = []
    for line in [*sorted(lines, key=_baseline), None]:
        if row and (line is None or _baseline(line) - _baseline(row[0]) > _SAME_BASELINE * row[0]["spans"][0]["size"]):
            if 1 < len(row) <= _MOST_LINES:
                yield row
            row = []
        if line is not None:
            row.append(line)


def _enclosed(row: Sequence[Any]) -> Iterator[Any]:
    """Yield the lines of a row that begin and end between the ends of another one."""
    end = -math.inf
    for _, group in groupby(sorted(row, key=_left), key=_left):
        lines = list(group)
        yield from (line for line in lines if _right(line) < end)
        end = max(end, *map(_right, lines))


def _around(line: Any, row: Sequence[Any]) -> Iterator[Any]:
    """Yield the lines of a row that begin before a line and end behind it, the narrowest first."""
    longer = (one for one in row if _left(one) < _left(line) and _right(line) < _right(one))
    yield from sorted(longer, key=_width)


def _fits(line: Any, home: Any) -> bool:
    """Whether no character of a line is printed over one of the other line; blanks are no print."""
    taken = sorted(Rect(*one["bbox"])[::2] for one, _ in _characters(home) if not one["c"].isspace())
    for one, _ in _characters(line):
        left, right = Rect(*one["bbox"])[::2]
        place = bisect_left(taken, (left, right))
        near = taken[max(0, place - 1) : place + 1]
        if any(min(right, end) - max(left, start) > _OVERLAP * (right - left) for start, end in near):
            return False
    return True


def _joined(line: Any, parts: Sequence[Any]) -> Any:
    """Return a line with the characters of others in its gaps; those of each line stay in their order.

    Vowel signs of Hindi and Thai lie above and before the letter that they follow, so positions alone do not give it.
    """
    found = list(_characters(line))
    for part in sorted(parts, key=_left):
        added, left, right = list(_characters(part)), _left(part), _right(part)
        found = [one for one in found if not _is_made_blank(one, left, right)] if _has_print(part) else found
        middle = (left + right) / 2
        letters = ((number, one) for number, one in enumerate(found) if not MARK_CHARACTER.match(one[0]["c"]))
        behind = (number for number, one in letters if _middle(one) > middle)
        place = next(behind, len(found))
        found[place:place] = added
    return _line(line, found)


def _has_print(line: Any) -> bool:
    return any(not one["c"].isspace() for one, _ in _characters(line))


def _is_made_blank(found: Character, left: float, right: float) -> bool:
    """Whether a character is a blank that the library put where other characters are printed."""
    start, _, end, _ = found[0]["bbox"]
    return bool(found[0]["c"].isspace() and min(end, right) - max(start, left) > (end - start) / 2)


def _middle(found: Character) -> float:
    return float(found[0]["bbox"][0] + found[0]["bbox"][2]) / 2


def _span(found: Sequence[Character]) -> Any:
    characters, (_, span) = [one for one, _ in found], found[0]
    rect = tuple(around(Rect(*one["bbox"]) for one in characters))
    return {**span, "chars": characters, "bbox": rect, "origin": characters[0]["origin"]}


def _characters(line: Any) -> Iterator[Character]:
    for span in line["spans"]:
        for one in span["chars"]:
            yield one, span


def _baseline(line: Any) -> float:
    return float(line["spans"][0]["origin"][1])


def _left(line: Any) -> float:
    return float(line["bbox"][0])


def _right(line: Any) -> float:
    return float(line["bbox"][2])


def _width(line: Any) -> float:
    return _right(line) - _left(line)
