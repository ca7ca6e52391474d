"""Lines of text on a page from any source, in points or pixels, y pointing down; joining them to one text."""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pipelines.core.provenance import Box
from pipelines.lang.characters import CJK, HANGUL, WITHOUT_BLANKS
from pipelines.lang.word_lists import any_of

RUNNING = 25
"""Minimum characters of a line of running text: narrow columns have thirty; cells and labels fewer."""
PAGE_NUMBER = re.compile(
    rf"{any_of('page')}?\s*+[-–—|]?\s*+(?:\d{{1,4}}|[ivxlc]{{1,6}}|[A-Z]{{0,2}}\d{{0,3}}-\d{{1,3}})\s*+[-–—|]?\s*+{any_of('page')}?"
    rf"(?:\s*+(?:{any_of('of')}|/)\s*+\d{{1,4}}\s*+{any_of('page')}?)?",
    re.IGNORECASE,
)
"""A page number, also with the number of pages: "Page 3 of 20", "iv", "A-3"."""


ASCENT, DESCENT = 0.8, 0.22
"""Height above and below the baseline, in type sizes, used in place of the fonts' inconsistent metrics."""


class Rect(NamedTuple):
    """A rectangle on a page, origin at the top left."""

    left: float
    top: float
    right: float
    bottom: float

    @property
    def width(self) -> float:
        return self.right - self.left

    @property
    def height(self) -> float:
        return self.bottom - self.top

    @property
    def area(self) -> float:
        return max(0.0, self.width) * max(0.0, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        return (self.left + self.right) / 2, (self.top + self.bottom) / 2

    def meet(self, other: Rect) -> Rect:
        """Return the intersection; its area is 0 if they do not touch."""
        return Rect(
            max(self.left, other.left),
            max(self.top, other.top),
            min(self.right, other.right),
            min(self.bottom, other.bottom),
        )

    def beside(self, other: Rect) -> bool:
        """Whether two lines are on the same row."""
        return abs(self.middle[1] - other.middle[1]) < 0.5 * min(self.height, other.height)

    def share_in(self, other: Rect) -> float:
        """Return the share of this rectangle that lies in `other`, 0 to 1."""
        if self.area > 0:
            return self.meet(other).area / self.area
        return 1.0 if other.holds(*self.middle) else 0.0

    def holds(self, x: float, y: float) -> bool:
        return self.left <= x <= self.right and self.top <= y <= self.bottom

    def grown(self, by: float) -> Rect:
        return Rect(self.left - by, self.top - by, self.right + by, self.bottom + by)

    def box(self, page: int, width: float, height: float) -> Box:
        """Return the rectangle in fractions of a page of that size, clipped to the page."""
        # Avoids division by zero for a page without a size.
        across, down = max(width, 1e-6), max(height, 1e-6)
        left, right = _fraction(self.left, across), _fraction(self.right, across)
        top, bottom = _fraction(self.top, down), _fraction(self.bottom, down)
        return Box(page, left, top, max(left, right), max(top, bottom))


def turned_box(box: Box, turn: int) -> Box:
    """Return where a box lies after the page is turned clockwise by `turn` degrees, a multiple of 90."""
    # Four quarter turns are a full one.
    for _ in range(turn // 90 % 4):
        box = Box(box.page, _fraction(1 - box.bottom), box.left, _fraction(1 - box.top), box.right)
    return box


@dataclass(frozen=True, slots=True)
class Projection:
    """Where the points of a page that was laid flat are in its picture, both in fractions of width and height.

    `rows` are those of the matrix that maps homogeneous coordinates (x, y, 1).
    """

    rows: tuple[tuple[float, float, float], ...]

    def box(self, box: Box) -> Box:
        """Return the smallest box in the picture that contains a box on the flat page."""
        corners = ((x, y) for x in (box.left, box.right) for y in (box.top, box.bottom))
        across, down = zip(*(self._point(x, y) for x, y in corners), strict=True)
        left, top, right, bottom = map(_fraction, (min(across), min(down), max(across), max(down)))
        return Box(box.page, left, top, right, bottom)

    def _point(self, x: float, y: float) -> tuple[float, float]:
        across, down, scale = (a * x + b * y + c for a, b, c in self.rows)
        return across / scale, down / scale


def _fraction(value: float, whole: float = 1.0) -> float:
    # Five digits on a page of 842 points are a hundredth of a point.
    return round(min(1.0, max(0.0, value / whole)), 5)


def around(rects: Iterable[Rect]) -> Rect:
    """Return the smallest rectangle that contains all of `rects`, which must not be empty."""
    lefts, tops, rights, bottoms = zip(*rects, strict=True)
    return Rect(min(lefts), min(tops), max(rights), max(bottoms))


@dataclass(frozen=True, slots=True)
class TextStyle:
    """The style of a line: size in points, rounded to halves, and the font's name without its subset prefix."""

    size: float = 0.0
    font: str = ""
    bold: bool = False
    italic: bool = False
    mono: bool = False
    color: int = 0


PLAIN = TextStyle()


@dataclass(frozen=True, slots=True)
class Line:
    """One line of one column.

    `raised`: it begins with a superscript, like a footnote. `marked`: a bullet is drawn before it as a graphic.
    """

    text: str
    rect: Rect
    style: TextStyle = PLAIN
    confidence: float = 1.0
    raised: bool = False
    marked: bool = False

    @property
    def is_item(self) -> bool:
        """Whether it begins with a bullet or a number, like a list item."""
        return self.marked or BULLET.match(self.text) is not None

    @property
    def size(self) -> float:
        return self.style.size or self.rect.height


BULLET = re.compile(
    r"(?:[•◦▪▫■□●○◆◇►▶➢➤✓✔☐☑☒❏❑⁃‣∙·*]|[-–—](?=\s)|\uf0b7|\uf0a7|o(?=\s{2}))\s*(?=\S)"
    r"|(?!\d{1,2}\.\s[^\W\d]{3,12}\s(?:19|20)\d\d\b)"  # "9. April 2026" is a date
    r"(?:\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)]|\[\d{1,3}\]|(?:\d{1,2}\.){2,4})\s+(?=\S)|[①-⑳]\s*(?=\S)"
)
BULLET_GLYPHS = frozenset("•◦▪■●○◆►▶➢✓☐☑☒")
DOTS = re.compile(r"\.{4}|(?:\. ){4}|…{2}")
"""A row of dots leading to a page number."""
LEADER = re.compile(r"(?:\.\s?){5}\s*\w{1,6}\s*$|…{2}\s*\w{1,6}\s*$")
"""The end of a table of contents entry: dots and a page number."""
LABELLED = re.compile(r"[^\W\d_][^.:：!?\n]{0,40}\.?[:：](?:\s|$|[^\W_])")
"""A line of a form or letterhead: a label and its value."""
_UNSPACED_END = re.compile(rf"[{CJK}，。；：、！？）」』》】]$|[{WITHOUT_BLANKS}]$")
CJK_START = re.compile(rf"^[{CJK}（「『《【，。；：、]")
_UNSPACED_START = re.compile(rf"{CJK_START.pattern}|^[{WITHOUT_BLANKS}]")
_HANGUL = re.compile(f"[{HANGUL}]")
HYPHENS = ("-", "‐", "\u00ad")
_KEPT_PREFIXES = frozenset("self non semi anti multi ex quasi pseudo cross high low one two three four".split())


def join_lines(texts: Sequence[str], vocabulary: Container[str] = frozenset()) -> str:
    """Return lines as one text: words divided at line ends are rejoined; lines of scripts without blanks are joined
    without one.

    `vocabulary` has the document's words in lower case; it distinguishes "load-/carrying" from "carry-/ing".
    """
    joined: list[str] = []
    for text in (text.strip() for text in texts):
        if joined and text:
            joined.append(_separator(joined, text, vocabulary))
        if text:
            joined.append(text)
    return "".join(joined)


def _separator(joined: list[str], below: str, vocabulary: Container[str]) -> str:
    """Return the separator of two lines; a hyphen that only divides a word is removed from the first."""
    above = joined[-1]
    if above[-1] in HYPHENS and len(above) > 1 and above[-2].isalnum() and below[0].isalnum():
        if _divides_word(above, below, vocabulary):
            joined[-1] = above[:-1]
        return ""
    if _HANGUL.match(above[-1]) and _HANGUL.match(below[0]):  # a line ends after any syllable
        return "" if above.split()[-1] + below.split(maxsplit=1)[0] in vocabulary else " "
    if _UNSPACED_END.search(above) and _UNSPACED_START.search(below):
        return ""
    return "" if above[-1] == "/" and "://" in above.rsplit(" ", 1)[-1] else " "


def _divides_word(above: str, below: str, vocabulary: Container[str]) -> bool:
    """Whether a hyphen only divides a word: by `vocabulary`, else before a small letter, but not after "self" etc."""
    first = re.split(r"[\s(/]", above[:-1])[-1].lower()
    second = re.match(r"[^\W\d_]*", below)[0].lower()  # type: ignore[index]
    if above[-1] == "\u00ad" or first + second in vocabulary:
        return True
    if not below[0].islower() or first in _KEPT_PREFIXES or not first.isalpha():
        return False
    return not (len(first) > 2 and len(second) > 2 and first in vocabulary and second in vocabulary)
