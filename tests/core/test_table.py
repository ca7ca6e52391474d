from pipelines.core.table import Cell, Table

PRICES = Table(
    "table:1", 3, 2,
    (
        Cell(0, 0, "Spare parts", column_span=2, header=True),
        Cell(1, 0, "O-ring | 40 mm"), Cell(1, 1, "3.50"),
        Cell(2, 0, "Seal\nset"), Cell(2, 1, "<48>"),
    ),
    caption="Prices & parts",
)  # fmt: skip


def test_a_spanning_cell_stands_in_its_first_place() -> None:
    assert PRICES.grid()[0] == ["Spare parts", ""]


def test_the_text_has_one_line_a_row() -> None:
    assert PRICES.to_text().splitlines() == ["Spare parts |", "O-ring | 40 mm | 3.50", "Seal set | <48>"]


def test_markdown_escapes_what_would_divide_a_cell() -> None:
    assert "| O-ring \\| 40 mm | 3.50 |" in PRICES.to_markdown()


def test_html_keeps_spans_headers_and_escapes() -> None:
    html = PRICES.to_html()
    assert '<th colspan="2">Spare parts</th>' in html
    assert "&lt;48&gt;" in html
    assert "<caption>Prices &amp; parts</caption>" in html


def test_header_rows_are_those_with_headers_alone() -> None:
    assert PRICES.header_rows == 1


def test_an_empty_table_has_no_markdown() -> None:
    assert Table("table:0", 0, 0, ()).to_markdown() == ""
