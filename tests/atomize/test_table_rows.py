from __future__ import annotations

import pytest

from pipelines.atomize.table_rows import TableRows, value_type
from pipelines.core.knowledge import Field
from pipelines.core.table import Cell, Table
from tests.chunk.build import table


def table_rows(*rows: list[str], headers: int = 1) -> TableRows:
    made = table(*rows, headers=headers).table
    assert made is not None
    return TableRows.of(made)


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ("3.5", "number"), ("-12", "number"), ("1,250", "number"), ("≤ 4", "number"), ("16 bar", "quantity"),
        ("40 °C", "quantity"), ("3.2kW", "quantity"), ("25 毫米", "quantity"), ("97.5 %", "percent"), ("$ 12", "money"),
        ("2024-05-01", "date"), ("2024年5月", "date"), ("01.05.2024", "date"), ("yes", "boolean"), ("否", "boolean"),
        ("a.b@c.org", "email"), ("https://a.b", "url"), ("DS-2041", "identifier"), ("stainless steel", "text"),
        ("", "text"),
    ],
)  # fmt: skip
def test_the_type_of_a_cell_value_is_detected(value: str, kind: str) -> None:
    assert value_type(value) == kind


def test_a_row_statement_consists_of_the_first_cell_and_headed_values() -> None:
    made = table_rows(["Pump", "Pressure", "Material"], ["P-101A", "16 bar", "steel"])
    assert made.statement(1) == "P-101A: Pressure: 16 bar; Material: steel"
    assert made.fields(1) == (
        Field("Pump", "P-101A", "identifier"), Field("Pressure", "16 bar", "quantity"), Field("Material", "steel")
    )  # fmt: skip


def test_a_generic_header_of_a_second_column_is_omitted_from_the_statement() -> None:
    assert table_rows(["Field", "Value"], ["Customer", "Acme"]).statement(1) == "Customer: Acme"


def test_a_row_number_is_not_the_subject_of_the_row_statement() -> None:
    assert table_rows(["No", "Part"], ["1", "bolt"]).statement(1) == "No: 1; Part: bolt"


def test_empty_cells_are_left_out() -> None:
    made = table_rows(["Pump", "Pressure", "Material"], ["P-101A", "", "steel"], ["", "", ""])
    assert made.statement(1) == "P-101A: Material: steel"
    assert made.statement(2) == ""


def test_without_header_flags_a_first_row_of_labels_is_the_header() -> None:
    assert table_rows(["Part", "Size"], ["bolt", "8"], headers=0).names == ("Part", "Size")
    assert table_rows(["bolt", "8"], ["nut", "9"], headers=0).names == ("", "")


def test_headers_of_several_rows_are_joined_and_spanning_cells_repeated() -> None:
    cells = (
        Cell(0, 0, "Pump", row_span=2, header=True),
        Cell(0, 1, "Pressure", column_span=2, header=True),
        Cell(1, 1, "min", header=True),
        Cell(1, 2, "max", header=True),
        Cell(2, 0, "P-101A", row_span=2),
        *(Cell(r, c, str(r * c)) for r in (2, 3) for c in (1, 2)),
    )
    made = TableRows.of(Table("t", 4, 3, cells))
    assert made.names == ("Pump", "Pressure min", "Pressure max")
    assert made.statement(3) == "P-101A: Pressure min: 3; Pressure max: 6"


def test_behind_row_headers_the_first_row_may_have_numbers_as_names() -> None:
    texts = [["Version", "2.3", "2.2"], ["Author", "Keller", "Ortiz"]]
    cells = [Cell(r, c, text, header=not c) for r, row in enumerate(texts) for c, text in enumerate(row)]
    made = TableRows.of(Table("t", 2, 3, tuple(cells)))
    assert (made.names, made.statement(1)) == (("Version", "2.3", "2.2"), "Author: 2.3: Keller; 2.2: Ortiz")
    assert TableRows.of(Table("t", 2, 2, tuple(cell for cell in cells if cell.column < 2))).names == ("", "")


def test_the_name_of_a_group_of_rows_is_repeated_below_it() -> None:
    rows = [["MCC-1", "A", "W1", "42"], ["", "", "W2", "57"], ["", "B", "W3", "31"], ["MCC-2", "A", "W4", "88"]]
    made = table_rows(["Panel", "Section", "Cable", "Length"], *rows, ["", "", "W5", "9"])
    assert [row[:2] for row in made.rows[1:]] == [
        ("MCC-1", "A"), ("MCC-1", "A"), ("MCC-1", "B"), ("MCC-2", "A"), ("MCC-2", "A")
    ]  # fmt: skip
    assert made.statement(2) == "MCC-1: Section: A; Cable: W2; Length: 57"


@pytest.mark.parametrize(
    "rows",
    [
        (["1A", "Ann", "x"], ["1B", "Ben", "x"], ["2A", "Cid", "x"], ["", "Dan", "x"], ["", "Eve", "x"]),
        (["Pump", "a", "1"], ["", "b", "2"], ["Pump", "c", "3"], ["", "d", "4"]),
        (["Pump", "a", "1"], ["", "", "2"], ["Fan", "c", ""], ["", "d", "4"]),
        (["", "a", "1"], ["Pump", "b", "2"], ["", "c", "3"]),
    ],
)
def test_an_empty_cell_that_is_in_no_group_stays_empty(rows: tuple[list[str], ...]) -> None:
    assert table_rows(["Class", "Name", "Value"], *rows).rows[1:] == tuple(map(tuple, rows))


def test_pairs_of_labels_and_values_may_have_an_empty_column_between_them() -> None:
    made = table_rows(["Report", "IR-1", "", "Date", "3 June"], ["Crane", "Hall 4", "", "Made", "2004"], headers=0)
    assert made.statement(1) == "Crane: Hall 4; Made: 2004"


@pytest.mark.parametrize("header", [True, False])
def test_the_names_of_columns_are_below_a_title_over_all_of_them(header: bool) -> None:
    rows = [["Chiller series KT", "", ""], ["Parameter", "Unit", "KT 40"], ["Weight", "kg", "610"]]
    cells = [
        Cell(number, column, text, column_span=1 if number else 3, header=header and not number)
        for number, row in enumerate(rows)
        for column, text in enumerate(row)
        if text
    ]
    made = TableRows.of(Table("t", 3, 3, tuple(cells)))
    assert made.names == ("Parameter", "Unit", "KT 40")
    assert made.statement(2) == "Weight: Unit: kg; KT 40: 610"
    cells.append(Cell(3, 0, "Chiller series KW", column_span=3))
    assert TableRows.of(Table("t", 4, 3, tuple(cells))).first_row == int(header)
