from __future__ import annotations

import base64
import io
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from pipelines.core.document import BlockKind, Document
from pipelines.core.outcome import Status
from pipelines.parse.image import draw_page
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn
from tests.parse.pieces import assert_whole

HEIC = (
    "AAAAHGZ0eXBoZWl4AAAAAG1pZjFoZWl4bWlhZgAAAU9tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAAACJpbG9jAAAA"
    "AERAAAEAAQAAAAABcwABAAAAAAAABBIAAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRtAAAAAAABAAAAz2lwcnAAAACw"
    "aXBjbwAAAHNodmNDAQQIAAAAn/gAAAAAHvAA/Pz4+AAADwNgAAEAF0ABDAH//wQIAAADAJ/4AAADAAAeugJAYQABACdCAQEECAAAAwCf+AAAAwAA"
    "HsAgIEFlupJKa5sCAAADADIAAAMAAhBiAAEAB0QBwXKwIkAAAAATY29scm5jbHgAAQANAAaAAAAAFGlzcGUAAAAAAAABAAAAAEAAAAAOcGl4aQAA"
    "AAABCAAAABdpcG1hAAAAAAAAAAEAAQSBAgMEAAAEGm1kYXQAAAQOKAGuM0YyQtL77uQFDHmcMmug4S17MVN86fCydMyE/ZdQhbRDIWrbwNQlBHlS"
    "+Lx6NLrJYTiKtVRAmwzBemKK1JJJlo8gV1oXeU81XiCsFKsmIpL6Zq+u26ZiBMkv4UuL4028nV+vGm6YqimeDslhXe+lc4cUVQ3NStPeDR2LX7Jx"
    "LTgKeYIc2LaMWFThH130yh6EmTXfWX8AckZ2Oyx/JCl188wGcws6uQ26Zha4sb9egfKqd4W82Hg3Ws48rE2ssUCXpZmT7RfL4enNEoZ3uYGfw0K1"
    "DGZxUMe4eIy0x22gPZQBFQwgjRnSvPopw/ycYq0ZH/xBMrKOjLECy5jvssana4dYpRURFb+VZaPi8o3E7RTRaPvzi7wl5ozf7jAjwHrdO7eiIjpm"
    "a+snx19CRzeb+VhmRFa/XsS3zTxvcwUlFIZzUex8PHNn9Sts7svPmNj7FQ7ATNtG2KUex9KJ3CmvyQ9/auXiPDKU5D3D/c9ytdwYqJM6+fSmRvRM"
    "dz05YmxYP1b+NgDPq/wDD+8Ccw978WUL90VRGDkPruHCDLawwly13ZKAQJNXHLUMQci3/n0a9MuFPMvBP3BteqfYwZ/duvBoBCr1kUdc911kANJc"
    "fUzXyBWvhWk9O9zM0RG39dCXobtY2PAGxvBxNg8RRP7NQpezKMf5NL8bReTt3x+CLd8pFeUVikLN/4zgyfl8C3tgVtQ2OQWgccAqZ4sXejx9GsQn"
    "tFKtzQiJNvb2GzzA6ZtK7V89jwEgkcLJHZLOYrBwyN1jHnKufuTeO9qJDVKWj2S70wZxZeb+vwBqKLWTZfBWAcfpQbtjJvKoSmDepqCWAkoF1Ofp"
    "8Ut7KsCDTV3EekOwdwVY7ulAOQ5ra5A84eTdviHkE1zODPpVULX8dzvLVF8AeBlTLW0+2YcyQiKEgSDWN/h0rSAz1nuGFwN6WT3ylBQXRJpJWNb3"
    "bYj7/4XPlecSVBSyh5ahIJ3EFqsyrV5HevSHnx8wdoy/0DQKmsc56ZZ2twACf1qKsgzStAf1d7lJu8ikfcw83klHBjsWFOiR4whhEuepEAthZOB6"
    "mjRnxMieKRWG1ZHXRkH8/Q5U7l7OGaQbMQQDye9jwZnRYwrQtFemMDOW8AgnOkD/b8U/BGLmLpVdZzFQJ3ycT33G21Y1OCOT1r0J8j/QE+3kmvFN"
    "5Whk2ZP/hgORRspRPz0g0uEk+t4OkJMX2fajc0iOeWpWx1JxXwp28QiIq/cY7QnutUFAuLCd9YW1PiC3aOEdnSs5GRIrIg0fFvPJ6MylEL+L4sIB"
    "yNuO2PZIZiVaIjBGnSs5kzCNdvVVws4kPrTL1OdVC47ntEGxUIOKQ/q/ty1rvsIuhgFLSURpzTfn1ryGEWvEvrKiv9kI"
)
"""A picture of 256 x 64 pixels with the text "Valve 4711", which pi-heif reads but cannot write."""
DocumentOf = Callable[..., Document]
ParseBytes = Callable[..., Parsed]


