from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise

import pymupdf
import pytest

from pipelines.core.document import BlockKind, Document
from pipelines.core.table import Table
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageRegion
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
DocumentOf = Callable[..., Document]
VALVES = (
    ("Valve", "Opens at"),
    ("Relief", "ten bar, slowly"),
    ("Check", "any flow"),
    ("Drain", "by hand"),
    ("Bypass", "a second of low flow"),
)


def before(text: str = LOREM) -> Pdf:
    """Return a page of one paragraph; what is written from 200 on stands below it."""
    return Pdf().page().box(60, 90, 530, 180, text)


def entries(pdf: Pdf, rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float = 200, step: float = 18) -> Pdf:
    for number, row in enumerate(rows):
        for left, text in zip(lefts, row, strict=True):
            pdf.text(left, top + step * number, text, size=10)
    return pdf


def texts(table: Table) -> list[tuple[str, ...]]:
    rows = range(table.rows)
    return [tuple(cell.text for cell in table.cells if cell.row == row) for row in rows]


@pytest.mark.parametrize("lefts", [(60, 160), (60, 400)])
def test_entries_side_by_side_are_a_table_though_nothing_is_drawn(
    document_of: DocumentOf, lefts: tuple[float, float]
) -> None:
    pdf = entries(before(), VALVES, lefts).box(60, 320, 530, 400, LOREM)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == list(VALVES)


MARKS = {
    "Check the belt": ("", "x", "", ""), "Test the": ("x", "", "", ""), "Clean the": ("", "", "x", ""),
    "Align the": ("", "", "", "x"),
}  # fmt: skip
REST = ("tension", "emergency stop", "suction filter", "couplings")


def plan_of_marks() -> Pdf:
    """Return a page with a table without lines, whose entries in the first column wrap, at 1.5 and 2.5 lines."""
    pdf = Pdf().page().text(90, 100, "Maintenance plan", size=26)
    lefts, tops = (90, 176, 263, 349, 436), range(167, 400, 44)
    entries(pdf, [("Part", "daily", "weekly", "monthly", "yearly")], lefts, top=140)
    for top, (name, marks), rest in zip(tops, MARKS.items(), REST, strict=False):
        pdf.text(lefts[0], top, name, size=11).text(lefts[0], top + 17, rest, size=11)
        for left, mark in zip(lefts[1:], marks, strict=True):
            pdf.text(left, top, mark, size=11)
    return pdf


def test_wrapped_entries_at_wide_leading_are_one_row(document_of: DocumentOf) -> None:
    (table,) = document_of("a.pdf", plan_of_marks().data(), NO_OCR).tables
    assert table.grid() == [
        ["Part", "daily", "weekly", "monthly", "yearly"],
        *([f"{name} {rest}", *marks] for (name, marks), rest in zip(MARKS.items(), REST, strict=True)),
    ]


def test_columns_of_text_and_two_rows_are_no_table(document_of: DocumentOf) -> None:
    pdf = entries(before(), VALVES[:2], (60, 160))
    for left in (60, 310):
        pdf.box(left, 300, left + 220, 700, LOREM * 3)
    assert document_of("a.pdf", pdf.data(), NO_OCR).tables == ()


def test_below_a_coloured_head_each_row_is_its_own(document_of: DocumentOf) -> None:
    pdf = before()
    for left, right in ((56, 156), (156, 300)):
        pdf.file[-1].draw_rect(pymupdf.Rect(left, 186, right, 205), color=None, fill=(0.8, 0.85, 0.9))
    (table,) = document_of("a.pdf", entries(pdf, VALVES, (60, 160), step=20).data(), NO_OCR).tables
    assert texts(table) == list(VALVES)


LONG = ("The relief valve", "opens at ten bar of pressure"), ("is tested twice a", "year, which the log tells us.")


