"""Characters that a PDF's fonts do not tell: read off the page, in running text and in cells."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pymupdf
import pytest
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas

from pipelines.parse.parsed import Parsed
from pipelines.parse.pdf.lost_glyphs import lost_characters, restored
from pipelines.parse.settings import OcrSettings, ParseSettings

ParseBytes = Callable[..., Parsed]
TABLE = (("Part", "Limit", "Tolerance"), ("Seal", "120 °C", "±2 °C"), ("Shaft", "95 °C", "±4 µm"))


def damaged(**codes: str) -> bytes:
    """Return a PDF with a line and a table whose font maps the named Unicode numbers to others."""
    # The font comes with reportlab.
    pdfmetrics.registerFont(TTFont("Vera", "Vera.ttf"))
    out = io.BytesIO()
    canvas = Canvas(out)
    canvas.setFont("Vera", 11)
    canvas.drawString(60, 760, "The oil of the gearbox must stay below 85 °C and above 10 °C at ±5 % load.")
    for number, row in enumerate(TABLE):
        for column, text in enumerate(row):
            canvas.rect(60 + 110 * column, 700 - 22 * number, 110, 22)
            canvas.drawString(64 + 110 * column, 707 - 22 * number, text)
    canvas.save()
    with pymupdf.open(stream=out.getvalue(), filetype="pdf") as file:
        for xref in range(1, file.xref_length()):
            if file.xref_is_stream(xref) and b"beginbfchar" in (stream := file.xref_stream(xref)):
                for code, other in codes.items():
                    stream = re.sub(rb"(?i)<%s>" % code[1:].encode(), b"<%s>" % other.encode(), stream)
                file.update_stream(xref, stream)
        return bytes(file.tobytes())


def test_characters_that_a_font_does_not_tell_are_read_off_the_page(parse_bytes: ParseBytes) -> None:
    # No character, private use, and a question mark in place of the sign.
    data = damaged(U00B0="FFFD", U00B1="E012", U00B5="003F")
    parsed = parse_bytes("a.pdf", data)
    assert parsed.document is not None
    assert "below 85 °C and above 10 °C at ±5 % load." in parsed.document.text
    # OCR has the Greek letter for the micro sign: Unicode takes them for one.
    assert "Seal | 120 °C | ±2 °C\nShaft | 95 °C | ±4 \u03bcm" in parsed.document.text
    assert parsed.document.notes == ("page 1: characters that the fonts do not tell, read by OCR",)


def test_without_ocr_the_text_is_as_the_file_tells_it(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", damaged(U00B0="003F"), ParseSettings(ocr=OcrSettings(engine="none")))
    assert parsed.document is not None
    assert "below 85 ?C" in parsed.document.text


@pytest.mark.parametrize(
    ("text", "read", "right"),
    [
        ("above 10 ?C at", "above 10°C at", "above 10 °C at"),
        ("at \ufffd\ufffd5 %", "at ±5 %", "at ±5 %"),
        ("O-ring \ue012 8 mm", "0-ring Ø 8 mm", "O-ring Ø 8 mm"),
        ("fits \ufffd4 shafts", "another line of the page", "fits \ufffd4 shafts"),
        ("\ufffd2", "22", "\ufffd2"),
    ],
)
def test_only_what_is_lost_is_taken_from_ocr(text: str, read: str, right: str) -> None:
    assert restored(text, read) == right


def test_a_question_is_no_lost_character() -> None:
    assert lost_characters("Is it below 85? Then stop.") == []
    assert lost_characters("How many are there?") == []
    assert lost_characters("85 ?C") == [3]
