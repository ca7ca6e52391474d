"""Tests of DOCX tables: spans, header rows, rich cells and nested tables."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.core.document import Document
from pipelines.core.table import Table
from tests.parse.office.files import docx, p, tbl, tc, tr, w

DocumentOf = Callable[..., Document]
Span = tuple[int, int, int, int, str]


def spans(table: Table) -> list[Span]:
    return [(cell.row, cell.column, cell.row_span, cell.column_span, cell.text) for cell in table.cells]


def only_table(document: Document) -> Table:
    (table,) = document.tables
    return table


def test_cells_span_columns_and_rows(document_of: DocumentOf) -> None:
    start, on = '<w:vMerge w:val="restart"/>', "<w:vMerge/>"
    body = tbl(
        tr(tc("a"), tc("b", '<w:gridSpan w:val="2"/>')),
        tr(tc("c", start), tc("d"), tc("e")),
        tr(tc("", on), tc("f"), tc("g")),
    )
    assert spans(only_table(document_of("a.docx", docx(body)))) == [
        (0, 0, 1, 1, "a"),
        (0, 1, 1, 2, "b"),
        (1, 0, 2, 1, "c"),
        (1, 1, 1, 1, "d"),
        (1, 2, 1, 1, "e"),
        (2, 1, 1, 1, "f"),
        (2, 2, 1, 1, "g"),
    ]


def test_a_row_may_begin_at_a_later_column(document_of: DocumentOf) -> None:
    body = tbl(tr(tc("a"), tc("b")), tr(tc("c"), properties='<w:gridBefore w:val="1"/>'))
    assert only_table(document_of("a.docx", docx(body))).grid() == [["a", "b"], ["", "c"]]


def test_an_excessive_span_is_limited(document_of: DocumentOf) -> None:
    body = tbl(tr(tc("a", '<w:gridSpan w:val="999999999"/>'), tc("b")))
    assert only_table(document_of("a.docx", docx(body))).columns < 2_000


def test_repeated_rows_are_headers_or_else_the_first_row(document_of: DocumentOf) -> None:
    marked = tbl(tr(tc("a"), properties="<w:tblHeader/>"), tr(tc("b"), properties="<w:tblHeader/>"), tr(tc("c")))
    assert only_table(document_of("a.docx", docx(marked))).header_rows == 2
    assert only_table(document_of("a.docx", docx(tbl(tr(tc("a")), tr(tc("b")))))).header_rows == 1


def test_a_deleted_row_is_omitted(document_of: DocumentOf) -> None:
    body = tbl(tr(tc("a"), tc("b")), tr(tc("gone"), tc("gone"), properties="<w:del/>"), tr(tc("c"), tc("d")))
    assert only_table(document_of("a.docx", docx(body))).grid() == [["a", "b"], ["c", "d"]]


def test_a_cell_of_several_paragraphs_is_rich_and_has_a_line_for_each(document_of: DocumentOf) -> None:
    table = only_table(document_of("a.docx", docx(tbl(tr(tc(p("one") + p("two")), tc("plain"))))))
    assert [(cell.text, cell.rich) for cell in table.cells] == [("one\ntwo", True), ("plain", False)]


def test_a_nested_table_follows_the_outer_one_as_a_separate_table(document_of: DocumentOf) -> None:
    inner = tbl(tr(tc("x"), tc("y")))
    document = document_of("a.docx", docx(tbl(tr(tc("a"), tc(p("before") + inner + p("after"))))))
    assert [table.grid() for table in document.tables] == [[["a", "before\nafter"]], [["x", "y"]]]


def test_a_table_of_one_cell_is_read_as_paragraphs(document_of: DocumentOf) -> None:
    document = document_of("a.docx", docx(tbl(tr(tc(p("Note") + p("well"))))))
    assert document.tables == ()
    assert [block.text for block in document.blocks] == ["Note", "well"]


def test_a_list_number_without_text_is_the_text_of_its_cell(document_of: DocumentOf) -> None:
    numbering = w(
        "numbering",
        '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:lvlText w:val="%1."/></w:lvl></w:abstractNum>'
        '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>',
    )
    count = p("<w:r/>", properties='<w:numPr><w:numId w:val="1"/></w:numPr>')
    body = tbl(tr(tc(count), tc("pump")), tr(tc(count), tc("valve")))
    data = docx(body, {"word/numbering.xml": numbering}, [("n", "numbering", "numbering.xml")])
    assert only_table(document_of("a.docx", data)).grid() == [["1.", "pump"], ["2.", "valve"]]


def test_pictures_and_links_of_cells_follow_the_table(document_of: DocumentOf, png: bytes) -> None:
    picture = '<w:r><w:drawing><a:graphic><a:blip r:embed="i"/></a:graphic></w:drawing></w:r>'
    link = '<w:hyperlink r:id="h"><w:r><w:t>shop</w:t></w:r></w:hyperlink>'
    relations = [("i", "image", "media/a.png"), ("h", "hyperlink", "https://example.org/")]
    data = docx(tbl(tr(tc(p(picture)), tc(p(link)))), {"word/media/a.png": png}, relations)
    document = document_of("a.docx", data)
    assert [block.kind.value for block in document.blocks] == ["table", "figure"]
    assert [(link.target, link.evidence) for link in document.references] == [("https://example.org/", "shop")]


def test_a_chart_is_a_figure_with_its_data_as_a_table(document_of: DocumentOf) -> None:
    def points(*texts: str) -> str:
        return "".join(f'<c:pt idx="{at}"><c:v>{text}</c:v></c:pt>' for at, text in enumerate(texts))

    series = (
        f"<c:ser><c:tx><c:strRef><c:strCache>{points('Sales')}</c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{points('Q1', 'Q2')}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{points('10', '20')}</c:numCache></c:numRef></c:val></c:ser>"
    )
    title = "<c:title><c:tx><c:rich><a:p><a:r><a:t>Revenue</a:t></a:r></a:p></c:rich></c:tx></c:title>"
    chart = w("x", f"<c:chart>{title}<c:plotArea><c:barChart>{series}</c:barChart></c:plotArea></c:chart>")
    drawing = (
        '<w:r><w:drawing><a:graphic><a:graphicData><c:chart r:id="c"/></a:graphicData></a:graphic></w:drawing></w:r>'
    )
    document = document_of("a.docx", docx(p(drawing), {"word/charts/c.xml": chart}, [("c", "chart", "charts/c.xml")]))
    assert [(block.kind.value, block.text) for block in document.blocks] == [
        ("figure", "Bar chart: Sales"),
        ("caption", "Revenue"),
        ("table", "| Sales\nQ1 | 10\nQ2 | 20"),
    ]
    assert document.tables[0].caption == "Revenue"

    numbers = "".join(
        f"<c:ser><c:tx><c:strRef><c:strCache>{points(name)}</c:strCache></c:strRef></c:tx>"
        f"<c:xVal><c:numRef><c:numCache>{points(*at)}</c:numCache></c:numRef></c:xVal>"
        f"<c:yVal><c:numRef><c:numCache>{points('5', '6')}</c:numCache></c:numRef></c:yVal></c:ser>"
        for name, at in (("Pump A", ("1", "2")), ("Pump B", ("3", "4")))
    )
    chart = w("x", f"<c:chart><c:plotArea><c:scatterChart>{numbers}</c:scatterChart></c:plotArea></c:chart>")
    document = document_of("a.docx", docx(p(drawing), {"word/charts/c.xml": chart}, [("c", "chart", "charts/c.xml")]))
    table = document.blocks[-1].text
    assert table == "Series | x | y\nPump A | 1 | 5\nPump A | 2 | 6\nPump B | 3 | 5\nPump B | 4 | 6"
