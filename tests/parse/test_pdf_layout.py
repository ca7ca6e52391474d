"""Tables without lines, headings that the layout model and the look of a line judge apart, columns, bare pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import pytest

from pipelines.core.document import BlockKind, Document
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.parse.columns import in_rows, reading_order
from pipelines.parse.limits import Clock
from pipelines.parse.lines import Line, Rect, TextStyle
from pipelines.parse.pdf.alignment import aligned_grid, continued_grid
from pipelines.parse.pdf.boxes import in_box
from pipelines.parse.pdf.consistency import consistent
from pipelines.parse.pdf.extract import add_rules
from pipelines.parse.pdf.grids import spans_by_rules
from pipelines.parse.pdf.headings import Outline
from pipelines.parse.pdf.items import PageItem, merge_tables
from pipelines.parse.pdf.layout import fill_regions
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import (
    MOST_SHAPES,
    Bookmark,
    PageGrid,
    PageRegion,
    PageWord,
    Paint,
    RawPage,
    RegionKind,
    Rules,
)
from pipelines.parse.pdf.stripes import find_lattices, find_stripes, split_at_text
from pipelines.parse.pdf.survey import survey
from pipelines.parse.settings import Limits, OcrSettings, ParseSettings, PdfSettings
from tests.parse.pdf_pages import LOREM, Pdf

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
BODY = TextStyle(10.0, "Serif")
BOLD = TextStyle(10.0, "Serif-Bold", bold=True)
DocumentOf = Callable[..., Document]
OPTIONS = (
    ("-a, --all", "Print the state of all valves of the plant."),
    ("-v", "Print the name of each file that is read."),
    ("-w, --wait", "Wait until the relief valve has closed again."),
)


def words(*rows: Sequence[tuple[float, float, str]], bold: Sequence[int] = ()) -> list[PageWord]:
    """Return entries (left, top, text) as words five points a character wide and ten points high."""
    return [
        PageWord(text, Rect(left, top, left + 5 * len(text), top + 10), number in bold)
        for number, row in enumerate(rows)
        for left, top, text in row
    ]


def places(grid: PageGrid | None) -> list[tuple[int, int, int, int]]:
    assert grid is not None
    return [(cell.row, cell.column, cell.row_span, cell.column_span) for cell in grid.cells]


def test_white_parts_columns_and_a_wider_step_parts_rows() -> None:
    found = words(
        [(0, 0, "Part"), (100, 0, "Remark")],
        [(0, 20, "Seat"), (100, 20, "made"), (125, 20, "of")],
        [(100, 31, "bronze")],
        [(0, 51, "Stem"), (100, 51, "steel")],
    )
    grid = aligned_grid(Rect(0, 0, 200, 65), found, Rules())
    assert places(grid) == [(row, column, 1, 1) for row in range(3) for column in range(2)]


def test_lines_of_one_step_are_rows_where_each_has_its_key() -> None:
    rows = [[(0.0, 11.0 * number, f"K{number}"), (60.0, 11.0 * number, "one")] for number in range(4)]
    assert [place[0] for place in places(aligned_grid(Rect(0, 0, 100, 44), words(*rows), Rules()))][::2] == [0, 1, 2, 3]


def test_the_bold_title_of_a_group_of_rows_runs_over_all_columns() -> None:
    rows = [[(0.0, 20.0 * number, f"K{number}"), (60.0, 20.0 * number, "one")] for number in range(5)]
    rows[2] = [(0.0, 40.0, "Group")]
    grid = aligned_grid(Rect(0, 0, 100, 95), words(*rows, bold=[0, 2]), Rules())
    assert (2, 0, 1, 2) in places(grid)


def test_an_entry_stands_for_the_rows_below_that_have_none() -> None:
    rows = [[(0.0, 20.0 * n, f"K{n}"), (60.0, 20.0 * n, "one"), (110.0, 20.0 * n, "two")] for n in range(4)]
    rows[2] = rows[2][1:]
    assert (1, 0, 2, 1) in places(aligned_grid(Rect(0, 0, 140, 75), words(*rows), Rules()))


def test_a_head_over_several_heads_covers_them() -> None:
    rows = [
        [(0.0, 0.0, "Size"), (60.0, 0.0, "Load")],
        [(60.0, 20.0, "least"), (110.0, 20.0, "most")],
        *[[(0.0, 20.0 * n, f"K{n}"), (60.0, 20.0 * n, "1.5"), (110.0, 20.0 * n, "9.5")] for n in (2, 3, 4)],
    ]
    found = places(aligned_grid(Rect(0, 0, 140, 95), words(*rows, bold=[0, 1]), Rules()))
    assert {(0, 0, 2, 1), (0, 1, 1, 2)} <= set(found)


def test_one_column_is_no_table() -> None:
    rows = [[(0.0, 20.0 * number, "plain")] for number in range(4)]
    assert aligned_grid(Rect(0, 0, 100, 80), words(*rows), Rules()) is None


def test_level_lines_of_one_width_tell_where_a_table_is() -> None:
    cells = [Rect(left, top, left + 50, top) for top in (10.0, 30.0, 50.0, 70.0) for left in (0.0, 50.0)]
    assert find_stripes(Rules(horizontal=cells)) == [Rect(0, 10, 100, 70)]
    assert find_stripes(Rules(horizontal=cells[:4])) == []
    drawing = [Rect(left, top, left + 40, top) for left in range(200, 500, 50) for top in range(200)]
    assert find_stripes(Rules(horizontal=cells + drawing)) == []


def test_the_dots_of_a_line_are_one_line_and_no_table() -> None:
    dotted = [Rect(left, top, left + 1, top) for top in (10.0, 30.0, 50.0, 70.0) for left in range(0, 200, 2)]
    assert find_stripes(Rules(horizontal=dotted)) == [Rect(0, 10, 199, 70)]
    assert find_stripes(Rules(horizontal=[dot for dot in dotted if dot.left == 100])) == []


def test_a_light_head_stands_over_the_heads_below_that_have_no_first_entry() -> None:
    rows = [
        [(0.0, 0.0, "Lock"), (60.0, 0.0, "Offset")],
        [(60.0, 20.0, "memory"), (110.0, 20.0, "file")],
        *[[(0.0, 20.0 * n, f"K{n}"), (60.0, 20.0 * n, "1.5"), (110.0, 20.0 * n, "9.5")] for n in (2, 3, 4)],
    ]
    assert {(0, 0, 2, 1), (0, 1, 1, 2)} <= set(places(aligned_grid(Rect(0, 0, 140, 95), words(*rows), Rules())))


def test_entries_that_end_a_row_in_one_column_run_across_where_most_are_seen_to() -> None:
    entries = {0: ["a sum of both halves"], 1: ["..."], 2: ["another sum of both"]}
    rows = [
        [
            (left, 20.0 * n, text)
            for left, text in zip((0.0, 60.0, 110.0), (f"{n}", *entries.get(n, "78")), strict=False)
        ]
        for n in range(20)
    ]
    found = places(aligned_grid(Rect(0, 0, 170, 395), words(*rows), Rules()))
    assert {(0, 1, 1, 2), (1, 1, 1, 2), (2, 1, 1, 2), (3, 1, 1, 1)} <= set(found)


def tinted(*boxes: tuple[float, float, float, float]) -> Rules:
    """Return the edges of coloured areas, as a page's drawings give them."""
    found = Rules()
    for box in boxes:
        add_rules(found, {"type": "f", "items": [("re", box)]})
    return found


