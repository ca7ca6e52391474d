import pytest

from pipelines.core.table import Cell, Table, is_data

PRICES = Table(
    "table:1", 3, 2,
    (
        Cell(0, 0, "Spare parts", column_span=2, header=True),
        Cell(1, 0, "O-ring | 40 mm"), Cell(1, 1, "3.50"),
        Cell(2, 0, "Seal\nset"), Cell(2, 1, "<48>"),
    ),
    caption="Prices & parts",
)  # fmt: skip


def test_the_text_of_a_spanning_cell_is_in_its_first_position() -> None:
    assert PRICES.grid()[0] == ["Spare parts", ""]


def test_the_text_has_one_line_per_row() -> None:
    assert PRICES.to_text().splitlines() == ["Spare parts |", "O-ring | 40 mm | 3.50", "Seal set | <48>"]


def test_markdown_escapes_column_separators() -> None:
    assert "| O-ring \\| 40 mm | 3.50 |" in PRICES.to_markdown()


def test_html_keeps_spans_headers_and_escapes() -> None:
    html = PRICES.to_html()
    assert '<th colspan="2">Spare parts</th>' in html
    assert "&lt;48&gt;" in html
    assert "<caption>Prices &amp; parts</caption>" in html


def test_header_rows_consist_only_of_header_cells() -> None:
    assert PRICES.header_rows == 1


def test_an_empty_table_has_no_markdown() -> None:
    assert Table("table:0", 0, 0, ()).to_markdown() == ""


@pytest.mark.parametrize(
    ("rows", "data"),
    [
        ("1N4148 | D1,D2 | C2128 / 8MHz | Y2 | C112659 / 0.1uF | C1 | C49678", True),
        ("Gewicht | 395 kg / Länge | 2 m / Werkstoff | FKM / Drehzahl | 1450 1/min", True),
        ("压力 | 16 bar / 质量 | 395 kg", True),
        ("Part | Designator | Code / 1N4148 | D1 | C2128 / 8MHz | Y2 | C112659", False),
        ("Property | K80-250 / Weight | 395 kg / Length | 2 m", False),
        ("Product | 2020 | 2021 / Pumps | 300 | 350 / Valves | 20 | 10", False),
        ("Name | Town / Anna | Bergen", False),
        ("P-101 | 16", False),
        ("Thickness | 0.5 | mm / Heat conductivity | 1 | W/m.K / Area | 12 | cm²", True),
        ("Product | 2020 | Total / Pumps | 300 | 350 / Valves | 20 | 30", False),
        ("Type | 100 | Remark / A | 3 | for cold water only / B | 4 | -", False),
        ("Machine | Pump P-301 | Date | 3 June 2025 / Customer | Raffinerie Nord | Engineer | Astrid Holm", True),
        (
            "Object | Motor M4 | Maker | Lenze / Power | 15 kW | Year | 2016 / Tester | C. Hagedorn | Voltage | 1000 V",
            True,
        ),
        ("Part | Mass 1 | Material | Density / Shaft | 15 kg | steel | 7.8 / Case | 21 kg | iron | 7.2", False),
        ("Maschine | Presse 4 | Prüfer | Ivo Kranz / Halle | Nord | Datum | 3.6.2025 / Los | 4 | Ort | Ulm", True),
        ("Type | DN 50 | Material | Weight / A | 3 | steel | 5 / B | 4 | brass | 7", False),
        ("Type | DN 50 | Material | DN 80 / A | 3 | steel | 5 / B | 4 | steel | 7", False),
        ("Asset | Counter 2025 | Counter 2024 | Change / Filler | 18 | 13 | 5 / Dryer | 52 | 43 | 9", False),
        ("Report no. | IR-118 / Vessel | Receiver V-220 / Made by | Kranz", True),
        ("Property | KT 40 / Weight | 610 kg / Power | 12 kW / Gas | R513A", False),
        ("Name | Town | Street | Country / Anna | Bergen | Torget | Norway", False),
    ],
)
def test_a_first_row_of_the_same_form_as_the_others_is_data(rows: str, data: bool) -> None:
    cells = [
        Cell(row, column, text)
        for row, line in enumerate(rows.split(" / "))
        for column, text in enumerate(line.split(" | "))
    ]
    assert is_data(cells) is data


def test_html_fills_positions_without_a_cell() -> None:
    cells = (Cell(0, 0, "a", row_span=2), Cell(0, 2, "c"), Cell(1, 1, "b"), Cell(2, 2, "d"))
    html = Table("t", 3, 3, cells).to_html()
    rows = [
        '<td rowspan="2">a</td><td></td><td>c</td>',
        "<td>b</td><td></td>",
        "<td></td><td></td><td>d</td>",
    ]
    assert html == f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


@pytest.mark.parametrize(
    ("rows", "header", "expected"),
    [
        ("Body | Brass, stainless steel 1.4408 / Seal | NBR / Medium | 0 to +80 °C / Coil | PPS", False, True),
        ("Body | Brass, stainless steel 1.4408 / Seal | NBR / Medium | 0 to +80 °C / Coil | PPS", True, False),
        ("Property | Value at 20 °C / Density | 0.89 / Viscosity | 220", False, False),
    ],
)
def test_a_long_text_above_shorter_ones_is_no_header_unless_marked(rows: str, header: bool, expected: bool) -> None:
    cells = tuple(
        Cell(row, column, text, header=header and not row)
        for row, line in enumerate(rows.split(" / "))
        for column, text in enumerate(line.split(" | "))
    )
    assert Table("table:0", len(rows.split(" / ")), 2, cells).begins_with_data is expected
