"""Joining of the fragments of lines stored in a PDF."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pipelines.lang.characters import CJK_CHARACTER, right_to_left
from pipelines.parse.lines import ASCENT, DESCENT, Line, Rect, TextStyle, around
from pipelines.parse.pdf.garble import normalize_run, superscript
from pipelines.parse.pdf.glyphs import BESIDE_CJK

_SUPERSCRIPT, _ITALIC, _MONO, BOLD = 1, 2, 8, 16
"""Flags of a span in PyMuPDF ("Font flags" of TextPage)."""
_BOLD_NAME = re.compile(r"bold|black|heavy|semibold|demi|-bd|bd$|,b\b", re.IGNORECASE)
_MONO_NAME = re.compile(r"courier|mono|consol|typewriter|cmtt|inconsolata|menlo|lucidaconsole", re.IGNORECASE)
_MARKER = re.compile(
    r"\s*(?:[^\w\s]{1,2}|o|\(?(?:\d{1,3}|[A-Za-z]|[ivxIVX]{1,5})[.)]|\d{1,2}(?:\.\d{1,2}){1,5}\.?|\[\d{1,3}\])\s*"
)
_BARE_NUMBER = re.compile(r"\s*\d{1,2}\s*")
_REDUNDANT_REPLACEMENT = re.compile("(?<!\ufffd)\ufffd++(?=[•☐])")
# An Arabic or Hebrew prefix joined to a Latin word: separated, the word can be searched.
_SCRIPT_BOUNDARY = re.compile("(?<=[\u0590-\u08ff])(?=[A-Za-z])|(?<=[A-Za-z])(?=[\u0590-\u08ff])")
_MOST_COMPARED = 24
"""Maximum groups on a baseline that are compared: more than in a row of a table; it limits the time for a page of
scattered characters."""
WORD_GAP, _LABEL_GAP = 0.9, 4.5
"""Maximum gaps in ems within a line: between justified words (a blank is 0.3), and after a number or bullet."""
_TOUCHING = 0.12
"""Maximum gap in ems without a blank: a thin space is a sixth or an eighth of an em, and letters with tracking are
closer."""
TYPE3 = "Type3 ("
"""The beginning of the names of Type 3 fonts, which have none: the library calls each by its number ("Type3 (39 0 R)").
"""
_WATERMARK_SIZE = 24.0
"""Minimum size in points of slanted text that is a watermark; smaller text is a label of a drawing."""


@dataclass(frozen=True, slots=True)
class FontRun:
    """Characters in one font, as returned by the library."""

    text: str
    font: str
    size: float
    flags: int
    color: int
    rect: Rect


@dataclass(frozen=True, slots=True)
class Fragment:
    """Runs on one baseline; `horizontal` is False for rotated text, `slanted` is True for text at an oblique angle.

    `confidence` is 1 for text stored in the file.
    """

    runs: tuple[FontRun, ...]
    rect: Rect
    baseline: float
    horizontal: bool
    slanted: bool = False
    confidence: float = 1.0

    @property
    def is_watermark(self) -> bool:
        """Whether this is large text printed across the page, such as "DRAFT"."""
        return self.slanted and max(run.size for run in self.runs) >= _WATERMARK_SIZE


def lines_of(fragments: Sequence[Fragment]) -> list[Line]:
    """Return the lines made of the fragments, in the file order of their first fragments.

    Fragments on one baseline are joined if the gap is that of a word, or if the first one is a bullet or a number. A
    line that is printed twice at one position, to look bold, is returned once.
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
    """The fragments of a line so far, and their bounding rectangle."""

    parts: list[Fragment]
    rect: Rect


def _groups(fragments: Sequence[Fragment]) -> list[list[Fragment]]:
    """Return the fragments grouped by line; each is only compared with the latest groups on its baseline.

    A fragment may fill the gap between two groups: in right-to-left text, the full stop comes before the last words.
    """
    groups: list[_Group] = []
    by_baseline: dict[int, list[_Group]] = {}
    for fragment in fragments:
        if not any(run.text.strip() for run in fragment.runs):
            continue
        home = _neighbour(fragment, by_baseline) if fragment.horizontal else None
        if home is None:
            home = _Group([], fragment.rect)
            groups.append(home)
            by_baseline.setdefault(round(fragment.baseline), []).append(home)
        home.parts.append(fragment)
        home.rect = around((home.rect, fragment.rect))
        if len(home.parts) > 1 and (other := _touching(home, fragment, by_baseline)) is not None:
            home.parts += other.parts
            home.rect = around((home.rect, other.rect))
            other.parts = []
    return [group.parts for group in groups if group.parts]


def _touching(home: _Group, fragment: Fragment, by_baseline: Mapping[int, Sequence[_Group]]) -> _Group | None:
    """Return another group on the baseline that begins where a line ends, or ends where it begins."""
    em, middle = fragment.runs[0].size, round(fragment.baseline)
    for key in (middle, middle - 1, middle + 1):
        for group in by_baseline.get(key, ())[-_MOST_COMPARED:]:
            gap = max(home.rect.left - group.rect.right, group.rect.left - home.rect.right)
            if group is not home and group.parts and abs(gap) <= _TOUCHING * em and group.parts[0].horizontal:
                return group
    return None


