"""Tests of dividing a sheet into tables, with headers and captions."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pipelines.parse.office.grid import SheetGrid
from pipelines.parse.office.ranges import CellRange, address, parse_cell, parse_range

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
def test_an_address_and_its_cell_are_converted_both_ways(row: int, column: int) -> None:
    assert parse_cell(address(row, column)) == (row, column)


def test_a_range_may_be_reversed_and_invalid_text_is_none() -> None:
    assert parse_range("B9:A1") == CellRange(0, 0, 8, 1)
    assert parse_range("$C$3") == CellRange(2, 2, 2, 2)
    assert parse_range("nonsense") is None


def test_cells_that_touch_only_at_a_corner_are_separate() -> None:
    assert ranges(grid("1 2 .", "3 4 .", ". . 5")) == ["A1:B2", "C3"]


def test_rows_below_a_header_belong_to_it_across_gaps() -> None:
    assert ranges(grid("Part Supplier Price", ". . .", "pump . 3", ". . .", ". shop .", "valve . 4")) == ["A1:C6"]


def test_the_next_header_begins_a_table_and_its_title_is_separate() -> None:
    lines = ["Item Qty Value", "a 1 2", ". . .", ". . .", "Collated", ". . .", "Item Qty Value", "b 3 4"]
    assert ranges(grid(*lines)) == ["A1:C2", "A5", "A7:C8"]


def test_rows_wider_than_the_header_are_another_table() -> None:
    assert ranges(grid("Item Qty Value", "a 1 2", ". . .", "1 2 3 4")) == ["A1:C2", "A4:D4"]


def test_rows_of_a_filter_range_are_one_table() -> None:
    sheet = grid("1 2", ". .", "3 4")
    sheet.tables.append(CellRange(0, 0, 2, 1))
    assert ranges(sheet) == ["A1:B3"]


def test_a_merged_range_joins_adjacent_cells() -> None:
    sheet = grid("1 . 2")
    sheet.merged.append(CellRange(0, 0, 0, 1))
    assert ranges(sheet) == ["A1:C1"]


def test_a_diagonal_of_cells_is_not_one_table() -> None:
    sheet = SheetGrid(10_000)
    for step in range(2_000):
        sheet.put(step, step, "a")
        sheet.put(step, step + 1, "b")
    assert all(region.area.size == 2 for region in sheet.regions())


def test_a_grid_over_the_limit_is_cut_and_reported() -> None:
    sheet = grid("1 2", "3 4", most=3)
    assert (len(sheet.texts), sheet.issue) == (3, "rows from 2 on are left out: more than 3 cells")


def captions(grid: SheetGrid) -> list[str]:
    return [region.caption for region in grid.regions() if not region.label]


def headers(grid: SheetGrid) -> list[set[int]]:
    return [{cell.row for cell in region.cells if cell.header} for region in grid.regions() if not region.label]


def test_a_label_above_a_table_is_its_caption() -> None:
    sheet = grid("Pumps . .", "Model Flow Price", "K40 12 5", "K65 30 6")
    assert captions(sheet) == ["Pumps"]
    assert headers(sheet) == [{0}]


def test_a_title_above_values_stays_in_the_header() -> None:
    assert ranges(grid("kph . .", "33 80 90", "39 50 60")) == ["A1:C3"]
    assert ranges(grid(". Year .", "Model new old", "K40 12 5", "K65 30 6")) == ["A1:C4"]


def test_adjacent_tables_have_separate_captions() -> None:
    sheet = grid("Used . . . Spare", ". . . . .", "a b c . d e", "1 2 3 . 4 5")
    assert captions(sheet) == ["Used", "Spare"]


def test_a_label_beside_a_table_is_its_caption() -> None:
    assert captions(grid("Summer . Hours Rate", ". . day 1", ". . night 2")) == ["Summer"]


def test_a_note_at_the_top_of_a_sheet_is_in_the_caption_of_all_tables() -> None:
    sheet = grid(
        "CAD . .", ". . .", "Pumps . .", "a b c", "1 2 3", ". . .", ". . .", ". . .", "Valves . .", "a b c", "1 2 3"
    )
    assert captions(sheet) == ["CAD\nPumps", "CAD\nValves"]


def test_a_note_below_a_table_is_its_caption() -> None:
    sheet = grid("a b c", "1 2 3", ". . .")
    sheet.put(3, 0, "All prices in CAD")
    assert captions(sheet) == ["All prices in CAD"]
    sheet = grid("a b c", "1 2 3", "4 5 6")
    sheet.put(3, 0, "All prices in CAD")
    assert captions(sheet) == ["All prices in CAD"]


def test_a_merged_title_and_the_note_below_it_are_the_caption_of_the_table() -> None:
    sheet = grid("List . .", "EUR . .", ". . .", "a b c", "1 2 3")
    sheet.merged.append(CellRange(0, 0, 0, 2))
    assert captions(sheet) == ["List\nEUR"]


def test_units_below_names_are_headers_and_a_first_row_of_words_is_not() -> None:
    assert headers(grid("Run Flow Head", ". (l/s) (m)", "1 2 3", "2 3 4")) == [{0, 1}]
    assert headers(grid("Run Flow Head", "one n/a n/a", "two 2 3", "three 3 4")) == [{0}]
    assert headers(grid("Fault Cause", "noise air", "leak seal")) == [{0}]


def test_values_separated_from_their_labels_by_an_empty_column_are_one_table() -> None:
    assert ranges(grid("Pressure . 2", "Flow . 3", "Power . 4")) == ["A1:C3"]
    assert ranges(grid("Pressure . Name", "Flow . Town", "Power . Street")) == ["A1:A3", "C1:C3"]
    assert ranges(grid("Pressure . 2", "Flow . .", "Power . .")) == ["A1:A3", "C1"]


def test_a_label_that_touches_the_next_table_ends_the_one_above() -> None:
    sheet = grid("a b c", "1 2 3", ". . .", ". . .", "Spare . .", "a b c", "4 5 6")
    assert ranges(sheet) == ["A1:C2", "A5", "A6:C7"]
    assert captions(sheet) == ["", "Spare"]


def test_a_title_above_a_header_after_a_gap_begins_another_table() -> None:
    first = ["Service Unit Price", "Fitter hour 92", "Travel km 0.68", ". . ."]
    discounts = ["Discounts . .", "Quantity . Discount", "ten . 5%", "fifty . 12%"]
    assert ranges(grid(*first, *discounts)) == ["A1:C3", "A5", "A6:C8"]
    assert captions(grid(*first, *discounts)) == ["", "Discounts"]
    assert headers(grid(*first, *discounts)) == [{0}, {0}]
    assert ranges(grid(*first, discounts[0], ". . .", *discounts[1:])) == ["A1:C3", "A5", "A7:C9"]
    contacts = ["Contacts . .", "Name Town .", "Miller Zwolle .", "Smith Suzhou ."]
    assert ranges(grid(*first, *discounts, ". . .", *contacts)) == ["A1:C3", "A5", "A6:C8", "A10", "A11:B13"]


def test_the_title_of_a_group_of_rows_does_not_begin_a_table() -> None:
    first = ["Part Unit Price", "pump piece 92", ". . ."]
    assert ranges(grid(*first, "Valves . .", "ball . 12", "gate . 15")) == ["A1:C6"]
    assert ranges(grid(*first, "Valves . .", "ball piece 12", "gate . request")) == ["A1:C6"]
    assert ranges(grid(*first, "Valves . .", "ball . request", "gate set .")) == ["A1:C6"]
    assert ranges(grid(*first, "Valves . .", "request . request", "gate . 15")) == ["A1:C6"]


def test_notes_below_an_empty_row_are_text_and_in_the_caption() -> None:
    sheet = grid("Name Mon Tue", "Ann D N", "Ben N .", ". . .")
    sheet.put(4, 0, "D is the day shift, N the night shift")
    sheet.put(5, 0, "Responsible for the plan: Mary")
    assert captions(sheet) == ["D is the day shift, N the night shift\nResponsible for the plan: Mary"]
    assert ranges(sheet) == ["A1:C3", "A5:A6"]
    sheet.put(5, 1, "0 117")
    assert ranges(sheet) == ["A1:C6"]


def test_a_list_of_sentences_without_another_table_keeps_its_title() -> None:
    sheet = grid("Rules", ".", ".")
    for row, text in enumerate(("Wear safety shoes at work", "Keep the escape routes free"), 2):
        sheet.put(row, 0, text)
    assert [(str(region.area), region.caption) for region in sheet.regions()] == [("A1", ""), ("A3:A4", "Rules")]


def sheet(*rows: str, most: int = 1000) -> SheetGrid:
    """Return a grid from rows of texts separated by "|"; an empty one is an empty cell."""
    found = SheetGrid(most)
    for row, line in enumerate(rows):
        for column, text in enumerate(line.split("|")):
            found.put(row, column, text.strip())
    return found


LIST = (
    "Tag|Service|Power|Current|Speed|Frame",
    "||kW|A|rpm|",
    "M-1|Pulper|315|540|990|355M",
    "M-2|Agitator|45|84|1475|225M",
)


def test_a_title_block_that_touches_a_table_is_no_part_of_it() -> None:
    block = ["Mill||||Doc. no.|EL-44", "Motor list||||Revision|C", "Area: stock||||Date|2025-03-14"]
    found = sheet(*block, *LIST)
    assert ranges(found) == ["A1", "E1:F3", "A2", "A3", "A4:F7"]
    assert headers(found) == [set(), {0, 1}]
    assert captions(found)[-1] == "Mill\nMotor list\nArea: stock"


def test_one_row_with_a_field_above_a_table_is_a_title_block_and_names_of_groups_are_not() -> None:
    assert ranges(sheet("Motor list|||||Date: 3 May", *LIST)) == ["A1", "F1", "A2:F5"]
    assert ranges(sheet("Motor||Data|||Size", *LIST)) == ["A1:F5"]
    assert ranges(sheet("Mill||||Doc. no.|EL-44", "Motor list||||Rev. C|", "||Data||Size|", *LIST))[-1] == "A3:F7"
    merged = sheet("Motor||Data||||", *LIST)
    merged.merged += [CellRange(0, 0, 0, 1), CellRange(0, 2, 0, 5)]
    assert ranges(merged) == ["A1:F5"]


def test_names_below_merged_names_of_groups_are_headers_too() -> None:
    found = sheet("From||To|", "Rack|Port|Rack|Port", "r1|p4|r2|p7", "r1|p5|r2|p8")
    found.merged += [CellRange(0, 0, 0, 1), CellRange(0, 2, 0, 3)]
    assert headers(found) == [{0, 1}]


def test_notes_that_touch_the_last_row_are_no_rows() -> None:
    found = sheet(
        "Tool|No.|Range", "Wrench|T-9|100", "Gauge|G-7|25", "Approved: K. Lund", "|Only for joints of class B"
    )
    assert ranges(found) == ["A1:C3", "A4", "B5"]
    assert captions(found) == ["Approved: K. Lund\nOnly for joints of class B"]
    found.tables.append(CellRange(0, 0, 4, 2))
    assert ranges(found) == ["A1:C5"]
    assert ranges(sheet("Tool|No.|Remark", "Wrench|T-9|works", "Gauge|G-7|broken", "||on both of its sides")) == [
        "A1:C4"
    ]


def test_columns_of_labels_and_values_side_by_side_are_one_form() -> None:
    pairs = ("Report|IR-1||Date|2025-06-03||Load|12 t", "Crane|Hall 4||Inspector|T. Lind||Made in|2004")
    assert ranges(sheet(*pairs)) == ["A1:H2"]
    assert headers(sheet(*pairs)) == [set()]
    assert ranges(sheet("Type|Stock||Size|Stock", "6205|24||35x52|60", "6308|9||40x62|14")) == ["A1:B3", "D1:E3"]


def test_numbers_of_rows_join_what_gaps_separate() -> None:
    lines = ("Electrical", "1||Power||kVA|:|630", "2||Voltage||kV|:|20", "Cooling", "3||Kind|||:|ONAN")
    found = sheet(*lines)
    assert ranges(found) == ["A1:G5"]
    assert captions(found) == [""]
    assert headers(found) == [set()]


def test_labels_with_texts_below_numbers_are_another_table() -> None:
    table = ("Point|Wall|Result", "top|8|good", "bottom|6.9|watch", "")
    assert ranges(sheet(*table, "Remarks|Replace the nozzle", "Released by|I. Solberg")) == ["A1:C3", "A5:B6"]
    assert ranges(sheet(*table, "side|7.5", "nozzle|n/a")) == ["A1:C6"]