def test_coloured_cells_side_by_side_tell_where_a_table_is_and_boxes_around_text_do_not() -> None:
    cells = [(left, top, left + 50, top + 15) for top in (10.0, 40.0) for left in (0.0, 50.0)]
    assert find_stripes(tinted(*cells)) == [Rect(0, 10, 100, 55)]
    assert find_stripes(tinted((0, 10, 100, 25), (0, 40, 100, 55))) == []


def test_stripes_that_a_merged_cell_is_painted_over_part_no_rows_of_it() -> None:
    striped_rows = [(0, top, 200, top + 20) for top in (0, 20, 40)]
    found = tinted(*striped_rows, (0, 0, 60, 40)).without_hidden()
    assert sorted(edge for edge in found.horizontal_edges if edge.top == 20) == [Rect(60, 20, 200, 20)] * 2
    assert Rect(0, 40, 200, 40) in found.horizontal_edges
    assert all(edge.top == 0 or edge.bottom == 60 or edge.left in (0, 60, 200) for edge in found.vertical_edges)


def test_of_a_drawing_no_area_is_looked_for_under_another() -> None:
    drawing = tinted(*[(0, 0, 10 + n, 10 + n) for n in range(MOST_SHAPES)])
    assert len(drawing.without_hidden().horizontal_edges) < len(drawing.horizontal_edges)
    add_rules(drawing, {"type": "f", "items": [("re", (0, 0, 5000, 5000))]})
    assert drawing.without_hidden() == drawing


