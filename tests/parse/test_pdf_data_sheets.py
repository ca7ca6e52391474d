"""What data sheets, brochures, forms and certificates as PDF have that running text has not."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import pymupdf
import pytest

from pipelines.core.document import BlockKind, Document, Page
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.parse.lines import Line, Rect, TextStyle
from pipelines.parse.pdf.blocks import list_levels
from pipelines.parse.pdf.boxes import boxes_across, fill_with_boxes, headed_tables, in_box, with_bands
from pipelines.parse.pdf.furniture import with_own_edges
from pipelines.parse.pdf.items import PageItem, merge_tables
from pipelines.parse.pdf.labelled_values import with_tiles
from pipelines.parse.pdf.layout import fill_regions
from pipelines.parse.pdf.page import GridCell, PageGrid, PageRegion, PageWord, Paint, RawPage, RegionKind, Rules
from pipelines.parse.pdf.pages import ReadPage
from pipelines.parse.pdf.regions import below_headings, has_cut_table, parts_around
from pipelines.parse.pdf.stripes import find_lattices
from pipelines.parse.pdf.tables import fill_grid
from tests.parse.pdf_pages import LOREM, Pdf

DocumentOf = Callable[..., Document]
PAGE = RawPage(1, 600, 800, (), (), Paint())
SMALL, LARGE = TextStyle(8, "Sans"), TextStyle(14, "Sans")
HEADING, TABLE, TEXT = RegionKind.HEADING, RegionKind.TABLE, RegionKind.TEXT


def line(text: str, left: float, top: float, style: TextStyle = SMALL) -> Line:
    return Line(text, Rect(left, top, left + 0.5 * style.size * len(text), top + style.size), style)


def aside(text: str, top: float, kind: BlockKind = BlockKind.PAGE_HEADER) -> PageItem:
    return PageItem(kind, text, 1, Rect(50, top, 150, top + 10), SMALL, region=RegionKind.HEADER)


def pages(*asides: Sequence[PageItem]) -> list[ReadPage]:
    body = PageItem(BlockKind.PARAGRAPH, "Body.", 1, Rect(50, 300, 500, 400), SMALL)
    return [
        ReadPage(Page(number), (body,), tuple(replace(item, page=number) for item in own))
        for number, own in enumerate(asides, 1)
    ]


def test_a_letterhead_and_a_heading_at_the_bottom_of_a_page_are_its_text_where_they_are() -> None:
    bottom = aside("Pin assignment", 760, BlockKind.PAGE_FOOTER)
    first, second = with_own_edges(pages([aside("Certificate no. 7719", 40), bottom], []))
    assert [item.text for item in first.items] == ["Certificate no. 7719", "Body.", "Pin assignment"]
    assert not first.furniture
    assert [item.text for item in second.items] == ["Body."]


def test_lines_of_a_letterhead_in_small_type_are_text_too() -> None:
    (page,) = with_own_edges(pages([aside("Steelworks Halden", 40), aside("P.O. Box 14", 46)]))
    assert [item.text for item in page.items] == ["Steelworks Halden", "P.O. Box 14", "Body."]


def test_what_other_pages_have_at_its_height_and_a_page_number_are_no_text() -> None:
    chapters = [[aside("Chapter one", 40), aside("Page 1", 20)], [aside("Chapter two", 42)]]
    assert [item.text for page in with_own_edges(pages(*chapters)) for item in page.items] == ["Body.", "Body."]


def test_a_header_of_two_words_on_every_page_is_text_once(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for number in range(1, 5):
        pdf.page().text(60, 30, "Karlborg Bearings").box(60, 120, 530, 600, f"Part {number}. {LOREM * 3}")
    assert document_of("a.pdf", pdf.data()).text.count("Karlborg Bearings") == 1


def test_a_page_number_in_a_title_block_of_staggered_cells_is_no_text(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for number in range(1, 3):
        page = pdf.page().text(60, 44, "DORVAL").text(60, 58, "Chemicals").text(200, 51, "Cleaning of R-12")
        page.text(400, 40, "SOP-031").text(400, 53, "Rev. 4").text(400, 66, f"Page {number}")
        page.box(60, 120, 530, 600, f"Part {number}. {LOREM * 3}")
    text = document_of("a.pdf", pdf.data()).text
    assert "Page 1" not in text
    assert "SOP-031" in text


def test_the_type_of_a_page_label_is_no_prefix(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 120, 530, 600, LOREM)
    pdf.file.xref_set_key(pdf.file.pdf_catalog(), "PageLabels", "<</Nums[0<</Type/PageLabel/S/D>>]>>")
    assert [page.label for page in document_of("a.pdf", pdf.data()).pages] == ["1"]


def test_figures_in_large_type_are_read_with_the_labels_below_them() -> None:
    tiles = [
        line("Specification", 50, 84),
        line("16 bar", 50, 100, LARGE),
        line("60 °C", 250, 100, LARGE),
        line("IP 65", 450, 100, LARGE),
        line("design pressure", 50, 118),
        line("highest temperature", 250, 118),
        line("control box", 450, 118),
    ]
    found = [one.text for one in with_tiles(tiles)]
    assert found == ["Specification", "design pressure: 16 bar", "highest temperature: 60 °C", "control box: IP 65"]


def test_a_numbered_heading_above_a_line_of_text_is_no_figure_with_a_label() -> None:
    lines = [line("2 Scope", 50, 100, LARGE), line("All pumps of the plant", 50, 118)]
    assert with_tiles(lines) == lines
    beside = [*lines, line("3 Terms", 350, 100, LARGE), line("A pump is a machine", 350, 118)]
    paragraph = [*beside, line("that moves liquids, and", 350, 127), line("which need care", 50, 127)]
    assert with_tiles(paragraph) == paragraph


def words(left: float, top: float, text: str, height: float = 10, bold: bool = False) -> list[PageWord]:
    found, at = [], left
    for word in text.split():
        width = 0.5 * height * len(word)
        found.append(PageWord(word, Rect(at, top, at + width, top + height), bold))
        at += width + 0.3 * height
    return found


def test_labels_in_small_type_in_the_cells_of_a_form_are_cells_of_their_own() -> None:
    entries = [("Customer", "Weil GmbH"), ("Order", "4500-771"), ("Date", "2026-08-19"), ("Place", "Halden")]
    cells, held = [], []
    for number, (label, value) in enumerate(entries):
        row, column = divmod(number, 2)
        rect = Rect(200 * column, 40 * row, 200 * (column + 1), 40 * (row + 1))
        cells.append(GridCell(row, column, 1, 1, rect))
        held += words(rect.left + 3, rect.top + 3, label, height=6) + words(rect.left + 3, rect.top + 20, value)
    grid = PageGrid(Rect(0, 0, 400, 80), tuple(cells))
    found = fill_grid(grid, held, PAGE)
    assert [(cell.row, cell.column, cell.text) for cell in found] == [
        (number // 2, 2 * (number % 2) + place, text)
        for number, entry in enumerate(entries)
        for place, text in enumerate(entry)
    ]
    assert not any(cell.header for cell in found)


def test_a_header_over_two_columns_without_a_line_below_it_is_divided() -> None:
    columns = [(0, 100), (100, 200), (200, 300)]
    cells = [GridCell(0, 0, 1, 1, Rect(0, 0, 100, 40)), GridCell(0, 1, 1, 2, Rect(100, 0, 300, 40))]
    held = words(5, 15, "Port") + words(150, 5, "Pressure range [bar]") + words(110, 25, "NBR") + words(210, 25, "FKM")
    for row in range(1, 4):
        for column, (left, right) in enumerate(columns):
            cells.append(GridCell(row, column, 1, 1, Rect(left, 20 + 20 * row, right, 40 + 20 * row)))
            held += words(left + 10, 25 + 20 * row, "16" if column else "G 1/4")
    found = fill_grid(PageGrid(Rect(0, 0, 300, 100), tuple(cells)), held, PAGE)
    heads = [(cell.row, cell.column, cell.row_span, cell.column_span, cell.text) for cell in found if cell.header]
    assert heads == [
        (0, 0, 2, 1, "Port"),
        (0, 1, 1, 2, "Pressure range [bar]"),
        (1, 1, 1, 1, "NBR"),
        (1, 2, 1, 1, "FKM"),
    ]


@pytest.mark.parametrize(("first", "expected"), [(("Item", "SV-305", "SV-310"), 1), (("Type", "1.5 kW", "2.2 kW"), 0)])
def test_models_above_values_with_units_are_a_header(first: tuple[str, ...], expected: int) -> None:
    rows = [first, ("Output", "0.5 kW", "1.0 kW"), ("Current", "3.2 A", "6.1 A"), ("Mass", "1.1 kg", "1.6 kg")]
    cells, held = [], []
    for row, texts in enumerate(rows):
        for column, text in enumerate(texts):
            cells.append(GridCell(row, column, 1, 1, Rect(100 * column, 20 * row, 100 * column + 100, 20 * row + 20)))
            held += words(100 * column + 5, 20 * row + 5, text)
    found = fill_grid(PageGrid(Rect(0, 0, 300, 80), tuple(cells)), held, PAGE)
    assert max((cell.row + 1 for cell in found if cell.header), default=0) == expected


def test_a_merged_entry_goes_on_beside_the_first_rows_of_the_next_page() -> None:
    def part(page: int, top: float, bottom: float, cells: Sequence[Cell]) -> PageItem:
        box = Box(page, 0.1, top, 0.9, bottom)
        return PageItem(BlockKind.TABLE, "", page, Rect(0, 0, 1, 1), cells=tuple(cells), boxes=(box,))

    above = [Cell(0, 0, "Approval", 2), Cell(0, 1, "0"), Cell(0, 2, "none"), Cell(1, 1, "E"), Cell(1, 2, "ATEX")]
    below = [
        Cell(0, 0, ""),
        Cell(0, 1, "F"),
        Cell(0, 2, "FM"),
        Cell(1, 0, "Display"),
        Cell(1, 1, "N"),
        Cell(1, 2, "no"),
    ]
    (whole,) = merge_tables([part(1, 0.6, 0.95, above), part(2, 0.05, 0.2, below)])
    assert [(cell.row, cell.row_span, cell.text) for cell in whole.cells if cell.column == 0] == [
        (0, 3, "Approval"),
        (3, 1, "Display"),
    ]
    assert [cell.text for cell in whole.cells if cell.column == 1] == ["0", "E", "F", "N"]


def test_tables_under_headings_side_by_side_are_two_and_read_one_after_the_other() -> None:
    heads = [PageRegion(HEADING, Rect(50, 100, 120, 112)), PageRegion(HEADING, Rect(300, 100, 360, 112))]
    lines = [line(text, left, top) for top in (130, 150, 170) for left, text in ((52, "Flow"), (302, "Housing"))]
    whole = PageRegion(TABLE, Rect(50, 125, 500, 180))
    tables = [
        region for region in below_headings([*heads, whole], replace(PAGE, lines=tuple(lines))) if region.kind is TABLE
    ]
    assert [(region.rect.left < 100, region.rect.right < 300) for region in tables] == [(True, True), (False, False)]
    assert len(headed_tables([*heads, *tables])) == 2


def test_text_between_two_tables_of_one_region_is_read_between_them() -> None:
    region, tables = PageRegion(TABLE, Rect(50, 100, 500, 600)), [Rect(50, 100, 500, 250), Rect(50, 400, 500, 600)]
    parts = parts_around(region, tables)
    assert [(part.rect.top, part.rect.bottom) for part in parts] == [(250, 400)]
    heading = PageRegion(HEADING, Rect(50, 300, 120, 312))
    filled = fill_regions([*parts, heading], [line("Environment", 50, 301)], SMALL)
    assert [(one.kind, len(one.lines)) for one in filled if one.lines] == [(HEADING, 1)]


def test_a_box_across_the_page_ends_the_columns_above_it() -> None:
    lines = [line("x" * 40, left, 100 + 12 * row) for left in (50, 300) for row in range(6)]
    tiles = [line("16 bar", left, 220) for left in (60, 320)] + [line("pressure", left, 232) for left in (60, 320)]
    box = Rect(50, 210, 480, 250)
    page = replace(PAGE, lines=(*lines, *tiles), paint=Paint(shapes=(box,)))
    assert boxes_across(page, []) == [box]
    assert boxes_across(page, [box]) == []


def test_a_box_that_is_found_twice_is_read_once() -> None:
    box, text = Rect(50, 100, 250, 140), line("Machine", 60, 110)
    filled = fill_with_boxes([], [text], SMALL, (), [box, box])
    assert [one.text for region in filled for one in region.lines] == ["Machine"]


def test_text_as_high_as_a_table_beside_it_may_be_columns_of_it() -> None:
    table, text = PageRegion(TABLE, Rect(50, 100, 200, 220)), Rect(220, 102, 500, 220)
    assert has_cut_table([table, PageRegion(RegionKind.TEXT, text)])
    assert not has_cut_table([table, PageRegion(RegionKind.TEXT, text._replace(bottom=400))])
    assert not has_cut_table([table, PageRegion(RegionKind.TEXT, text._replace(left=100))])


def test_a_band_behind_the_title_from_edge_to_edge_is_no_box() -> None:
    lines = (
        line("Type 2236", 50, 30, LARGE),
        line("Solenoid valve", 50, 50),
        *(line("x", 50, 200 + 12 * n) for n in range(9)),
    )
    title = lines[0].rect
    narrow, band = Rect(40, 20, 560, 100), Rect(0, 0, 600, 100)
    assert in_box(title, replace(PAGE, lines=lines, paint=Paint(shapes=(narrow,))))
    assert not in_box(title, replace(PAGE, lines=lines, paint=Paint(shapes=(band,))))


def test_a_heading_is_as_wide_as_its_band_or_the_line_below_it() -> None:
    heading = PageRegion(HEADING, Rect(50, 100, 150, 112))
    band, rule = Rect(48, 98, 540, 115), Rect(48, 114, 540, 114)
    for paint in (Paint(shapes=(band,)), Paint(horizontal=(rule,))):
        (found,) = with_bands([heading], replace(PAGE, paint=paint))
        assert (found.rect.left, found.rect.right) == (48, 540)
    assert with_bands([replace(heading, kind=TEXT)], replace(PAGE, paint=Paint(shapes=(band,))))[0].rect == heading.rect


def test_a_bold_line_below_a_table_is_no_row_of_it() -> None:
    rules = Rules(horizontal=[Rect(left, top, right, top) for top in (10, 30) for left, right in ((0, 40), (40, 100))])
    rows = words(6, 12, "a") + words(46, 12, "b")
    assert find_lattices(rules, [*rows, *words(6, 33, "Adjustment", bold=True)]) == [Rect(0, 10, 100, 30)]
    assert find_lattices(rules, [*rows, *words(6, 33, "last")])[0].bottom > 40


def test_a_list_in_the_next_column_is_no_deeper() -> None:
    items = [PageItem(BlockKind.LIST_ITEM, "- x", 1, Rect(left, 0, left + 50, 10)) for left in (50, 68, 50, 320, 338)]
    assert [item.level for item in list_levels(items)] == [1, 2, 1, 1, 2]


def test_items_with_numbers_of_several_levels_are_a_list(document_of: DocumentOf) -> None:
    pdf = (
        Pdf().page().box(60, 60, 530, 90, "The reactor is cleaned in these steps, one after the other, by two people.")
    )
    for place, text in enumerate(["3. Caustic wash:", "3.1. Fill 800 litres.", "3.2. Heat to 75 °C.", "4. Rinse."]):
        pdf.text(60 + 20 * (text.count(".") > 2), 120 + 14 * place, text)
    blocks = document_of("a.pdf", pdf.data()).blocks
    assert [block.kind for block in blocks[1:]] == [BlockKind.LIST_ITEM] * 4


def test_a_watermark_is_text_and_no_title(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(72, 72, 520, 200, LOREM)
    pdf.file[-1].insert_text((150, 500), "DRAFT", fontsize=70, morph=(pymupdf.Point(150, 500), pymupdf.Matrix(45)))
    document = document_of("a.pdf", pdf.data())
    assert "DRAFT" in document.text
    assert document.title != "DRAFT"
