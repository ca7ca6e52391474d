"""Regions of a page that belong together, filled with the lines of the text layer; and when a page needs a model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pipelines.parse.captions import is_table_caption
from pipelines.parse.columns import in_rows, reading_order
from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.page import PageRegion, RawPage, RegionKind

_ROWS = 3
"""Rows of two pieces whose second are flush that make a table: a head and two rows."""
_RULES = 4
"""Level lines that underline nothing: a table has three, above, below its head and at its end, and a page one more.
3 to 6 do the same to the PDFs with truth."""


_BOX = 2.5
"""Heights of a heading that a box with text has at least: a bar behind a heading has its padding."""


_BAR, _PADDING = 8.0, 1.5
"""Points of a bar's width at most; heights of a heading from a bar, or a box's left side, to its text."""


_BULLET, _BEFORE, _CENTRED = 6.0, 20.0, 0.25
"""Points of a drawn bullet's size at most, half of type of 12, and to its text; of a line's height, how far it stands
off the middle: CSS has it at the middle of small letters."""


@dataclass(frozen=True, slots=True)
class Filled:
    """A region with its lines from the top."""

    part: RegionKind
    rect: Rect
    lines: tuple[Line, ...]


def needs_model(page: RawPage) -> bool:
    """Return whether a page may hold tables or is not laid out in plain columns, so that a layout model should look.

    Signs are a table's caption, drawn rules or boxes around text, drawings, and lines that stand side by side without
    forming columns.
    """
    return bool(page.lines) and (_captioned(page) or _ruled(page) or _drawn(page) or _tangled(page.lines))


def in_box(rect: Rect, page: RawPage) -> bool:
    """Return whether a heading is the title of a drawn box, or stands at a bar with its text.

    It has text below, but not half of the page's.
    """
    thin = [shape for shape in (*page.paint.vertical, *page.paint.shapes) if shape.width < _BAR]
    bars = [bar._replace(right=page.width) for bar in thin if 0 <= rect.left - bar.right < rect.height * _PADDING]
    for box in (*page.paint.shapes, *bars):
        if box.holds(*rect.middle) and box.height > _BOX * rect.height:
            held = [line for line in page.lines if box.holds(*line.rect.middle)]
            if any(line.rect.top > rect.bottom - 1 for line in held) and 2 * len(held) < len(page.lines):
                return True
    return False


def with_bullets(page: RawPage) -> RawPage:
    """Return a page with its lines marked that a bullet is drawn before, as browsers draw them: no character."""
    near = Near(range(len(page.lines)), lambda number: page.lines[number].rect)
    marked: set[int] = set()
    for left, top, right, bottom in page.paint.shapes:
        if max(right - left, bottom - top) > _BULLET:
            continue
        for number in near.at(Rect(right, (top + bottom) / 2, right + _BEFORE, (top + bottom) / 2)):
            line = page.lines[number]
            centred = abs(line.rect.middle[1] - (top + bottom) / 2) < _CENTRED * line.rect.height
            if centred and 0 < line.rect.left - right < _BEFORE:
                marked.add(number)
    lines = (replace(line, marked=number in marked) for number, line in enumerate(page.lines))
    return replace(page, lines=tuple(lines)) if marked else page


def _ruled(page: RawPage) -> bool:
    """Whether there are rules that do not merely underline a text or part the margins off."""
    # 30 points: five characters, the narrowest column; a fraction's bar is shorter.
    rules = [rect for rect in page.paint.horizontal if rect.width > 30 and not underlines(rect, page.lines)]
    # The rules under a running head and over a page number stand in the margins, 8 and 7 in 100 of the height.
    inner = [rect for rect in rules if 0.08 * page.height < rect.top < 0.93 * page.height]
    # 10 points: a line of text; 7 does the same.
    upright = [rect for rect in page.paint.vertical if rect.height > 10]
    return len(inner) >= _RULES or (len(upright) >= 2 and len(inner) >= 2)


def underlines(rule: Rect, lines: Sequence[Line]) -> bool:
    """Return whether a level line stands below the words of one of the lines, no wider than these."""
    return any(
        # From the base line (.22 of the size above the line's foot, see fragments) a third of the size down, 3 points
        # (a thick line's width) to the sides.
        -2 < rule.top - (line.rect.bottom - 0.22 * line.size) < 0.35 * line.size
        and rule.left > line.rect.left - 3
        and rule.right < line.rect.right + 3
        for line in lines
    )


def _drawn(page: RawPage) -> bool:
    """Whether shapes stand around or among text: boxes of a table, a diagram."""
    holding = sum(_holding(page))
    # Three boxes around text are a table or diagram, one or two are notes; 60 shapes are a drawing
    # without text. Of the PDFs with truth, 2 boxes cost headings; 42 to 84 shapes do the same.
    return holding >= 3 or len(_shapes(page)) > 60


def needs_picture(page: RawPage) -> bool:
    """Return whether the model is to see the page's picture, too: among captioned tables, and where figures may be.

    A drawn shape that holds no text may be part of a figure.
    """
    return _captioned(page) or not all(_holding(page))


def _captioned(page: RawPage) -> bool:
    return any(is_table_caption(line.text) for line in page.lines)


def _shapes(page: RawPage) -> list[Rect]:
    # 8 points: smaller ones are bullets and check boxes.
    return [rect for rect in page.paint.shapes if rect.width > 8 and rect.height > 8]


def _holding(page: RawPage) -> list[bool]:
    """Return for each shape whether it holds text."""
    # Of 400 shapes three hold text, or it is a drawing.
    return [any(rect.holds(*line.rect.middle) for line in page.lines) for rect in _shapes(page)[:400]]


def _tangled(lines: Sequence[Line]) -> bool:
    """Whether many lines of one column stand beside others of it, or as many flush as make a table."""
    beside = 0
    flush: Counter[int] = Counter()
    for group in reading_order(lines):
        for above, line in pairwise(in_rows(group)):
            # Less than a third of the size apart, they are on one line.
            if abs(above.rect.middle[1] - line.rect.middle[1]) < 0.3 * max(above.size, 1.0):
                beside += 1
                # To 2 points, as letters begin at their ink; fewer than four characters are the number of an item.
                flush[round(line.rect.left / 2)] += len(above.text) > 3
    if max(flush.values(), default=0) >= _ROWS:
        return True
    # A formula with its number is one such pair: four, and a line in ten, are none of these.
    # 3 to 6 do the same to the PDFs with truth.
    return beside >= 4 and beside > 0.1 * len(lines)


def fill(regions: Sequence[PageRegion], lines: Sequence[Line]) -> list[Filled]:
    """Return the regions with their lines, in reading order; lines that no region holds make regions of text.

    A line goes to the region that holds most of it, of those that hold more than half; the smallest on a tie. The
    order is our own: the model's runs across columns on pages that it finds hard.
    """
    homes: dict[int, list[Line]] = {}
    strays: list[Line] = []
    for line in lines:
        home = _home(line, regions)
        if home is None:
            strays.append(line)
        else:
            homes.setdefault(home, []).append(line)
    filled = [
        Filled(region.part, region.rect, _ordered(homes.get(number, []), region))
        for number, region in enumerate(regions)
        if number in homes or region.part in (RegionKind.PICTURE, RegionKind.TABLE)
    ]
    for group in reading_order(strays):
        filled += [
            Filled(RegionKind.TEXT, around(line.rect for line in run), tuple(run)) for run in _runs(in_rows(group))
        ]
    return in_reading_order(filled)


def in_reading_order(filled: Sequence[Filled]) -> list[Filled]:
    """Return regions as they are read: each stands for lines of its own width, and the lines are put in order."""
    owner: dict[Line, int] = {}
    for number, region in enumerate(filled):
        for line in _stand_ins(region, number):
            owner[line] = number
    ranks: dict[int, int] = {}
    for group in reading_order(list(owner)):
        for line in in_rows(group):
            ranks.setdefault(owner[line], len(ranks))
    return [filled[number] for number in sorted(range(len(filled)), key=lambda number: ranks[number])]


def _stand_ins(region: Filled, number: int) -> list[Line]:
    """Return lines as wide as the region at the heights of its own; for a picture or a table, one every 12 points."""
    rect = region.rect
    if region.part in (RegionKind.PICTURE, RegionKind.TABLE) or not region.lines:
        # 12 points: a line of text with its white.
        count = max(1, int(rect.height / 12))
        step = rect.height / count
        tops = [rect.top + step * position for position in range(count)]
        # 20 characters and nine tenths of a step: a line of text as `reading_order` expects it, with white below.
        return [Line(f"{number} {'x' * 20}", Rect(rect.left, top, rect.right, top + 0.9 * step)) for top in tops]
    return [
        Line(f"{number} {line.text}", Rect(rect.left, line.rect.top, rect.right, line.rect.bottom))
        for line in region.lines
    ]


def _home(line: Line, regions: Sequence[PageRegion]) -> int | None:
    shares = [(line.rect.share_in(region.rect.grown(1.0)), -region.rect.area) for region in regions]
    best = max(range(len(regions)), key=lambda number: shares[number], default=None)
    return best if best is not None and shares[best][0] > 0.5 else None


def _ordered(lines: Sequence[Line], region: PageRegion) -> tuple[Line, ...]:
    if region.part is RegionKind.PICTURE:
        return tuple(line for group in reading_order(lines) for line in group)
    return tuple(in_rows(lines))


def _runs(lines: Sequence[Line]) -> list[list[Line]]:
    """Return stray lines of a column cut at gaps of more than two lines: what lies between is another region's."""
    runs: list[list[Line]] = []
    for line in lines:
        # Between lines is up to 1 of their size in double spacing, between paragraphs 1.5.
        if runs and 0 <= line.rect.top - runs[-1][-1].rect.bottom < 1.6 * line.size:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs


def plain_columns(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the columns of a page without a model; within each, lines on one height from the left."""
    return [in_rows(group) for group in reading_order(lines)]
