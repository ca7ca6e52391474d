"""Tables on a sheet."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.office.grid import CellRange, SheetGrid, address, area, place

PLACES = st.tuples(st.integers(0, 12), st.integers(0, 12))


def grid(*lines: str, most: int = 1000) -> SheetGrid:
    """Return a grid from lines of words; "." is an empty cell."""
    found = SheetGrid(most)
    for row, line in enumerate(lines):
        for column, word in enumerate(line.split()):
            found.put(row, column, "" if word == "." else word)
    return found


def ranges(grid: SheetGrid) -> list[str]:
    return [str(region.area) for region in grid.regions()]


@given(st.dictionaries(PLACES, st.text(min_size=1, alphabet="ab1", max_size=3), max_size=60))
def test_every_text_is_in_exactly_one_table(texts: dict[tuple[int, int], str]) -> None:
    sheet = SheetGrid(1000)
    for (row, column), text in texts.items():
        sheet.put(row, column, text)
    found = [cell.address for region in sheet.regions() for cell in region.cells if cell.text]
    assert sorted(found) == sorted(address(row, column) for row, column in texts)


@given(st.integers(0, 1_048_575), st.integers(0, 16_383))
def test_an_address_names_one_place(row: int, column: int) -> None:
    assert place(address(row, column)) == (row, column)


def test_an_area_may_be_written_backwards_or_not_at_all() -> None:
    assert area("B9:A1") == CellRange(0, 0, 8, 1)
    assert area("$C$3") == CellRange(2, 2, 2, 2)
    assert area("nonsense") is None


def test_cells_that_touch_by_a_corner_only_are_apart() -> None:
    assert ranges(grid("1 2 .", "3 4 .", ". . 5")) == ["A1:B2", "C3"]


def test_rows_below_a_header_belong_to_it_over_gaps() -> None:
    assert ranges(grid("Part Supplier Price", ". . .", "pump . 3", ". . .", ". shop .", "valve . 4")) == ["A1:C6"]


def test_the_next_header_begins_a_table_and_its_title_is_not_swallowed() -> None:
    lines = ["Item Qty Value", "a 1 2", ". . .", ". . .", "Collated", ". . .", "Item Qty Value", "b 3 4"]
    assert ranges(grid(*lines)) == ["A1:C2", "A5", "A7:C8"]


def test_what_is_wider_than_the_header_is_another_table() -> None:
    assert ranges(grid("Item Qty Value", "a 1 2", ". . .", "1 2 3 4")) == ["A1:C2", "A4:D4"]


def test_a_filter_holds_its_rows_together() -> None:
    sheet = grid("1 2", ". .", "3 4")
    sheet.tables.append(CellRange(0, 0, 2, 1))
    assert ranges(sheet) == ["A1:B3"]


def test_a_merged_range_joins_what_it_touches() -> None:
    sheet = grid("1 . 2")
    sheet.merged.append(CellRange(0, 0, 0, 1))
    assert ranges(sheet) == ["A1:C1"]


def test_a_staircase_is_not_laid_out_as_a_square() -> None:
    sheet = SheetGrid(10_000)
    for step in range(2_000):
        sheet.put(step, step, "a")
        sheet.put(step, step + 1, "b")
    assert all(region.area.size == 2 for region in sheet.regions())


def test_a_full_grid_takes_no_more_and_says_so() -> None:
    sheet = grid("1 2", "3 4", most=3)
    assert (len(sheet.texts), sheet.issue) == (3, "rows from 2 on are left out: more than 3 cells")
