"""Tests of the layout of scanned pages: headings, columns, running headers and tables, as those of a text layer."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence

import numpy as np
import pymupdf
import pytest
from PIL import Image, ImageFilter

from pipelines.core.document import BlockKind, Document
from tests.parse.pdf_pages import LOREM, Pdf, drawn
from tests.parse.test_pdf_reader import of_kind

DocumentOf = Callable[..., Document]
ROWS = [["Part", "Material", "Interval"], ["Impeller", "bronze", "12 months"], ["Shaft seal", "steel", "6 months"]]


def scan(pages: Sequence[Pdf], degrees: float = 0) -> bytes:
    """Return the pages as pictures in a PDF, laid slanted on the scanner."""
    pdf = Pdf()
    for page in pages:
        out = io.BytesIO()
        with Image.open(io.BytesIO(drawn(page.data(), dpi=150))) as picture:
            picture.convert("L").rotate(degrees, resample=Image.Resampling.BICUBIC, fillcolor=255).save(out, "PNG")
        width, height = page.file[-1].rect.br
        pdf.page(width, height).picture(0, 0, width, height, out.getvalue())
    return pdf.data()


def report(number: int) -> Pdf:
    pdf = Pdf().page().text(60, 50, "Pump PS-40, revision C", size=9).text(300, 815, str(number), size=9)
    pdf.text(60, 110, f"{number} Inspection of the valves", size=16, font="hebo").box(60, 130, 535, 200, LOREM)
    return pdf.text(60, 240, f"{number}.1 Spare parts", size=12, font="hebo").box(60, 260, 535, 330, LOREM)


@pytest.fixture(scope="module")
def reports() -> bytes:
    return scan([report(number) for number in (1, 2, 3)], degrees=0.4)


def test_headings_and_running_headers_of_a_scan_are_recognized(document_of: DocumentOf, reports: bytes) -> None:
    document = document_of("a.pdf", reports)
    headings = [(block.text, block.level) for block in document.blocks if block.kind is BlockKind.HEADING]
    assert headings == [
        (f"{number}{text}", level)
        for number in (1, 2, 3)
        for text, level in ((" Inspection of the valves", 1), (".1 Spare parts", 2))
    ]
    assert document.text.count("revision C") == 1  # at the end, since the text does not have it
    assert {block.text for block in document.furniture} >= {"Pump PS-40, revision C", "1", "2", "3"}


def test_a_photographed_page_in_uneven_light_is_laid_out(document_of: DocumentOf) -> None:
    page = Pdf().page().text(60, 80, "1 Spare parts", size=16, font="hebo").box(60, 100, 535, 300, LOREM * 5, size=9)
    page.table(60, 320, ROWS, width=150)
    with Image.open(io.BytesIO(drawn(page.data(), dpi=150))) as picture:
        shades = np.asarray(picture.convert("L"), dtype=np.float32)
    light = np.linspace(0.25, 1, shades.shape[1]) * np.linspace(0.5, 1, shades.shape[0])[:, None]
    out = io.BytesIO()
    photograph = Image.fromarray((shades * light).astype(np.uint8)).filter(ImageFilter.GaussianBlur(0.7))
    photograph.save(out, "PNG", dpi=(150, 150))
    document = document_of("a.png", out.getvalue())
    assert of_kind(document, BlockKind.PARAGRAPH) == [(LOREM * 5).strip()]
    assert [table.grid() for table in document.tables] == [ROWS]


@pytest.mark.parametrize("turning", [0.05, -0.1])
def test_a_page_photographed_at_an_angle_is_laid_out_and_its_places_are_those_in_the_photograph(
    document_of: DocumentOf, turning: float
) -> None:
    rows = [*ROWS, ["Bearing", "chromium steel", "24 months"], ["Gasket", "graphite", "6 months"]]
    page = Pdf().page().text(60, 80, "1 Spare parts", size=16, font="hebo").box(60, 100, 535, 300, LOREM * 5, size=9)
    page.table(60, 320, rows, width=150).box(60, 500, 535, 600, LOREM * 3, size=9)
    with Image.open(io.BytesIO(drawn(page.data(), dpi=200))) as picture:
        width, height = picture.size
        # From the photograph to the page, which is narrower at its end, in pixels.
        to_page = np.array(
            [[1.1, 0.06, -0.08 * width], [0.04, 1.05, -0.03 * height], [turning / width, 0.1 / height, 1]]
        )
        photograph = picture.convert("RGB").transform(
            picture.size, Image.Transform.PERSPECTIVE, tuple(to_page.ravel()[:8]), Image.Resampling.BICUBIC,
            fillcolor=(60, 60, 60),
        )  # fmt: skip
    out = io.BytesIO()
    photograph.save(out, "PNG")
    document = document_of("a.png", out.getvalue())
    assert [table.grid() for table in document.tables] == [rows]
    first, last = of_kind(document, BlockKind.PARAGRAPH)
    assert (first, last) == ((LOREM * 5).strip(), (LOREM * 3).strip())
    corners = np.array([[x / 595 * width, y / 842 * height, 1] for x in (60, 510) for y in (320, 430)])
    across, down, scale = np.linalg.inv(to_page) @ corners.T
    across, down = across / scale / width, down / scale / height
    (table,) = [block for block in document.blocks if block.kind is BlockKind.TABLE]
    (box,) = table.provenance.boxes
    wanted = (across.min(), down.min(), across.max(), down.max())
    assert (box.left, box.top, box.right, box.bottom) == pytest.approx(wanted, abs=0.01)


@pytest.mark.parametrize("gap", [25, 11])
def test_columns_of_a_scan_are_read_one_after_the_other(document_of: DocumentOf, gap: int) -> None:
    left, right = (f"{side} column. {LOREM * 3}" for side in ("First", "Second"))
    page = Pdf().page().box(50, 60, 285, 700, left).box(285 + gap, 60, 520 + gap, 700, right)
    assert of_kind(document_of("a.pdf", scan([page])), BlockKind.PARAGRAPH) == [left.strip(), right.strip()]


@pytest.mark.parametrize("degrees", [-0.4, 0, 0.6])
def test_a_ruled_table_of_a_slanted_scan_has_its_cells(document_of: DocumentOf, degrees: float) -> None:
    page = Pdf().page().box(60, 60, 535, 130, LOREM).table(60, 180, ROWS, width=150).box(60, 300, 535, 370, LOREM)
    (table,) = document_of("a.pdf", scan([page], degrees)).tables
    assert table.grid() == ROWS


def test_a_cell_over_two_columns_of_a_scan_spans_them(document_of: DocumentOf) -> None:
    page = Pdf().page().table(60, 100, [["Interval in months"]], width=300)
    page.table(60, 122, [["Impeller", "Shaft seal"], ["12", "6"], ["18", "9"]], width=150)
    (table,) = document_of("a.pdf", scan([page])).tables
    assert [(cell.text, cell.column_span) for cell in table.cells if cell.row == 0] == [("Interval in months", 2)]


def test_a_table_without_rules_ends_at_the_text_below(document_of: DocumentOf) -> None:
    page = Pdf().page().box(60, 60, 535, 130, LOREM)
    for number, row in enumerate(ROWS):
        for column, text in enumerate(row):
            page.text(60 + 150 * column, 180 + 18 * number, text)
    document = document_of("a.pdf", scan([page.box(60, 260, 535, 330, LOREM)]))
    (table,) = document.tables
    assert table.grid() == ROWS
    assert len(of_kind(document, BlockKind.PARAGRAPH)) == 2


def test_headings_in_light_type_on_a_dark_bar_are_recognized(document_of: DocumentOf) -> None:
    page = Pdf().page()
    for top in (60, 200, 340):
        page.box(60, top, 535, top + 70, LOREM)
    for top, title in ((150, "Inspection of the valves"), (290, "Spare parts and tools")):
        page.file[-1].draw_rect((60, top, 535, top + 30), fill=(0.1, 0.2, 0.5))
        page.file[-1].insert_text((70, top + 21), title, fontsize=15, fontname="hebo", color=(1, 1, 1))
    document = document_of("a.pdf", scan([page]))
    found = [block.text for block in document.blocks if block.kind in (BlockKind.TITLE, BlockKind.HEADING)]
    assert found == ["Inspection of the valves", "Spare parts and tools"]


def test_a_page_scanned_sideways_has_its_headings_and_tables(document_of: DocumentOf) -> None:
    page = Pdf().page().text(60, 80, "3 Inspection of the valves", size=16, font="hebo").box(60, 100, 535, 170, LOREM)
    with Image.open(io.BytesIO(drawn(page.table(60, 220, ROWS, width=150).data(), dpi=150))) as picture:
        out = io.BytesIO()
        picture.transpose(Image.Transpose.ROTATE_90).save(out, "PNG")
    document = document_of("a.pdf", Pdf().page(842, 595).picture(0, 0, 842, 595, out.getvalue()).data())
    assert of_kind(document, BlockKind.HEADING) == ["3 Inspection of the valves"]
    (table,) = document.tables
    assert table.grid() == ROWS
    box = next(block for block in document.blocks if block.kind is BlockKind.HEADING).provenance.boxes[0]
    assert box.left < 0.15  # turned a quarter to the left, the top of the page is its left edge


def test_a_tiff_is_read_like_a_scan_in_pdf(document_of: DocumentOf, reports: bytes) -> None:
    frames = [Image.open(io.BytesIO(drawn(report(number).data(), dpi=150))) for number in (1, 2)]
    out = io.BytesIO()
    frames[0].save(out, "TIFF", save_all=True, append_images=frames[1:], dpi=(150, 150))
    document = document_of("a.tiff", out.getvalue())
    assert of_kind(document, BlockKind.HEADING) == [
        "1 Inspection of the valves",
        "1.1 Spare parts",
        "2 Inspection of the valves",
        "2.1 Spare parts",
    ]
    assert [(round(page.width), round(page.height)) for page in document.pages] == [(595, 842)] * 2


def test_the_head_of_a_table_of_a_scan_in_light_type_on_a_dark_bar_is_a_part_of_it(document_of: DocumentOf) -> None:
    rows = [*ROWS, ["Bearing", "chromium steel", "24 months"]]
    page = Pdf().page().box(60, 60, 535, 130, LOREM)
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            place = pymupdf.Rect(60 + 150 * column, 180 + 22 * number, 210 + 150 * column, 202 + 22 * number)
            page.file[-1].draw_rect(place, color=(0.6, 0.6, 0.6), fill=None if number else (0.1, 0.3, 0.5), width=0.7)
            page.file[-1].insert_text((place.x0 + 8, place.y1 - 7), text, color=(0, 0, 0) if number else (1, 1, 1))
    page.box(60, 320, 535, 390, LOREM)
    (table,) = document_of("a.pdf", scan([page], 0.3)).tables
    assert table.grid() == rows
    assert [cell.text for cell in table.cells if cell.header] == rows[0]


def test_two_tables_of_a_scan_and_the_text_between_them_stay_apart(document_of: DocumentOf) -> None:
    page = Pdf().page(842, 595)
    head = ("Model", "Inlet DN", "Inlet PN", "Outlet", "Length")
    for top, name in ((90, "1 Wear parts"), (300, "2 Seals")):
        page.text(60, top - 20, name, size=14, font="hebo")
        for number in range(8):
            row = (
                head
                if not number
                else (f"XL{top + number}", f"{number}.5", f"{number * 16}", f"{number + 20}", f"{number}.07")
            )
            for column, text in enumerate(row):
                page.text(60 + 140 * column, top + 18 * number, text, size=9)
            page.file[-1].draw_line((60, top + 5 + 18 * number), (760, top + 5 + 18 * number), width=0.7)
        page.text(60, top + 148, "Weight depends on the place of installation.", size=9)
    document = document_of("a.pdf", scan([page]))
    assert [len(table.grid()) for table in document.tables] == [8, 8]
    assert of_kind(document, BlockKind.HEADING) == ["1 Wear parts", "2 Seals"]
    assert of_kind(document, BlockKind.PARAGRAPH) == ["Weight depends on the place of installation."] * 2


def test_the_cells_of_one_row_beside_wider_ones_on_a_scan_stay_apart(document_of: DocumentOf) -> None:
    page = Pdf().page().box(60, 40, 535, 90, LOREM).table(60, 100, [["Motor power", "15 kW", "45 kW"]], width=150)
    page.table(60, 122, [["Same for all sizes"]], width=450).table(60, 144, [["Mass", "148 kg", "395 kg"]], width=150)
    page.table(60, 166, [["In stock"]], width=450)
    (table,) = document_of("a.pdf", scan([page])).tables
    assert [(cell.row, cell.text, cell.column_span) for cell in table.cells] == [
        (0, "Motor power", 1), (0, "15 kW", 1), (0, "45 kW", 1), (1, "Same for all sizes", 3),
        (2, "Mass", 1), (2, "148 kg", 1), (2, "395 kg", 1), (3, "In stock", 3),
    ]  # fmt: skip
