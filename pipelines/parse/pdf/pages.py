"""One page of a PDF: from its lines, drawings and bitmaps to items in reading order."""

from __future__ import annotations

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import BlockKind, Page
from pipelines.core.errors import MissingExtra
from pipelines.parse.limits import READING, ParseTask
from pipelines.parse.lines import Line, Rect, TextStyle, around
from pipelines.parse.near import Near, is_running, parts_of
from pipelines.parse.ocr.engine import ocr_engine
from pipelines.parse.ocr.pictures import decoded, read_page
from pipelines.parse.parsed import PictureText, page_name
from pipelines.parse.pdf.blocks import BlockMaker, list_levels
from pipelines.parse.pdf.figures import FigureArea, figure_areas, figure_item, place_figures
from pipelines.parse.pdf.garble import garble_score
from pipelines.parse.pdf.grids import TableFinder
from pipelines.parse.pdf.headings import Outline, is_doubtful
from pipelines.parse.pdf.items import PageItem, with_links
from pipelines.parse.pdf.layout import Filled, fill, in_box, needs_model, needs_picture, plain_columns, with_bullets
from pipelines.parse.pdf.lost_glyphs import GlyphReader, lost
from pipelines.parse.pdf.mupdf import FAULTS, PdfFile
from pipelines.parse.pdf.page import PageGrid, PageRegion, PageWord, Paint, RawPage, RegionKind
from pipelines.parse.pdf.survey import Survey
from pipelines.parse.pdf.tables import fill_grid, missing_numbers
from pipelines.parse.scan_tables import ScanTable, part_tables
from pipelines.parse.settings import ParseSettings