def test_a_coloured_cell_is_one_row_of_its_table_and_covers_the_columns_behind_it() -> None:
    found = words(
        [(2, 0, "Keyword"), (60, 0, "What")],
        [(2, 11, "argument")],
        [(2, 31, "size"), (60, 31, "points")],
        [(2, 51, "Group")],
    )
    rules = tinted((0, -5, 50, 26), (50, -5, 120, 26), (0, 26, 50, 46), (50, 26, 120, 46), (0, 46, 120, 66))
    assert places(aligned_grid(Rect(0, 0, 120, 65), found, rules)) == [
        *[(row, column, 1, 1) for row in range(2) for column in range(2)],
        (2, 0, 1, 2),
    ]


def test_lines_drawn_cell_by_cell_tell_where_tables_are_and_part_those_of_other_columns() -> None:
    def lines(top: float, *ends: float) -> list[Rect]:
        return [Rect(left, top, right, top) for left, right in pairwise(ends)]

    one = [line for top in (10.0, 30.0, 50.0) for line in lines(top, 0, 40, 100)]
    goes_on = lines(20.0, 40, 100)
    other = [line for top in (80.0, 100.0) for line in lines(top, 0, 60, 100)]
    alone = lines(200.0, 0, 100) + lines(220.0, 0, 100)
    rules = Rules(horizontal=[*one, *goes_on, *other, *alone])
    rows = words(
        [(6.0, 12.0, "a")], [(6.0, 32.0, "b"), (46.0, 32.0, "c")], [(6.0, 52.0, "last")], [(0.0, 70.0, "Text")]
    )
    assert find_lattices(rules, rows) == [Rect(0, 10, 100, 63), Rect(0, 80, 100, 100)]


def test_text_that_begins_where_the_lines_do_parts_tables_whose_entries_are_set_in() -> None:
    rules = Rules(horizontal=[Rect(0, top, 100, top) for top in (8.0, 50.0, 78.0, 120.0)])
    rows = [[(6.0, top, name), (60.0, top, "b")] for top, name in zip((10.0, 30.0, 80.0, 100.0), "acde", strict=True)]
    heading = [(0.0, 60.0, "Further")]
    assert split_at_text(Rect(0, 8, 100, 120), words(*rows, heading), rules) == [
        Rect(0, 10, 100, 40),
        Rect(0, 80, 100, 110),
    ]
    assert split_at_text(Rect(0, 8, 100, 120), words(*rows), rules) == [Rect(0, 8, 100, 120)]


def test_a_head_that_stands_again_below_more_white_begins_a_table() -> None:
    rows = [[(6.0, top, name), (60.0, top, "b")] for top, name in zip((10.0, 30.0, 50.0, 80.0), "acda", strict=True)]
    again = [[(6.0, 100.0, "e"), (60.0, 100.0, "f")]]
    found = words(*rows, *again)
    assert split_at_text(Rect(0, 8, 100, 112), found, Rules()) == [Rect(0, 10, 100, 60), Rect(0, 80, 100, 110)]
    data = words(*rows[:3], [(6.0, 70.0, "a"), (60.0, 70.0, "b")], *again)
    assert split_at_text(Rect(0, 8, 100, 112), data, Rules()) == [Rect(0, 8, 100, 112)]


def test_a_numbered_heading_with_a_tab_parts_tables() -> None:
    rules = Rules(horizontal=[Rect(0, top, 100, top) for top in (8.0, 50.0, 78.0, 120.0)])
    rows = [[(6.0, top, name), (60.0, top, "b")] for top, name in zip((10.0, 30.0, 80.0, 100.0), "acde", strict=True)]
    heading = [(0.0, 60.0, "3.2.10"), (60.0, 60.0, "Use")]
    found = words(*rows[:2], heading, *rows[2:], bold=[2])
    assert [part.top for part in split_at_text(Rect(0, 8, 100, 120), found, rules)] == [10, 80]


def test_blanks_of_monospaced_type_part_no_columns() -> None:
    rows = [[(0.0, 20.0 * n, "size"), (25.0, 20.0 * n, f"a{n}"), (100.0, 20.0 * n, "one")] for n in range(3)]
    found = words(*rows)
    assert len(places(aligned_grid(Rect(0, 0, 130, 55), found, Rules()))) == 9
    mono = [replace(word, mono=True) for word in found]
    assert len(places(aligned_grid(Rect(0, 0, 130, 55), mono, Rules()))) == 6


