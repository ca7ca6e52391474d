"""Tests of headings, lists, pages and metadata of DOCX."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from pipelines.core.document import BlockKind, Document
from tests.parse.office.files import docx, p, packed, w

DocumentOf = Callable[..., Document]

STYLES = w(
    "styles",
    '<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:ilvl w:val="1"/>'
    '<w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="Chapter start"/><w:basedOn w:val="H1"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="berschrift3"><w:name w:val="Überschrift 3"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Outlined"><w:name w:val="Own"/><w:pPr>'
    '<w:outlineLvl w:val="3"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="TOCHeading"><w:name w:val="TOC Heading"/><w:basedOn w:val="H1"/>'
    '<w:pPr><w:outlineLvl w:val="9"/></w:pPr></w:style>'
    '<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
    '<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>',
)
NUMBERING = w(
    "numbering",
    '<w:abstractNum w:abstractNumId="0">'
    '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2."/></w:lvl>'
    '<w:lvl w:ilvl="2"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%3)"/></w:lvl>'
    "</w:abstractNum>"
    '<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/><w:lvlText w:val="o"/></w:lvl>'
    "</w:abstractNum>"
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/>'
    "</w:lvlOverride>"
    "</w:num>",
)
PARTS = {"word/styles.xml": STYLES, "word/numbering.xml": NUMBERING}
RELATIONS = [("s", "styles", "styles.xml"), ("n", "numbering", "numbering.xml")]


def numbered(text: str, number: int, level: int = 0) -> str:
    return p(text, properties=f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')


@pytest.fixture
def read(document_of: DocumentOf) -> Callable[[str], Document]:
    return lambda body: document_of("a.docx", docx(body, PARTS, RELATIONS))


def shown(document: Document) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks]


def test_headings_are_recognized_by_style_name_base_style_language_and_outline_level(
    read: Callable[[str], Document],
) -> None:
    body = p("One", "H1") + p("Mine", "Mine") + p("Drei", "berschrift3") + p("Four", "Outlined") + p("Plain", "Nothing")
    own = p("Five", properties='<w:outlineLvl w:val="4"/>')
    assert [(level, text) for kind, level, text in shown(read(body + own)) if kind == "heading"] == [
        (1, "One"),
        (1, "Mine"),
        (3, "Drei"),
        (4, "Four"),
        (5, "Five"),
    ]


def test_the_heading_of_a_table_of_contents_is_not_a_heading(read: Callable[[str], Document]) -> None:
    assert shown(read(p("Contents", "TOCHeading"))) == [("paragraph", 0, "Contents")]


def test_a_heading_has_its_computed_number(read: Callable[[str], Document]) -> None:
    first = p("Start", "H1", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    assert [text for _, _, text in shown(read(first + p("Deeper", "H2") + p("Again", "H2") + first))] == [
        "1 Start",
        "1.1 Deeper",
        "1.2 Again",
        "2 Start",
    ]


def test_a_skipped_level_counts_as_started(read: Callable[[str], Document]) -> None:
    first = p("A", "H1", '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr>')
    third = p("B", "H1", '<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>')
    assert [text for _, _, text in shown(read(first + third + p("C", "H2")))] == ["1 A", "a) B", "1.2 C"]


def test_a_list_continues_after_another_list(read: Callable[[str], Document]) -> None:
    body = numbered("a", 1) + numbered("b", 1) + numbered("bullet", 2) + numbered("c", 1) + numbered("deep", 1, 2)
    assert shown(read(body)) == [
        ("list_item", 1, "1. a"),
        ("list_item", 1, "2. b"),
        ("list_item", 1, "bullet"),
        ("list_item", 1, "3. c"),
        ("list_item", 3, "a) deep"),
    ]


def test_a_list_with_a_start_override_counts_from_there(read: Callable[[str], Document]) -> None:
    assert [text for _, _, text in shown(read(numbered("a", 3) + numbered("b", 3)))] == ["7. a", "8. b"]


def test_numbering_id_zero_removes_a_paragraph_from_its_list(read: Callable[[str], Document]) -> None:
    assert shown(read(numbered("plain", 0))) == [("paragraph", 0, "plain")]


def test_an_empty_numbered_paragraph_is_counted(read: Callable[[str], Document]) -> None:
    assert [text for _, _, text in shown(read(numbered("a", 1) + numbered("<w:r/>", 1) + numbered("c", 1)))] == [
        "1. a",
        "3. c",
    ]


def test_title_caption_and_code_are_recognized_by_style(read: Callable[[str], Document]) -> None:
    body = p("The pump", "T") + p("Figure 1: A pump", "C") + p("x = 1", "Code") + p("y = 2", "Code") + p("End")
    assert shown(read(body)) == [
        ("title", 0, "The pump"),
        ("caption", 0, "Figure 1: A pump"),
        ("code", 0, "x = 1\ny = 2"),
        ("paragraph", 0, "End"),
    ]


def test_rendered_page_breaks_give_pages(read: Callable[[str], Document]) -> None:
    body = p("one") + p("<w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r>") + p("still two")
    document = read(body)
    assert [block.provenance.page for block in document.blocks] == [1, 2, 2]
    assert [page.number for page in document.pages] == [1, 2]


def test_a_manual_page_break_is_counted_once(read: Callable[[str], Document]) -> None:
    body = p("one") + p('<w:r><w:br w:type="page"/></w:r>') + p("<w:r><w:lastRenderedPageBreak/><w:t>two</w:t></w:r>")
    assert [block.provenance.page for block in read(body).blocks] == [1, 2]


def test_without_rendered_page_breaks_there_are_no_pages(read: Callable[[str], Document]) -> None:
    document = read(p("one") + p('<w:r><w:br w:type="page"/></w:r>') + p("two"))
    assert document.pages == ()
    assert {block.provenance.page for block in document.blocks} == {None}


def test_strict_namespaces_are_read_as_transitional_ones(document_of: DocumentOf) -> None:
    data = docx(p("Head", "H1") + p("Text"), PARTS, RELATIONS)
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        parts = {name: _strict(archive.read(name)) for name in archive.namelist()}
    assert shown(document_of("strict.docx", packed(parts))) == [("heading", 1, "Head"), ("paragraph", 0, "Text")]


def _strict(part: bytes) -> bytes:
    for family in (b"wordprocessingml", b"officeDocument"):
        part = part.replace(
            b"http://schemas.openxmlformats.org/" + family + b"/2006/", b"http://purl.oclc.org/ooxml/" + family + b"/"
        )
    return part


def test_a_document_with_nothing_but_a_header_has_it_as_its_text(document_of: DocumentOf) -> None:
    parts = {"word/header1.xml": w("hdr", p("Works order 4711, urgent"))}
    document = document_of("a.docx", docx(p(""), parts, [("h", "header", "header1.xml")]))
    assert [(block.kind, block.text) for block in document.blocks] == [
        (BlockKind.PARAGRAPH, "Works order 4711, urgent")
    ]


def test_headers_and_footers_are_furniture(document_of: DocumentOf) -> None:
    parts = {"word/header1.xml": w("hdr", p("Confidential")), "word/footer1.xml": w("ftr", p("Page 1"))}
    data = docx(p("Body"), parts, [("h", "header", "header1.xml"), ("f", "footer", "footer1.xml")])
    document = document_of("a.docx", data)
    assert document.text == "Body\n\nConfidential"  # which nothing else says
    assert [(block.kind, block.text) for block in document.furniture] == [
        (BlockKind.PAGE_HEADER, "Confidential"),
        (BlockKind.PAGE_FOOTER, "Page 1"),
    ]
