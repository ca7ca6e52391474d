"""Figures of a page: bitmaps that are content, put together where they are tiles of one, and drawings a model found."""

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
"""Points, a third of an inch or two lines of text: smaller pictures are bullets, icons and rules."""
_LEAST_SHARE = 0.004
"""Of the page: a square of 45 points on A4, the size of a logo; a smaller one says nothing."""
_WHOLE_PAGE = 0.85
"""Of the page: a bitmap that leaves no margin (a scan, a background) is no figure of it."""
_DRAWN_DPI = 150
"""As for OCR (`parse.ocr.dpi`): letters of 6 points are 12 pixels high, which it reads."""
_KEPT_AS_IS = frozenset(("image/png", "image/jpeg"))
_MOST_TILES, _LATEST = 2000, 40
"""Bitmaps of a page that are looked at, and tiles of a group that one more is held against."""
_MOST = 60
"""Figures of one page; more are texture."""


@dataclass(frozen=True, slots=True)
class FigureArea:
    """Where a figure is, and the one bitmap that it is, if it is one."""

    rect: Rect
    image: ImageArea | None = None


def figure_areas(page: RawPage, regions: Sequence[Rect] = ()) -> list[FigureArea]:
    """Return where the figures are: `regions` that a model found, and the bitmaps outside of them.

    Bitmaps that touch are tiles of one. One as large as the page is its background, unless there is no text on it.
    """
    limit = _WHOLE_PAGE * page.rect.area if page.lines else float("inf")
    images = [image for image in page.images if image.rect.area < limit]
    groups = _tiles(images)
    areas = [FigureArea(_whole(region, groups, page), _sole(region, images)) for region in regions]
    taken = [area.rect for area in areas]
    for group in groups:
        rect = around(image.rect for image in group)
        # What the model saw and what the file says overlap by a border at most, or are one figure.
        if not any(rect.share_in(region) > 0.2 or region.share_in(rect) > 0.2 for region in taken):
            areas.append(FigureArea(rect, group[0] if len(group) == 1 else None))
    return [area for area in areas if _is_content(area.rect, page)][:_MOST]


def _whole(region: Rect, groups: Sequence[Sequence[ImageArea]], page: RawPage) -> Rect:
    """Return a region with the bitmaps that reach beyond it, as long as no text is swept in."""
    rect = region
    for group in groups:
        tiles = around(image.rect for image in group)
        grown = around((rect, tiles)).meet(page.rect)
        # A twentieth is more than the border of a frame that two figures share.
        touching = tiles.share_in(rect) > 0.05 or rect.share_in(tiles) > 0.05
        if touching and _texts(grown, page) == _texts(rect, page):
            rect = grown
    return rect


def _texts(rect: Rect, page: RawPage) -> int:
    return sum(1 for line in page.lines if rect.holds(*line.rect.middle))


def _is_content(rect: Rect, page: RawPage) -> bool:
    return min(rect.width, rect.height) >= _LEAST_SIDE and rect.area >= _LEAST_SHARE * page.rect.area


def _sole(region: Rect, images: Sequence[ImageArea]) -> ImageArea | None:
    """Return the bitmap that fills a region, so that its own bytes can stand for it."""
    # The model's frames are some 4 points off.
    inside = [image for image in images if image.rect.share_in(region.grown(4)) > 0.5]
    # Beyond those 4 points, no more than a rim of the region (15 in 100) is not the bitmap.
    if len(inside) == 1 and region.share_in(inside[0].rect.grown(4)) > 0.85:
        return inside[0]
    return None


def _tiles(images: Sequence[ImageArea]) -> list[list[ImageArea]]:
    """Return the bitmaps in groups that touch or overlap."""
    groups: dict[int, list[int]] = {}
    home: dict[int, int] = {}
    owners: dict[tuple[int, int], set[int]] = {}
    for number, image in enumerate(images[:_MOST_TILES]):
        places = list(squares(image.rect.grown(1.0)))
        around_it = sorted({home[other] for place in places for other in owners.get(place, ())})
        near = [group for group in around_it if _touches(image, [images[other] for other in groups[group][-_LATEST:]])]
        groups[number] = [*(other for group in near for other in groups.pop(group)), number]
        home.update(dict.fromkeys(groups[number], number))
        for place in places:
            owners.setdefault(place, set()).add(number)
    tiles = ([images[number] for number in group] for group in groups.values())
    return sorted(tiles, key=lambda group: (group[0].rect.top, group[0].rect.left))


def _touches(image: ImageArea, others: Sequence[ImageArea]) -> bool:
    return any(_touch(image.rect, other.rect) for other in others)


def _touch(one: Rect, other: Rect) -> bool:
    common = one.grown(1.0).meet(other)
    return common.width > 0 and common.height > 0


def figure_item(file: PdfFile, page: RawPage, area: FigureArea, *, unread: bool = False) -> PageItem:
    """Return the item of a figure: the bitmap's own bytes where it is one, else the area drawn.

    The words of `unread` ones are known: from the text layer, or because OCR has read the whole page.
    """
    data, kind = file.image(area.image.number) if area.image is not None and area.image.number else (b"", "")
    width, height = (area.image.width, area.image.height) if area.image is not None else (0, 0)
    if not data or kind not in _KEPT_AS_IS or page.turn:
        data, kind = file.render(page.number, _DRAWN_DPI, area.rect), "image/png"
        # 72 points an inch.
        width, height = round(area.rect.width * _DRAWN_DPI / 72), round(area.rect.height * _DRAWN_DPI / 72)
    image = Image(data, kind, width, height, unread=unread)
    return PageItem(BlockKind.FIGURE, "", page.number, area.rect, image=image)


def place_figures(items: Sequence[PageItem], figures: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with the figures put in: behind what ends last above each in its own column.

    Where nothing is above it there, it comes before what is below it there; where nothing is below either, behind
    whatever is above it on the page.
    """
    placed = list(items)
    for figure in figures:
        placed.insert(_position(figure.rect, placed), figure)
    return placed


def _position(figure: Rect, placed: Sequence[PageItem]) -> int:
    higher = [number for number, item in enumerate(placed) if item.rect.middle[1] <= figure.middle[1]]
    column = [number for number, item in enumerate(placed) if _overlaps(item.rect, figure)]
    above = [number for number in higher if number in column]
    if above:
        return above[-1] + 1
    return column[0] if column else (higher[-1] + 1 if higher else 0)


def _overlaps(one: Rect, other: Rect) -> bool:
    return min(one.right, other.right) - max(one.left, other.left) > 0
