"""Tests of OpenDocument text, sheets and slides."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable

import pytest

from pipelines.core.document import BlockKind, Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.office.odf.document import NAMESPACES
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.office.files import odf

DocumentOf = Callable[..., Document]
NUMBERED = (
    '<text:list-style style:name="L">'
    '<text:list-level-style-number text:level="1" style:num-format="1" style:num-suffix="."/>'
    '<text:list-level-style-number text:level="2" style:num-format="a" style:num-suffix=")"/></text:list-style>'
)


def shown(document: Document) -> list[tuple[str, int, str]]:
    return [(block.kind.value, block.level, block.text) for block in document.blocks]


def test_headings_have_their_outline_level_and_the_title_its_style(document_of: DocumentOf) -> None:
    body = (
        '<text:p text:style-name="P1">Pump</text:p><text:h text:outline-level="2">Use</text:h>'
        '<text:p>a<text:s text:c="2"/>b</text:p>'
    )
    styles = '<style:style style:name="P1" style:parent-style-name="Title"/>'
    assert shown(document_of("a.odt", odf("text", body, styles=styles))) == [
        ("title", 0, "Pump"),
        ("heading", 2, "Use"),
        ("paragraph", 0, "a  b"),
    ]


def test_a_paragraph_in_a_built_in_heading_style_is_a_heading(document_of: DocumentOf) -> None:
    styles = (
        '<style:style style:name="P1" style:parent-style-name="Heading_20_2"/>'
        '<style:style style:name="Heading_20_2" style:display-name="Heading 2"/>'
    )
    document = document_of("a.odt", odf("text", '<text:p text:style-name="P1">Use</text:p>', styles=styles))
    assert shown(document) == [("heading", 2, "Use")]


@pytest.mark.parametrize("kind", ["text-web", "text-master", "text-template"])
def test_variants_of_text_documents_are_read_as_text(kind: str, document_of: DocumentOf) -> None:
    data = odf("text", "<text:p>45 bar</text:p>", parts={"mimetype": f"application/vnd.oasis.opendocument.{kind}"})
    assert document_of("a.odt", data).text == "45 bar"


def test_the_pages_of_a_drawing_are_read(document_of: DocumentOf) -> None:
    body = "<draw:page><draw:custom-shape><text:p>Pump P-7</text:p></draw:custom-shape></draw:page>"
    data = odf("drawing", body, parts={"mimetype": "application/vnd.oasis.opendocument.graphics"})
    assert shown(document_of("a.odg", data)) == [("paragraph", 0, "Pump P-7")]


def test_lists_are_nested_numbered_and_continued(document_of: DocumentOf) -> None:
    def item(*parts: str) -> str:
        return f"<text:list-item>{''.join(parts)}</text:list-item>"

    inner = f"<text:list>{item('<text:p>deep</text:p>')}</text:list>"
    first = (
        "<text:list "
        f'text:style-name="L">{item("<text:p>one</text:p>", inner)}{item("<text:p>two</text:p>")}</text:list>'
    )
    second = (
        f'<text:list text:style-name="L" text:continue-numbering="true">{item("<text:p>three</text:p>")}</text:list>'
    )
    document = document_of("a.odt", odf("text", first + "<text:p>between</text:p>" + second, styles=NUMBERED))
    assert shown(document) == [
        ("list_item", 1, "1. one"),
        ("list_item", 2, "a) deep"),
        ("list_item", 1, "2. two"),
        ("paragraph", 0, "between"),
        ("list_item", 1, "3. three"),
    ]


def test_tables_have_spans_header_rows_and_repeated_rows(document_of: DocumentOf) -> None:
    head = (
        '<table:table-cell table:number-columns-spanned="2"><text:p>a</text:p></table:table-cell>'
        "<table:covered-table-cell/>"
    )
    row = (
        "<table:table-cell><text:p>b</text:p></table:table-cell><table:table-cell><text:p>c</text:p></table:table-cell>"
    )
    body = (
        f"<table:table><table:table-header-rows><table:table-row>{head}</table:table-row></table:table-header-rows>"
        f'<table:table-row table:number-rows-repeated="2">{row}</table:table-row></table:table>'
    )
    (table,) = document_of("a.odt", odf("text", body)).tables
    assert table.grid() == [["a", ""], ["b", "c"], ["b", "c"]]
    assert (table.cells[0].column_span, table.header_rows) == (2, 1)


def test_the_first_row_of_a_form_is_no_header(document_of: DocumentOf) -> None:
    form = "Vessel|V-88|Year|2016 / Power|15 kW|Maker|Lenze / Gauge|PG-12|Date|3 May 2025"
    cells = [
        "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in row.split("|"))
        for row in form.split(" / ")
    ]
    rows = "".join(f"<table:table-row>{row}</table:table-row>" for row in cells)
    (table,) = document_of("a.odt", odf("text", f"<table:table>{rows}</table:table>")).tables
    assert table.header_rows == 0


def test_notes_comments_links_and_boxes_follow_their_paragraph(document_of: DocumentOf) -> None:
    body = (
        '<text:p>see <text:a xlink:href="https://example.org/">site</text:a><text:note><text:note-citation>1</text:note-citation>'
        "<text:note-body><text:p>small</text:p></text:note-body></text:note><office:annotation><dc:creator>Ada</dc:creator>"
        "<text:p>really?</text:p></office:annotation><draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box>"
        "</draw:frame></text:p>"
    )
    document = document_of("a.odt", odf("text", body))
    assert [(kind, text) for kind, _, text in shown(document)] == [
        ("paragraph", "see site"),
        ("paragraph", "boxed"),
        ("footnote", "small"),
        ("note", "[Ada] really?"),
    ]
    assert [(link.kind, link.evidence) for link in document.references] == [(ReferenceKind.HYPERLINK, "site")]


def test_deleted_text_is_not_read(document_of: DocumentOf) -> None:
    deletion = (
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>old</text:p>"
        "</text:deletion></text:changed-region></text:tracked-changes>"
    )
    assert document_of("a.odt", odf("text", deletion + "<text:p>new</text:p>")).text == "new"


def test_a_sheet_is_a_page_and_repeated_cells_are_expanded(document_of: DocumentOf) -> None:
    cells = (
        '<table:table-cell table:number-columns-repeated="2" office:value="3"><text:p>3.0</text:p></table:table-cell>'
    )
    row = f'<table:table-row table:number-rows-repeated="2">{cells}</table:table-row>'
    document = document_of("a.ods", odf("spreadsheet", f'<table:table table:name="Flow">{row}</table:table>'))
    heading, table = document.blocks
    assert (heading.text, table.provenance.label, table.provenance.cells) == ("Flow", "Flow", "A1:B2")
    assert document.tables[0].grid() == [["3.0", "3.0"], ["3.0", "3.0"]]


def test_empty_repetitions_are_free_and_filled_ones_limited(parse_bytes: Callable[..., Parsed]) -> None:
    empty = (
        '<table:table-row table:number-rows-repeated="1048000">'
        '<table:table-cell table:number-columns-repeated="16384"/></table:table-row>'
    )
    cell = "<table:table-cell{}><text:p>x</text:p></table:table-cell>"
    row = f"<table:table-row>{cell.format('')}</table:table-row>"
    parsed = parse_bytes("a.ods", odf("spreadsheet", f'<table:table table:name="T">{empty}{row}</table:table>'))
    assert parsed.document is not None
    assert parsed.document.blocks[-1].provenance.cells == "A1048001"
    wide = cell.format(' table:number-columns-repeated="16384"')
    full = f'<table:table-row table:number-rows-repeated="1048576">{wide}</table:table-row>'
    data = odf("spreadsheet", f'<table:table table:name="T">{full}</table:table>')
    assert parse_bytes("b.ods", data, ParseSettings(limits=Limits(cells=1000))).status is Status.PARTIAL


def test_slides_have_titles_boxes_and_notes(document_of: DocumentOf) -> None:
    def frame(text: str, kind: str, x: int) -> str:
        return (
            f'<draw:frame presentation:class="{kind}" svg:x="{x}pt" svg:y="54pt" svg:width="72pt" svg:height="54pt">'
            f"<draw:text-box><text:p>{text}</text:p></draw:text-box></draw:frame>"
        )

    notes = f"<presentation:notes>{frame('say', 'notes', 0)}</presentation:notes>"
    frames = frame("right", "outline", 300) + frame("left", "outline", 0) + frame("Plan", "title", 0)
    slide = f"<draw:page>{frames}{notes}</draw:page>"
    document = document_of("a.odp", odf("presentation", slide))
    assert [(kind, text) for kind, _, text in shown(document)] == [
        ("heading", "Plan"),
        ("paragraph", "left"),
        ("paragraph", "right"),
        ("note", "say"),
    ]
    (box,) = document.blocks[1].provenance.boxes
    assert (box.left, box.top, box.right, box.bottom) == (0.0, 0.1, 0.1, 0.2)


def test_a_chart_of_a_slide_is_a_figure_with_its_data(document_of: DocumentOf) -> None:
    cells = "<table:table-cell><text:p>{}</text:p></table:table-cell>"
    chart = odf(
        "chart",
        '<chart:chart chart:class="chart:bar"><chart:title><text:p>Load</text:p></chart:title>'
        "<table:table><table:table-row>"
        f"{cells.format('a')}{cells.format('b')}</table:table-row></table:table></chart:chart>",
    )
    with zipfile.ZipFile(io.BytesIO(chart)) as archive:
        content = archive.read("content.xml")
    slide = (
        '<draw:page><draw:frame><draw:object xlink:href="./Object 1"><text:p/></draw:object></draw:frame></draw:page>'
    )
    document = document_of("a.odp", odf("presentation", slide, parts={"Object 1/content.xml": content}))
    assert [block.kind for block in document.blocks] == [BlockKind.FIGURE, BlockKind.CAPTION, BlockKind.TABLE]
    assert document.tables[0].caption == "Load"


def test_a_file_with_a_password_is_encrypted(parse_bytes: Callable[..., Parsed]) -> None:
    manifest = '<manifest:manifest xmlns:manifest="m"><manifest:encryption-data/></manifest:manifest>'
    data = odf("text", "<text:p>x</text:p>", parts={"META-INF/manifest.xml": manifest})
    assert parse_bytes("a.odt", data).status is Status.ENCRYPTED


def test_a_flat_file_is_read_as_a_zipped_one(document_of: DocumentOf) -> None:
    spaces = " ".join(f'xmlns:{name}="{NAMESPACES[name]}"' for name in ("office", "text", "table", "draw"))
    head = f'<?xml version="1.0"?><office:document {spaces} office:mimetype="application/vnd.oasis.opendocument.'
    picture = "<draw:frame><draw:image><office:binary-data>iVBORw0KGgo=</office:binary-data></draw:image></draw:frame>"
    body = f'<text:h text:outline-level="1">Use</text:h><text:p>45 bar{picture}</text:p>'
    whole = '{0}{1}"><office:body><office:{1}>{2}</office:{1}></office:body></office:document>'
    text = document_of("a.fodt", whole.format(head, "text", body))
    assert shown(text)[:2] == [("heading", 1, "Use"), ("paragraph", 0, "45 bar")]
    assert text.figures[0].media_type == "image/png"
    row = "<table:table-row>{}</table:table-row>"
    cells = "".join(f"<table:table-cell><text:p>{name}</text:p></table:table-cell>" for name in ("A", "B"))
    table = f'<table:table table:name="S">{row.format(cells)}{row.format(cells)}</table:table>'
    sheet = document_of("a.xml", whole.format(head, "spreadsheet", table))
    assert sheet.tables[0].grid() == [["A", "B"], ["A", "B"]]
