"""What is put on a page besides its text: watermarks, stamps, ticks in forms, drawings of very many lines."""

from __future__ import annotations

import random
from collections.abc import Callable

import pymupdf

from pipelines.core.document import BlockKind, Document
from tests.parse.pdf_pages import LOREM, Pdf

DocumentOf = Callable[..., Document]


def kinds(document: Document) -> list[tuple[BlockKind, str]]:
    return [(block.kind, block.text) for block in document.blocks]


def test_a_watermark_is_no_title(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(72, 72, 520, 200, LOREM)
    askew = pymupdf.Matrix(45)
    pdf.file[-1].insert_text((150, 500), "DRAFT", fontsize=70, morph=(pymupdf.Point(150, 500), askew))
    document = document_of("a.pdf", pdf.data())
    assert [kind for kind, _ in kinds(document)] == [BlockKind.PARAGRAPH, BlockKind.PAGE_HEADER]
    assert [block.text for block in document.furniture] == ["DRAFT"]
    assert document.title != "DRAFT"


def test_a_stamp_is_a_note_and_no_heading(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(72, 72, 520, 200, LOREM)
    pdf.file[-1].add_stamp_annot(pymupdf.Rect(300, 500, 450, 560), stamp=0)
    found = kinds(document_of("a.pdf", pdf.data()))
    assert [kind for kind, _ in found] == [BlockKind.PARAGRAPH, BlockKind.NOTE]
    assert found[1][1] == "[APPROVED]"


def test_ticks_of_a_form_are_read_with_their_labels(document_of: DocumentOf) -> None:
    pdf = (
        Pdf()
        .page()
        .text(72, 60, "Checks before the start of the pump")
        .text(95, 112, "valve open")
        .text(95, 142, "dry")
    )
    for top, on in ((100, True), (130, False)):
        box = pymupdf.Widget()
        box.field_type, box.field_name = pymupdf.PDF_WIDGET_TYPE_CHECKBOX, f"box{top}"
        box.rect, box.field_value = pymupdf.Rect(72, top, 86, top + 14), on
        pdf.file[-1].add_widget(box)
    texts = [text for _, text in kinds(document_of("a.pdf", pdf.data()))]
    assert texts == ["Checks before the start of the pump", "☒ valve open", "☐ dry"]


def test_a_heading_stands_before_the_table_that_is_set_further_in(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(40, 60, "Torques", 18).table(200, 90, [["Part", "Nm"], ["A1", "2.5"], ["A2", "3.5"]])
    kind = [kind for kind, _ in kinds(document_of("a.pdf", pdf.data()))]
    assert kind.index(BlockKind.TABLE) == len(kind) - 1


def test_a_drawing_of_very_many_lines_is_one_figure(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    chance = random.Random(4)
    lines = [[chance.uniform(60, 530), chance.uniform(120, 700)] for _ in range(101_000)]
    stream = "".join(f"{x:.1f} {y:.1f} m {x + 3:.1f} {y + 3:.1f} l S\n" for x, y in lines)
    for number, word in enumerate(("Inlet", "Outlet", "Rotor")):
        pdf.text(100 + 120 * number, 300, word, 9)
    page, stroke = pdf.file[-1], pdf.file.get_new_xref()
    pdf.file.update_object(stroke, "<<>>")
    pdf.file.update_stream(stroke, stream.encode())
    before = " ".join(f"{xref} 0 R" for xref in page.get_contents())
    pdf.file.xref_set_key(page.xref, "Contents", f"[{stroke} 0 R {before}]")
    document = document_of("a.pdf", pdf.data(deflate=True))
    assert [kind for kind, _ in kinds(document)] == [BlockKind.FIGURE, BlockKind.PARAGRAPH]
    assert document.blocks[1].text == "Inlet\nOutlet\nRotor"
