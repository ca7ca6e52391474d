"""One page of a PDF, read to items in reading order by its text layer, a layout model or OCR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pipelines.core.document import BlockKind, Page
from pipelines.parse.limits import READING, ParseTask
from pipelines.parse.lines import Line, around
from pipelines.parse.near import Near, is_running, parts_of
from pipelines.parse.pdf.blocks import BlockMaker, list_levels
from pipelines.parse.pdf.boxes import (
    boxes_across,
    boxes_beside_text,
    fill_with_boxes,
    headed_tables,
    in_box,
    with_bands,
)
from pipelines.parse.pdf.figures import figure_areas, figure_item, place_figures
from pipelines.parse.pdf.grids import TableFinder
from pipelines.parse.pdf.headings import Outline, is_doubtful
from pipelines.parse.pdf.items import PageItem, with_links
from pipelines.parse.pdf.labelled_values import with_tiles
from pipelines.parse.pdf.layout import (
    needs_image,
    needs_model,
    with_bullets,
    with_joined_text,
    without_fonts,
)
from pipelines.parse.pdf.library import FAULTS
from pipelines.parse.pdf.lost_glyphs import lost_characters, with_restored_characters
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageGrid, PageRegion, PageWord, RawPage, RegionKind
from pipelines.parse.pdf.regions import (
    below_headings,
    has_cut_table,
    parts_around,
    rows_as_text,
    with_tables_of,
    within_columns,
)
from pipelines.parse.pdf.scans import OcrPage, tables_of_lines
from pipelines.parse.pdf.survey import Survey
from pipelines.parse.pdf.tables import table_items
from pipelines.parse.settings import ParseSettings

_LAST_MODEL = 0.75
"""Share of the file's processor time after which the layout model is not used."""
_MOST_MODEL_LINES = 1000
"""Maximum lines of a page for the layout model, which would take many seconds; only ruled tables are found then."""
_DRAWING_SHAPES = 5_000
"""Minimum lines and shapes of a page that is a drawing."""
_MOST_OF_PAGE = 0.5
"""Share of a scanned page from which a figure on it is not shown apart from the page."""
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

    `scans` has the results of OCR of the pages that needed it. Near the end of the processor time, the layout model is
    skipped, so that the rest of a long file is read. Later, no further page is read.
    """

    def __init__(
        self,
        file: PdfFile,
        survey: Survey,
        outline: Outline,
        settings: ParseSettings,
        task: ParseTask,
        scans: Mapping[int, OcrPage],
    ) -> None:
        self.file = file
        self._scans = scans
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
            read = self._read(number)
        except FAULTS as error:
            return ReadPage(Page(number, text_source="none", issue=f"not readable: {error}"))
        if not self.file.is_damaged(number):
            return read
        issues = "; ".join(filter(None, (read.page.issue, "damaged, and read as far as it goes")))
        return replace(read, page=replace(read.page, issue=issues))

    def _read(self, number: int) -> ReadPage:
        raw = with_bullets(self.file.page(number))
        above, self._open = self._open, None
        scan = self._scans.get(number)
        if scan is not None and scan.replaced:
            return self._by_ocr(raw, scan, above)
        issue, unread, illegible = (scan.issue, scan.unread, scan.illegible) if scan else ("", False, False)
        remarks: tuple[str, ...] = ()
        if any(lost_characters(line.text) for line in raw.lines) and not self._short_of_time:
            raw, remarks = with_restored_characters(self.file, raw, self.settings.ocr)
        read = self._by_text_layer(raw, issue, above, remarks)
        return replace(read, unread=unread, illegible=illegible)

    @property
    def _short_of_time(self) -> bool:
        return self._task.clock.past(_LAST_MODEL)

    # -- the text layer

    def _by_text_layer(
        self, raw: RawPage, issue: str = "", above: PageGrid | None = None, earlier_remarks: Sequence[str] = ()
    ) -> ReadPage:
        """Return a page read from its text layer; `above` is the table at the end of the page before."""
        lines, furniture = self.survey.furniture.split(raw.lines, raw.height)
        furniture += [(BlockKind.PAGE_HEADER, line) for line in raw.watermarks]
        maker = BlockMaker(raw.number, raw.height, self.survey, self.outline)
        lines = with_tiles(lines)
        body = replace(raw, lines=tuple(lines))
        remarks: list[str] = []
        # On a scan, headings cannot be told by their fonts, and OCR takes much longer than the model.
        scanned = raw.number in self._scans and self.settings.pdf.layout != "rules"
        tabular = scanned or above is not None or self._needs_model(body)
        items = None if tabular else self._by_rules(lines, maker)
        asides = [maker.item(kind, [line]) for kind, line in furniture]
        if items is None:
            columns = bool(self.survey.gutters)
            with_image = not tabular or scanned or columns or needs_image(body) or self.settings.pdf.layout == "model"
            items, more, remarks = self._by_layout_model(body, self._own_words(raw), maker, above, with_image)
            asides += more
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
    ) -> tuple[list[PageItem], list[PageItem], list[str]]:
        """Return items, furniture and remarks of a page by the regions of the layout model.

        If time is short or the page is too dense for the model, only tables with drawn lines are found.
        """
        late, scanned = self._short_of_time, body.number in self._scans
        regions = [] if late else self._model_regions(body, with_image)
        if not with_image and (has_cut_table(regions) or rows_as_text(regions, body)):
            regions = with_tables_of(self._model_regions(body, with_image=True), regions, body)
        regions = below_headings(within_columns(regions, body, self.survey.gutters), body)
        pictures = [region.rect for region in regions if region.kind is RegionKind.PICTURE]
        expected = [region.rect for region in regions if region.kind is RegionKind.TABLE]
        asides = [region.rect for region in regions if region.kind in _ASIDES]
        boxes = [] if late else boxes_beside_text(body)
        apart = [*boxes, *(rect.grown(1) for rect in asides)]
        running = [line for line in body.lines if not any(rect.holds(*line.rect.middle) for rect in apart)]
        finder = TableFinder(self.file, replace(body, lines=tuple(running)), words, self.survey.gutters)
        grids, self._open = finder.with_continued(finder.grids(expected, pictures), above)
        outside = replace(body, lines=tuple(running))
        unruled = tables_of_lines(outside, grids, self.survey.gutters, regions) if scanned else []
        grids = [grid for grid in grids if not any(grid.rect.share_in(table.rect) > 0.5 for table in unruled)]
        taken = [*(grid.rect for grid in grids), *(table.rect for table in unruled)]
        free = [line for line in body.lines if not any(rect.grown(1).holds(*line.rect.middle) for rect in taken)]
        # More than half of a region: one that only touches the table is text beside it.
        kept = [region for region in regions if not any(region.rect.share_in(rect) > 0.6 for rect in taken)]
        kept = [part for region in kept for part in parts_around(region, taken)]
        items: list[PageItem] = []
        furniture: list[PageItem] = []
        areas = figure_areas(body, pictures)
        tables, remarks = table_items(body, words, grids, self.survey.vocabulary, backwards=self.survey.backwards)
        of_rect = {table.rect: table for table in (*tables, *unruled)}
        kept += [PageRegion(RegionKind.TABLE, rect) for rect in of_rect]
        boxes += [*headed_tables(kept), *boxes_across(body, taken)]
        filled = fill_with_boxes(with_bands(kept, body), free, self.survey.body, self.survey.gutters, boxes)
        for region in with_joined_text(filled) if scanned or without_fonts(body) else filled:
            if region.kind is RegionKind.TABLE and region.rect in of_rect:
                items.append(of_rect[region.rect])
            if region.kind in (RegionKind.HEADER, RegionKind.FOOTER):
                furniture += [item for line in region.lines for item in maker.region(region.kind, [line])]
            elif region.kind is RegionKind.PICTURE and (  # contained, except for rounding
                area := next((area for area in areas if region.rect.share_in(area.rect) > 0.99), None)
            ):
                areas.remove(area)
                items.append(figure_item(self.file, body, area, unread=scanned or bool(region.lines)))
                items += maker.labels(region.lines)
            elif region.lines and region.kind in (RegionKind.PICTURE, RegionKind.TABLE):
                items += [replace(item, region=region.kind) for item in maker.column(region.lines)]
            elif region.lines:
                items += maker.region(region.kind, region.lines)
        if late:
            remarks.append("no time was left for the layout model")
        others = [figure_item(self.file, body, area, unread=scanned) for area in areas]
        return place_figures(items, others), furniture, remarks

    def _model_regions(self, body: RawPage, with_image: bool) -> list[PageRegion]:
        """Return the regions found by the model; a drawing that it cannot process is one picture region."""
        found = self.file.regions(body.number, with_image=with_image) if len(body.lines) <= _MOST_MODEL_LINES else []
        drawn = body.paint.all
        if found or len(drawn) < _DRAWING_SHAPES or is_running(body.lines):
            return found
        return [PageRegion(RegionKind.PICTURE, around(drawn))]

    # -- OCR

    def _by_ocr(self, raw: RawPage, scan: OcrPage, above: PageGrid | None) -> ReadPage:
        """Return a page whose text layer is that of OCR; the whole page is a figure too."""
        remarks = (f"{scan.why}, {'with its own text' if scan.is_stored else 'read by OCR'}",) if raw.lines else ()
        if raw.lines and (raw.images or is_running(raw.lines)):
            read = self._by_text_layer(replace(raw, images=()), scan.issue, above, remarks)
        else:  # a drawing whose letters are curves: its labels, grouped by part of the drawing
            labels = [
                PageItem(BlockKind.PARAGRAPH, part.text, raw.number, part.rect, confidence=part.confidence)
                for part in parts_of(raw.lines)
            ]
            page = Page(raw.number, self.file.label(raw.number), raw.width, raw.height, issue=scan.issue)
            read = ReadPage(page, _with_boxes([*labels, *self._notes(raw)], raw), remarks=remarks)
        items = [_with_confidence(item, raw.lines) for item in read.items if not _fills(item, raw)]
        areas = figure_areas(replace(raw, lines=()))
        items += _with_boxes([figure_item(self.file, raw, area, unread=True) for area in areas], raw)
        page = replace(read.page, text_source="ocr" if raw.lines else "none")
        return replace(read, page=page, items=tuple(items), illegible=scan.illegible)


def _fills(item: PageItem, page: RawPage) -> bool:
    """Whether an item is a figure as large as most of the page, which is a figure itself."""
    return item.kind is BlockKind.FIGURE and item.rect.area > _MOST_OF_PAGE * page.rect.area


def _with_confidence(item: PageItem, lines: Sequence[Line]) -> PageItem:
    """Return a table with the confidence of its lines; the other items have theirs."""
    inside = [line.confidence for line in lines if item.rect.holds(*line.rect.middle)]
    is_table = item.kind is BlockKind.TABLE and bool(inside)
    return replace(item, confidence=sum(inside) / len(inside)) if is_table else item


def _with_boxes(items: Sequence[PageItem], page: RawPage) -> tuple[PageItem, ...]:
    """Return the items with their boxes on the displayed page."""
    return tuple(replace(item, boxes=(page.box(item.rect),)) for item in items)