def test_cells_that_meet_are_columns_though_most_rows_are_joined_across_them() -> None:
    joined = [[(2.0, 20.0 * n, "a long entry across both")] for n in range(1, 6)]
    found = words([(2.0, 0.0, "x"), (62.0, 0.0, "y")], *joined)
    edges = [(0, -5, 60, 15), (60, -5, 130, 15), *((0, 20 * n - 5, 130, 20 * n + 15) for n in (2, 4))]
    assert places(aligned_grid(Rect(0, -5, 130, 115), found, tinted(*edges))) == [
        (0, 0, 1, 1),
        (0, 1, 1, 1),
        *((row, 0, 1, 2) for row in range(1, 6)),
    ]


def test_a_further_paragraph_of_an_entry_is_no_row() -> None:
    found = words(
        [(0.0, 0.0, "one"), (60.0, 0.0, "text of the")],
        [(60.0, 12.0, "first entry")],
        [(60.0, 27.0, "its second")],
        [(0.0, 44.0, "two"), (60.0, 44.0, "further")],
        [(0.0, 61.0, "three"), (60.0, 61.0, "last")],
    )
    assert len(places(aligned_grid(Rect(0, 0, 120, 75), found, Rules()))) == 6


def test_lines_of_cells_tell_columns_rows_of_a_part_and_cells_over_several_rows() -> None:
    def lines(top: float, *edges: float) -> list[Rect]:
        return [Rect(left, top, right, top) for left, right in pairwise(edges)]

    level = [rule for top in (15.0, 55.0, 75.0) for rule in lines(top, 0, 60, 100, 150)] + lines(35, 60, 100, 150)
    found = words(
        [(2.0, 2.0, "Machine"), (62.0, 2.0, "Kind")],
        [(2.0, 20.0, "MIPS"), (62.0, 20.0, "Malta"), (102.0, 20.0, "5kc")],
        [(62.0, 40.0, "Octeon"), (102.0, 40.0, "octeon")],
        [(2.0, 60.0, "ARM"), (62.0, 60.0, "Kirkwood")],
    )
    grid = aligned_grid(Rect(0, 0, 150, 76), found, Rules(horizontal=level))
    assert grid is not None
    assert (1, 0, 2, 1) in places(spans_by_rules(grid, found, Rules(horizontal=level)))
    assert (grid.rows, grid.columns) == (4, 3)


def test_entries_across_columns_do_not_hide_the_gaps_of_most_rows() -> None:
    rows = [[(0.0, 20.0 * n, "Weight"), (80.0, 20.0 * n, "1.5"), (140.0, 20.0 * n, "2.5")] for n in range(4)]
    across = [[(0.0, 20.0 * n, "Finish"), (80.0, 20.0 * n, "powder-coated-steel")] for n in (4, 5)]
    grid = aligned_grid(Rect(0, 0, 200, 120), words(*rows, *across), Rules())
    assert grid is not None
    assert grid.columns == 3
    assert {(4, 1, 1, 2), (5, 1, 1, 2)} <= set(places(grid))


def test_a_row_without_colour_begins_a_cell_only_with_text() -> None:
    rows = [[(66.0, 20.0 * n + 2, "M" + str(n))] for n in range(5)]
    rows = [row + ([(6.0, row[0][1], "AB")] if n in (0, 1, 3) else []) for n, row in enumerate(rows)]
    found = words(*rows)
    grid = aligned_grid(Rect(0, 0, 120, 100), found, tinted((60, 20, 120, 40), (60, 60, 120, 80), (0, 0, 60, 20)))
    assert grid is not None
    merged = spans_by_rules(grid, found, tinted((60, 20, 120, 40), (60, 60, 120, 80), (0, 0, 60, 20)))
    assert [place[0] for place in places(merged) if place[1] == 0] == [0, 1, 3]


def test_what_each_group_of_rows_has_in_common_is_over_its_rows() -> None:
    rows = [[(80.0, 20.0 * n, "load"), (140.0, 20.0 * n, "1.5")] for n in range(6)]
    for n, unit in ((0, "kW"), (2, "bar"), (4, "mm")):
        rows[n] = [(0.0, 20.0 * n, "Power"), *rows[n], (200.0, 20.0 * n, unit)]
    grid = aligned_grid(Rect(0, 0, 240, 130), words(*rows), Rules())
    assert {(0, 3, 2, 1), (2, 3, 2, 1), (4, 3, 2, 1)} <= set(places(grid))


def test_an_entry_centred_over_two_rows_does_not_join_them() -> None:
    head = [(0.0, 0.0, "Line"), (80.0, 0.0, "Code"), (140.0, 0.0, "Load")]
    rows = [[(80.0, 20.0 * n, "K" + str(n)), (140.0, 20.0 * n, "1.5")] for n in range(1, 5)]
    labels = [[(0.0, 20.0 * n + 10, "PT")] for n in (1, 3)]
    found = words(head, rows[0], labels[0], rows[1], rows[2], labels[1], rows[3], bold=[0])
    grid = aligned_grid(Rect(0, 0, 180, 100), found, Rules())
    assert {(1, 0, 2, 1), (3, 0, 2, 1)} <= set(places(grid))


