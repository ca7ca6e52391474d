"""Pages as browsers print them: wide tables between columns, notes beside text, headers over headers."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pymupdf

from pipelines.core.document import BlockKind, Document
from pipelines.core.table import Table
from pipelines.parse.lines import Rect
from pipelines.parse.pdf.page import GridCell, PageGrid, PageWord, Paint, RawPage
from pipelines.parse.pdf.tables import table_items
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
DocumentOf = Callable[..., Document]
VALVES = (("Relief", "ten bar"), ("Check", "any flow of water"), ("Drain", "by hand"), ("Bypass", "low flow"))


def entries(pdf: Pdf, rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float, step: float) -> None:
    for number, row in enumerate(rows):
        for left, text in zip(lefts, row, strict=True):
            if text:
                pdf.text(left, top + step * number, text, size=10)


def texts(table: Table) -> list[list[str]]:
    return [[cell.text for cell in table.cells if cell.row == row] for row in range(table.rows)]


def spans(table: Table) -> dict[str, tuple[int, int]]:
    return {cell.text: (cell.row_span, cell.column_span) for cell in table.cells}


def read(document_of: DocumentOf, pdf: Pdf) -> Document:
    return document_of("a.pdf", pdf.data(), NO_OCR)


def the_table(document_of: DocumentOf, pdf: Pdf) -> Table:
    (table,) = read(document_of, pdf).tables
    return table


def test_a_table_across_both_columns_is_between_what_is_above_and_below(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    for left, first, last in ((60, "Alpha", "Gamma"), (310, "Beta", "Delta")):
        pdf.box(left, 70, left + 225, 165, f"{first} {LOREM}")
        pdf.box(left, 300, left + 225, 760, f"{last} {LOREM * 6}")
    pdf.table(60, 170, [("Valve", "Opens at", "Closes at", "Tested"), *(("a", "b", "c", "d") for _ in range(3))])
    blocks = read(document_of, pdf).blocks
    order = [word for block in blocks for word in block.text.split() if word in ("Alpha", "Beta", "Gamma", "Delta")]
    kinds = [block.kind for block in blocks]
    assert order == ["Alpha", "Beta", "Gamma", "Delta"]
    assert kinds.count(BlockKind.TABLE) == 1
    assert "Beta" in "".join(block.text for block in blocks[: kinds.index(BlockKind.TABLE)])


def test_a_box_beside_text_is_read_at_once(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 80, 530, 150, LOREM)
    pdf.file[-1].draw_rect(pymupdf.Rect(350, 150, 530, 230), color=None, fill=(0.95, 0.95, 0.9))
    for number in range(4):
        pdf.text(60, 165 + 14 * number, f"Outside {number} of the box the text runs on")
        pdf.text(358, 171 + 14 * number, f"Inside {number} of it", size=9)
    pdf.box(60, 240, 530, 700, LOREM * 8)
    text = " ".join(block.text for block in read(document_of, pdf).blocks)
    places = [text.index(f"{where} {number}") for where in ("Inside", "Outside") for number in range(4)]
    assert places == sorted(places)


def test_a_centred_header_is_in_the_column_of_its_entries(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 170, LOREM)
    entries(pdf, VALVES, (60, 160), top=222, step=20)
    pdf.text(66, 202, "Valve", font="hebo", size=10).text(330, 202, "Opens at", font="hebo", size=10)
    for y in (188, 208, 288):
        pdf.file[-1].draw_line((56, y), (520, y))
    assert texts(the_table(document_of, pdf)) == [["Valve", "Opens at"], *(list(row) for row in VALVES)]


def test_a_title_in_the_middle_of_a_table_is_one_merged_cell(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 170, LOREM)
    rows = (("Valve", "Opens at the pressure"), VALVES[0], ("", ""), *VALVES[1:])
    entries(pdf, rows, (60, 160), top=202, step=20)
    pdf.text(265, 242, "Others", font="hebo", size=10)
    for number in range(7):
        pdf.file[-1].draw_line((56, 188 + 20 * number), (504, 188 + 20 * number))
    assert spans(the_table(document_of, pdf))["Others"] == (1, 2)


def test_if_only_one_column_is_underlined_those_beside_it_are_not_merged(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 170, LOREM)
    entries(pdf, VALVES, (60, 190), top=202, step=20)
    for y in (188, 268):
        pdf.file[-1].draw_line((56, y), (320, y))
    for y in (208, 228, 248):
        pdf.file[-1].draw_line((56, y), (186, y))
    assert texts(the_table(document_of, pdf)) == [list(row) for row in VALVES]


def test_close_lines_that_break_early_are_rows(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 170, LOREM)
    entries(pdf, (("Valve", "Opens at the pressure"), *VALVES), (60, 160), top=202, step=12.5)
    assert the_table(document_of, pdf).rows == 5


def test_an_entry_over_two_headers_and_those_beside_it_are_merged(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 90, 530, 170, LOREM)
    entries(pdf, [("Valve", "Pressure", "", "Tested"), ("", "Opens", "Closes", "")], (60, 160, 260, 360), 202, 14)
    entries(pdf, [(name, "10 bar", "9 bar", "yearly") for name, _ in VALVES], (60, 160, 260, 360), 236, 20)
    for y in (188, 222, 302):
        pdf.file[-1].draw_line((56, y), (460, y))
    found = spans(the_table(document_of, pdf))
    assert [found[text] for text in ("Valve", "Pressure", "Tested", "Opens")] == [(2, 1), (1, 2), (2, 1), (1, 1)]


def test_a_heading_may_be_named_note_if_others_have_its_style(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    for number, title in enumerate(("Valves", "Note", "Pumps")):
        pdf.text(60, 100 + 160 * number, title, size=15, font="hebo")
        pdf.box(60, 110 + 160 * number, 530, 220 + 160 * number, LOREM * 2)
    document = read(document_of, pdf)
    assert [section.title for section in document.sections if section.title] == ["Valves", "Note", "Pumps"]


def test_tables_of_a_document_read_from_the_right_begin_there() -> None:
    places = [(0, 1, "left"), (100, 0, "right")]
    cells = tuple(GridCell(row, left // 100, 1, 1, Rect(left, 20 * row, left + 100, 20 * row + 20))
                  for row in (0, 1) for left, _, _ in places)  # fmt: skip
    words = [PageWord(f"{text}{row}", Rect(left + 5, 20 * row + 5, left + 40, 20 * row + 15))
             for row in (0, 1) for left, _, text in places]  # fmt: skip
    page = RawPage(1, 200, 200, (), (), Paint())
    ((item,), _) = table_items(page, words, [PageGrid(Rect(0, 0, 200, 40), cells)], frozenset(), backwards=True)
    assert [(cell.column, cell.text) for cell in item.cells if cell.row == 0] == [(0, "right0"), (1, "left0")]
