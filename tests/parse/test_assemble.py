from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import BlockKind, Document, Page, ReferenceKind, Source
from pipelines.core.errors import TooLarge
from pipelines.core.outcome import Status
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder, Image, Place
from pipelines.parse.parsed import Child
from pipelines.parse.settings import Limits, ParseSettings

SOURCE = Source("folder/relief valve.txt", "text/plain", 3, "0" * 64)


def builder(title: str = "", settings: ParseSettings | None = None) -> DocumentBuilder:
    return DocumentBuilder(SOURCE, settings or ParseSettings(), "test", {"title": title})


def built(b: DocumentBuilder) -> Document:
    document = b.build().document
    assert document is not None
    return document


PIECES = st.lists(
    st.tuples(st.sampled_from(["heading", "paragraph", "list_item", "code", "table", "figure"]), st.text(max_size=40)),
    max_size=25,
)


def append(b: DocumentBuilder, kind: str, text: str, number: int) -> None:
    if kind == "heading":
        b.heading(text, number % 5 + 1)
    elif kind == "table":
        b.table([Cell(0, 0, text), Cell(number % 3, 1, "x")])
    elif kind == "figure":
        b.figure(Image(ocr_text=text))
    elif kind == "list_item":
        b.list_item(text, number % 3)
    else:
        getattr(b, kind)(text)


@given(PIECES)
def test_every_block_is_a_slice_and_in_order(pieces: list[tuple[str, str]]) -> None:
    b = builder()
    for number, (kind, text) in enumerate(pieces):
        append(b, kind, text, number)
    document = b.build().document
    if document is None:
        return
    for block in document.blocks:
        assert block.provenance.span.slice(document.text) == block.text
    starts = [block.provenance.span.start for block in document.blocks]
    assert starts == sorted(starts)
    assert len({block.id for block in document.blocks}) == len(document.blocks)
    assert not any(ord(character) < 32 and character not in "\n\t" for character in document.text)
    document.text.encode("utf-8")


@given(PIECES)
def test_sections_form_a_tree_without_skipped_levels(pieces: list[tuple[str, str]]) -> None:
    b = builder()
    b.paragraph("There is always some text.")
    for number, (kind, text) in enumerate(pieces):
        append(b, kind, text, number)
    sections = built(b).sections
    by_id = {section.id: section for section in sections}
    assert sections[0].title == ""
    assert sections[0].parent == ""
    for section in sections[1:]:
        parent = by_id[section.parent]
        assert section.level == parent.level + 1
        assert parent.span.covers(section.span)
        assert section.path[-1] == section.title
    for one, other in pairwise(sections[1:]):
        assert one.span.start <= other.span.start


def test_the_same_pieces_give_the_same_ids() -> None:
    def make() -> Document:
        b = builder()
        b.heading("Scope", 1)
        b.paragraph("Valves.")
        return built(b)

    assert make() == make()


def test_list_items_are_separated_by_a_line_break_and_other_blocks_by_a_blank_line() -> None:
    b = builder()
    b.paragraph("Tools:")
    b.list_item("wrench")
    b.list_item("gauge")
    b.paragraph("Begin.")
    assert built(b).text == "Tools:\n\nwrench\ngauge\n\nBegin."


def test_a_heading_keeps_its_number_and_the_section_has_it() -> None:
    b = builder()
    b.heading("4.2 Opening pressure", 2)
    b.heading("Annex B Forms", 1)
    b.heading("2020 was a good year", 1)
    assert [section.number for section in built(b).sections] == ["", "4.2", "B", ""]
    assert built(b).sections[1].title == "4.2 Opening pressure"


def test_a_caption_belongs_to_the_table_below_or_the_figure_above() -> None:
    b = builder()
    b.caption("Table 3. Torques")
    b.table([Cell(0, 0, "M6"), Cell(0, 1, "12 N·m")])
    b.figure(Image(ocr_text="valve"))
    b.caption("Figure 1: The valve")
    document = built(b)
    first, table, figure, second = document.blocks
    assert table.table is not None
    assert figure.figure is not None
    assert table.table.caption == "Table 3. Torques"
    assert first.caption_of == table.table.id
    assert figure.figure.caption == "Figure 1: The valve"
    assert second.caption_of == figure.figure.id


def test_a_document_without_text_is_empty_and_names_the_issues_of_its_pages() -> None:
    b = builder()
    b.page(Page(1, issue="text not legible"))
    b.paragraph(" \x00\u200b ")
    b.figure(Image())
    parsed = b.build()
    assert parsed.status is Status.EMPTY
    assert parsed.document is None
    assert "page 1: text not legible" in parsed.reason


def test_a_page_with_an_issue_makes_a_document_partial() -> None:
    b = builder()
    b.page(Page(1))
    b.page(Page(2, issue="not read"))
    b.paragraph("Text of page 1.")
    parsed = b.build()
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "page 2: not read"