def test_two_entries_of_a_group_between_lines_are_rows_if_they_do_not_wrap() -> None:
    rows = [
        [(2.0, 30.0 * n + 2, "AB"), (62.0, 30.0 * n + 2, "K" + str(n)), (102.0, 30.0 * n + 2, "1.5")] for n in range(4)
    ]
    more = [[(62.0, 30.0 * n + 17, "L" + str(n)), (102.0, 30.0 * n + 17, "2.5")] for n in range(4)]
    drawn = [Rect(0, 30.0 * n, 150, 30.0 * n) for n in range(5)]
    grid = aligned_grid(Rect(0, 0, 150, 120), words(*rows, *more), Rules(horizontal=drawn))
    assert grid is not None
    assert grid.rows == 8


def test_a_bold_head_without_a_line_below_is_a_row_of_its_own() -> None:
    found = words(
        [(6.0, 0.0, "Symbol"), (66.0, 0.0, "Value")],
        [(6.0, 20.0, "A"), (66.0, 20.0, "1")],
        [(6.0, 40.0, "B"), (66.0, 40.0, "2")],
        bold=[0],
    )
    rules = tinted((0, 35, 60, 55), (60, 35, 120, 55))
    assert len(places(aligned_grid(Rect(0, 0, 120, 55), found, rules))) == 6


def test_one_row_is_a_table_where_its_cells_have_colours_of_their_own() -> None:
    row = words([(6.0, 0.0, "__u32"), (66.0, 0.0, "cmd")])
    region = Rect(0, -5, 120, 15)
    assert len(places(aligned_grid(region, row, tinted((0, -5, 60, 15), (60, -5, 120, 15))))) == 2
    assert aligned_grid(region, row, Rules()) is None


def test_the_caption_of_a_table_parts_it_from_the_one_above() -> None:
    rows = [[(6.0, top, "a"), (60.0, top, "b")] for top in (10.0, 30.0, 80.0, 100.0)]
    found = words(*rows, [(6.0, 55.0, "Table 3")])
    assert split_at_text(Rect(0, 8, 100, 112), found, Rules()) == [Rect(0, 10, 100, 40), Rect(0, 80, 100, 110)]


def test_a_table_goes_on_with_rows_whose_cells_are_joined_across() -> None:
    def part(page: int, top: float, *cells: tuple[int, int, float, str]) -> PageItem:
        found = [
            Cell(row, column, text, boxes=(Box(page, left, top, left + 0.1, top + 0.1),))
            for row, column, left, text in cells
        ]
        box = Box(page, 0.1, top, 0.9, top + 0.2)
        return PageItem(BlockKind.TABLE, "", page, Rect(0, 0, 1, 1), cells=tuple(found), boxes=(box,))

    head = [(0, 0, 0.1, "Offset"), (0, 1, 0.3, "High"), (0, 2, 0.6, "Low"), (1, 0, 0.1, "0"), (1, 1, 0.3, "max")]
    below = part(2, 0.05, (0, 0, 0.09, "4"), (0, 1, 0.3, "sum"), (1, 0, 0.09, "8"), (1, 1, 0.3, "bin"))
    merged = merge_tables([part(1, 0.75, *head), below])
    assert [(cell.row, cell.column, cell.column_span) for cell in merged[0].cells[5:]] == [
        (2, 0, 1),
        (2, 1, 2),
        (3, 0, 1),
        (3, 1, 2),
    ]
    other_way = merge_tables([part(1, 0.75, *head[3:]), part(2, 0.05, *head[:3])])
    assert [(cell.column, cell.column_span) for cell in other_way[0].cells] == [(0, 1), (1, 2), (0, 1), (1, 1), (2, 1)]
    elsewhere = part(2, 0.05, (0, 0, 0.09, "4"), (0, 1, 0.45, "sum"))
    assert len(merge_tables([part(1, 0.75, *head), elsewhere])) == 2


def heading(text: str, style: TextStyle, region: RegionKind | None, left: float = 60.0) -> PageItem:
    return PageItem(BlockKind.HEADING, text, 1, Rect(left, 0, left + 100, 10), style, region=region)


def paragraph(left: float = 60.0, count: int = 400) -> PageItem:
    return PageItem(BlockKind.PARAGRAPH, "x" * count, 1, Rect(left, 20, left + 300, 60), BODY)


