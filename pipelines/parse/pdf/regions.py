"""The regions of the layout model, split where they hold several: at gutters, below headings, around tables."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from pipelines.parse.columns import Gutters, in_rows
from pipelines.parse.lines import Line, Rect, around
from pipelines.parse.pdf.page import PageRegion, RawPage, RegionKind
from pipelines.parse.pdf.side_by_side import rows_by_height

_LEVEL = 0.9
"""Minimum common height of a table and the text beside it, as a share of the higher one: the edges that the model gives
differ by a line."""
_LEAST_ENTRIES = 4
"""Minimum entries in a row of a table that was taken for text; text in two or three columns has fewer."""
_SHARE_IN_TABLE = 0.8
"""Minimum share of a region of text that is in a table by the image of the page."""
_MOST_BELOW = 2.0
"""Maximum distance of a table below its heading, in heights of the heading: a heading has a line of space below it."""


def within_columns(regions: Sequence[PageRegion], page: RawPage, gutters: Gutters) -> list[PageRegion]:
    """Return the regions with those across a gutter split there, if no line of text and nothing drawn crosses it."""
    for _, x in gutters:
        regions = [part for region in regions for part in _split_at(region, x - 1, page)]
    return list(regions)


def below_headings(regions: Sequence[PageRegion], page: RawPage) -> list[PageRegion]:
    """Return the regions with tables split where headings side by side are above them: two tables, read as one."""
    headings = [region.rect for region in regions if region.kind is RegionKind.HEADING]
    found: list[PageRegion] = []
    for region in regions:
        parts = [region]
        if region.kind is RegionKind.TABLE:
            above = [head for head in headings if heads_table(head, region.rect)]
            for head in sorted(above, key=lambda head: head.left)[1:]:
                parts = [half for part in parts for half in _split_at(part, head.left - 1, page)]
        found += [_without_margins(part, page) for part in parts] if len(parts) > 1 else parts
    return found


def has_cut_table(regions: Sequence[PageRegion]) -> bool:
    """Whether a region of text is beside a table and as high: columns of it that were taken for a column of text."""
    tables = [region.rect for region in regions if region.kind is RegionKind.TABLE]
    texts = [region.rect for region in regions if region.kind is RegionKind.TEXT]
    return any(_is_level(table, text) for table in tables for text in texts)


def rows_as_text(regions: Sequence[PageRegion], page: RawPage) -> list[Rect]:
    """Return the regions of text that have a row of several entries apart, as the header of a table."""
    texts = [region.rect for region in regions if region.kind is RegionKind.TEXT]
    inside = [[line for line in page.lines if rect.holds(*line.rect.middle)] for rect in texts]
    return [
        rect
        for rect, lines in zip(texts, inside, strict=True)
        if any(_are_entries(row) for row in rows_by_height(in_rows(lines)))
    ]


def with_tables_of(seen: Sequence[PageRegion], regions: Sequence[PageRegion], page: RawPage) -> list[PageRegion]:
    """Return the regions `seen` in the image of a page if they are tables where `regions` have rows as text."""
    tables = [region.rect for region in seen if region.kind is RegionKind.TABLE]
    rows = rows_as_text(regions, page)
    found = all(any(rect.share_in(table) > _SHARE_IN_TABLE for table in tables) for rect in rows)
    return list(seen if found else regions)


def _are_entries(row: Sequence[Line]) -> bool:
    apart = (other.rect.left - one.rect.right > max(one.size, other.size) for one, other in pairwise(row))
    return len(row) >= _LEAST_ENTRIES and all(apart)


def _is_level(table: Rect, text: Rect) -> bool:
    common = min(table.bottom, text.bottom) - max(table.top, text.top)
    beside = table.right <= text.left or text.right <= table.left
    return beside and common > _LEVEL * max(table.height, text.height)


def heads_table(heading: Rect, table: Rect) -> bool:
    """Whether a heading is directly above a table."""
    beside = table.left - heading.height < heading.left < table.right
    return beside and -1 < table.top - heading.bottom < _MOST_BELOW * heading.height


def _split_at(region: PageRegion, x: float, page: RawPage) -> list[PageRegion]:
    """Return both sides of a region, or the region if one has no text, or text or something drawn is across."""
    left, top, right, bottom = region.rect
    sides = [Rect(left, top, x, bottom), Rect(x, top, right, bottom)]
    if not all(any(side.holds(*line.rect.middle) for line in page.lines) for side in sides):
        return [region]
    across = any(
        rect.left < x < rect.right and region.rect.holds(region.rect.middle[0], rect.middle[1])
        for rect in (*(line.rect for line in page.lines), *page.paint.all)
    )
    return [region] if across else [PageRegion(region.kind, side) for side in sides]


def _without_margins(region: PageRegion, page: RawPage) -> PageRegion:
    """Return a region as wide as its text, so that there is a gap between it and the one beside it."""
    text = around(line.rect for line in page.lines if region.rect.holds(*line.rect.middle)).grown(1)
    return PageRegion(region.kind, region.rect._replace(left=text.left, right=text.right))


def parts_around(region: PageRegion, tables: Sequence[Rect]) -> list[PageRegion]:
    """Return the parts of a region of tables above, between and below the `tables` found in it."""
    inside = [table for table in tables if table.share_in(region.rect) > 0.5] if region.kind is RegionKind.TABLE else []
    if not inside:
        return [region]
    downward = sorted(inside, key=lambda table: table.top)
    tops = [region.rect.top, *(table.bottom for table in downward)]
    bottoms = [*(table.top for table in downward), region.rect.bottom]
    return [
        PageRegion(region.kind, region.rect._replace(top=top, bottom=bottom))
        for top, bottom in zip(tops, bottoms, strict=True)
        if bottom > top
    ]
