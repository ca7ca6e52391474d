"""One page of a PDF, read to items in reading order by its text layer, a layout model or OCR."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import BlockKind, Page
from pipelines.core.errors import MissingExtra
from pipelines.parse.limits import READING, ParseTask
from pipelines.parse.lines import Line, TextStyle, around
from pipelines.parse.near import Near, is_running, parts_of
from pipelines.parse.ocr.engine import ocr_engine
from pipelines.parse.ocr.pictures import decoded, read_page
from pipelines.parse.parsed import PictureText, page_name
from pipelines.parse.pdf.blocks import BlockMaker, list_levels
from pipelines.parse.pdf.boxes import boxes_beside_text, fill_with_boxes, in_box
from pipelines.parse.pdf.figures import figure_areas, figure_item, place_figures
from pipelines.parse.pdf.garble import garble_score
from pipelines.parse.pdf.grids import TableFinder
from pipelines.parse.pdf.headings import Outline, is_doubtful
from pipelines.parse.pdf.items import PageItem, with_links
from pipelines.parse.pdf.layout import needs_image, needs_model, with_bullets, within_columns
from pipelines.parse.pdf.lost_glyphs import lost_characters, with_restored_characters
from pipelines.parse.pdf.mupdf import FAULTS, PdfFile
from pipelines.parse.pdf.page import PageGrid, PageRegion, PageWord, Paint, RawPage, RegionKind
from pipelines.parse.pdf.survey import Survey
from pipelines.parse.pdf.tables import table_items
from pipelines.parse.scan_tables import ScanTable, part_tables
from pipelines.parse.settings import ParseSettings

_LAST_SLOW = 0.75
"""Share of the file's processor time after which OCR and the layout model are skipped."""
_FEW_CHARACTERS = 200
"""A page that is mostly a picture is read by OCR if its text layer has fewer characters."""
_SCAN_SHARE = 0.55
"""Share of a page covered by bitmaps from which it is a scan: even one without margins covers more than half."""
_DRAWING_DPI = 300
"""Dots per inch for labels of a drawing: 4 points, the smallest type on drawings, are 16 pixels high."""
_MOST_MODEL_LINES = 1000
"""Maximum lines of a page for the layout model, which would take many seconds; only ruled tables are found then."""
_DRAWING_SHAPES = 5_000
"""Minimum lines and shapes of a page that is a drawing."""
_ASIDES = (RegionKind.HEADER, RegionKind.FOOTER, RegionKind.FOOTNOTE)


@dataclass(frozen=True, slots=True)
class ReadPage:
    """The content of a page: items in reading order, running headers and footers, and remarks on the reading.

    `unread` says that a limit prevented the page, or OCR of it, from being read; `illegible`, that OCR cannot read it.
    """

    page: Page
    items: tuple[PageItem, ...] = ()
    furniture: tuple[PageItem, ...] = ()
    remarks: tuple[str, ...] = ()
    unread: bool = False
    illegible: bool = False