def picture(text: str = LOREM, kind: str = "PNG", **options: object) -> bytes:
    png = drawn(Pdf().page(420, 200).box(20, 20, 400, 180, text).data())
    out = io.BytesIO()
    with Image.open(io.BytesIO(png)) as image:
        image.convert("RGB").save(out, kind, **options)
    return out.getvalue()


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "BMP", "GIF", "TIFF", "AVIF"])
def test_every_picture_format_is_read_as_a_figure_with_its_text(document_of: DocumentOf, kind: str) -> None:
    document = document_of(f"a.{kind.lower()}", picture(kind=kind))
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.FIGURE]
    assert "The relief valve opens at the set pressure" in document.text
    assert [page.text_source for page in document.pages] == ["ocr"]
    assert_whole(document)


def test_a_photo_of_a_phone_is_read(document_of: DocumentOf) -> None:
    document = document_of("IMG_0001.HEIC", base64.b64decode(HEIC))
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.FIGURE]
    assert document.text == "Valve 4711"
    assert document.source.media_type == "image/heic"


def test_a_photo_of_a_phone_is_drawn_as_png(tmp_path: Path) -> None:
    path = tmp_path / "IMG_0001.HEIC"
    path.write_bytes(base64.b64decode(HEIC))
    assert draw_page(path, "image/heic", 1).startswith(b"\x89PNG")


