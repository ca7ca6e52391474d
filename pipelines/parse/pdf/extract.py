"""Conversion of PyMuPDF's data about a page to our own types."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any

from pipelines.lang.characters import HANGUL, OF_INDIA, RIGHT_TO_LEFT
from pipelines.parse.lines import Rect, around
from pipelines.parse.pdf.fragments import FontRun, Fragment, is_bold, is_mono
from pipelines.parse.pdf.garble import LIGATURES, normalize_run
from pipelines.parse.pdf.glyphs import Glyph
from pipelines.parse.pdf.interleaved import has_interleaved, without_interleaved
from pipelines.parse.pdf.page import GridCell, ImageArea, PageGrid, PageWord, Paint, Rules
from pipelines.parse.pdf.right_to_left import read_line

_BY_CHARACTER = re.compile(f"{RIGHT_TO_LEFT.pattern}|[{OF_INDIA}{HANGUL}]")
"""Scripts in which positions tell the order of characters, which are doubled, and which blanks the library has made."""
_SLANTED = 0.17
"""Sine of ten degrees, the minimum slope of text that is neither horizontal nor vertical."""
_CHECKABLE = (2, 5)
"""Field types of check boxes and radio buttons in PyMuPDF."""
_BITMAP = ("-image", "-imgmask", "-shade")
"""Ends of the kinds of drawing operations that the library returns as bitmaps; gradients are some."""
_LINE_WIDTH = 3.0
"""Maximum thickness of a line in points: borders in Word have 0.25 to 6 points, and few are thicker."""
_ASCENT, _DESCENT = 0.8, 0.2
"""Shares of a form's check box above and below the baseline of the text beside it, as for a capital letter."""
_BACKGROUND = 0.9
"""Share of the page above which a shape is the background, not a table or figure: margins take more than a tenth."""


def upright_rotation(blocks: Any, shown: int) -> int:
    """Return the clockwise rotation of the unrotated page, in degrees, at which most of its text is upright.

    For a page without text it is `shown`, the rotation at which the page is displayed.
    """
    weights = {0: 0, 90: 0, 180: 0, 270: 0}
    for block in blocks:
        for line in block.get("lines", ()):
            weights[_quarter_turn(line)] += sum(len(span["text"]) for span in line["spans"])
    best = max(weights, key=lambda turn: weights[turn])
    return best if weights[best] else shown


def _quarter_turn(line: Any) -> int:
    """Return the clockwise rotation by which a line becomes upright, in degrees.

    A mirrored one is upright: OCR programs write invisible right-to-left text so that each letter is left of the one
    before it (Tesseract, pdfrenderer.cpp).
    """
    across, down = line["dir"]
    if abs(across) >= abs(down):
        _, top, _, bottom = line["bbox"]
        is_mirrored = any(span["origin"][1] > (top + bottom) / 2 for span in line["spans"][:1])
        return 0 if across >= 0 or is_mirrored else 180
    return 90 if down < 0 else 270


def fragments_of(page: Any, blocks: Any, flags: int) -> Iterator[Fragment]:
    """Yield the fragments of lines; interleaved ones and some scripts are read character by character."""
    by_character = has_interleaved(blocks) or any(_BY_CHARACTER.search(span["text"]) for span in _all_spans(blocks))
    if by_character:
        blocks = without_interleaved(page.get_text("rawdict", flags=flags)["blocks"])
    for block in blocks:
        for line in block.get("lines", ()):
            runs = _reordered_runs(line["spans"]) if by_character else tuple(_run(span) for span in line["spans"])
            runs = tuple(run for run in runs if run.text)
            if runs:
                baseline = line["spans"][0]["origin"][1]
                slanted = min(map(abs, line["dir"])) > _SLANTED
                yield Fragment(runs, Rect(*line["bbox"]), baseline, _quarter_turn(line) == 0, slanted)


def _run(span: Any, text: str | None = None, rect: Rect | None = None) -> FontRun:
    written = span["text"] if text is None else text
    return FontRun(written, span["font"], span["size"], span["flags"], span["color"], rect or Rect(*span["bbox"]))


def _reordered_runs(spans: Sequence[Any]) -> tuple[FontRun, ...]:
    """Return the runs of a line that was read character by character, in reading order."""
    groups = [list(group) for _, group in groupby(read_line(spans), key=lambda glyph: id(glyph.span))]
    return tuple(
        _run(group[0].span, "".join(glyph.text for glyph in group), around(glyph.rect for glyph in group))
        for group in groups
    )


def annotations_of(page: Any) -> Iterator[Any]:
    """Yield the annotations except links, pop-ups and fields. The library's own generator takes quadratic time."""
    return _linked_list(page.first_annot)


def _linked_list(first: Any) -> Iterator[Any]:
    while first:
        yield first
        first = first.next


def check_boxes_of(page: Any) -> Iterator[Fragment]:
    """Yield the check boxes of a form as characters: the PDF usually draws shapes for them."""
    for box in _linked_list(page.first_widget):
        if box.field_type not in _CHECKABLE:
            continue
        rect, on = Rect(*box.rect), box.field_value not in ("Off", "", None, False)
        baseline = rect.bottom - _DESCENT * rect.height
        yield Fragment((FontRun("☒" if on else "☐", "", _ASCENT * rect.height, 0, 0, rect),), rect, baseline, True)