@pytest.mark.parametrize(("step", "below", "rows"), [(20, VALVES[1:], 5), (12, VALVES[1:], 5), (12, LONG, 2)])
def test_level_lines_of_all_columns_are_rows_unless_they_are_close_and_full(
    document_of: DocumentOf, step: float, below: Sequence[Sequence[str]], rows: int
) -> None:
    pdf, bottom = before(), 212 + 4 * step
    for x in (56, 156, 300):
        pdf.file[-1].draw_line((x, 186), (x, bottom))
    for y in (186, 205, bottom):
        pdf.file[-1].draw_line((56, y), (300, y))
    entries(pdf, VALVES[:1], (60, 160))
    entries(pdf, below, (60, 160), top=218, step=step)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert table.rows == rows


def test_the_rest_of_a_row_that_a_page_parts_joins_it(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 600, LOREM * 12)
    first = (VALVES[0], ("Relief", "ten bar"), ("Check", "any flow that is"))
    pages = (first, (("", "above zero"), *VALVES[3:]))
    for rows, top in zip(pages, (740, 60), strict=True):
        if top == 60:
            pdf.page()
        for number, row in enumerate(rows):
            for left, text in zip((60, 160), row, strict=True):
                pdf.text(left + 4, top + 22 * number + 15, text, size=10)
        for y in range(top + 22, top + 22 * len(rows) + 1, 22):
            pdf.file[-1].draw_line((60, y), (300, y))
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == [VALVES[0], ("Relief", "ten bar"), ("Check", "any flow that is above zero"), *VALVES[3:]]


def test_rows_of_one_entry_are_alike_though_some_are_short(document_of: DocumentOf) -> None:
    pdf = before()
    told = ("It opens slowly at the set pressure.", "It closes.", "A hand wheel moves it, and a bar locks it.")
    for y in (186, 190 + 18 * 6):
        pdf.file[-1].draw_line((56, y), (320, y))
    for number, (row, text) in enumerate(zip(VALVES[1:], told, strict=False)):
        entries(pdf, [row], (60, 160), top=200 + 36 * number)
        pdf.text(60, 218 + 36 * number, text, size=10)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert {cell.text: cell.column_span for cell in table.cells if cell.text in told} == dict.fromkeys(told, 2)


def test_a_bullet_that_is_drawn_makes_an_item(document_of: DocumentOf) -> None:
    pdf = before()
    for number, text in enumerate(("Close the valve", "Open the drain")):
        pdf.text(90, 200 + 20 * number, text).file[-1].draw_circle((80, 196 + 20 * number), 2, fill=(0, 0, 0))
    blocks = document_of("a.pdf", pdf.data(), NO_OCR).blocks
    items = [block.text for block in blocks if block.kind is BlockKind.LIST_ITEM]
    assert items == ["Close the valve", "Open the drain"]


def test_a_head_that_stands_again_on_the_next_page_is_kept_once(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 600, LOREM * 12).table(60, 720, VALVES[:3])
    pdf.page().table(60, 60, [VALVES[0], *VALVES[3:]])
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == list(VALVES)


def test_a_drawn_form_keeps_its_blank_rows_and_columns_of_nothing_make_it_no_less_a_table(
    document_of: DocumentOf,
) -> None:
    rows = [("Serial number", ""), ("Revision", ""), ("Inspector", ""), ("Date", "")]
    (form,) = document_of("a.pdf", before().table(60, 200, rows).data(), NO_OCR).tables
    assert [cell.text for cell in form.cells] == [name for name, _ in rows]
    spaced = [("Part", "Number"), ("Valve", "7"), ("", ""), ("Pump", "9")]
    (table,) = document_of("a.pdf", before().table(60, 200, spaced).data(), NO_OCR).tables
    assert texts(table) == spaced