def kept(*items: PageItem, outline: Outline | None = None) -> list[str]:
    found = consistent(items, outline or Outline.of([]), BODY)
    return [item.text for item in found if item.kind is BlockKind.HEADING]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("This manual is valid from serial number 20511. 1", RegionKind.TEXT),
        ("本手册自序列号20511起有效，请妥善保管以备日后查阅。", RegionKind.TEXT),
        ("5.2. HISTORICAL PERSPECTIVE OF …", RegionKind.HEADER),
        ("16 | Example AB. All Rights Reserved.: ASN.1", RegionKind.HEADER),
        ("Page 3.", RegionKind.HEADER),
    ],
)
def test_a_sentence_at_the_edge_of_a_page_is_text(text: str, kind: RegionKind) -> None:
    rect = Rect(50, 50, 400, 60)
    (filled,) = fill_regions([PageRegion(RegionKind.HEADER, rect)], [Line(text, rect, BODY)], BODY)
    assert filled.kind is kind


def test_a_style_that_the_model_mostly_takes_for_text_makes_no_headings() -> None:
    red = replace(BOLD, color=255)
    found = [heading("Scope", BOLD, RegionKind.HEADING), heading("Tests", BOLD, None)]
    found += [heading(text, red, RegionKind.TEXT) for text in ("first words", "more words")]
    found += [heading("elsewhere", red, None), paragraph()]
    assert kept(*found) == ["Scope", "Tests"]


def test_the_title_in_type_of_unknown_weight_is_a_heading_by_its_size() -> None:
    title, author = TextStyle(17.0, "F34"), TextStyle(12.0, "F35")
    found = [heading("Test report", title, RegionKind.TEXT), heading("Ann Lee", author, RegionKind.TEXT), paragraph()]
    assert kept(*found) == ["Test report"]


def test_where_the_model_looked_nowhere_the_look_decides_and_a_bookmark_always() -> None:
    assert kept(heading("Scope", BOLD, None), paragraph()) == ["Scope"]
    outline = Outline.of([Bookmark(1, "Scope", 1)])
    assert kept(heading("Scope", BOLD, RegionKind.TEXT), outline=outline) == ["Scope"]


def test_code_and_text_in_the_bodys_own_style_are_no_headings() -> None:
    code = TextStyle(10.0, "Mono", bold=True, mono=True)
    found = [heading("$ make", code, RegionKind.HEADING), heading("dnf", BODY, RegionKind.HEADING)]
    assert kept(*found, heading("4.2 Tests", BODY, RegionKind.HEADING), paragraph()) == ["4.2 Tests"]


def test_light_words_over_tables_and_a_code_in_capitals_are_no_headings() -> None:
    slanted, grid = replace(BODY, italic=True), PageItem(BlockKind.TABLE, "a", 1, Rect(60, 40, 300, 90))
    valve, pump = (heading(text, slanted, RegionKind.HEADING) for text in ("Valve sizes", "Pump sizes"))
    assert kept(valve, grid, pump, grid) == []
    assert kept(valve, grid, pump, paragraph()) == ["Valve sizes", "Pump sizes"]
    assert kept(heading("EINVAL", BODY, RegionKind.HEADING), paragraph()) == []
    assert kept(heading("RETURN VALUE", BODY, RegionKind.HEADING), paragraph()) == ["RETURN VALUE"]


def test_a_term_over_text_that_is_set_in_and_the_title_of_a_box_are_no_headings() -> None:
    term, explained = heading("Group name", BOLD, RegionKind.HEADING), paragraph(left=95.0, count=40)
    box = heading("Warning", BOLD, RegionKind.HEADING, left=75.0)
    notice = heading("Note:", BOLD, RegionKind.HEADING)
    assert kept(heading("Scope", BOLD, RegionKind.HEADING), paragraph(), term, explained, box, notice) == ["Scope"]


def test_headings_of_arabic_stand_at_the_right_margin() -> None:
    titles = [
        PageItem(BlockKind.HEADING, text, 1, Rect(500.0 - width, 0, 500, 10), BOLD, region=RegionKind.HEADING)
        for text, width in (("العملية", 40.0), ("المكتبات المشتركة", 90.0))
    ]
    text = PageItem(BlockKind.PARAGRAPH, "العمود الثاني من النص " * 9, 1, Rect(60, 20, 500, 60), BODY)
    assert kept(titles[0], text, titles[1], text) == [title.text for title in titles]