def _neighbour(fragment: Fragment, by_baseline: Mapping[int, Sequence[_Group]]) -> _Group | None:
    middle = round(fragment.baseline)
    # As far as `_adjoins` allows.
    steps = range(1, max(2, math.ceil(0.3 * fragment.runs[0].size)) + 1)
    for key in (middle, *(middle + step * sign for step in steps for sign in (-1, 1))):
        for group in by_baseline.get(key, ())[-_MOST_COMPARED:]:
            if group.parts and _adjoins(group, fragment):
                return group
    return None


def _adjoins(group: _Group, fragment: Fragment) -> bool:
    first = group.parts[0]
    em = max(fragment.runs[0].size, first.runs[0].size, 1.0)
    gap = max(fragment.rect.left - group.rect.right, group.rect.left - fragment.rect.right)
    # Kerned and slanted type overlaps by half an em. Baselines a third of an em apart differ (superscripts have flags).
    if (
        not -0.6 * em <= gap <= _LABEL_GAP * em
        or not first.horizontal
        or abs(first.baseline - fragment.baseline) > 0.3 * em
    ):
        return False
    if gap <= WORD_GAP * em:
        return True
    backwards = right_to_left("".join(run.text for part in (*group.parts, fragment) for run in part.runs))
    ahead = group.rect.right > fragment.rect.right if backwards else group.rect.left < fragment.rect.left
    beginning = group.parts if ahead else [fragment]
    marker = normalize_run("".join(run.text for part in beginning for run in part.runs))
    # The longest text that `_MARKER` matches, "1.2.3.4.5.6.", has twelve characters.
    if len(marker) >= 12:
        return False
    return _MARKER.fullmatch(marker) is not None or (_BARE_NUMBER.fullmatch(marker) is not None and _bold(beginning[0]))


def _bold(fragment: Fragment) -> bool:
    """Whether a fragment is bold: a bare number in bold belongs to a heading, others are cells of a table."""
    return is_bold(fragment.runs[0].font, fragment.runs[0].flags)


def is_bold(font: str, flags: int) -> bool:
    """Whether a font is bold by its flags or name."""
    return bool(flags & BOLD or _BOLD_NAME.search(font))


def is_mono(font: str, flags: int) -> bool:
    """Whether a font is monospaced by its flags or name."""
    return bool(flags & _MONO or _MONO_NAME.search(font))


def _line(group: Sequence[Fragment]) -> Line:
    backwards = right_to_left("".join(run.text for part in group for run in part.runs))
    parts = sorted(group, key=lambda part: -part.rect.right if backwards else part.rect.left)
    text, before = "", None
    for part in parts:
        if before is not None and text and not text[-1].isspace() and _has_gap(before, part):
            text += " "
        text = _append_runs(text, part.runs)
        before = part
    rect, size = around(_without_indent(part) for part in parts), _size(parts)
    if parts[0].horizontal:
        baseline = parts[0].baseline
        rect = Rect(rect.left, baseline - ASCENT * size, rect.right, baseline + DESCENT * size)
    text = _REDUNDANT_REPLACEMENT.sub("", text)
    if backwards:
        text = _SCRIPT_BOUNDARY.sub(" ", text)
    first = next(run for run in parts[0].runs if run.text.strip())
    # Superscripts have two thirds of the size in Word, 0.7 in TeX; from 0.9 on it is the same size. A mark has up to 3
    # characters.
    raised = bool(first.flags & _SUPERSCRIPT) and first.size < 0.9 * size and len(first.text.strip()) <= 3
    confidence = min(part.confidence for part in parts)
    return Line(" ".join(text.split()), rect, _style(parts, size), confidence, raised=raised)


def _without_indent(fragment: Fragment) -> Rect:
    """Return a fragment's rectangle without leading blanks, which indent code."""
    first, rect = fragment.runs[0], fragment.rect
    blanks = len(first.text) - len(first.text.lstrip())
    if not blanks or blanks == len(first.text) or not fragment.horizontal:
        return rect
    return rect._replace(left=min(rect.right, rect.left + blanks * first.rect.width / len(first.text)))


def _has_gap(before: Fragment, part: Fragment) -> bool:
    gap = max(part.rect.left - before.rect.right, before.rect.left - part.rect.right)
    edges = before.runs[-1].text[-1:], part.runs[0].text[:1]
    least = BESIDE_CJK if any(map(CJK_CHARACTER.match, edges)) else _TOUCHING
    return gap > least * part.runs[0].size


def _append_runs(text: str, runs: Sequence[FontRun]) -> str:
    usual = max((run.size for run in runs), default=0.0)
    raised = False
    for run in runs:
        piece = normalize_run(run.text, run.font)
        # As in `_line`.
        if run.flags & _SUPERSCRIPT and run.size < 0.9 * usual and piece.strip() and text:
            piece, raised = superscript(text, piece), True
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
    """Return the most common style; bold, italic and monospaced apply if four fifths of the characters are."""
    weights: Counter[tuple[str, int, int]] = Counter()
    for part in parts:
        for run in part.runs:
            weights[run.font, run.flags, run.color] += len(run.text.strip())
    # A line with a run-in heading or a bold term is not bold; a bold line may contain a number that is not.
    enough = 0.8 * weights.total()
    bold = italic = mono = 0
    for (font, flags, _), count in weights.items():
        bold += count if is_bold(font, flags) else 0
        italic += count if flags & _ITALIC else 0
        mono += count if is_mono(font, flags) else 0
    font, _, color = weights.most_common(1)[0][0]
    return TextStyle(size, font.split("+", 1)[-1], bold > enough, italic > enough, mono > enough, color)
