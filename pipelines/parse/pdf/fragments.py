"""Pieces of lines, as a PDF stores them, put together into lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipelines.lang.characters import right_to_left
from pipelines.parse.lines import Line, Rect, TextStyle, around
from pipelines.parse.pdf.garble import plain, raise_text

_SUPERSCRIPT, _ITALIC, _MONO, _BOLD = 1, 2, 8, 16
"""Flags of a span in PyMuPDF ("Font flags" of TextPage)."""
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|-bd|bd$|,b\b", re.IGNORECASE)
_MONO_NAME = re.compile(r"courier|mono|consol|typewriter|cmtt|inconsolata|menlo|lucidaconsole", re.IGNORECASE)
_MARKER = re.compile(
    r"\s*(?:[^\w\s]{1,2}|o|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,5}\.?|\[\d{1,3}\])\s*"
)
_BARE_NUMBER = re.compile(r"\s*\d{1,2}\s*")
_LOST_GLYPH = re.compile("(?<!\ufffd)\ufffd++(?=[•☐])")
# An Arabic or Hebrew prefix written on to a Latin word; parted, the word can be found.
_SCRIPTS_MEET = re.compile("(?<=[\u0590-\u08ff])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u0590-\u08ff])")
_LATEST = 24
"""Groups on a base line that are looked at: a row of a table has fewer, and a page of confetti must not take long."""
_WORD, _LABEL_GAP = 0.9, 4.5
"""Ems between two pieces of one line at most: justified words (a blank is .3), and a number or bullet and its text."""
_WATERMARK = 24.0
"""Size in points from which text askew is no label of a drawing."""
_ASCENT, _DESCENT = 0.8, 0.22
"""Share of the font's size above and below the base line: fonts' own metrics differ wildly."""


@dataclass(frozen=True, slots=True)
class FontRun:
    """Characters of one font, as the library gives them."""

    text: str
    font: str
    size: float
    flags: int
    color: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Fragment:
    """Runs on one base line; `level` is False for text that stands sideways, `slanted` is True for text askew."""

    runs: tuple[FontRun, ...]
    rect: Rect
    baseline: float
    level: bool
    slanted: bool = False

    @property
    def is_watermark(self) -> bool:
        """Whether this is printed large across the page, like "DRAFT"."""
        return self.slanted and max(run.size for run in self.runs) >= _WATERMARK


def lines_of(fragments: Sequence[Fragment]) -> list[Line]:
    """Return the lines that the fragments make, in the order in which each began in the file.

    Fragments are joined that stand on one base line with less than a word's gap, or where the left one is a bullet or
    a number. A line printed twice on one spot, for boldness, is one.
    """
    lines: list[Line] = []
    seen: set[tuple[str, int, int]] = set()
    for group in _groups(fragments):
        line = _line(group)
        key = (line.text, round(line.rect.left / 2), round(line.rect.top / 2))
        if line.text and key not in seen:
            seen.add(key)
            lines.append(line)
    return lines


@dataclass(slots=True)
class _Group:
    """Fragments that make a line so far, and the rectangle around them."""

    parts: list[Fragment]
    rect: Rect


def _groups(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """Join neighbours on a base line. Few fragments share one, and of a crowd only the latest are looked at."""
    groups: list[_Group] = []
    by_baseline: dict[int, list[_Group]] = {}
    for fragment in fragments:
        if not any(run.text.strip() for run in fragment.runs):
            continue
        home = _neighbour(fragment, by_baseline) if fragment.level else None
        if home is None:
            home = _Group([], fragment.rect)
            groups.append(home)
            by_baseline.setdefault(round(fragment.baseline), []).append(home)
        home.parts.append(fragment)
        home.rect = around((home.rect, fragment.rect))
    return [group.parts for group in groups]


def _neighbour(fragment: Fragment, by_baseline: Mapping[int, Sequence[_Group]]) -> _Group | None:
    middle = round(fragment.baseline)
    for key in (middle, middle - 1, middle + 1, middle - 2, middle + 2):
        for group in by_baseline.get(key, ())[-_LATEST:]:
            if _adjoins(group, fragment):
                return group
    return None


def _adjoins(group: _Group, fragment: Fragment) -> bool:
    first = group.parts[0]
    em = max(fragment.runs[0].size, first.runs[0].size, 1.0)
    gap = max(fragment.rect.left - group.rect.right, group.rect.left - fragment.rect.right)
    # Kerning and slanted type overlap by half an em; another base line begins at a third (superscripts are told apart).
    if not -0.6 * em <= gap <= _LABEL_GAP * em or not first.level or abs(first.baseline - fragment.baseline) > 0.3 * em:
        return False
    if gap <= _WORD * em:
        return True
    left = group.parts if group.rect.left < fragment.rect.left else [fragment]
    marker = plain("".join(run.text for part in left for run in part.runs))
    # The longest marker that `_MARKER` knows, "1.2.3.4.5.6.", has twelve characters.
    if len(marker) >= 12:
        return False
    return _MARKER.fullmatch(marker) is not None or (_BARE_NUMBER.fullmatch(marker) is not None and _bold(left[0]))


def _bold(fragment: Fragment) -> bool:
    """Whether a bare number is set as a heading's: in a table it is a cell of its own."""
    return is_bold(fragment.runs[0].font, fragment.runs[0].flags)


