"""Tests of tables in plain text: aligned, ruled and drawn ones, and text that is none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.document import Document
from pipelines.core.table import Table
from pipelines.parse.web.text_tables import text_tables
from tests.parse.pieces import assert_whole

Read = Callable[..., Document]

ALIGNED = """
Item        Qty   Price
Bolt M8      12    0.45
Washer      120    0.02
"""
RULED_BELOW = """
Item        Qty   Price
-----------------------
Bolt M8      12    0.45
Washer      120    0.02
"""
RULED = """
Item     Qty  Price
======= ==== ======
Bolt M8   12   0.45
Washer   120   0.02
"""
TABS = "Item\tQty\tPrice\nBolt M8\t12\t0.45\nWasher\t120\t0.02"
DRAWN = """
+---------+-----+-------+
| Item    | Qty | Price |
+---------+-----+-------+
| Bolt M8 |  12 |  0.45 |
| Washer  | 120 |  0.02 |
+---------+-----+-------+
"""
BOXED = """
┌─────────┬─────┬───────┐
│ Item    │ Qty │ Price │
├─────────┼─────┼───────┤
│ Bolt M8 │  12 │  0.45 │
├─────────┼─────┼───────┤
│ Washer  │ 120 │  0.02 │
└─────────┴─────┴───────┘
"""
INDENTED = "\n".join(f"    {line}" for line in ALIGNED.strip().splitlines())


def tables_of(document: Document) -> list[Table]:
    assert_whole(document)
    return list(document.tables)


@pytest.mark.parametrize("text", [ALIGNED, RULED_BELOW, RULED, TABS, DRAWN, BOXED, INDENTED])
def test_a_table_in_text_has_its_rows_columns_and_header(document_of: Read, text: str) -> None:
    (table,) = tables_of(document_of("a.txt", f"Before the table.\n\n{text}\n\nAfter it.\n"))
    assert table.grid() == [["Item", "Qty", "Price"], ["Bolt M8", "12", "0.45"], ["Washer", "120", "0.02"]]
    assert table.header_rows == 1


def test_two_complete_rows_are_a_table_and_the_line_above_is_its_caption(document_of: Read) -> None:
    text = "Chemical composition (%)\nC      Si     Mn\n0.021  0.41   1.52\n"
    (table,) = tables_of(document_of("a.txt", text))
    assert table.grid() == [["C", "Si", "Mn"], ["0.021", "0.41", "1.52"]]
    assert table.caption == "Chemical composition (%)"


def test_a_heading_above_a_table_stays_one(document_of: Read) -> None:
    document = document_of("a.txt", f"3.1 Parts\n{ALIGNED.strip()}\n")
    assert [block.text for block in document.blocks if block.kind.value == "heading"] == ["3.1 Parts"]
    assert tables_of(document)[0].caption == ""


def test_lines_that_continue_cells_are_joined(document_of: Read) -> None:
    text = (
        "Part  Name             Price\nA-1   Pump with a      12.00\n      longer name\nA-2   Valve             1.00\n"
    )
    (table,) = tables_of(document_of("a.txt", text))
    assert table.grid()[1] == ["A-1", "Pump with a longer name", "12.00"]
    rule = "+----+-----+"
    drawn = f"{rule}\n| A  | B   |\n{rule}\n| a1 | the |\n|    | b1  |\n{rule}\n| a2 | b2  |\n{rule}\n"
    (table,) = tables_of(document_of("b.txt", drawn))
    assert table.grid() == [["A", "B"], ["a1", "the b1"], ["a2", "b2"]]


def test_cells_may_be_empty_and_too_long(document_of: Read) -> None:
    text = "           2023    2024\nNorth        12      14\nSouth        22\nThe far and distant East  9  8\n"
    (table,) = tables_of(document_of("a.txt", text))
    assert table.grid() == [
        ["", "2023", "2024"],
        ["North", "12", "14"],
        ["South", "22", ""],
        ["The far and distant East", "9", "8"],
    ]


def test_wide_characters_take_two_columns(document_of: Read) -> None:
    (table,) = tables_of(
        document_of("a.txt", "型号      流量      扬程\nIS50      12.5      20\n水泵甲    25        32\n")
    )
    assert table.grid()[2] == ["水泵甲", "25", "32"]


def test_a_table_longer_than_a_paragraph_stays_one(document_of: Read) -> None:
    rows = "\n".join(f"P{number:04}   {number}   open" for number in range(500))
    (table,) = tables_of(document_of("a.txt", f"Port    Number   State\n{rows}\n"))
    assert table.rows == 501


@pytest.mark.parametrize(
    ("text", "headers"),
    [
        ("2025-06-14 02:11  pump 1  started\n2025-06-14 02:12  pump 2  stopped\n", 0),
        ("P-101   12   bar\nP-102   14   bar\n", 0),
        ("Valvetec AG       Phone: 52 1     Date: 3 May\nIndustriestr. 5   Fax: 52 2       Ref: AB-12\n", 0),
        ("DN     15    20\nkvs    1.6   2.5\nmass   0.4   0.6\n", 1),
        ("Rp0.2 (MPa)   Rm (MPa)   A5 (%)\n268           571        52\n", 1),
    ],
)
def test_a_first_row_like_the_others_is_no_header(document_of: Read, text: str, headers: int) -> None:
    (table,) = tables_of(document_of("a.txt", text))
    assert table.header_rows == headers


@pytest.mark.parametrize(
    "text",
    [
        "This text  has double  blanks here and\nthere but  it is  not a table of course.",
        "Customer:    Valvetec AG\nOrder:       4500178233\nProduct:     Round bar",
        "    int a;      /* one */\n    float bb;   /* two */",
        "1   Introduction ........ 3\n2   Safety .............. 5\n3   Operation ........... 9",
        "2025-06-14 02:11:07 INFO  started\n2025-06-14 02:11:19 ERROR stopped",
        "+-----+\n| box |\n+-----+",
    ],
)
def test_other_text_is_no_table(document_of: Read, text: str) -> None:
    assert tables_of(document_of("a.txt", text)) == []


def test_a_table_in_a_mail_is_read(document_of: Read) -> None:
    mail = f"From: a@b.example\nSubject: Offer\nContent-Type: text/plain\n\nDear all,\n\n{ALIGNED}\nRegards\n"
    (table,) = tables_of(document_of("a.eml", mail))
    assert table.grid()[1] == ["Bolt M8", "12", "0.45"]


WORDS = st.sampled_from(["pump", "12", "0.45", "a", "水泵", "-", "open valve", "| x", "Bolt M8"])
SEPARATORS = st.sampled_from([" ", "  ", "     ", "\t", " | ", "          "])
LINES = st.one_of(
    st.lists(st.tuples(WORDS, SEPARATORS), min_size=1, max_size=5).map(
        lambda parts: "".join(word + separator for word, separator in parts)
    ),
    st.lists(WORDS, min_size=3, max_size=3).map(lambda parts: "".join(f"{part:<14}" for part in parts)),
    st.sampled_from(["-----", "=====  =====  ====", "+----+----+", "| a | b |"]),
)


@given(st.lists(LINES, max_size=12))
def test_the_cells_of_tables_have_all_words_of_their_lines(lines: list[str]) -> None:
    end = 0
    for table in text_tables(lines):
        assert end <= table.start < table.end <= len(lines)
        end = table.end
        assert words(" ".join(cell.text for cell in table.cells)) == words(" ".join(lines[table.start : table.end]))


def words(text: str) -> Counter[str]:
    return Counter(re.findall(r"[\w.]+", text))