class PageReader:
    """Reads the pages of one file; `survey` and `outline` describe the whole file.

    Near the end of the processor time, OCR and the layout model are skipped, so that the rest of a long file is read;
    a page that needs OCR then has an issue. Later, no further page is read.
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
        """Return a page; if the library cannot read it, it only has an issue."""
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
        if why and self._short_of_time and self._task.found(page_name(number)) is None:
            return replace(self._by_text_layer(raw, f"{why}, and no time is left for OCR"), unread=True)
        read = self._by_ocr(raw, why) if why else None
        if read is not None:
            return read
        remarks: tuple[str, ...] = ()
        if any(lost_characters(line.text) for line in raw.lines) and not self._short_of_time:
            raw, remarks = with_restored_characters(self.file, raw, self.settings.ocr)
        return self._by_text_layer(raw, above=above, earlier_remarks=remarks)

    @property
    def _short_of_time(self) -> bool:
        return self._task.clock.past(_LAST_SLOW)

    # -- the text layer

    def _by_text_layer(
        self, raw: RawPage, issue: str = "", above: PageGrid | None = None, earlier_remarks: Sequence[str] = ()
    ) -> ReadPage:
        """Return a page read from its text layer; `above` is the table at the end of the page before."""
        lines, furniture = self.survey.furniture.split(raw.lines, raw.height)
        furniture += [(BlockKind.PAGE_HEADER, line) for line in raw.watermarks]
        maker = BlockMaker(raw.number, raw.height, self.survey, self.outline)
        body = replace(raw, lines=tuple(lines))
        remarks: list[str] = []
        tabular = above is not None or self._needs_model(body)
        items = None if tabular else self._by_rules(lines, maker)
        if items is None:
            columns = bool(self.survey.gutters)
            with_image = not tabular or columns or needs_image(body) or self.settings.pdf.layout == "model"
            items, more, remarks = self._by_layout_model(body, self._own_words(raw), maker, above, with_image)
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
        items += self._notes(raw)
        asides = [maker.item(kind, [line]) for kind, line in furniture]
        return ReadPage(page, _with_boxes(items, raw), _with_boxes(asides, raw), (*earlier_remarks, *remarks))

    def _notes(self, raw: RawPage) -> list[PageItem]:
        """Return the reviewers' comments on a page."""
        return [PageItem(BlockKind.NOTE, text, raw.number, rect) for rect, text in self.file.comments(raw.number)]

    def _own_words(self, raw: RawPage) -> list[PageWord]:
        """Return the words of a page without those that recur on other pages (running headers, title blocks)."""
        near = Near(self.survey.furniture.recurring(raw.lines, raw.height), lambda line: line.rect)
        words = self.file.words(raw.number)
        return [w for w in words if not any(line.rect.holds(*w.rect.middle) for line in near.at(w.rect))]

    def _needs_model(self, body: RawPage) -> bool:
        """Whether the layout model is used for a page regardless of its headings: for tables and irregular layouts."""
        layout = self.settings.pdf.layout
        return (
            needs_model(body, self.survey.gutters) or bool(boxes_beside_text(body))
            if layout == "auto"
            else layout == "model"
        )

    def _by_rules(self, lines: Sequence[Line], maker: BlockMaker) -> list[PageItem] | None:
        """Return the items of a page by rules, None if a doubtful heading needs the layout model."""
        items = maker.columns(lines)
        if self.settings.pdf.layout == "auto" and any(
            item.kind is BlockKind.HEADING and is_doubtful(item, self.survey.body, self.outline) for item in items
        ):
            return None
        return items

    def _by_layout_model(
        self, body: RawPage, words: Sequence[PageWord], maker: BlockMaker, above: PageGrid | None, with_image: bool
    ) -> tuple[list[PageItem], list[tuple[BlockKind, Line]], list[str]]:
        """Return items, furniture and remarks of a page by the regions of the layout model.

        If time is short or the page is too dense for the model, only tables with drawn lines are found.
        """
        late = self._short_of_time
        regions = [] if late else self._model_regions(body, with_image)
        regions = within_columns(regions, body, self.survey.gutters)
        pictures = [region.rect for region in regions if region.kind is RegionKind.PICTURE]
        expected = [region.rect for region in regions if region.kind is RegionKind.TABLE]
        asides = [region.rect for region in regions if region.kind in _ASIDES]
        boxes = [] if late else boxes_beside_text(body)
        apart = [*boxes, *(rect.grown(1) for rect in asides)]
        running = [line for line in body.lines if not any(rect.holds(*line.rect.middle) for rect in apart)]
        finder = TableFinder(self.file, replace(body, lines=tuple(running)), words, self.survey.gutters)
        grids, self._open = finder.with_continued(finder.grids(expected, pictures), above)
        free = [line for line in body.lines if not any(grid.rect.grown(1).holds(*line.rect.middle) for grid in grids)]
        # More than half of a region: one that only touches the table is text beside it.
        kept = [region for region in regions if not any(region.rect.share_in(grid.rect) > 0.6 for grid in grids)]
        items: list[PageItem] = []
        furniture: list[tuple[BlockKind, Line]] = []
        areas = figure_areas(body, pictures)
        tables, remarks = table_items(body, words, grids, self.survey.vocabulary, backwards=self.survey.backwards)
        of_rect = {table.rect: table for table in tables}
        kept += [PageRegion(RegionKind.TABLE, rect) for rect in of_rect]
        for region in fill_with_boxes(kept, free, self.survey.body, self.survey.gutters, boxes):
            if region.kind is RegionKind.TABLE and region.rect in of_rect:
                items.append(of_rect[region.rect])
            if region.kind in (RegionKind.HEADER, RegionKind.FOOTER):
                kind = BlockKind.PAGE_HEADER if region.kind is RegionKind.HEADER else BlockKind.PAGE_FOOTER
                furniture += [(kind, line) for line in region.lines]
            elif region.kind is RegionKind.PICTURE and (  # contained, except for rounding
                area := next((area for area in areas if region.rect.share_in(area.rect) > 0.99), None)
            ):
                areas.remove(area)
                items.append(figure_item(self.file, body, area, unread=bool(region.lines)))
                items += maker.labels(region.lines)
            elif region.lines and region.kind in (RegionKind.PICTURE, RegionKind.TABLE):
                items += [replace(item, region=region.kind) for item in maker.column(region.lines)]
            elif region.lines:
                items += maker.region(region.kind, region.lines)
        if late:
            remarks.append("no time was left for the layout model")
        others = [figure_item(self.file, body, area) for area in areas]
        return place_figures(items, others), furniture, remarks

    def _model_regions(self, body: RawPage, with_image: bool) -> list[PageRegion]:
        """Return the regions found by the model; a drawing that it cannot process is one picture region."""
        found = self.file.regions(body.number, with_image=with_image) if len(body.lines) <= _MOST_MODEL_LINES else []
        drawn = body.paint.all
        if found or len(drawn) < _DRAWING_SHAPES or is_running(body.lines):
            return found
        return [PageRegion(RegionKind.PICTURE, around(drawn))]

    # -- OCR

    def _wants_ocr(self, raw: RawPage) -> str:
        """Return why a page should be read by OCR, empty if its text layer is sufficient."""
        when = self.settings.ocr.when
        if when == "never" or self.settings.ocr.engine == "none":
            return ""
        if when == "always":
            return "asked for"
        if not raw.lines:
            # Up to three shapes are no content: a rule above and below an empty page, and a frame.
            return "no text layer" if raw.images or len(raw.paint.shapes) > 3 or raw.paint.vertical else ""
        if garble_score(raw.text) >= self.settings.pdf.garble:
            return "the text layer is garbled"
        scanned = sum(image.rect.area for image in raw.images) > _SCAN_SHARE * raw.rect.area
        return "a scan" if scanned and len(raw.text) < _FEW_CHARACTERS else ""

    def _by_ocr(self, raw: RawPage, why: str) -> ReadPage | None:
        """Return the page read by OCR, None if OCR is disabled or finds less text than the text layer has."""
        try:
            engine = ocr_engine(self.settings.ocr)
        except MissingExtra as error:
            return self._by_text_layer(raw, f"{why}, and {error.message}")
        if engine is None:
            return None
        dpi = self._dpi(raw)
        read = read_page(
            raw.number, lambda: decoded(self.file.render(raw.number, dpi)), engine, self.settings.ocr, self._task
        )
        found = sum(len(line.text) for line in read.lines)
        if why == "a scan" and found <= len(raw.text):
            return replace(self._by_text_layer(raw, read.issue), illegible=True) if read.issue else None
        return self._ocr_page(raw, read, why)

    def _dpi(self, raw: RawPage) -> int:
        """Return the resolution for OCR: that of the settings, lower for a page that would be scaled down.

        A page without a bitmap has a higher one: its letters are drawn as curves, and are small if it is a drawing.
        """
        # 72 points per inch.
        longest = max(raw.width, raw.height, 1.0) / 72
        wanted = self.settings.ocr.dpi if raw.images else _DRAWING_DPI
        # At 36 dpi, a sheet of 72 inches fits into `max_side` (2600); at less, no letter is legible.
        return max(36, min(wanted, int(self.settings.ocr.max_side / longest)))

    def _ocr_page(self, raw: RawPage, read: PictureText, why: str) -> ReadPage:
        scan = RawPage(raw.number, read.width, read.height, read.lines, (), Paint(), turn=(raw.turn - read.turn) % 360)
        usual = sorted(line.size for line in read.lines)[len(read.lines) // 2] if read.lines else 0.0
        maker = BlockMaker(raw.number, read.height, replace(self.survey, body=TextStyle(usual)), self.outline)
        lines, furniture = self.survey.furniture.split(scan.lines, scan.height)
        items = [item for part in part_tables(lines, scan.box) for item in _scan_items(part, maker)]
        if not is_running(read.lines) and not any(item.cells for item in items):
            items = [replace(item, kind=BlockKind.PARAGRAPH) for item in items]
            if not raw.images:  # a drawing whose letters are curves: its labels, grouped by part of the drawing
                items = [
                    PageItem(BlockKind.PARAGRAPH, part.text, raw.number, part.rect, confidence=part.confidence)
                    for part in parts_of(lines)
                ]
        issue = read.issue or ("" if read.lines or not raw.lines else f"{why}, and OCR finds nothing")
        page = Page(raw.number, self.file.label(raw.number), raw.width, raw.height, "ocr" if items else "none", issue)
        figures = [figure_item(self.file, raw, area, unread=True) for area in figure_areas(raw)]
        asides = [maker.item(kind, [line]) for kind, line in furniture]
        remarks = (f"{why}, read by OCR",) if items else ()
        placed = (*_with_boxes(list_levels(items), scan), *_with_boxes([*figures, *self._notes(raw)], raw))
        return ReadPage(page, placed, _with_boxes(asides, scan), remarks, illegible=bool(read.issue))


def _scan_items(part: ScanTable | list[Line], maker: BlockMaker) -> list[PageItem]:
    """Return the items of a table read by OCR, or of the lines between tables."""
    if isinstance(part, ScanTable):
        text = "\n".join(cell.text for cell in part.cells)
        sure = sum(line.confidence for line in part.lines) / len(part.lines)
        return [PageItem(BlockKind.TABLE, text, maker.page, part.rect, confidence=sure, cells=part.cells)]
    return maker.columns(part)


def _with_boxes(items: Sequence[PageItem], page: RawPage) -> tuple[PageItem, ...]:
    """Return the items with their boxes on the displayed page."""
    return tuple(replace(item, boxes=(page.box(item.rect),)) for item in items)
