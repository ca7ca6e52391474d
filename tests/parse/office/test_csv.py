"""Tests of files that are one table: delimited files, Parquet and Arrow."""

from __future__ import annotations

import io
from collections.abc import Callable
from datetime import date

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pipelines.core.document import Document
from pipelines.core.outcome import Status
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings

DocumentOf = Callable[..., Document]


@pytest.mark.parametrize(
    ("text", "grid"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a;b\n1,5;2,5\n", [["a", "b"], ["1,5", "2,5"]]),
        ("a\tb\n1, 2\t3\n", [["a", "b"], ["1, 2", "3"]]),
        ("sep=|\na|b\n", [["a", "b"]]),
        ('a,b\n"x, ""y""",2\n', [["a", "b"], ['x, "y"', "2"]]),
        ("a , b\n 1 , 2 \n", [["a", "b"], ["1", "2"]]),
        ("a,b\n1,2,3\n4\n", [["a", "b", ""], ["1", "2", "3"], ["4", "", ""]]),
        ("a,b\r\n\r\n1,2\r\n", [["a", "b"], ["1", "2"]]),
    ],
)
def test_rows_are_split_at_the_delimiter_of_the_file(document_of: DocumentOf, text: str, grid: list[list[str]]) -> None:
    (table,) = document_of("a.csv", text).tables
    assert table.grid() == grid


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_the_encoding_is_detected(document_of: DocumentOf, encoding: str) -> None:
    text = "Teil;Größe\nSchraube;überlang\nMüll;schön\n"
    assert document_of("a.csv", text.encode(encoding)).tables[0].grid()[1] == ["Schraube", "überlang"]


def test_the_first_row_is_a_header_unless_it_contains_numbers(document_of: DocumentOf) -> None:
    assert document_of("a.csv", "Part,Qty\npump,2\n").tables[0].header_rows == 1
    assert document_of("a.csv", "1,2.5\n3,4\n").tables[0].header_rows == 0


def test_cells_have_addresses_and_the_table_a_range(document_of: DocumentOf) -> None:
    document = document_of("a.csv", "a,b\n1,2\n")
    assert document.blocks[0].provenance.cells == "A1:B2"
    assert [cell.address for cell in document.tables[0].cells] == ["A1", "B1", "A2", "B2"]


def test_an_unclosed_quotation_mark_affects_only_its_line(document_of: DocumentOf) -> None:
    text = 'a,b\n1,"open\n' + "x,y\n" * 500
    table = document_of("a.csv", text).tables[0]
    assert (table.rows, table.grid()[1], table.grid()[-1]) == (502, ["1", '"open'], ["x", "y"])


def test_rows_beyond_the_limit_of_cells_are_omitted_and_reported(parse_bytes: Callable[..., Parsed]) -> None:
    parsed = parse_bytes("a.csv", "a,b\n" + "1,2\n" * 9, ParseSettings(limits=Limits(cells=6)))
    assert (parsed.status, parsed.reason) == (Status.PARTIAL, "page 1: rows from 4 on are left out: more than 6 cells")
    assert parsed.document is not None
    assert parsed.document.tables[0].rows == 3


PARTS = pa.table({"Part": ["pump", None], "Since": [date(2024, 3, 1), date(2025, 1, 2)], "Sizes": [[1, 2], []]})


def test_columnar_files_are_read_with_column_names(document_of: DocumentOf) -> None:
    parquet, arrow = io.BytesIO(), io.BytesIO()
    pq.write_table(PARTS, parquet)
    with pa.ipc.new_file(arrow, PARTS.schema) as writer:
        writer.write_table(PARTS)
    for name, content in (("a.parquet", parquet), ("a.bin", parquet), ("a.arrow", arrow)):
        (table,) = document_of(name, content.getvalue()).tables
        assert table.grid() == [["Part", "Since", "Sizes"], ["pump", "2024-03-01", "[1, 2]"], ["", "2025-01-02", "[]"]]
        assert table.header_rows == 1


def test_a_columnar_file_over_the_limit_is_cut_and_a_damaged_one_malformed(parse_bytes: Callable[..., Parsed]) -> None:
    content = io.BytesIO()
    pq.write_table(pa.table({"a": range(5000)}), content)
    cut = parse_bytes("a.parquet", content.getvalue(), ParseSettings(limits=Limits(cells=100)))
    assert cut.reason == "page 1: rows from 101 on are left out: more than 100 cells"
    assert parse_bytes("a.parquet", content.getvalue()[:-50]).status is Status.MALFORMED
