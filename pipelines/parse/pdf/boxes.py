"""Drawn boxes around text: notes and sidebars, which are read at once, and whose titles are not headings."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.parse.columns import Gutters
from pipelines.parse.lines import Line, Rect, TextStyle, around
from pipelines.parse.pdf.layout import ACROSS, FilledRegion, fill_regions, in_reading_order, shapes_of
from pipelines.parse.pdf.page import PageRegion, RawPage, RegionKind
from pipelines.parse.pdf.regions import heads_table

_LEAST_BOX = 2.5
"""Minimum height of a box with text, in heights of its heading: a bar behind a heading only has its padding."""
_WIDEST_BAR, _MOST_PADDING = 8.0, 1.5
"""Maximum width of a vertical bar in points, and maximum distance from it to the text, in heights of the heading."""
_MOST_BELOW = 0.7
"""Maximum distance of a line below a heading that belongs to it, in heights of the heading: half a line and a rule."""
_LEAST_LINES = 2
"""Minimum lines in a box, and beside it: one is a label of a drawing or a cell."""
_TOUCHING = 2.0
"""Maximum points between cells of a table: a white line between them."""
_MOST_BOXES = 40
"""Maximum shapes of a page with boxes beside text: further ones are cells or a drawing."""
_RAISED = 6.0
"""Points by which a box is placed higher: half a line of 12 points, so that it is read before the line at its top;
also the maximum difference in height of headings side by side."""


def in_box(rect: Rect, page: RawPage) -> bool:
    """Whether a heading at `rect` is the title of a drawn box, or next to a vertical bar along its text.

    The box or bar has text below the heading, but less than half of the page's lines. A band from edge to edge of the
    page is no box: it is behind the title of a data sheet.
    """
    thin = [shape for shape in (*page.paint.vertical, *page.paint.shapes) if shape.width < _WIDEST_BAR]
    bars = [bar._replace(right=page.width) for bar in thin if 0 <= rect.left - bar.right < rect.height * _MOST_PADDING]
    for box in (*page.paint.shapes, *bars):
        is_band = box.left < 1 and box.right > page.width - 1 and box not in bars
        if box.holds(*rect.middle) and box.height > _LEAST_BOX * rect.height and not is_band:
            held = [line for line in page.lines if box.holds(*line.rect.middle)]
            if any(line.rect.top > rect.bottom - 1 for line in held) and 2 * len(held) < len(page.lines):
                return True
    return False


def boxes_beside_text(page: RawPage) -> list[Rect]:
    """Return the boxes of several lines with text beside them; they touch no other shapes or rules, as cells do."""
    shapes = shapes_of(page)
    found: list[Rect] = []
    for box in shapes if len(shapes) <= _MOST_BOXES else ():
        inside = sum(box.holds(*line.rect.middle) for line in page.lines)
        level = box._replace(left=0.0, right=page.width)
        beside = sum(level.holds(*line.rect.middle) and line.rect.meet(box).width <= 0 for line in page.lines)
        alone = not any(_touches(box, other) for other in (*shapes, *page.paint.horizontal))
        if min(inside, beside) >= _LEAST_LINES and alone and not any(box.share_in(other) > 0.5 for other in found):
            found.append(box)
    return found


def boxes_across(page: RawPage, tables: Sequence[Rect]) -> list[Rect]:
    """Return the boxes of several lines as wide as the page's text, without those of tables.

    What is above such a box is read before it, although the columns below are at the same places.
    """
    width = around(line.rect for line in page.lines).width if page.lines else 0.0
    found: list[Rect] = []
    for box in shapes_of(page)[:_MOST_BOXES]:
        inside = sum(box.holds(*line.rect.middle) for line in page.lines)
        few = inside >= _LEAST_LINES and 2 * inside < len(page.lines)
        apart = not any(other.meet(box).height > 0 for other in (*tables, *found))
        if box.width > ACROSS * width and few and apart:
            found.append(box)
    return found


def _touches(box: Rect, other: Rect) -> bool:
    """Whether a shape or rule touches a box, and neither is inside the other."""
    common = other.grown(_TOUCHING).meet(box)
    nested = box.grown(_TOUCHING).meet(other) == other or other.grown(_TOUCHING).meet(box) == box
    return common.width >= 0 and common.height >= 0 and not nested


def with_bands(regions: Sequence[PageRegion], page: RawPage) -> list[PageRegion]:
    """Return the regions with headings as wide as the coloured band behind them, or the line below them.

    A short heading across the page is not read as part of the column on its left.
    """
    found: list[PageRegion] = []
    for region in regions:
        bands: list[Rect] = []
        if region.kind is RegionKind.HEADING:
            bands = [shape for shape in page.paint.shapes if _is_band(shape, region.rect)]
            bands += [line for line in page.paint.horizontal if _is_below(line, region.rect)]
        rect = region.rect._replace(
            left=min([region.rect.left, *(band.left for band in bands)]),
            right=max([region.rect.right, *(band.right for band in bands)]),
        )
        found.append(PageRegion(region.kind, rect))
    return found


def _is_band(shape: Rect, heading: Rect) -> bool:
    return shape.holds(*heading.middle) and shape.height < _LEAST_BOX * heading.height


def _is_below(line: Rect, heading: Rect) -> bool:
    holds = line.left < heading.middle[0] < line.right
    return holds and 0 <= line.top - heading.bottom < _MOST_BELOW * heading.height


def headed_tables(regions: Sequence[PageRegion]) -> list[Rect]:
    """Return the areas of tables side by side with a heading each, which are read one after the other, as boxes are."""
    tables = [region.rect for region in regions if region.kind is RegionKind.TABLE]
    headings = [region.rect for region in regions if region.kind is RegionKind.HEADING]
    found = [around((head, table)) for head in headings for table in tables if heads_table(head, table)]
    return [area for area in found if any(_is_beside(area, other) for other in found)]


def _is_beside(area: Rect, other: Rect) -> bool:
    level = abs(area.top - other.top) < _RAISED
    return level and (area.right < other.left or other.right < area.left)


def fill_with_boxes(
    regions: Sequence[PageRegion], lines: Sequence[Line], body: TextStyle, gutters: Gutters, boxes: Sequence[Rect]
) -> list[FilledRegion]:
    """Return the regions with their lines as `fill_regions` does, those in each box one after the other."""
    contents: list[list[FilledRegion]] = []
    boxes = list(dict.fromkeys(boxes))  # one may be found in two ways, and its lines are to be read once
    for box in boxes:
        within = [region for region in regions if region.rect.share_in(box) > 0.5]
        held = [line for line in lines if box.holds(*line.rect.middle)]
        contents.append(fill_regions(within, held, body))
        regions = [region for region in regions if region not in within]
        lines = [line for line in lines if line not in held]
    units = [FilledRegion(RegionKind.PICTURE, box._replace(top=box.top - _RAISED), ()) for box in boxes]
    ordered = in_reading_order([*fill_regions(regions, lines, body, gutters), *units], gutters)
    return [part for region in ordered for part in (contents[units.index(region)] if region in units else [region])]
