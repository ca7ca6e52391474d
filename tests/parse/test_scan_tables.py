"""Tests of tables in the lines of a scan, which have positions and no rules."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.core.provenance import Box
from pipelines.parse.lines import Line, Rect
from pipelines.parse.scan_tables import ScanTable, part_tables

Words = Sequence[tuple[str, float, float]]


def lines(*rows: Words, step: float = 40) -> list[Line]:
    """Return rows of (text, left, right) as lines of 30 pixels."""
    return [
        Line(text, Rect(left, step * number, right, step * number + 30))
        for number, row in enumerate(rows)
        for text, left, right in row
    ]


def parted(found: Sequence[Line]) -> list[list[str] | list[list[str]]]:
    """Return the texts of the lines and the cells of the tables."""
    parts: list[list[str] | list[list[str]]] = []
    for part in part_tables(found, lambda rect: Box(1, 0, 0, 1, 1)):
        if isinstance(part, ScanTable):
            rows = range(1 + max(cell.row for cell in part.cells))
            parts.append([[cell.text for cell in part.cells if cell.row == row] for row in rows])
        else:
            parts.append([line.text for line in part])
    return parts


ROWS: tuple[Words, ...] = (
    (("Part", 75, 175), ("Material", 301, 405), ("Interval", 488, 666)),
    (("Impeller", 77, 221), ("bronze", 299, 380), ("12 months", 491, 612)),
    (("Shaft seal", 78, 287), ("silicon carbide", 302, 476), ("6 months", 490, 599)),
    (("Bearing", 77, 168), ("chromium steel", 305, 470), ("24 months", 490, 612)),
)


def test_a_table_ends_at_the_text_below_even_if_its_last_lines_are_short() -> None:
    below: list[Words] = [
        (("2 Operation", 63, 220),),
        (("Before the start, open the inlet valve and check the level of the oil. If the bearing", 67, 1149),),
        (("gets hot, the station stops.", 67, 329),),
        (("The pump must not run dry because the shaft seal would be destroyed, and the pressure", 67, 1177),),
        (("must not exceed 6 bar.", 67, 333),),
    ]
    table, text = parted(lines(*ROWS, *below))
    assert table == [[word for word, _, _ in row] for row in ROWS]
    assert text == [word for row in below for word, _, _ in row]


def test_the_heading_of_a_group_of_rows_does_not_end_a_table() -> None:
    group = (("Spare parts that are kept in the store of the plant", 77, 520),)
    (table,) = parted(lines(*ROWS, group, *ROWS[1:]))
    assert len(table) == 2 * len(ROWS)


def test_the_first_column_of_right_to_left_text_is_the_right_one() -> None:
    rows: list[Words] = [
        (("12 شهرا", 75, 175), ("برونز", 301, 405), ("المروحة", 488, 666)),
        (("24 شهرا", 77, 221), ("فولاذ", 299, 380), ("المحمل", 491, 612)),
        (("36 شهرا", 78, 287), ("حديد", 302, 476), ("العمود", 490, 599)),
    ]
    (table,) = parted(lines(*rows))
    assert table[0] == ["المروحة", "برونز", "12 شهرا"]