def test_without_pi_heif_the_command_that_installs_it_is_named(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pi_heif", None)
    parsed = parse_bytes("IMG_0001.HEIC", base64.b64decode(HEIC))
    assert parsed.status is Status.UNSUPPORTED
    assert "strata-kb[heic]" in parsed.reason


def test_the_frames_of_a_tiff_are_pages(parse_bytes: ParseBytes) -> None:
    frames = [Image.open(io.BytesIO(picture(f"This is page {number}."))) for number in (1, 2, 3)]
    out = io.BytesIO()
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
    parsed = parse_bytes("fax.tiff", out.getvalue())
    assert parsed.document is not None
    pages = {block.text: block.provenance.page for block in parsed.document.blocks if block.text}
    assert pages == {"This is page 1.": 1, "This is page 2.": 2, "This is page 3.": 3}
    assert all(shown.data.startswith(b"\x89PNG") for shown in parsed.pictures)


@pytest.mark.parametrize("kind", ["PNG", "JPEG"])
def test_a_picture_that_is_cut_short_is_read_up_to_the_cut(kind: str, tmp_path: Path, parse_bytes: ParseBytes) -> None:
    data = picture(f"{LOREM} {LOREM}", kind)
    parsed = parse_bytes(f"a.{kind.lower()}", data[: len(data) * 7 // 10])
    assert parsed.document is not None
    assert "The relief valve opens at the set pressure" in parsed.document.text
    assert parsed.status is Status.PARTIAL
    assert "damaged, and read as far as it goes: image file is truncated" in parsed.reason
    path = tmp_path / "cut"
    path.write_bytes(data[: len(data) * 7 // 10])
    assert draw_page(path, f"image/{kind.lower()}", 1).startswith(b"\x89PNG")


def test_the_pages_of_a_tiff_before_a_cut_are_read(parse_bytes: ParseBytes) -> None:
    frames = [Image.open(io.BytesIO(picture(text))) for text in ("Bearing torque 45 Nm", "Valve 4711", "Pump P-101")]
    out = io.BytesIO()
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:])
    parsed = parse_bytes("a.tiff", out.getvalue()[:-100_000])
    assert parsed.document is not None
    assert "Valve 4711" in parsed.document.text
    assert [page.number for page in parsed.document.pages] in ([1, 2], [1, 2, 3])
    assert parsed.status is Status.PARTIAL


def test_blocks_have_boxes_and_confidence(document_of: DocumentOf) -> None:
    block = next(block for block in document_of("a.png", picture()).blocks if block.text)
    (box,) = block.provenance.boxes
    assert 0 < box.left < 0.2 < 0.6 < box.right <= 1
    assert 0.8 < block.confidence <= 1


def test_the_boxes_of_a_turned_picture_match_the_view(document_of: DocumentOf) -> None:
    out = io.BytesIO()
    with Image.open(io.BytesIO(picture())) as image:
        image.rotate(180).save(out, "PNG")
    block = next(block for block in document_of("a.png", out.getvalue()).blocks if block.text)
    assert block.text.startswith("The relief valve")
    assert block.provenance.boxes[0].bottom > 0.85


def test_exif_orientation_is_applied(document_of: DocumentOf) -> None:
    with Image.open(io.BytesIO(picture())) as image:
        exif = image.getexif()
        exif[0x0112] = 6
        out = io.BytesIO()
        image.rotate(90, expand=True).save(out, "JPEG", exif=exif)
    document = document_of("a.jpg", out.getvalue())
    page = document.pages[0]
    assert page.width > page.height


def test_a_picture_without_text_is_empty(parse_bytes: ParseBytes) -> None:
    out = io.BytesIO()
    Image.new("RGB", (300, 200), "white").save(out, "PNG")
    assert parse_bytes("a.png", out.getvalue()).status is Status.EMPTY


def test_without_ocr_the_page_has_an_issue(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.png", picture(), ParseSettings(ocr=OcrSettings(engine="none")))
    assert parsed.status is Status.EMPTY
    assert "OCR is switched off" in parsed.reason


def test_the_reason_of_a_broken_picture_is_the_same_in_each_run(parse_bytes: ParseBytes) -> None:
    reasons = [parse_bytes(name, b"II*\0" + b"\xff" * 100).reason for name in ("a.tif", "b.tif")]
    assert reasons == ["not a readable picture: cannot identify its format"] * 2


def test_broken_and_enormous_pictures_have_their_status(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.png", picture()[:60]).status is Status.MALFORMED
    tight = ParseSettings(limits=Limits(total_mb=1))
    assert parse_bytes("b.png", picture(), tight).status is Status.TOO_LARGE


def scan(*rows: tuple[str, ...], columns: tuple[int, ...] = (20, 160, 300), below: str = "") -> bytes:
    """Return a picture of an unruled table with a paragraph above and one below."""
    pdf = Pdf().page(460, 330).box(20, 20, 440, 75, LOREM)
    for number, row in enumerate(rows):
        for column, text in zip(columns, row, strict=False):
            pdf.box(column, 90 + 20 * number, column + 135, 110 + 20 * number, text)
    return drawn(pdf.box(20, 240, 440, 300, below).data())


def test_a_scanned_table_is_a_table(document_of: DocumentOf) -> None:
    rows = (
        ("Bolt", "Torque", "Tool"),
        ("M8", "25", "socket 13"),
        ("M10", "49", ""),
        ("M12", "85", "socket 19"),
    )
    document = document_of("a.png", scan(*rows, below=LOREM))
    kinds = [block.kind for block in document.blocks if block.text]
    assert kinds == [BlockKind.PARAGRAPH, BlockKind.TABLE, BlockKind.PARAGRAPH]
    assert document.tables[0].grid() == [list(row) for row in rows]
    assert document.tables[0].header_rows == 1


def test_columns_of_running_text_are_not_a_table(document_of: DocumentOf) -> None:
    pdf = Pdf().page(560, 220).box(20, 20, 260, 200, LOREM * 2).box(300, 20, 540, 200, LOREM * 2)
    document = document_of("a.png", drawn(pdf.data()))
    assert not document.tables
