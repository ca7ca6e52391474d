"""Figures of a page: bitmaps, joined if they are tiles of one picture, and picture regions of the layout model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.document import BlockKind
from pipelines.parse.assemble import Image
from pipelines.parse.lines import Rect, around
from pipelines.parse.near import squares
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import ImageArea, RawPage

_LEAST_SIDE = 24.0
"""Minimum side of a figure in points: a third of an inch; smaller pictures are bullets, icons and rules."""
_LEAST_SHARE = 0.004
"""Minimum share of the page that a figure covers: on A4 a square of 45 points, the size of a logo."""
_BACKGROUND_SHARE = 0.85
"""Share of the page from which a bitmap is not a figure: it leaves no margin (a scan, a background)."""
_DRAWN_DPI = 150
"""As for OCR (`parse.ocr.dpi`): letters of 6 points are 12 pixels high, which is legible."""
_KEPT_TYPES = frozenset(("image/png", "image/jpeg"))
_MOST_BITMAPS, _MOST_COMPARED = 2000, 40
"""Maximum bitmaps of a page that are grouped, and tiles of a group with which another bitmap is compared."""
_MOST_FIGURES = 60
"""Maximum figures of a page; more are texture."""


@dataclass(frozen=True, slots=True)
class FigureArea:
    """The area of a figure, and its bitmap if it consists of one."""

    rect: Rect
    image: ImageArea | None = None


def figure_areas(page: RawPage, regions: Sequence[Rect] = ()) -> list[FigureArea]:
    """Return the areas of figures: `regions` found by a model, and the bitmaps outside them.

    Bitmaps that touch are tiles of one figure. A bitmap as large as the page is its background, unless the page has no
    text.
    """
    limit = _BACKGROUND_SHARE * page.rect.area if page.lines else float("inf")
    images = [image for image in page.images if image.rect.area < limit]
    groups = _touching_groups(images)
    areas = [
        FigureArea(_with_overlapping_bitmaps(region, groups, page), _only_bitmap(region, images)) for region in regions
    ]
    taken = [area.rect for area in areas]
    for group in groups:
        rect = around(image.rect for image in group)
        # A region and bitmaps that overlap by more than a border are one figure.
        if not any(rect.share_in(region) > 0.2 or region.share_in(rect) > 0.2 for region in taken):
            areas.append(FigureArea(rect, group[0] if len(group) == 1 else None))
    return [area for area in areas if _is_content(area.rect, page)][:_MOST_FIGURES]


def _with_overlapping_bitmaps(region: Rect, groups: Sequence[Sequence[ImageArea]], page: RawPage) -> Rect:
    """Return a region extended by the bitmaps that it overlaps, if it then contains no more text."""
    rect = region
    for group in groups:
        tiles = around(image.rect for image in group)
        grown = around((rect, tiles)).meet(page.rect)
        # A twentieth is more than a border shared by two figures.
        touching = tiles.share_in(rect) > 0.05 or rect.share_in(tiles) > 0.05
        if touching and _lines_in(grown, page) == _lines_in(rect, page):
            rect = grown
    return rect


def _lines_in(rect: Rect, page: RawPage) -> int:
    return sum(1 for line in page.lines if rect.holds(*line.rect.middle))


def _is_content(rect: Rect, page: RawPage) -> bool:
    return min(rect.width, rect.height) >= _LEAST_SIDE and rect.area >= _LEAST_SHARE * page.rect.area


def _only_bitmap(region: Rect, images: Sequence[ImageArea]) -> ImageArea | None:
    """Return the bitmap that fills a region, whose bytes can be used for it, None if there is none or several."""
    # The model's frames are inexact by about 4 points.
    inside = [image for image in images if image.rect.share_in(region.grown(4)) > 0.5]
    # Apart from these 4 points, at most a border of the region (15 %) is outside the bitmap.
    if len(inside) == 1 and region.share_in(inside[0].rect.grown(4)) > 0.85:
        return inside[0]
    return None


def _touching_groups(images: Sequence[ImageArea]) -> list[list[ImageArea]]:
    """Return groups of bitmaps that touch or overlap."""
    groups: dict[int, list[int]] = {}
    group_of: dict[int, int] = {}
    owners: dict[tuple[int, int], set[int]] = {}
    for number, image in enumerate(images[:_MOST_BITMAPS]):
        places = list(squares(image.rect.grown(1.0)))
        around_it = sorted({group_of[other] for place in places for other in owners.get(place, ())})
        near = [
            group
            for group in around_it
            if _touches(image, [images[other] for other in groups[group][-_MOST_COMPARED:]])
        ]
        groups[number] = [*(other for group in near for other in groups.pop(group)), number]
        group_of.update(dict.fromkeys(groups[number], number))
        for place in places:
            owners.setdefault(place, set()).add(number)
    tiles = ([images[number] for number in group] for group in groups.values())
    return sorted(tiles, key=lambda group: (group[0].rect.top, group[0].rect.left))


def _touches(image: ImageArea, others: Sequence[ImageArea]) -> bool:
    grown = image.rect.grown(1.0)
    common = [grown.meet(other.rect) for other in others]
    return any(rect.width > 0 and rect.height > 0 for rect in common)


def figure_item(file: PdfFile, page: RawPage, area: FigureArea, *, unread: bool = False) -> PageItem:
    """Return the item of a figure, with the bytes of its bitmap, or else the area rendered.

    `unread` figures are not read by OCR: their text is known from the text layer, or from OCR of the whole page.
    """
    data, kind = file.image(area.image.number) if area.image is not None and area.image.number else (b"", "")
    width, height = (area.image.width, area.image.height) if area.image is not None else (0, 0)
    if not data or kind not in _KEPT_TYPES or page.turn:
        data, kind = file.render(page.number, _DRAWN_DPI, area.rect), "image/png"
        # 72 points per inch.
        width, height = round(area.rect.width * _DRAWN_DPI / 72), round(area.rect.height * _DRAWN_DPI / 72)
    image = Image(data, kind, width, height, unread=unread)
    return PageItem(BlockKind.FIGURE, "", page.number, area.rect, image=image)


def place_figures(items: Sequence[PageItem], figures: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with each figure inserted after the last item above it in its column.

    If there is none, the figure is inserted before the first item of the column; in an empty column, after the last
    item above it on the page.
    """
    placed = list(items)
    for figure in figures:
        placed.insert(_position(figure.rect, placed), figure)
    return placed


def _position(figure: Rect, placed: Sequence[PageItem]) -> int:
    higher = [number for number, item in enumerate(placed) if item.rect.middle[1] <= figure.middle[1]]
    column = [
        number
        for number, item in enumerate(placed)
        if min(item.rect.right, figure.right) > max(item.rect.left, figure.left)
    ]
    above = [number for number in higher if number in column]
    if above:
        return above[-1] + 1
    return column[0] if column else (higher[-1] + 1 if higher else 0)
