"""Tests of searchable scans: a picture with the text that another program has read off it, invisible behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pymupdf
import pytest

from pipelines.core.document import BlockKind, Document
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn
from tests.parse.test_scans import ROWS

DocumentOf = Callable[..., Document]
INVISIBLE = 3
OWN_TEXT = "page 1: a searchable scan, with its own text"
READ = "page 1: a searchable scan whose text layer is not what it shows, read by OCR"


def searchable(page: Pdf, changed: Mapping[str, str] | None = None) -> Pdf:
    """Return the page as a picture with its words, some `changed` or left out, each written by itself as OCR does."""
    scan = Pdf().page().picture(0, 0, 595, 842, drawn(page.data(), dpi=150))
    for left, top, _, bottom, word, *_ in page.file[0].get_text("words"):
        if text := (changed or {}).get(word, word):
            # A word of Helvetica is 1.37 type sizes high in PyMuPDF.
            size, at = (bottom - top) / 1.37, (left, bottom - 0.2 * (bottom - top))
            scan.file[-1].insert_text(at, text, fontsize=size, render_mode=INVISIBLE)
    return scan


@pytest.fixture
def report() -> Pdf:
    page = Pdf().page().text(60, 110, "1 Inspection of the valves", size=16, font="hebo")
    page.box(60, 130, 535, 330, LOREM * 6).text(60, 360, "1.1 Spare parts", size=12, font="hebo")
    return page.table(60, 400, ROWS, width=150).box(60, 500, 535, 700, LOREM * 4)


def test_a_searchable_scan_keeps_its_text_and_is_laid_out(document_of: DocumentOf, report: Pdf) -> None:
    document = document_of("a.pdf", searchable(report, {"Inspection": "Inspectjon"}).data())
    headings = [(block.text, block.level) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert headings == [("1 Inspectjon of the valves", 1), ("1.1 Spare parts", 2)]
    assert [table.grid() for table in document.tables] == [ROWS]
    assert document.notes == (OWN_TEXT,)


def test_what_the_text_layer_lacks_is_recognized(document_of: DocumentOf, report: Pdf) -> None:
    document = document_of("a.pdf", searchable(report, {"Impeller": "", "bronze": "", "12": "", "months": ""}).data())
    assert [table.grid() for table in document.tables] == [ROWS]
    assert document.notes == (OWN_TEXT,)


def test_a_text_layer_of_another_text_is_replaced(document_of: DocumentOf, report: Pdf) -> None:
    words = dict.fromkeys(LOREM.split(), "ere")
    document = document_of("a.pdf", searchable(report, words).data())
    assert LOREM.strip() in document.text
    assert "ere ere" not in document.text
    assert document.notes == (READ,)


def test_a_text_layer_without_accents_is_replaced(document_of: DocumentOf) -> None:
    text = "Die Prüfung der Kühlung erfolgt zweimal jährlich, das Ergebnis gehört in das Heft über die Anlage. "
    page = Pdf().page().box(60, 60, 535, 400, text * 5)
    plain = {word: word.replace("ü", "ii").replace("ä", "a").replace("ö", "o") for word in text.split()}
    document = document_of("a.pdf", searchable(page, plain).data())
    assert document.text.count("Kühlung") == 5
    assert document.notes == (READ,)


def test_words_that_the_picture_does_not_show_are_left_out(document_of: DocumentOf, report: Pdf) -> None:
    scan = searchable(report)
    scan.file[-1].insert_text((300, 780), "eee ghost", render_mode=INVISIBLE)
    assert "ghost" not in document_of("a.pdf", scan.data()).text


def test_invisible_text_without_a_picture_is_taken_as_it_is(document_of: DocumentOf) -> None:
    """Programs for circuits draw letters as lines, with their text invisible."""
    pdf = Pdf().page()
    pdf.file[-1].insert_textbox(pymupdf.Rect(60, 60, 535, 300), LOREM * 3, render_mode=INVISIBLE)
    document = document_of("a.pdf", pdf.data())
    assert document.text.strip() == (LOREM * 3).strip()
    assert document.notes == ()


def test_without_ocr_the_text_layer_is_taken_as_it_is(document_of: DocumentOf, report: Pdf) -> None:
    settings = ParseSettings(ocr=OcrSettings(engine="none"))
    document = document_of("a.pdf", searchable(report).data(), settings=settings)
    assert "Shaft seal" in document.text
    assert document.notes == ()
    assert [page.issue for page in document.pages] == [""]


def test_mirrored_text_is_upright(document_of: DocumentOf) -> None:
    """Tesseract writes right-to-left text so, the letters leftwards from the right edge."""
    pdf = Pdf().page()
    for number, text in enumerate(["First line of the page", "Second line of the page"]):
        at = pymupdf.Point(500, 100 + 40 * number)
        pdf.file[-1].insert_text(at, text, morph=(at, pymupdf.Matrix(-1, 0, 0, 1, 0, 0)))
    (page,) = document_of("a.pdf", pdf.data()).pages
    boxes = [block.provenance.boxes[0] for block in document_of("a.pdf", pdf.data()).blocks]
    assert (page.width, page.height) == (595, 842)
    assert [box.top < 0.2 for box in boxes] == [True] * len(boxes)