def test_a_table_with_the_same_head_in_the_next_column_is_the_same_table() -> None:
    def part(left: float, value: str) -> PageItem:
        cells = tuple(Cell(row, 0, text, 1, 1, row == 0) for row, text in enumerate(("head", value)))
        cells += tuple(Cell(row, 1, text, 1, 1, row == 0) for row, text in enumerate(("unit", "mm")))
        box = (Box(1, left, 0.1, left + 0.3, 0.4),)
        return PageItem(BlockKind.TABLE, "", 1, Rect(0, 0, 1, 1), cells=cells, boxes=box)

    (table,) = merge_tables([part(0.1, "1"), part(0.6, "2")])
    assert [cell.text for cell in table.cells if cell.column == 0] == ["head", "1", "2"]


def test_a_table_goes_on_in_the_next_column_over_small_print(document_of: DocumentOf) -> None:
    left = [("Condition", "Standard"), *((f"Limit {n}", f"{n} m/s") for n in range(1, 5))]
    right = [(f"Limit {n}", f"{n} m/s") for n in range(5, 9)]
    pdf = Pdf().page(595, 420).box(50, 40, 275, 230, LOREM, size=9).table(50, 240, left)
    pdf.table(320, 40, right).box(320, 150, 545, 360, LOREM, size=9)
    pdf.text(50, 375, "All data may change.", size=6)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert [cell.text for cell in table.cells if not cell.column] == ["Condition", *(f"Limit {n}" for n in range(1, 9))]


def column(left: float, text: str, count: int = 12, width: float = 150.0) -> list[Line]:
    return [Line(text, Rect(left, 14 * n, left + width - 40 * (n % 2), 14 * n + 10)) for n in range(count)]


def test_three_columns_are_read_one_after_the_other() -> None:
    lines = [
        line
        for left, name in ((0, "first"), (170, "second"), (340, "third"))
        for line in column(left, f"{name} column of words")
    ]
    assert [group[0].text.split()[0] for group in reading_order(lines)] == ["first", "second", "third"]


def test_columns_and_rows_of_arabic_are_read_from_the_right() -> None:
    lines = [*column(0, "العمود الثاني من النص"), *column(170, "العمود الأول من النص")]
    assert [group[0].rect.left for group in reading_order(lines)] == [170, 0]
    assert [line.rect.left for line in in_rows([lines[0], lines[12]])] == [170, 0]