def words_of(blocks: Any) -> Iterator[PageWord]:
    """Yield the words of lines read character by character, separated by white space or a gap."""
    for block in without_interleaved(blocks):
        for line in block.get("lines", ()):
            yield from _words(read_line(line["spans"]))


def _words(glyphs: Sequence[Glyph]) -> Iterator[PageWord]:
    word: list[Glyph] = []
    for glyph in glyphs:
        if not glyph.text.isspace() or glyph.text in LIGATURES:
            word.append(glyph)
        elif word:
            yield _word(word)
            word = []
    if word:
        yield _word(word)


def _word(glyphs: Sequence[Glyph]) -> PageWord:
    font, flags = glyphs[-1].span["font"], glyphs[-1].span["flags"]
    written = normalize_run("".join(glyph.text for glyph in glyphs), font)
    return PageWord(written, around(glyph.rect for glyph in glyphs), is_bold(font, flags), is_mono(font, flags))


def _all_spans(blocks: Any) -> Iterator[Any]:
    for block in blocks:
        for line in block.get("lines", ()):
            yield from line["spans"]


def images_of(page: Any, log: Sequence[Any]) -> Iterator[ImageArea]:
    """Yield the bitmaps of a page, unless its log has none.

    The library finds their numbers by hashing all pixels; here they are identified by size.
    """
    if not any(kind.endswith(_BITMAP) for kind, _ in log):
        return
    numbers: dict[tuple[int, int], set[int]] = {}
    for number, _, width, height, *_ in page.get_images():
        numbers.setdefault((width, height), set()).add(number)
    for image in page.get_image_info():
        rect = Rect(*image["bbox"]).meet(Rect(*page.rect))
        width, height = image["width"], image["height"]
        alike = numbers.get((width, height), set())
        if rect.width > 1 and rect.height > 1:
            yield ImageArea(rect, min(alike) if len(alike) == 1 else 0, width, height)


def paint_of(page: Any, log: Sequence[Any]) -> Paint:
    """Return the lines and shapes of the page from its log of kinds and boxes, without the background."""
    horizontal: list[Rect] = []
    vertical: list[Rect] = []
    shapes: list[Rect] = []
    whole = page.rect.width * page.rect.height
    for kind, box in log:
        rect = Rect(*box)
        if not kind.endswith("-path") or rect.area > _BACKGROUND * whole:
            continue
        if rect.height <= _LINE_WIDTH < rect.width:
            horizontal.append(rect)
        elif rect.width <= _LINE_WIDTH < rect.height:
            vertical.append(rect)
        else:
            shapes.append(rect)
    return Paint(tuple(horizontal), tuple(vertical), tuple(shapes))


def add_rules(rules: Rules, drawing: Any) -> None:
    """Add the straight lines of a drawing to `rules`; a filled area that is not thin has edges, not lines."""
    stroked = "s" in drawing["type"]
    for kind, *points in drawing["items"]:
        if kind == "l":
            _add_line(rules, *points[0], *points[1])
        elif kind == "re":
            _add_box(rules, Rect(*points[0]), stroked)


def _add_box(rules: Rules, box: Rect, stroked: bool) -> None:
    left, top, right, bottom = box
    if not stroked and min(box.width, box.height) <= _LINE_WIDTH:
        x, y = box.middle
        _add_line(rules, *((left, y, right, y) if box.width > box.height else (x, top, x, bottom)))
    elif stroked:
        for side in ((left, top, right, top), (left, bottom, right, bottom)):
            _add_line(rules, *side)
        for side in ((left, top, left, bottom), (right, top, right, bottom)):
            _add_line(rules, *side)
    else:
        rules.areas.append(box)
        rules.horizontal_edges.extend((Rect(left, top, right, top), Rect(left, bottom, right, bottom)))
        rules.vertical_edges.extend((Rect(left, top, left, bottom), Rect(right, top, right, bottom)))


def _add_line(rules: Rules, left: float, top: float, right: float, bottom: float) -> None:
    rect = Rect(min(left, right), min(top, bottom), max(left, right), max(top, bottom))
    if rect.height < 1 < rect.width:
        rules.horizontal.append(rect)
    elif rect.width < 1 < rect.height:
        rules.vertical.append(rect)


def grid_of(table: Any) -> PageGrid | None:
    """Return a table of PyMuPDF as a grid; a cell spans the rows and columns whose edges it covers. None if empty."""
    rects = [Rect(*cell) for cell in table.cells]
    rows = _edges(side for rect in rects for side in (rect.top, rect.bottom))
    columns = _edges(side for rect in rects for side in (rect.left, rect.right))
    cells: dict[tuple[int, int], GridCell] = {}
    for rect in rects:
        top, bottom = (_nearest(side, rows) for side in (rect.top, rect.bottom))
        left, right = (_nearest(side, columns) for side in (rect.left, rect.right))
        if bottom > top and right > left:
            cells.setdefault((top, left), GridCell(top, left, bottom - top, right - left, rect))
    return PageGrid(Rect(*table.bbox), tuple(cells[place] for place in sorted(cells))) if cells else None


def _edges(sides: Iterable[float]) -> list[float]:
    """Return the positions of edges in order; those within the thickness of a line are merged."""
    found: list[float] = []
    for side in sorted(set(sides)):
        if not found or side - found[-1] > _LINE_WIDTH:
            found.append(side)
    return found


def _nearest(side: float, edges: Sequence[float]) -> int:
    return min(range(len(edges)), key=lambda number: abs(edges[number] - side))