def is_bold(font: str, flags: int) -> bool:
    """Whether a font is heavy, by its flags or its name."""
    return bool(flags & _BOLD or _BOLD_NAME.search(font))


def is_mono(font: str, flags: int) -> bool:
    """Whether all characters of a font are equally wide, by its flags or its name."""
    return bool(flags & _MONO or _MONO_NAME.search(font))


def _line(group: Sequence[Fragment]) -> Line:
    backwards = right_to_left("".join(run.text for part in group for run in part.runs))
    parts = sorted(group, key=lambda part: -part.rect.right if backwards else part.rect.left)
    text, before = "", None
    for part in parts:
        if before is not None and text and not text[-1].isspace() and _apart(before, part):
            text += " "
        text = _append(text, part.runs)
        before = part
    rect, size = around(_inked(part) for part in parts), _size(parts)
    if parts[0].level:
        baseline = parts[0].baseline
        rect = Rect(rect.left, baseline - _ASCENT * size, rect.right, baseline + _DESCENT * size)
    text = _LOST_GLYPH.sub("", text)
    if backwards:
        text = _SCRIPTS_MEET.sub(" ", text)
    first = next(run for run in parts[0].runs if run.text.strip())
    # Word sets superscripts at two thirds of the size, TeX at .7: from .9 on it is the same type. A mark has 3 signs.
    raised = bool(first.flags & _SUPERSCRIPT) and first.size < 0.9 * size and len(first.text.strip()) <= 3
    return Line(" ".join(text.split()), rect, _style(parts, size), raised=raised)


def _inked(fragment: Fragment) -> Rect:
    """Return a fragment's rectangle without the blanks that it begins with: they are how code is set in."""
    first, rect = fragment.runs[0], fragment.rect
    blanks = len(first.text) - len(first.text.lstrip())
    if not blanks or blanks == len(first.text) or not fragment.level:
        return rect
    return rect._replace(left=min(rect.right, rect.left + blanks * first.rect.width / len(first.text)))


def _apart(before: Fragment, part: Fragment) -> bool:
    gap = max(part.rect.left - before.rect.right, before.rect.left - part.rect.right)
    # A thin space is a sixth or an eighth of an em; tracked letters are set closer.
    return gap > 0.12 * part.runs[0].size


def _append(text: str, runs: Sequence[FontRun]) -> str:
    usual = max((run.size for run in runs), default=0.0)
    raised = False
    for run in runs:
        piece = plain(run.text, run.font)
        # As in `_line`.
        if run.flags & _SUPERSCRIPT and run.size < 0.9 * usual and piece.strip() and text:
            piece, raised = raise_text(text, piece), True
        elif raised and piece[:1].isalpha() and text[-1:].isalnum():
            piece, raised = " " + piece, False
        else:
            raised = False
        text += piece
    return text


def _size(parts: Sequence[Fragment]) -> float:
    sizes: Counter[float] = Counter()
    for part in parts:
        for run in part.runs:
            sizes[round(run.size * 2) / 2] += len(run.text.strip())
    return sizes.most_common(1)[0][0] or 1.0


def _style(parts: Sequence[Fragment], size: float) -> TextStyle:
    """Return the style of most characters; a weight counts that four fifths of them have."""
    weights: Counter[tuple[str, int, int]] = Counter()
    for part in parts:
        for run in part.runs:
            weights[run.font, run.flags, run.color] += len(run.text.strip())
    # A run-in heading or a bold term leaves the line light; a bold line may hold a light number.
    enough = 0.8 * weights.total()
    bold = italic = mono = 0
    for (font, flags, _), count in weights.items():
        bold += count if is_bold(font, flags) else 0
        italic += count if flags & _ITALIC else 0
        mono += count if is_mono(font, flags) else 0
    font, _, color = weights.most_common(1)[0][0]
    return TextStyle(size, font.split("+", 1)[-1], bold > enough, italic > enough, mono > enough, color)