def test_pages_of_one_line_that_differ_by_a_number_are_kept(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for number in range(1, 6):
        pdf.page().text(60, 60, f"Certificate number {number}")
    assert document_of("a.pdf", pdf.data(), NO_OCR).text.count("Certificate number") == 5


@pytest.mark.parametrize("layout", ["auto", "model", "rules"])
def test_each_layout_reads_the_same_text(document_of: DocumentOf, layout: str) -> None:
    pdf = Pdf().page().text(60, 60, "4.2 Valves", font="hebo").box(60, 90, 530, 300, LOREM)
    settings = NO_OCR.model_copy(update={"pdf": PdfSettings.model_validate({"layout": layout})})
    document = document_of("a.pdf", pdf.data(), settings)
    assert [section.title for section in document.sections[1:]] == ["4.2 Valves"]
    assert "relief valve" in document.text


def test_a_printed_table_over_two_pages_is_one(shared: Path, document_of: DocumentOf) -> None:
    path = shared / "pdf" / "print" / "numeric-types.pdf"
    tables = document_of("numeric.pdf", path.read_bytes(), NO_OCR).tables
    assert any(len(table.parts) > 1 for table in tables)


def test_a_table_goes_on_in_its_columns_until_text_runs_across_them() -> None:
    above = aligned_grid(
        Rect(0, 0, 300, 100),
        words([(10, 10, "Code"), (100, 10, "Condition")], [(10, 30, "01"), (100, 30, "warning")]),
        Rules(),
    )
    assert above is not None
    rows = words(
        [(10, 110, "Class"), (38, 110, "08:"), (56, 110, "connection"), (109, 110, "exceptions")],
        [(10, 130, "08003"), (100, 130, "does")],
        [(10, 150, "08006"), (70, 150, "failure")],
        [(10, 170, "The"), (28, 170, "names"), (56, 170, "are"), (74, 170, "those"), (102, 170, "of")],
        bold=(0,),
    )
    part = continued_grid(above.moved(0), rows, Rules())
    assert places(part) == [(0, 0, 1, 2), (1, 0, 1, 1), (1, 1, 1, 1), (2, 0, 1, 1), (2, 1, 1, 1)]
    assert part is not None
    assert part.continues
    assert continued_grid(above.moved(0), rows[-5:], Rules()) is None


def test_the_title_of_a_box_is_no_heading_where_its_style_is_that_of_boxes() -> None:
    large = replace(BOLD, size=14.0)
    boxed = replace(heading("In practice", large, RegionKind.HEADING), boxed=True)
    assert kept(heading("Scope", BOLD, RegionKind.HEADING), paragraph(), boxed) == ["Scope"]
    others = [heading(name, large, RegionKind.HEADING) for name in ("Purpose", "Tests")]
    assert kept(*others, paragraph(), boxed) == ["Purpose", "Tests", "In practice"]


@pytest.mark.parametrize(("drawn", "expected"), [(Rect(50, 90, 400, 160), True), (Rect(50, 95, 400, 115), False)])
def test_a_box_holds_text_below_its_title_and_a_bar_behind_a_heading_does_not(drawn: Rect, expected: bool) -> None:
    title = Rect(60, 100, 160, 110)
    lines = [Line("Title", title), *(Line("text", Rect(60, 120 + 15 * n, 390, 130 + 15 * n)) for n in range(8))]
    page = RawPage(1, 595, 842, tuple(lines), (), Paint(shapes=(drawn,)))
    assert in_box(title, page) is expected
    bar = RawPage(1, 595, 842, tuple(lines), (), Paint(vertical=(Rect(52, 98, 54, 160),)))
    assert in_box(title, bar)


def test_the_survey_tells_the_white_between_columns(tmp_path: Path) -> None:
    pdf = Pdf().page().box(60, 60, 280, 500, 4 * LOREM, size=9).box(310, 60, 530, 500, 4 * LOREM, size=9)
    path = tmp_path / "a.pdf"
    path.write_bytes(pdf.data())
    with PdfFile(path) as file:
        ((left, right),) = survey(file, Clock.started(Limits())).gutters
    assert 250 < left < right == 310


def test_a_table_whose_rows_are_ruled_nowhere_is_one_over_all_its_pages(shared: Path, document_of: DocumentOf) -> None:
    path = shared / "pdf" / "print" / "error-codes.pdf"
    (table,) = document_of("codes.pdf", path.read_bytes(), NO_OCR).tables
    assert len(table.parts) == 4
    assert sum(cell.column_span == 2 for cell in table.cells) == 15


def test_the_largest_headings_of_a_cover_are_the_title_although_chapters_are_as_large(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 200, "Corvo Junior", 24).text(60, 232, "Operating manual", 24)
    pdf.text(60, 400, "Anna Weber", 16)
    for chapter in ("Installing", "Cleaning"):
        pdf.page().text(60, 80, chapter, 24).box(60, 120, 400, 400, LOREM * 3)
    blocks = document_of("a.pdf", pdf.data(), NO_OCR).blocks
    assert " ".join(block.text for block in blocks if block.kind is BlockKind.TITLE) == "Corvo Junior Operating manual"


def test_a_first_page_of_text_without_a_title_is_no_cover(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for chapter in ("Installing", "Cleaning"):
        pdf.page().text(60, 80, chapter, 24).box(60, 120, 500, 800, LOREM * 12)
    kinds = [
        block.kind
        for block in document_of("a.pdf", pdf.data(), NO_OCR).blocks
        if block.text in ("Installing", "Cleaning")
    ]
    assert kinds == [BlockKind.HEADING, BlockKind.HEADING]


def test_a_term_above_an_indented_text_is_a_list_item_above_a_deeper_one(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 60, "These options are known to the program and to all of its scripts.")
    for number, (option, meaning) in enumerate(OPTIONS):
        top = 100 + 60 * number
        pdf.text(60, top, option, font="cour").text(100, top + 14, meaning).text(100, top + 34, "Default: no.")
    pdf.text(60, 300, "Several options may be given, in any order, with a blank between them.")
    blocks = document_of("a.pdf", pdf.data(), NO_OCR).blocks
    listed = [(block.text, block.level) for block in blocks if block.kind is BlockKind.LIST_ITEM]
    expected = [((option, 1), (meaning, 2), ("Default: no.", 2)) for option, meaning in OPTIONS]
    assert listed == [one for entry in expected for one in entry]
    assert [block.kind for block in blocks][:: len(blocks) - 1] == [BlockKind.PARAGRAPH, BlockKind.PARAGRAPH]


def test_a_single_line_above_an_indented_text_is_no_term(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 60, "As Weber wrote").text(100, 74, "The relief valve must open at the set pressure.")
    pdf.text(60, 120, "Since then the valve has been tested twice a year on the bench of the plant.")
    kinds = {block.kind for block in document_of("a.pdf", pdf.data(), NO_OCR).blocks}
    assert BlockKind.LIST_ITEM not in kinds
