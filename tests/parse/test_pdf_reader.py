from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pymupdf
import pytest
from pydantic import SecretStr

from pipelines.core.document import BlockKind, Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, OcrSettings, ParseSettings
from tests.parse.pdf_pages import LOREM, Pdf, drawn
from tests.parse.pieces import assert_whole, targets

NO_OCR = ParseSettings(ocr=OcrSettings(engine="none"))
DocumentOf = Callable[..., Document]
ParseBytes = Callable[..., Parsed]


def of_kind(document: Document, kind: BlockKind) -> list[str]:
    return [block.text for block in document.blocks if block.kind is kind]


def test_two_columns_are_read_one_after_the_other(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(56, 60, "Inspection of valves", size=20)
    for left, word in ((56, "left"), (310, "right")):
        pdf.box(left, 90, left + 230, 500, f"The {word} column begins. {LOREM * 3}The {word} column ends.")
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    text = document.text
    places = [text.index(f"The {word} column {verb}") for word in ("left", "right") for verb in ("begins", "ends")]
    assert places == sorted(places)
    assert_whole(document)


def test_words_divided_at_a_line_end_are_whole_again(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    lines = "The self-locking nut and its instal-", "lation need care; see the load-", "carrying part."
    for number, line in enumerate(lines):
        pdf.text(60, 100 + 14 * number, line)
    text = document_of("a.pdf", pdf.data(), NO_OCR).text
    assert "installation need care" in text
    assert "self-locking" in text


def test_bookmarks_give_the_levels(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    for number, title in enumerate(("Safety", "Electric shock", "Commissioning")):
        pdf.text(60, 100 + 120 * number, title, font="hebo").box(60, 110 + 120 * number, 530, 200 + 120 * number, LOREM)
    pdf.file.set_toc([[1, "Safety", 1], [2, "Electric shock", 1], [1, "Commissioning", 1]])
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert [(s.title, s.level) for s in document.sections[1:]] == [
        ("Safety", 1),
        ("Electric shock", 2),
        ("Commissioning", 1),
    ]


def test_a_page_is_called_what_its_file_calls_it(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for _ in range(3):
        pdf.page().box(60, 100, 530, 200, LOREM)
    catalog = pdf.file.pdf_catalog()
    named = "[0 <</P <FEFF0041002D>/S /D>> 1 <</P <FEFF0036002D0034>>> 2 <</S /r/St 4>>]"
    pdf.file.xref_set_key(catalog, "PageLabels", f"<</Nums {named}>>")
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert [page.label for page in document.pages] == ["A-1", "6-4", "iv"]


def test_numbers_give_the_levels_where_there_are_no_bookmarks(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    for number, title in enumerate(("1.0 Scope", "1.1 Valves", "1.1.1 Relief valves", "2.0 Tests")):
        pdf.text(60, 80 + 120 * number, title, size=13, font="hebo")
        pdf.box(60, 90 + 120 * number, 530, 180 + 120 * number, LOREM)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert [(s.number, s.level) for s in document.sections[1:]] == [("1.0", 1), ("1.1", 2), ("1.1.1", 3), ("2.0", 1)]


def test_style_gives_the_levels_where_there_are_neither(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    for number, (title, size) in enumerate((("Handbook", 26), ("Heat", 18), ("Boilers", 14), ("Cold", 18))):
        pdf.text(60, 80 + 120 * number, title, size=size).box(60, 90 + 120 * number, 530, 180 + 120 * number, LOREM)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert document.title == "Handbook"
    assert [(s.title, s.level) for s in document.sections[1:]] == [("Heat", 1), ("Boilers", 2), ("Cold", 1)]


def test_running_headers_and_footers_are_kept_apart(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for number in range(1, 6):
        pdf.page().text(60, 40, "STD-014 rev. B").text(290, 815, f"Page {number} of 5")
        pdf.box(60, 100, 530, 300, f"Paragraph {number} of the text. {LOREM}")
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert document.text.endswith("\n\nSTD-014 rev. B")  # which nothing else says
    assert document.text.count("STD-014") == 1
    assert "Page 3" not in document.text
    assert "Paragraph 3 of the text" in document.text
    kinds = {block.kind for block in document.furniture}
    assert kinds == {BlockKind.PAGE_HEADER, BlockKind.PAGE_FOOTER}
    assert len(document.furniture) == 10


def test_every_block_tells_its_page_and_box(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 100, 530, 300, LOREM).page().box(60, 421, 530, 600, LOREM.replace("valve", "gauge"))
    first, second = document_of("a.pdf", pdf.data(), NO_OCR).blocks
    assert (first.provenance.page, second.provenance.page) == (1, 2)
    box = second.provenance.boxes[0]
    assert box.page == 2
    assert box.left == pytest.approx(60 / 595, abs=0.01)
    assert box.top == pytest.approx(0.5, abs=0.02)


def test_a_ruled_table_keeps_its_cells_and_decimals(document_of: DocumentOf) -> None:
    rows = [("Part", "Size", "Price"), ("Bonnet", "0.965", "112.50"), ("Seat", "18.2 mm", "23.90")]
    rows.append(("Stem", "-4", "1,104.84"))
    pdf = Pdf().page().box(60, 60, 530, 120, LOREM).text(60, 140, "Table 1. Spare parts").table(60, 150, rows)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    (table,) = document.tables
    assert table.grid() == [list(row) for row in rows]
    assert table.header_rows == 1
    assert table.caption == "Table 1. Spare parts"
    assert not any("lacks" in note for note in document.notes)
    assert all(cell.boxes for cell in table.cells)


def test_a_table_that_goes_on_over_the_page_is_one(document_of: DocumentOf) -> None:
    head = ("Part", "Size", "Price")
    body = [(f"Part {number}", f"{number}.5 mm", f"{number * 3}.90") for number in range(1, 31)]
    pdf = Pdf().page().box(60, 40, 530, 110, LOREM).table(60, 400, [head, *body[:18]])
    pdf.page().table(60, 60, [head, *body[18:]]).box(60, 400, 530, 500, LOREM)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert table.grid() == [list(head), *(list(row) for row in body)]
    assert table.parts == (0, 19)
    block = next(b for b in document_of("a.pdf", pdf.data(), NO_OCR).blocks if b.table)
    assert block.provenance.pages() == (1, 2)


def test_links_are_kept_also_in_cells(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 60, "Our shop sells it.")
    pdf.table(60, 100, [("Part", "Data"), ("Seat", "sheet"), ("Stem", "none")])
    page = pdf.file[0]
    page.insert_link({"kind": pymupdf.LINK_URI, "from": page.search_for("shop")[0], "uri": "https://shop.example/"})
    page.insert_link(
        {"kind": pymupdf.LINK_URI, "from": page.search_for("sheet")[0], "uri": "https://shop.example/s.pdf"}
    )
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert ("hyperlink", "https://shop.example/", "shop") in targets(document)
    assert ("hyperlink", "https://shop.example/s.pdf", "sheet") in targets(document)
    in_table = next(r for r in document.references if r.evidence == "sheet")
    table = next(block for block in document.blocks if block.table)
    assert table.provenance.span.covers(in_table.provenance.span)


def test_a_link_within_the_file_is_a_cross_reference(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 60, "Turn to the annex.").page().text(60, 60, "This is the annex.")
    page = pdf.file[0]
    page.insert_link({"kind": pymupdf.LINK_GOTO, "from": page.search_for("annex")[0], "page": 1})
    references = document_of("a.pdf", pdf.data(), NO_OCR).references
    assert (ReferenceKind.CROSS_REFERENCE, "#page=2") in [(r.kind, r.target) for r in references]


def test_lists_have_depth(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(60, 80, "You need the following tools for the job:")
    for number, (x, text) in enumerate(((70, "- wrench"), (90, "- size 17"), (90, "- size 19"), (70, "- gauge"))):
        pdf.text(x, 100 + 16 * number, text)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    items = [(b.text, b.level) for b in document.blocks if b.kind is BlockKind.LIST_ITEM]
    assert items == [("- wrench", 1), ("- size 17", 2), ("- size 19", 2), ("- gauge", 1)]


def test_footnotes_are_told_from_the_text(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 80, 530, 300, LOREM * 4).text(60, 760, "1 Set by the maker, not by the user.", size=8)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert of_kind(document, BlockKind.FOOTNOTE) == ["1 Set by the maker, not by the user."]


def test_the_title_below_a_figure_s_number_belongs_to_its_caption(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(72, 60, 520, 160, LOREM).text(270, 300, "Figure 1").text(262, 313, "Fire triangle")
    captions = [block.text for block in document_of("a.pdf", pdf.data()).blocks if block.kind is BlockKind.CAPTION]
    assert captions == ["Figure 1 Fire triangle"]


def test_code_keeps_its_lines(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 60, 530, 160, LOREM)
    for number, line in enumerate(("def open(valve):", "    valve.turn(90)", "    return valve")):
        pdf.text(60, 200 + 13 * number, line, font="cour")
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    (code,) = of_kind(document, BlockKind.CODE)
    assert [line.strip() for line in code.split("\n")] == ["def open(valve):", "valve.turn(90)", "return valve"]
    assert code.split("\n")[1].startswith("  ")


def test_a_figure_has_its_bytes_and_its_caption(parse_bytes: ParseBytes) -> None:
    png = drawn(Pdf().page(200, 100).text(20, 50, "valve").data())
    pdf = Pdf().page().box(60, 60, 530, 160, LOREM).picture(60, 200, 360, 350, png).text(60, 370, "Figure 2. The valve")
    parsed = parse_bytes("a.pdf", pdf.data(), NO_OCR)
    assert parsed.document is not None
    (figure,) = parsed.document.figures
    assert figure.caption == "Figure 2. The valve"
    assert [picture.digest for picture in parsed.pictures] == [figure.digest]
    assert parsed.pictures[0].data.startswith(b"\x89PNG")


@pytest.mark.parametrize("rotation", [90, 180, 270])
def test_a_page_turned_in_the_file_reads_as_it_is_shown(document_of: DocumentOf, rotation: int) -> None:
    source = Pdf().page().box(60, 60, 530, 200, LOREM)
    upright = document_of("a.pdf", source.data(), NO_OCR)
    source.file[0].set_rotation(rotation)
    turned = document_of("b.pdf", source.data(), NO_OCR)
    assert turned.text == upright.text
    box, shown = upright.blocks[0].provenance.boxes[0], turned.blocks[0].provenance.boxes[0]
    assert (box.right - box.left) * (box.bottom - box.top) == pytest.approx(
        (shown.right - shown.left) * (shown.bottom - shown.top), rel=0.05
    )


def test_a_password_by_file_pattern_opens_the_file(parse_bytes: ParseBytes) -> None:
    data = (
        Pdf()
        .page()
        .box(60, 60, 530, 200, LOREM)
        .data(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="s3cret")
    )
    locked = parse_bytes("contract.pdf", data, NO_OCR)
    assert locked.status is Status.ENCRYPTED
    assert "[parse.passwords]" in locked.reason
    known = NO_OCR.model_copy(update={"passwords": {"contract*.pdf": SecretStr("s3cret")}})
    assert parse_bytes("contract.pdf", data, known).status is Status.INDEXED
    wrong = NO_OCR.model_copy(update={"passwords": {"*.pdf": SecretStr("guess")}})
    parsed = parse_bytes("contract.pdf", data, wrong)
    assert parsed.status is Status.ENCRYPTED
    assert "guess" not in parsed.reason


def test_a_fault_while_a_password_is_tried_is_malformed(
    parse_bytes: ParseBytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(_file: pymupdf.Document, _password: str) -> int:
        raise RuntimeError("broken encryption dictionary")

    data = Pdf().page().data(encryption=pymupdf.PDF_ENCRYPT_AES_256, owner_pw="owner", user_pw="s3cret")
    monkeypatch.setattr(pymupdf.Document, "authenticate", fails)
    settings = NO_OCR.model_copy(update={"passwords": {"*.pdf": SecretStr("guess")}})
    parsed = parse_bytes("a.pdf", data, settings)
    assert (parsed.status, parsed.reason) == (
        Status.MALFORMED,
        "not a readable PDF: broken encryption dictionary",
    )


def test_the_reason_of_a_broken_file_does_not_name_its_folder(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", b"%PDF-1.7\n%garbage", NO_OCR)
    assert parsed.reason == "not a readable PDF: Failed to open file 'a.pdf' as type pdf."


def test_broken_and_blank_files_have_their_status(parse_bytes: ParseBytes) -> None:
    good = Pdf().page().box(60, 60, 530, 200, LOREM).data()
    assert parse_bytes("a.pdf", b"%PDF-1.7\n%garbage", NO_OCR).status is Status.MALFORMED
    assert parse_bytes("b.pdf", Pdf().page().data(), NO_OCR).status is Status.EMPTY
    limits = ParseSettings(limits=Limits(pages=1))
    assert parse_bytes("c.pdf", Pdf().page().page().data(), limits).status is Status.TOO_LARGE
    assert parse_bytes("d.pdf", good[: len(good) // 2], NO_OCR).status in (Status.MALFORMED, Status.EMPTY)


def test_files_inside_the_file_are_handed_on(parse_bytes: ParseBytes) -> None:
    pdf = Pdf().page().box(60, 60, 530, 200, LOREM)
    pdf.file.embfile_add("data.csv", b"a,b\n1,2\n", filename="data.csv")
    (child,) = parse_bytes("a.pdf", pdf.data(), NO_OCR).children
    assert (child.name, child.data) == ("data.csv", b"a,b\n1,2\n")


def test_a_reviewers_comment_is_a_note(document_of: DocumentOf) -> None:
    pdf = Pdf().page().box(60, 60, 530, 200, LOREM)
    pdf.file[0].add_text_annot((100, 80), "Is that still right?")
    assert of_kind(document_of("a.pdf", pdf.data(), NO_OCR), BlockKind.NOTE) == ["Is that still right?"]


def test_a_scanned_page_is_read_by_ocr_and_only_that_page(document_of: DocumentOf) -> None:
    original = Pdf().page().text(60, 100, "Opening pressure 8.5 bar", size=16).text(60, 140, "Form QA-117", size=16)
    scan = drawn(original.data())
    pdf = Pdf().page().box(60, 60, 530, 200, LOREM).page().picture(0, 0, 595, 842, scan)
    document = document_of("a.pdf", pdf.data())
    assert [page.text_source for page in document.pages] == ["native", "ocr"]
    read = [block for block in document.blocks if block.provenance.page == 2 and block.text]
    assert "8.5 bar" in document.text
    assert "QA-117" in document.text
    assert all(0.5 < block.confidence < 1 for block in read)
    assert "page 2: no text layer, read by OCR" in document.notes


def test_comments_on_a_scan_and_files_at_its_annotations_are_read(parse_bytes: ParseBytes) -> None:
    scan = drawn(Pdf().page().text(60, 100, "Opening pressure 8.5 bar").data())
    with pymupdf.open(stream=Pdf().page().picture(0, 0, 595, 842, scan).data()) as pdf:
        pdf[0].add_text_annot((300, 300), "Replace by 9 bar")
        pdf[0].add_file_annot((300, 400), b"a,b", "limits.csv")
        parsed = parse_bytes("a.pdf", pdf.tobytes())
    assert parsed.document is not None
    notes = [block.text for block in parsed.document.blocks if block.kind is BlockKind.NOTE]
    assert notes[0] == "Replace by 9 bar"
    assert [(child.name, child.data) for child in parsed.children] == [("limits.csv", b"a,b")]


def test_a_broken_attachment_does_not_cost_the_pages(parse_bytes: ParseBytes) -> None:
    with pymupdf.open(stream=Pdf().page().text(60, 100, "Opening pressure 8.5 bar").data()) as pdf:
        pdf.embfile_add("limits.csv", b"a,b")
        catalog = pdf.pdf_catalog()
        pdf.xref_set_key(catalog, "Names/EmbeddedFiles", f"<</Kids[{catalog} 0 R]/Names[(a)(b)]>>")
        parsed = parse_bytes("a.pdf", pdf.tobytes(), NO_OCR)
    assert parsed.document is not None, parsed.reason
    assert "8.5 bar" in parsed.document.text


def test_without_ocr_a_scan_is_empty_and_never_indexed(parse_bytes: ParseBytes) -> None:
    scan = drawn(Pdf().page().text(60, 100, "Opening pressure 8.5 bar").data())
    assert parse_bytes("a.pdf", Pdf().page().picture(0, 0, 595, 842, scan).data(), NO_OCR).status is Status.EMPTY


def test_a_page_of_a_paper_is_read_as_its_reviewers_did(shared: Path, document_of: DocumentOf) -> None:
    path = shared / "documents" / "pdf" / "2305.03393v1-pg9.pdf"
    document = document_of("paper.pdf", path.read_bytes(), NO_OCR)
    (table,) = document.tables
    assert (table.rows, table.columns) == (6, 8)
    assert of_kind(document, BlockKind.HEADING) == ["5.1 Hyper Parameter Optimization", "5.2 Quantitative Results"]
    assert table.grid()[2][3:5] == ["0.965 0.969", "0.934 0.927"]


def test_a_merged_cell_painted_over_the_stripes_of_its_rows_is_one_cell(document_of: DocumentOf) -> None:
    pdf = Pdf().page()
    page, (left, middle, right), top = pdf.file[-1], (60, 200, 400), 100
    for number in range(5):
        stripe = pymupdf.Rect(left, top + 20 * number, right, top + 20 * number + 20)
        page.draw_rect(stripe, color=None, fill=(0.9, 0.93, 0.96) if number % 2 else (1, 1, 1))
    for number in (1, 3):
        merged = pymupdf.Rect(left, top + 20 * number, middle, top + 20 * number + 40)
        page.draw_rect(merged, color=None, fill=(1, 1, 1))
    for number in (0, 1, 3, 5):
        page.draw_line((left, top + 20 * number), (right, top + 20 * number))
    for number in (2, 4):
        page.draw_line((middle, top + 20 * number), (right, top + 20 * number))
    for x in (left, middle, right):
        page.draw_line((x, top), (x, top + 100))
    for row, text in enumerate(("Material", "Bronze", "Steel", "EPDM", "FKM")):
        pdf.text(middle + 4, top + 20 * row + 14, text)
    pdf.text(left + 4, top + 14, "Part").text(left + 4, top + 44, "Impeller").text(left + 4, top + 84, "O-ring")
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    spans = {cell.text: (cell.row, cell.row_span) for cell in table.cells if cell.column == 0}
    assert spans == {"Part": (0, 1), "Impeller": (1, 2), "O-ring": (3, 2)}


def test_a_title_block_on_every_page_is_no_table(document_of: DocumentOf) -> None:
    pdf = Pdf()
    for number in range(1, 5):
        pdf.page().text(60, 60, f"{number} Chapter", size=16).box(60, 90, 530, 600, f"Part {number}. {LOREM * 4}")
        block = [["Title:", "Ventilator", "Date:", "5 May 2020"], ["Document:", "RE-7", "Page:", f"{number} of 4"]]
        pdf.table(60, 760, block)
    document = document_of("a.pdf", pdf.data(), NO_OCR)
    assert document.tables == ()
    assert document.text.count("Ventilator") == 1
    assert sum("Ventilator" in block.text for block in document.furniture) == 4


@pytest.mark.parametrize(
    ("rows", "heads"),
    [
        ([["Part", "Torque"], ["Casing", "35"], ["Gland", "12"]], 1),
        ([["Pin", "Use"], ["CANH", "high line of the bus"], ["CANL", "low line of the bus"]], 1),
        ([["Title:", "Ventilator"], ["Subject:", "Risk report"], ["Author:", "M. Stone"]], 0),
        ([["6", "Battery"], ["7", "Charger"], ["8", "Current"]], 0),
    ],
)
def test_the_first_row_names_the_columns_where_it_reads_so(
    document_of: DocumentOf, rows: list[list[str]], heads: int
) -> None:
    pdf = Pdf().page().text(60, 60, "Before the table stands a line of text.").table(60, 100, rows)
    (table,) = document_of("a.pdf", pdf.data(), NO_OCR).tables
    assert table.header_rows == heads


def test_layers_that_are_switched_off_are_named(document_of: DocumentOf) -> None:
    pdf = Pdf().page().text(72, 100, "The pump is started by the green button.")
    off = pdf.file.add_ocg("German", on=False)
    pdf.file[-1].insert_text((72, 130), "Die Pumpe wird mit dem Knopf gestartet.", oc=off)
    document = document_of("a.pdf", pdf.data())
    assert document.text.strip() == "The pump is started by the green button."
    assert document.notes == ("layers that are switched off were not read: German",)
