"""Tests of XLSX sheets: pages, cells, comments, links, charts and limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pipelines.core.document import BlockKind, Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.parse.office.files import relationships, rows, w, x, xlsx

DocumentOf = Callable[..., Document]


def test_a_sheet_is_a_page_with_its_name_and_its_table_has_a_range(document_of: DocumentOf) -> None:
    document = document_of("a.xlsx", xlsx(rows(["Part", "Qty"], ["Pump", 2]), names=["Off-the-shelf"]))
    heading, table = document.blocks
    assert (heading.kind, heading.text) == (BlockKind.HEADING, "Off-the-shelf")
    assert (table.provenance.page, table.provenance.label, table.provenance.cells) == (1, "Off-the-shelf", "A1:B2")
    assert [cell.address for cell in document.tables[0].cells] == ["A1", "B1", "A2", "B2"]
    assert [(page.number, page.label) for page in document.pages] == [(1, "Off-the-shelf")]


def test_a_title_above_a_table_is_a_paragraph_and_its_caption(document_of: DocumentOf) -> None:
    rates = [
        ["Rates 2025", None, None],
        ["Without VAT", None, None],
        [],
        ["Service", "Unit", "Price"],
        ["Fitter", "h", 9],
    ]
    discounts = [[], ["Discounts 2"], ["Quantity", None, "Discount"], ["10 to 49", None, 5], ["50 to 99", None, 12]]
    sheet = rows(*rates, *discounts) + '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>'
    document = document_of("a.xlsx", xlsx(sheet))
    kinds = [(block.kind.value, block.provenance.cells) for block in document.blocks]
    paragraphs = [
        ("paragraph", "A1:C1"),
        ("paragraph", "A2"),
        ("table", "A4:C5"),
        ("paragraph", "A7"),
        ("table", "A8:C10"),
    ]
    assert kinds == paragraphs
    assert [table.caption for table in document.tables] == ["Rates 2025\nWithout VAT", "Discounts 2"]
    assert [table.header_rows for table in document.tables] == [1, 1]


def test_a_default_sheet_name_is_not_a_heading(document_of: DocumentOf) -> None:
    document = document_of("a.xlsx", xlsx(rows(["a"]), rows(["b"]), names=["Sheet1", "Tabelle2"]))
    assert [block.kind for block in document.blocks] == [BlockKind.TABLE, BlockKind.TABLE]


def test_if_one_sheet_has_a_custom_name_every_sheet_name_is_a_heading(document_of: DocumentOf) -> None:
    document = document_of("a.xlsx", xlsx(rows(["a"]), rows(["b"]), names=["BOM", "Sheet2"]))
    assert [section.title for section in document.sections[1:]] == ["BOM", "Sheet2"]


def test_column_names_below_group_names_are_headers_too(document_of: DocumentOf) -> None:
    sheet = rows(["Part", "Price", None], [None, "EUR", "USD"], ["pump", 1, 2])
    sheet += '<mergeCells><mergeCell ref="A1:A2"/><mergeCell ref="B1:C1"/></mergeCells>'
    assert document_of("a.xlsx", xlsx(sheet)).tables[0].header_rows == 2


def test_cells_in_opposite_corners_are_two_small_tables(document_of: DocumentOf) -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>'
    document = document_of("a.xlsx", xlsx(rows([1]).replace("</sheetData>", far)))
    assert [block.provenance.cells for block in document.blocks] == ["A1", "XFD1048576"]


def test_merged_cells_have_spans(document_of: DocumentOf) -> None:
    sheet = rows(["head", None, "c"], ["a", "b", "d"]) + '<mergeCells><mergeCell ref="A1:B1"/></mergeCells>'
    (table,) = document_of("a.xlsx", xlsx(sheet)).tables
    assert [(cell.row, cell.column, cell.column_span) for cell in table.cells][:2] == [(0, 0, 2), (0, 2, 1)]


def test_a_merged_title_above_a_table_is_a_paragraph_and_its_caption(document_of: DocumentOf) -> None:
    sheet = rows(
        ["Test bench 7", None, None], [], ["run", "date", "bar"], ["KV-01", "Monday", 6], ["KV-02", "Friday", 7]
    )
    document = document_of("a.xlsx", xlsx(sheet + '<mergeCells><mergeCell ref="A1:C1"/></mergeCells>'))
    assert [block.kind for block in document.blocks] == [BlockKind.PARAGRAPH, BlockKind.TABLE]
    assert document.tables[0].caption == "Test bench 7"


def test_values_are_converted_to_text(document_of: DocumentOf) -> None:
    styles = x(
        "styleSheet",
        '<numFmts><numFmt numFmtId="200" formatCode="0.0%"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="200"/></cellXfs>',
    )
    strings = x("sst", "<si><t>plain</t></si><si><r><t>ri</t></r><r><t>ch_x000D_</t></r><rPh><t>no</t></rPh></si>")
    cells = (
        '<c t="s"><v>0</v></c><c t="s"><v>1</v></c><c s="1"><v>43831</v></c><c s="2"><v>0.125</v></c>'
        '<c t="b"><v>1</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v>formula</v></c>'
        '<c><f>SUM(A1:A2)</f></c><c><f>A1*2</f><v/></c><c t="d"><v>2020-01-02T00:00:00</v></c>'
        '<c><v>35.900000000000006</v></c><c t="s"><v>99</v></c>'
    )
    parts = {"xl/styles.xml": styles, "xl/sharedStrings.xml": strings}
    relations = [("y", "styles", "styles.xml"), ("t", "sharedStrings", "sharedStrings.xml")]
    data = xlsx(f"<sheetData><row>{cells}</row></sheetData>", parts=parts, relations=relations)
    (table,) = document_of("a.xlsx", data).tables
    assert table.grid() == [
        [
            "plain",
            "rich",
            "2020-01-01",
            "12.5%",
            "TRUE",
            "#DIV/0!",
            "formula",
            "=SUM(A1:A2)",
            "=A1*2",
            "2020-01-02 00:00:00",
            "35.9",
        ]
    ]


def test_a_price_has_its_stored_and_its_displayed_form(document_of: DocumentOf) -> None:
    styles = x(
        "styleSheet",
        '<numFmts><numFmt numFmtId="200" formatCode="&quot;$&quot;#,##0.00"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="200"/></cellXfs>',
    )
    sheet = rows(["Part", "Price"], ["Pump", 1234.5]).replace('r="B2"', 'r="B2" s="1"')
    data = xlsx(sheet, parts={"xl/styles.xml": styles}, relations=[("y", "styles", "styles.xml")])
    document = document_of("a.xlsx", data)
    assert document.text == "Part | Price\nPump | 1234.5 ($1,234.50)"
    assert [cell.text for cell in document.tables[0].cells][-1] == "1234.5"


def test_comments_name_their_cell_and_a_thread_replaces_its_placeholder(
    document_of: DocumentOf,
) -> None:
    old = x(
        "comments",
        "<authors><author>Ada</author><author>tc={1}</author></authors><commentList>"
        '<comment ref="A1" authorId="0"><text><r><t>Ada:\n</t></r><r><t>check this</t></r></text></comment>'
        '<comment ref="B2" authorId="1"><text><t>[Threaded comment]\nYour version ...</t></text></comment>'
        "</commentList>",
    )
    thread = x("ThreadedComments", '<threadedComment ref="B2" personId="{p}"><text>why two?</text></threadedComment>')
    parts = {
        "xl/comments1.xml": old,
        "xl/threadedComments/t1.xml": thread,
        "xl/persons/person.xml": x("personList", '<person id="{p}" displayName="Bob"/>'),
        "xl/worksheets/_rels/sheet1.xml.rels": relationships(
            [("c", "comments", "../comments1.xml"), ("t", "threadedComment", "../threadedComments/t1.xml")]
        ),
    }
    notes = [
        block
        for block in document_of("a.xlsx", xlsx(rows(["Part", "Price"], ["pump", 2], ["seal", 3]), parts=parts)).blocks
        if block.kind is BlockKind.NOTE
    ]
    assert [(note.text, note.provenance.cells) for note in notes] == [
        ("[Bob, B2: pump, Price] why two?", "B2"),
        ("[Ada, A1: Part] check this", "A1"),
    ]


def test_a_comment_without_author_and_cell_has_no_prefix(document_of: DocumentOf) -> None:
    parts = {
        "xl/comments1.xml": x(
            "comments", "<commentList><comment><text><t>check this</t></text></comment></commentList>"
        ),
        "xl/worksheets/_rels/sheet1.xml.rels": relationships([("c", "comments", "../comments1.xml")]),
    }
    document = document_of("a.xlsx", xlsx(rows(["a", 2]), parts=parts))
    assert [block.text for block in document.blocks if block.kind is BlockKind.NOTE] == ["check this"]


def test_links_of_cells_and_formulas_are_references(document_of: DocumentOf) -> None:
    sheet = (
        '<sheetData><row><c r="A1" t="inlineStr"><is><t>shop</t></is></c>'
        '<c r="B1" t="str"><f>HYPERLINK("https://example.org/b","b")</f><v>b</v></c></row></sheetData>'
        '<hyperlinks><hyperlink ref="A1" r:id="h"/></hyperlinks>'
    )
    parts = {"xl/worksheets/_rels/sheet1.xml.rels": relationships([("h", "hyperlink", "https://example.org/a")])}
    found = document_of("a.xlsx", xlsx(sheet, parts=parts)).references
    assert {(link.kind, link.target, link.evidence) for link in found} == {
        (ReferenceKind.HYPERLINK, "https://example.org/a", "shop"),
        (ReferenceKind.HYPERLINK, "https://example.org/b", "b"),
    }


@pytest.mark.parametrize(("source", "tables"), [("Sheet1!$B$2:$B$3", 1), ("[1]Other!$B$2:$B$3", 2)])
def test_a_chart_of_cells_in_the_workbook_is_not_repeated_as_a_table(
    document_of: DocumentOf, source: str, tables: int
) -> None:
    series = (
        f'<c:ser><c:val><c:numRef><c:f>{source}</c:f><c:numCache><c:pt idx="0"><c:v>7</c:v></c:pt>'
        "</c:numCache></c:numRef></c:val></c:ser>"
    )
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Load</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    drawing = w("x", "").replace(
        "<w:x ", '<xdr:wsDr xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" '
    )
    drawing = drawing.replace(
        "></w:x>",
        "><xdr:oneCellAnchor><xdr:from><xdr:col>3</xdr:col><xdr:row>1</xdr:row></xdr:from><xdr:graphicFrame><a:graphic>"
        '<a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></xdr:graphicFrame>'
        "</xdr:oneCellAnchor></xdr:wsDr>",
    )
    parts = {
        "xl/worksheets/_rels/sheet1.xml.rels": relationships([("d", "drawing", "../drawings/d.xml")]),
        "xl/drawings/d.xml": drawing,
        "xl/drawings/_rels/d.xml.rels": relationships([("c", "chart", "../charts/c.xml")]),
        "xl/charts/c.xml": w(
            "x", f"<c:chart>{title}<c:plotArea><c:lineChart>{series}</c:lineChart></c:plotArea></c:chart>"
        ),
    }
    document = document_of("a.xlsx", xlsx(rows(["a", "b"], ["c", 7], ["d", 8]) + '<drawing r:id="d"/>', parts=parts))
    assert len(document.tables) == tables
    assert "Load" in [block.text for block in document.blocks if block.kind is BlockKind.CAPTION]
    assert document.figures[0].description.startswith("Line chart")


def test_hidden_sheets_are_read_and_reported(document_of: DocumentOf) -> None:
    document = document_of("a.xlsx", xlsx(rows(["a"]), rows(["b"]), states=["visible", "veryHidden"]))
    assert document.notes == ("the sheet 'Sheet2' is hidden",)
    assert document.text == "a\n\nb"


def test_a_sheet_over_the_limit_of_cells_is_partial(parse_bytes: Callable[..., Parsed]) -> None:
    settings = ParseSettings(limits=Limits(cells=4))
    parsed = parse_bytes("a.xlsx", xlsx(rows(*[[n, n] for n in range(9)]), rows(["whole"])), settings)
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "page 1: rows from 3 on are left out: more than 4 cells"
    assert parsed.document is not None
    assert parsed.document.text == "0 | 0\n1 | 1\n\nwhole"


def test_a_huge_merged_range_or_filter_is_not_expanded(document_of: DocumentOf) -> None:
    far = '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row></sheetData>'
    sheet = rows([1]).replace("</sheetData>", far) + '<autoFilter ref="A1:XFD1048576"/>'
    sheet += '<mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    assert document_of("a.xlsx", xlsx(sheet)).text == "1\n\n2"


def test_a_missing_sheet_does_not_affect_others(parse_bytes: Callable[..., Parsed]) -> None:
    relations = [("s2", "worksheet", "worksheets/gone.xml")]
    parsed = parse_bytes("a.xlsx", xlsx(rows(["a"]), rows(["b"]), relations=relations))
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "page 2: the sheet is missing")