def test_the_layout_model_looks_at_the_picture_of_a_page_only_in_columns_and_for_figures(
    document_of: DocumentOf, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked: list[bool] = []
    regions = PdfFile.regions

    def told(self: PdfFile, number: int, *, with_image: bool) -> list[PageRegion]:
        looked.append(with_image)
        return regions(self, number, with_image=with_image)

    monkeypatch.setattr(PdfFile, "regions", told)
    rows = [("Part", "Number"), ("Valve", "7"), ("Pump", "9")]
    document_of("a.pdf", before().table(60, 200, rows).data(), NO_OCR)
    pdf = Pdf().page().table(60, 60, rows)
    for left in (60, 310):
        pdf.box(left, 200, left + 220, 800, LOREM * 5)
    document_of("b.pdf", pdf.data(), NO_OCR)
    pdf = before().table(60, 200, rows)
    pdf.file[-1].draw_circle((300, 500), 60)
    document_of("c.pdf", pdf.data(), NO_OCR)
    assert looked == [False, True, True]


def cell_lines(pdf: Pdf, top: float, *ends: float) -> Pdf:
    """Draw a level line in pieces, one for each cell, as browsers do."""
    for left, right in pairwise(ends):
        pdf.file[-1].draw_line((left, top), (right, top), width=0.4)
    return pdf


RATINGS = (("Signal", "Least", "Usual"), ("VDD", "1.8", "3.3"), ("VIO", "1.6", "1.8"), ("VREF", "1.1", "1.2"))


def test_a_head_over_several_columns_has_the_lines_of_its_cells(document_of: DocumentOf) -> None:
    pdf = before()
    for top in (186, 226, 246, 266, 286):
        cell_lines(pdf, top, 56, 300, 350, 400)
    cell_lines(pdf, 206, 300, 350, 400)
    entries(pdf, [("Value",)], (304,))
    entries(pdf, [RATINGS[0][:1]], (60,))
    entries(pdf, [RATINGS[0][1:]], (304, 354), top=220)
    entries(pdf, RATINGS[1:], (60, 304, 354), top=240, step=20)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert (table.rows, table.columns) == (5, 3)
    assert {cell.text: cell.row for cell in table.cells if cell.column == 1 and cell.text} == {
        "Value": 0, "Least": 1, "1.8": 2, "1.6": 3, "1.1": 4
    }  # fmt: skip


def test_rows_in_the_first_column_alone_are_titles_of_groups_where_all_others_are_full(
    document_of: DocumentOf,
) -> None:
    rows = (RATINGS[0], ("Supply",), *RATINGS[1:3], ("Reference",), RATINGS[3])

    def spans(rows: Sequence[Sequence[str]]) -> list[str]:
        pdf = before()
        for number, row in enumerate(rows):
            entries(
                cell_lines(pdf, 186 + 20 * number, 56, 160, 260, 360),
                [row],
                (60, 164, 264)[: len(row)],
                200 + 20 * number,
            )
        cell_lines(pdf, 186 + 20 * len(rows), 56, 160, 260, 360)
        (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
        return [cell.text for cell in table.cells if cell.column_span == 3]

    assert spans(rows) == ["Supply", "Reference"]
    assert spans([*rows[:2], RATINGS[1][:2], *rows[3:]]) == []


def test_rows_of_a_group_between_two_lines_are_rows(document_of: DocumentOf) -> None:
    pdf = before()
    for y in (186, 206, 266, 326):
        pdf.file[-1].draw_line((56, y), (360, y))
    entries(pdf, [*RATINGS, *RATINGS[1:]], (60, 164, 264), step=20)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == [*RATINGS, *RATINGS[1:]]


def test_a_head_that_stands_alone_where_a_page_ends_belongs_to_its_table(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 600, LOREM * 12).table(60, 760, RATINGS[:1])
    pdf.page().table(60, 60, RATINGS[1:])
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == list(RATINGS)


def test_lines_that_underline_words_are_none_of_a_table(document_of: DocumentOf) -> None:
    pdf = entries(before(), RATINGS, (60, 164, 264))
    for number in range(len(RATINGS)):
        pdf.file[-1].draw_line((164, 201 + 18 * number), (174, 201 + 18 * number))
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == list(RATINGS)