_ENOUGH = 0.75
"""Share of the file's processor seconds after which what is slow is left out."""
_FEW = 200
"""Characters below which a page that is mostly a picture is read by OCR."""
_MOSTLY = 0.55
"""Share of a page that its bitmaps cover where it is a scan: a scan without its margins still covers more than half."""
_FINE = 300
"""Dots an inch for labels of a drawing: print of 4 points, the smallest on drawings, is 16 pixels high."""
_DENSE = 1000
"""Lines from which the layout model would take many seconds; drawn lines alone then tell the tables."""
_DRAWING = 5_000
"""Lines and shapes that a page has which is a drawing."""
_ASIDES = (RegionKind.HEADER, RegionKind.FOOTER, RegionKind.FOOTNOTE)
_LABEL = 60
"""Characters of a figure's label at most."""


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page read: its items in reading order, its running headers and footers, and remarks on how it went.

    A limit has kept one that is `unread`, or what is to be read off it, from being read.
    """

    page: Page
    items: tuple[PageItem, ...] = ()
    furniture: tuple[PageItem, ...] = ()
    remarks: tuple[str, ...] = ()
    unread: bool = False


class PageReader:
    """Reads the pages of one file; `survey` and `outline` tell of the file as a whole.

    Late within the limit of time, what is slow is left out, so that the rest of a long file is not lost: OCR, which
    makes the page an issue, and the layout model. Later still, no page is read any more.
    """

    def __init__(
        self, file: PdfFile, survey: Survey, outline: Outline, settings: ParseSettings, task: ParseTask
    ) -> None:
        self.file = file
        self._task = task
        self.survey = survey
        self.outline = outline
        self.settings = settings
        self._open: PageGrid | None = None

    def read(self, number: int) -> ReadPage:
        """Return a page; one that the library cannot read has an issue and nothing else."""
        if self._task.clock.past(READING):
            issue = f"not read: {self._task.clock.reason}"
            return ReadPage(Page(number, text_source="none", issue=issue), unread=True)
        try:
            return self._read(number)
        except FAULTS as error:
            return ReadPage(Page(number, text_source="none", issue=f"not readable: {error}"))

    def _read(self, number: int) -> ReadPage:
        raw = with_bullets(self.file.page(number))
        why = self._wants_ocr(raw)
        above, self._open = self._open, None
        if why and self._late and self._task.found(page_name(number)) is None:
            return replace(self._native(raw, f"{why}, and no time is left for OCR"), unread=True)
        read = self._by_ocr(raw, why) if why else None
        if read is not None:
            return read
        raw, remarks = self._mended(raw)
        return self._native(raw, above=above, told=remarks)

    def _mended(self, raw: RawPage) -> tuple[RawPage, list[str]]:
        """Return the page with what its fonts do not tell read by OCR, and a remark on it."""
        number = sum(1 for line in raw.lines if lost(line.text))
        if not number or self._late:
            return raw, []
        try:
            engine = ocr_engine(self.settings.ocr)
        except MissingExtra as error:
            return raw, [f"lines lack characters, and {error.message}"]
        if engine is None:
            return raw, []
        lines, changed = GlyphReader(self.file, engine, self.settings.ocr).lines(raw.number, raw.lines)
        return replace(raw, lines=lines), ["characters that the fonts do not tell, read by OCR"] if changed else []

    @property
    def _late(self) -> bool:
        return self._task.clock.past(_ENOUGH)

    # -- the text layer

    def _native(
        self, raw: RawPage, issue: str = "", above: PageGrid | None = None, told: Sequence[str] = ()
    ) -> ReadPage:
        """Return a page by its text layer; `above` is the table that the page before ends with."""
        lines, furniture = self.survey.furniture.parted(raw.lines, raw.height)
        furniture += [(BlockKind.PAGE_HEADER, line) for line in raw.watermarks]
        maker = BlockMaker(raw.number, raw.height, self.survey, self.outline)
        body = replace(raw, lines=tuple(lines))
        remarks: list[str] = []
        tabular = above is not None or self._needs_model(body)
        items = None if tabular else self._plain(lines, maker)
        if items is None:
            columns = bool(self.survey.gutters)
            looking = not tabular or columns or needs_picture(body) or self.settings.pdf.layout == "model"
            items, more, remarks = self._modelled(body, self._own_words(raw), maker, above, looking)
            furniture += more
        else:
            figures = [figure_item(self.file, raw, area) for area in figure_areas(body)]
            items = place_figures(items, figures)
        items = [
            replace(item, boxed=in_box(item.rect, body)) if item.kind is BlockKind.HEADING else item for item in items
        ]
        words = self.file.words(raw.number) if raw.links else []
        items = with_links(list_levels(items), raw.links, words)
        source = "native" if raw.lines else "none"
        page = Page(raw.number, self.file.label(raw.number), raw.width, raw.height, source, issue)
        items += [_comment(raw, rect, text) for rect, text in self.file.comments(raw.number)]
        asides = [maker.item(kind, [line]) for kind, line in furniture]
        return ReadPage(page, _boxed(items, raw), _boxed(asides, raw), (*told, *remarks))

    def _own_words(self, raw: RawPage) -> list[PageWord]:
        """Return the words of a page that do not return on other pages, as running headers do and title blocks."""
        near = Near(self.survey.furniture.returning(raw.lines, raw.height), lambda line: line.rect)
        words = self.file.words(raw.number)
        return [w for w in words if not any(line.rect.holds(*w.rect.middle) for line in near.at(w.rect))]

    def _needs_model(self, body: RawPage) -> bool:
        """Whether the layout model looks at a page whatever its headings are: for tables and tangled lines."""
        layout = self.settings.pdf.layout
        return needs_model(body) if layout == "auto" else layout == "model"

    def _plain(self, lines: Sequence[Line], maker: BlockMaker) -> list[PageItem] | None:
        """Return the items of a page by rules, None where the model is to look at a heading that may be none."""
        items = [item for column in plain_columns(lines) for item in maker.column(column)]
        if self.settings.pdf.layout == "auto" and any(
            item.kind is BlockKind.HEADING and is_doubtful(item, self.survey.body, self.outline) for item in items
        ):
            return None
        return items

    def _modelled(
        self, body: RawPage, words: Sequence[PageWord], maker: BlockMaker, above: PageGrid | None, looking: bool
    ) -> tuple[list[PageItem], list[tuple[BlockKind, Line]], list[str]]:
        """Return items, furniture and remarks of a page as the layout model divides it.

        Late, and on a page that is too dense for the model, only tables with drawn lines are looked for.
        """
        late = self._late
        regions = [] if late else self._regions(body, looking)
        pictures = [region.rect for region in regions if region.part is RegionKind.PICTURE]
        expected = [region.rect for region in regions if region.part is RegionKind.TABLE]
        asides = [region.rect for region in regions if region.part in _ASIDES]
        running = [line for line in body.lines if not any(rect.grown(1).holds(*line.rect.middle) for rect in asides)]
        finder = TableFinder(self.file, replace(body, lines=tuple(running)), words, self.survey.gutters)
        grids, self._open = finder.with_continued(finder.grids(expected, pictures), above)
        free = [line for line in body.lines if not any(grid.rect.grown(1).holds(*line.rect.middle) for grid in grids)]
        # Most of a region: what only touches the table is text beside it.
        kept = [region for region in regions if not any(region.rect.share_in(grid.rect) > 0.6 for grid in grids)]
        items: list[PageItem] = []
        furniture: list[tuple[BlockKind, Line]] = []
        areas = figure_areas(body, pictures)
        tables, remarks = _tables(body, words, grids, self.survey.vocabulary)
        of_rect = {table.rect: table for table in tables}
        kept += [PageRegion(RegionKind.TABLE, rect) for rect in of_rect]
        for part in fill(kept, free):
            if part.part is RegionKind.TABLE and part.rect in of_rect:
                items.append(of_rect[part.rect])
            if part.part in (RegionKind.HEADER, RegionKind.FOOTER):
                kind = BlockKind.PAGE_HEADER if part.part is RegionKind.HEADER else BlockKind.PAGE_FOOTER
                furniture += [(kind, line) for line in part.lines]
            elif part.part is RegionKind.PICTURE and (area := _around(part.rect, areas)) is not None:
                areas.remove(area)
                items.append(figure_item(self.file, body, area, unread=bool(part.lines)))
                items += _labels(maker, part.lines)
            elif part.lines:
                items += self._region(part, maker)
        if late:
            remarks.append("no time was left for the layout model")
        others = [figure_item(self.file, body, area) for area in areas]
        return place_figures(items, others), furniture, remarks

    def _regions(self, body: RawPage, looking: bool) -> list[PageRegion]:
        """Return what the model sees; of a drawing that is too much for it, where the drawing is."""
        found = self.file.regions(body.number, looking=looking) if len(body.lines) <= _DENSE else []
        drawn = body.paint.all
        if found or len(drawn) < _DRAWING or is_running(body.lines):
            return found
        return [PageRegion(RegionKind.PICTURE, around(drawn))]

    def _region(self, part: Filled, maker: BlockMaker) -> list[PageItem]:
        if part.part in (RegionKind.PICTURE, RegionKind.TABLE):
            return [replace(item, seen=part.part) for item in maker.column(part.lines)]
        return maker.region(part.part, part.lines)

    # -- OCR

    def _wants_ocr(self, raw: RawPage) -> str:
        """Return why a page should be read by OCR, empty where its text layer will do."""
        when = self.settings.ocr.when
        if when == "never" or self.settings.ocr.engine == "none":
            return ""
        if when == "always":
            return "asked for"
        if not raw.lines:
            # A rule above and one below an empty page, and a frame, are no content: three shapes.
            return "no text layer" if raw.images or len(raw.paint.shapes) > 3 or raw.paint.vertical else ""
        if garble_score(raw.text) >= self.settings.pdf.garble:
            return "the text layer is garbled"
        scanned = sum(image.rect.area for image in raw.images) > _MOSTLY * raw.rect.area
        return "a scan" if scanned and len(raw.text) < _FEW else ""

    def _by_ocr(self, raw: RawPage, why: str) -> ReadPage | None:
        """Return the page as OCR reads it; None where OCR finds less than the text layer has."""
        try:
            engine = ocr_engine(self.settings.ocr)
        except MissingExtra as error:
            return self._native(raw, f"{why}, and {error.message}")
        if engine is None:
            return None
        dpi = self._dpi(raw)
        read = read_page(
            raw.number, lambda: decoded(self.file.render(raw.number, dpi)), engine, self.settings.ocr, self._task
        )
        found = sum(len(line.text) for line in read.lines)
        if why == "a scan" and found <= len(raw.text):
            return None
        return self._read_off(raw, read, why)

    def _dpi(self, raw: RawPage) -> int:
        """Return the resolution to draw at: the settings', less for a page so large that it would be scaled down.

        A page without a bitmap is drawn finer: its letters are curves, of a drawing most likely, and small.
        """
        # An inch has 72 points.
        longest = max(raw.width, raw.height, 1.0) / 72
        wanted = self.settings.ocr.dpi if raw.images else _FINE
        # 36 dots an inch keep a sheet of 72 inches within `max_side` (2600); less would show no letter.
        return max(36, min(wanted, int(self.settings.ocr.max_side / longest)))

    def _read_off(self, raw: RawPage, read: PictureText, why: str) -> ReadPage:
        seen = RawPage(raw.number, read.width, read.height, read.lines, (), Paint(), turn=(raw.turn - read.turn) % 360)
        usual = sorted(line.size for line in read.lines)[len(read.lines) // 2] if read.lines else 0.0
        maker = BlockMaker(raw.number, read.height, replace(self.survey, body=TextStyle(usual)), self.outline)
        lines, furniture = self.survey.furniture.parted(seen.lines, seen.height)
        items = [item for part in part_tables(lines, seen.box) for item in _of_scan(part, maker)]
        if not is_running(read.lines) and not any(item.cells for item in items):
            items = [replace(item, kind=BlockKind.PARAGRAPH) for item in items]
            items = items if raw.images else _by_parts(raw, lines)
        issue = read.issue or ("" if read.lines or not raw.lines else f"{why}, and OCR finds nothing")
        page = Page(raw.number, self.file.label(raw.number), raw.width, raw.height, "ocr" if items else "none", issue)
        figures = [figure_item(self.file, raw, area, unread=True) for area in figure_areas(raw)]
        asides = [maker.item(kind, [line]) for kind, line in furniture]
        remarks = (f"{why}, read by OCR",) if items else ()
        placed = (*_boxed(list_levels(items), seen), *_boxed(figures, raw))
        return ReadPage(page, placed, _boxed(asides, seen), remarks)


def _tables(
    page: RawPage, words: Sequence[PageWord], grids: Sequence[PageGrid], vocabulary: Container[str]
) -> tuple[list[PageItem], list[str]]:
    """Return the tables of grids filled with the words in them, and remarks on numbers that were lost."""
    items: list[PageItem] = []
    remarks: list[str] = []
    for grid in grids:
        held = [word for word in words if grid.rect.grown(1).holds(*word.rect.middle)]
        cells = fill_grid(grid, held, page, vocabulary)
        missing = missing_numbers(held, cells)
        if missing:
            # Five tell which table it is.
            remarks.append(f"a table lacks {', '.join(missing[:5])}")
        text = "\n".join(cell.text for cell in cells)
        items.append(PageItem(BlockKind.TABLE, text, page.number, grid.rect, cells=cells, continues=grid.continues))
    return items, remarks


def _of_scan(part: ScanTable | list[Line], maker: BlockMaker) -> list[PageItem]:
    """Return a table that OCR has read, or the pieces of the lines between tables."""
    if isinstance(part, ScanTable):
        text = "\n".join(cell.text for cell in part.cells)
        sure = sum(line.confidence for line in part.lines) / len(part.lines)
        return [PageItem(BlockKind.TABLE, text, maker.page, part.rect, confidence=sure, cells=part.cells)]
    return [item for column in plain_columns(part) for item in maker.column(column)]


def _comment(page: RawPage, rect: Rect, text: str) -> PageItem:
    return PageItem(BlockKind.NOTE, text, page.number, rect)


def _labels(maker: BlockMaker, lines: Sequence[Line]) -> list[PageItem]:
    """Return the words that stand in a figure as what follows it: labels as one paragraph, longer text as it is."""
    items = [item for column in plain_columns(lines) for item in maker.column(column)]
    text = [replace(i, kind=BlockKind.PARAGRAPH) for i in items if i.kind is not BlockKind.CAPTION]
    captions = [item for item in items if item.kind is BlockKind.CAPTION]
    if len(text) < 2 or any(len(item.text) > _LABEL for item in text):
        return [*text, *captions]
    joined = "\n".join(item.text for item in text)
    return [replace(text[0], text=joined, rect=around(item.rect for item in text)), *captions]


def _by_parts(page: RawPage, lines: Sequence[Line]) -> list[PageItem]:
    """Return the labels of a drawing that has its letters as curves, those of each part of it together."""
    return [
        PageItem(BlockKind.PARAGRAPH, part.text, page.number, part.rect, confidence=part.confidence)
        for part in parts_of(lines)
    ]


def _around(rect: Rect, areas: Sequence[FigureArea]) -> FigureArea | None:
    """Return the figure that a picture region has become, None where it is too small to be one."""
    # All of it, but for rounding.
    return next((area for area in areas if rect.share_in(area.rect) > 0.99), None)


def _boxed(items: Sequence[PageItem], page: RawPage) -> tuple[PageItem, ...]:
    """Return the items with their boxes on the page as it is shown."""
    return tuple(replace(item, boxes=(page.box(item.rect),)) for item in items)
