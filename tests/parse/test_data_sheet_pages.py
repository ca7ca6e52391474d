"""A page of a data sheet: a code as its title, two columns of text, and a table as wide as the page, also as a scan."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipelines.core.document import Document
from pipelines.parse.settings import OcrSettings, ParseSettings
from tests.parse.pdf_pages import Pdf
from tests.parse.test_scans import scan

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
DocumentOf = Callable[..., Document]
ROWS = (
    ("Parameter", "Value", "Remark"),
    ("Measuring range", "25 bar", "gauge pressure"),
    ("Overload limit", "60 bar", "one minute"),
    ("Burst pressure", "150 bar", "once"),
    ("Supply voltage", "24 V", "polarity protected"),
    ("Weight", "390 g", "with connector"),
)
FEATURES = (
    "Flush diaphragm of stainless steel, polished",
    "Cleaning in place up to 150 degrees for an hour",
    "Two outputs in one device, by one connector",
    "Ranges can be set without loss of accuracy",
)
USE = "The transmitter measures pressure in dairies and breweries. It is not suited for chlorinated solvents."


def sheet() -> Pdf:
    pdf = Pdf().page().text(45, 70, "PT-480", size=22, font="hebo")
    pdf.text(45, 120, "Features", size=13, font="hebo").text(310, 120, "Applications", size=13, font="hebo")
    for number, line in enumerate(FEATURES):
        pdf.text(45, 142 + 14 * number, line, size=10)
    pdf.box(310, 132, 545, 200, USE, size=10)
    return pdf.text(45, 250, "Technical data", size=13, font="hebo").table(45, 265, ROWS, width=165)


@pytest.mark.parametrize("scanned", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_columns_above_a_wide_table_are_read_one_after_the_other(document_of: DocumentOf, scanned: bool) -> None:
    document = document_of("a.pdf", scan([sheet()])) if scanned else document_of("a.pdf", sheet().data(), NO_OCR)
    text = " ".join(document.text.split())
    places = [text.index(word) for word in ("PT-480", "Features", "Ranges can", "Applications", "suited", "Technical")]
    assert places == sorted(places)
    assert "It is not suited for chlorinated solvents" in text
    assert [table.rows for table in document.tables] == [len(ROWS)]
    assert document.title == "PT-480"