def test_furniture_is_not_part_of_the_text() -> None:
    b = builder()
    b.furniture(BlockKind.PAGE_HEADER, "STD-014 rev. B")
    b.paragraph("Text.")
    document = built(b)
    assert document.text == "Text."
    assert [block.text for block in document.furniture] == ["STD-014 rev. B"]
    assert len(document.furniture[0].provenance.span) == 0


@pytest.mark.parametrize(
    ("told", "heading", "title"),
    [
        ("Relief valves", "1 Scope", "Relief valves"),
        ("Microsoft Word - rv_final.doc", "1 Scope", "relief valve"),
        ("", "Contents", "relief valve"),
        ("", "Gmail", "relief valve"),
        ("", "V a l v e s", "relief valve"),
        ("", "Overpres-", "relief valve"),
        ("", "Relief valves of steel", "Relief valves of steel"),
        ("", "安全阀", "安全阀"),
        ("untitled", "", "relief valve"),
        ("Sans nom 1", "", "relief valve"),
        ("Sans titre de propriété", "", "Sans titre de propriété"),
        ("(anonymous)", "", "relief valve"),
        ("", "• FAT16, FAT32", "relief valve"),
        ("report v2.docx", "Annual report", "Annual report"),
        ("Relief Valve", "How to set the valve", "How to set the valve"),
    ],
)
def test_the_title_is_the_first_usable_candidate(told: str, heading: str, title: str) -> None:
    b = builder(told)
    b.heading(heading, 1)
    b.paragraph("Text.")
    assert built(b).title == title


def test_a_lower_case_word_is_a_title_if_metadata_and_heading_agree() -> None:
    b = builder("pg_dump")
    b.heading("pg_dump", 2)
    b.paragraph("It writes a database out.")
    b.heading("Options", 2)
    assert built(b).title == "pg_dump"


def test_a_heading_with_a_number_is_not_the_title() -> None:
    b = builder("")
    b.paragraph("INCIDENT REPORT")
    for heading in ("1. What happened", "2. Findings"):
        b.heading(heading, 1)
        b.paragraph("Text.")
    assert built(b).title == "relief valve"


def test_the_span_of_a_reference_is_its_evidence() -> None:
    b = builder()
    b.paragraph("Before.")
    b.paragraph("Order it at the shop today.", Place(3))
    b.reference(ReferenceKind.HYPERLINK, "https://shop.example/valve", "the shop")
    (reference,) = built(b).references
    assert reference.evidence == reference.provenance.span.slice(built(b).text) == "the shop"
    assert reference.provenance.page == 3


def test_a_link_that_is_also_spelled_out_is_one_reference() -> None:
    b = builder()
    b.paragraph("See https://shop.example/valve for prices.")
    b.reference(ReferenceKind.HYPERLINK, "https://shop.example/valve", "https://shop.example/valve")
    assert len(built(b).references) == 1


def test_cells_that_share_a_position_or_overlap_are_corrected() -> None:
    b = builder()
    b.table([Cell(0, 0, "first"), Cell(0, 0, "second"), Cell(0, 1, "b", row_span=9), Cell(1, 0, "c", column_span=2)])
    (table,) = built(b).tables
    places = [
        (row, column)
        for cell in table.cells
        for row in range(cell.row, cell.row + cell.row_span)
        for column in range(cell.column, cell.column + cell.column_span)
    ]
    assert len(places) == len(set(places))
    assert [cell.text for cell in table.cells] == ["first", "b", "c"]


def test_a_table_far_larger_than_its_cells_is_refused() -> None:
    b = builder()
    with pytest.raises(TooLarge):
        b.table([Cell(0, 0, "A1"), Cell(1_048_575, 16_383, "XFD1048576")])


def test_more_text_than_allowed_is_refused() -> None:
    b = builder(settings=ParseSettings(limits=Limits(output_mb=1)))
    b.paragraph("x" * 600_000)
    with pytest.raises(TooLarge):
        b.paragraph("x" * 600_000)


def test_more_pages_than_allowed_are_refused() -> None:
    b = builder(settings=ParseSettings(limits=Limits(pages=2)))
    b.page(Page(1))
    b.page(Page(2))
    with pytest.raises(TooLarge):
        b.page(Page(3))


def test_children_with_the_same_name_get_numbers() -> None:
    b = builder()
    for data in (b"1", b"2", b"3"):
        b.child(Child("offer.pdf", data))
    names = [child.name for child in b.build().children]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("The valve is to be tested every six months and the result is recorded in the log.", "en"),
        ("Das Ventil ist alle sechs Monate zu prüfen und das Ergebnis wird in der Liste vermerkt.", "de"),
        ("压力变送器应垂直安装在管道上方，安装前检查铭牌。", "zh"),
        ("El caudal de la válvula es medido por el sensor que está en la tubería.", "es"),
        ("4711 0815", ""),
    ],
)
def test_the_language_is_detected(text: str, language: str) -> None:
    b = builder()
    b.paragraph(text)
    assert built(b).language == language
