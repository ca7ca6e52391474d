"""Sheets printed as PDF: names on the left of their columns, figures on the right, and columns on further pages."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pymupdf

from pipelines.core.document import Document
from pipelines.core.table import Table
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
DocumentOf = Callable[..., Document]
STOCK = (
    ("Code", "Name", "Quantity", "Minimum stock"),
    ("M-1001", "Bearing 6308", "14", "10"),
    ("M-1002", "Belt B85", "3", "6"),
    ("M-1003", "Oil HLP 46", "410", "200"),
)
PLACES = (("Shelf", "Supplier"), ("A-03", "Bilya"), ("A-07", "Kayissan"), ("C-01", "Petromak"))
LEFTS, RIGHT = (55.0, 154.0, 354.0, 410.0), 540.0


def sheet(pdf: Pdf, rows: Sequence[Sequence[str]], lefts: Sequence[float], top: float = 80) -> Pdf:
    """Write rows with words on the left and figures on the right of their columns, 2 points before the next one."""
    for number, row in enumerate(rows):
        for left, right, text in zip(lefts, (*lefts[1:], RIGHT), row, strict=True):
            width = pymupdf.get_text_length(text, fontsize=10)
            pdf.text(right - 2 - width if text.isdigit() else left, top + 15 * number, text, size=10)
    return pdf


def texts(table: Table) -> list[tuple[str, ...]]:
    return [tuple(row) for row in table.grid()]


def test_names_and_figures_on_both_sides_of_their_columns_are_in_them(document_of: DocumentOf) -> None:
    (table,) = document_of("a.pdf", sheet(Pdf().page(), STOCK, LEFTS).data(), NO_OCR).tables
    assert texts(table) == list(STOCK)
    assert table.header_rows == 1


def test_columns_that_did_not_fit_are_read_beside_the_rows_on_the_page_before(document_of: DocumentOf) -> None:
    pdf = sheet(sheet(Pdf().page(), STOCK, LEFTS).page(), PLACES, (55.0, 154.0))
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert texts(table) == [one + other for one, other in zip(STOCK, PLACES, strict=True)]
    assert table.header_rows == 1
    pages = {box.page for cell in table.cells for box in cell.boxes if cell.text == "Petromak"}
    assert pages == {2}


def test_pages_of_one_form_and_tables_with_room_beside_them_are_apart(document_of: DocumentOf) -> None:
    names = [(row[0], "kept in the hall") for row in STOCK]
    alike = sheet(sheet(Pdf().page(), STOCK, LEFTS, 300).page(), names, (55.0, 154.0), 300)
    narrow = sheet(sheet(Pdf().page(), PLACES, (55.0, 154.0)).page(), [row[1:3] for row in STOCK], (55.0, 154.0))
    titled = sheet(Pdf().page(), STOCK, LEFTS, 300).page().box(55, 60, 530, 150, LOREM)
    for pdf in (alike, narrow, sheet(titled, PLACES, (55.0, 154.0), 300)):
        assert len(document_of("a.pdf", pdf.data(), NO_OCR).tables) == 2


def test_labels_with_their_texts_side_by_side_have_no_header(document_of: DocumentOf) -> None:
    rows = (
        ("Machine", "Pump P-301", "Date", "3 June 2025"),
        ("Customer", "Raffinerie Nord, unit 3", "Engineer", "Astrid Holm"),
        ("Speed", "2,980 rpm", "Instrument", "VibroScan 4"),
    )
    (table,) = document_of("a.pdf", Pdf().page().table(60, 200, rows, width=120).data(), NO_OCR).tables
    assert (texts(table), table.header_rows) == (list(rows), 0)
