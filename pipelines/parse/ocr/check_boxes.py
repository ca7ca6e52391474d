"""Check boxes of a scanned form, from its pixels: OCR reads them as nothing, or as a letter."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import median

import numpy as np

from pipelines.lang.characters import CJK_CHARACTER, right_to_left
from pipelines.parse.lines import Line, Rect
from pipelines.parse.ocr.engine import SIDEWAYS
from pipelines.parse.ocr.ink import Mask, words_of

_SMALLEST, _LARGEST = 0.45, 1.4
"""Sides of a box, in heights of a line of text."""
_LEAST_PIXELS = 12
"""Minimum side in pixels; the frame of a smaller one cannot be told from what is in it."""
_SQUARE = 0.2
"""Maximum difference of height and width, relative to the width."""
_DRAWN = 0.9
"""Minimum share of ink along each side of a frame."""
_FRAYED = 2
"""Pixels by which the sides of a scanned frame are uneven."""
_APART = 0.2
"""Minimum blank on the left and right relative to the side: letters of a word are closer to one another."""
_BLURRED = 3
"""Pixels beside a frame that are a part of it."""
_INSIDE = 0.22
"""Where the inside begins, behind frame and margin, relative to the side."""
_MOST_EDGES = 20_000
"""Maximum upper edges of possible boxes on a page; more are a photograph or a pattern."""
_EMPTY = 0.05
"""Maximum share of ink inside an empty box."""
_PROBE, _PROBED = 0.05, 0.5
"""Half the side of the places that are looked at inside a box, relative to its own, and the share of ink that tells
which of them a cross goes through: of 302 pages of print none has a letter that is taken for a box."""
_MOST_CJK = 0.1
"""Maximum share of lines in Chinese, Japanese or Korean: characters such as 口 and 回 are squares."""
_SIGNS = "□☐☒☑■◻▢囗口区凶回図"
_MISREAD = re.compile(rf"[{_SIGNS}XxOoDUVv0√✓]")
"""What OCR reads a box as, alone between blanks."""
_CHECKED, _UNCHECKED = "☒", "☐"


@dataclass(frozen=True, slots=True)
class CheckBox:
    """A box in pixels."""

    rect: Rect
    checked: bool

    @property
    def sign(self) -> str:
        return _CHECKED if self.checked else _UNCHECKED


def check_boxes(ink: Mask, lines: Sequence[Line]) -> list[CheckBox]:
    """Return the check boxes on a page with these lines of text, as high as small or capital letters.

    A frame with another mark in it than a cross, which may be a letter, is one beside boxes of its size.
    """
    if sum(CJK_CHARACTER.search(line.text) is not None for line in lines) > _MOST_CJK * len(lines):
        return []
    height = median(min(line.rect.width, line.rect.height) for line in lines)
    found: list[CheckBox] = []
    marked: list[CheckBox] = []
    open_frames: list[Rect] = []  # those that go on below the row
    for left, top, right in _tops(ink, max(_LEAST_PIXELS, _SMALLEST * height), _LARGEST * height):
        open_frames = [frame for frame in open_frames if frame.bottom >= top]
        if any(frame.holds(left + 1, top + 1) for frame in open_frames):
            continue
        if (frame := _frame(ink, left, top, right)) is not None:
            sure, checked = _mark_in(ink, frame)
            (found if sure else marked).append(CheckBox(frame, checked))
            open_frames.append(frame.grown(_FRAYED))
    sides = [box.rect.width for box in found]
    return found + [box for box in marked if any(abs(box.rect.width - side) <= _FRAYED for side in sides)]


def _tops(ink: Mask, shortest: float, longest: float) -> Iterator[tuple[int, int, int]]:
    """Yield left, top and right of horizontal runs of ink of these lengths with none above them, unless too many."""
    padded = np.zeros((ink.shape[0], ink.shape[1] + 2), dtype=np.int8)
    padded[:, 1:-1] = ink
    padded[:-1, 1:-1] |= ink[1:]  # an edge that is not quite level
    edges = np.diff(padded, axis=1)
    rows, starts = np.nonzero(edges == 1)
    _, ends = np.nonzero(edges == -1)
    fits = (ends - starts >= shortest) & (ends - starts <= longest) & (rows > 1)
    if np.count_nonzero(fits) > _MOST_EDGES:
        return
    for row, start, end in zip(rows[fits].tolist(), starts[fits].tolist(), ends[fits].tolist(), strict=True):
        if ink[row - 1, start:end].mean() < 1 - _DRAWN:
            yield start, row, end


def _frame(ink: Mask, left: int, top: int, right: int) -> Rect | None:
    """Return the frame with this upper edge, if there is one."""
    bottom = _bottom(ink, left, top, right)
    if not bottom:
        return None
    side, rows = right - left, ink[top:bottom]
    if not all(_is_straight(rows, edge) for edge in (left, right - 1)):
        return None
    apart = round(_APART * side) + _FRAYED
    beside = (rows[:, max(0, left - apart) : max(0, left - _FRAYED)], rows[:, right + _FRAYED : right + apart])
    if any(strip.size and strip.mean() > _EMPTY for strip in beside):
        return None
    return Rect(left, top, right, bottom)


def _mark_in(ink: Mask, frame: Rect) -> tuple[bool, bool]:
    """Return whether a frame is a box for sure, empty or with a cross, and whether there is a mark in it."""
    left, top, right, bottom = map(int, frame)
    inwards = round(_INSIDE * frame.width)
    inside = ink[top + inwards : bottom - inwards, left + inwards : right - inwards]
    empty = inside.size > 0 and float(inside.mean()) <= _EMPTY
    return empty or _is_crossed(ink[top:bottom, left:right]), not empty


def _is_crossed(box: Mask) -> bool:
    """Whether a cross is drawn in a box: ink in the middle, and none above, below or beside it, as in "B" or "m"."""
    height, width = box.shape

    def share(x: float, y: float) -> float:
        area = box[round((y - _PROBE) * height) : round((y + _PROBE) * height) + 1]
        return float(area[:, round((x - _PROBE) * width) : round((x + _PROBE) * width) + 1].mean())

    middle, near, far = 1 / 2, _INSIDE, 1 - _INSIDE
    around_it = (share(x, y) for x, y in ((middle, near), (middle, far), (near, middle), (far, middle)))
    return share(middle, middle) >= 1 - _PROBED and max(around_it) <= _PROBED


def _is_straight(rows: Mask, edge: int) -> bool:
    """Whether two columns of pixels at an edge have ink from top to bottom; the side of an "o" or a "D" has not."""
    pairs = (
        (rows[:, column] | rows[:, column + 1]).mean()
        for column in range(max(0, edge - 2), min(edge + 2, rows.shape[1] - 1))
    )
    return max(pairs, default=0.0) >= _DRAWN


def _bottom(ink: Mask, left: int, top: int, right: int) -> int:
    """Return the row below the lower edge of a box, 0 if it has none."""
    side = right - left
    lowest, highest = round((1 + _SQUARE) * side), round((1 - _SQUARE) * side)
    for row in range(min(len(ink) - 2, top + lowest), top + highest, -1):
        drawn = (ink[row, left:right] | ink[row - 1, left:right]).mean() >= _DRAWN
        if drawn and ink[row + 1, left:right].mean() < 1 - _DRAWN:
            return row + 1
    return 0


def with_check_boxes(
    lines: Sequence[Line], ink: Mask, boxes: Sequence[CheckBox]
) -> tuple[tuple[Line, ...], tuple[tuple[Line, ...], ...]]:
    """Return the lines of a page, and the words of each, with the boxes among them; one in no line is a line itself."""
    if not boxes:
        return tuple(lines), tuple(tuple(words_of(line, ink)) for line in lines)
    bare = ink.copy()
    for box in boxes:
        left, top, right, bottom = (max(0, round(side)) for side in box.rect.grown(_BLURRED))
        bare[top:bottom, left:right] = False
    placed: list[tuple[Line, tuple[Line, ...]]] = []
    taken: set[Rect] = set()
    for line in lines:
        own = [box for box in boxes if _is_horizontal(line) and line.rect.holds(*box.rect.middle)]
        text = _without_signs(line.text, len(own)) if own else line.text
        if own and not text:
            continue  # a line that is only a box
        taken.update(box.rect for box in own)
        words = list(words_of(replace(line, text=text), bare if own else ink))
        words += [replace(words[0], text=f"{box.sign} ", rect=_level(box.rect, words[0].rect)) for box in own]
        if own:
            words.sort(key=lambda word: word.rect.left, reverse=right_to_left(text))
        placed.append((replace(line, text="".join(word.text for word in words).strip()), tuple(words)))
    for box in boxes:
        if box.rect not in taken:
            alone = Line(box.sign, box.rect.grown(1))
            placed.append((alone, (alone,)))
    return tuple(line for line, _ in placed), tuple(words for _, words in placed)


def _is_horizontal(line: Line) -> bool:
    return line.rect.height <= SIDEWAYS * line.rect.width


def _level(box: Rect, word: Rect) -> Rect:
    return box._replace(top=word.top, bottom=word.bottom)


def _without_signs(text: str, most: int) -> str:
    """Return a text without up to `most` signs that stand for boxes, also at the beginning of words."""
    kept = []
    for token in text.split():
        sign = most > 0 and (_MISREAD.fullmatch(token) or token[0] in _SIGNS)
        most -= bool(sign)
        kept.append(token[1:] if sign else token)
    return " ".join(filter(None, kept))
