"""Tables on sheets: detected bounds, labels, notes, headers and values, on three families of generated workbooks.

usage: python -m benchmarks.sheets [prices|laboratory|stacked]

The rules of `pipelines/parse/office` were developed on `prices` (price and part lists: labels above and beside, tables
side by side, notes for all tables, currencies) and `stacked` (tables one below the other, and groups of rows that are
one table). `laboratory` (measurements and calculations: labels within the table, units below names, a column separated
from its labels, notes below, rounded values) was held out and examined afterwards. The bounds of a table are right if
it is complete and contains no other table; labels may be in separate rows above.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook
from openpyxl.worksheet.worksheet import Worksheet

from pipelines.core.document import Block
from pipelines.core.table import Table
from pipelines.parse.office.ranges import CellRange, parse_range
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import ParseSettings

Row = list[str | int | float | None]


@dataclass(frozen=True, slots=True)
class Wanted:
    """The truth of a table: its place, label, header rows, and texts that its rows must contain."""

    area: str
    says: tuple[str, ...] = ()
    headers: int = 1
    tells: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Sheet:
    """A sheet and its tables."""

    name: str
    draw: Callable[[Worksheet], None]
    tables: tuple[Wanted, ...]


def put(sheet: Worksheet, corner: str, *rows: Row, format: str = "") -> None:
    """Write rows beginning at a corner; None is an empty cell, `format` is used for all numbers."""
    first = sheet[corner]
    for down, row in enumerate(rows):
        for across, value in enumerate(row):
            if value is not None:
                cell = sheet.cell(first.row + down, first.column + across, value)
                if format and isinstance(value, int | float):
                    cell.number_format = format


def _list(sheet: Worksheet) -> None:
    put(sheet, "A1", ["All prices in CAD, ex works"])
    put(sheet, "A3", ["Pumps"])
    put(sheet, "A4", ["Model", "Flow", "Price"], ["K40", 12, 1234.5], ["K65", 30, 2810], format='"$"#,##0.00')
    put(sheet, "A8", ["Valves"])
    put(sheet, "A9", ["Model", "Size", "Price"], ["V1", 25, 88.4], ["V2", 40, 120.25], ["V3", 50, 199.9])


def _side_by_side(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Standard parts"])
    put(sheet, "F1", ["Spare parts"])
    put(sheet, "A2", ["Part", "Qty", "Supplier"], ["Screw", 8, "Alpha"], ["Nut", 8, "Beta"])
    put(sheet, "F2", ["Part", "Qty", "Supplier"], ["Seal", 2, "Gamma"], ["Ring", 4, "Delta"])


def _beside(sheet: Worksheet) -> None:
    put(sheet, "A2", ["Summer tariff"])
    put(sheet, "C2", ["Hours", "Rate", "Meter"], ["day", 0.21, "M1"], ["night", 0.14, "M2"])
    put(sheet, "A7", ["Winter tariff"])
    put(sheet, "C7", ["Hours", "Rate", "Meter"], ["day", 0.25, "M1"], ["night", 0.16, "M2"])


def _groups(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Part", "Price", None, "Stock", None], [None, "EUR", "USD", "Here", "There"])
    put(sheet, "A3", ["Bearing", 12.5, 13.9, 4, 9], ["Shaft", 80.25, 88.1, 2, 0], ["Seal", 3.1, 3.4, 60, 12])
    sheet.merge_cells("B1:C1")
    sheet.merge_cells("D1:E1")


def _below(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Item", "Qty", "Unit price"], ["Cable", 3, 1999.0], ["Plug", 6, 4.25], format="#,##0.00 [$€-407]")
    put(sheet, "A5", ["Delivery within four weeks of order"])


def _titled(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Bill of materials, revision C"], ["Part", "Qty", "Material"], ["Body", 1, "CuZn39Pb3"])
    put(sheet, "A4", ["Lever", 1, "GJL-250"], ["Spring", 2, "1.4310"])


def _plain(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Order", "Customer", "State"], ["4711", "Miller", "open"], ["4712", "Smith", "paid"])


def _units(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Pressure test of 12 March"], ["Run", "Flow", "Head", "Power"], [None, "(l/s)", "(m)", "(kW)"])
    put(sheet, "A4", [1, 10.25, 31.0, 4.1], [2, 12.5, 29.75, 4.4], [3, 15.125, 27.5, 4.9], format="0.0")


def _parted(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Inlet pressure"], ["Outlet pressure"], ["Temperature"], ["Efficiency"])
    put(sheet, "C1", [1.2], [8.7], [41.5], [0.8312])
    sheet["C4"].number_format = "0%"


def _noted(sheet: Worksheet) -> None:
    put(sheet, "B2", ["Sample", "Mass", "Density"], ["A", 1.204, 0.998], ["B", 1.31, 1.02], ["C", 0.98, 0.87])
    put(sheet, "B6", ["Sample C was weighed wet"])
    put(sheet, "B9", ["Calibration"])
    put(sheet, "B10", ["Weight", "Shown", "Error"], [1, 1.001, 0.001], [2, 1.998, -0.002], [5, 5.0, 0])
    put(sheet, "B15", ["Balance no. 7, next check in May"])


def _scattered(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Operator:", "Jane Doe"])
    put(
        sheet,
        "A3",
        ["Voltage", "Current", "Power"],
        ["(V)", "(A)", "(W)"],
        [12, 1.5, 18],
        [24, 1.4, 33.6],
        [48, 1.3, 62],
    )
    put(sheet, "G3", ["Constant", "Symbol", "Value"], ["gravity", "g", 9.80665], ["gas constant", "R", 8.314462618])
    sheet["I5"].number_format = "0.00"


def _groups_of_runs(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Material", "Cold", "Cold", "Hot", "Hot"], [None, "mean", "deviation", "mean", "deviation"])
    put(sheet, "A3", ["Steel", 210.1, 2.2, 180.4, 3.1], ["Brass", 100.3, 1.9, 88.0, 2.0], ["PTFE", 0.5, 0.1, 0.2, 0.1])


def _words(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Fault", "Cause", "Remedy"], ["no flow", "valve shut", "open it"], ["noise", "air", "vent"])
    put(sheet, "A4", ["leak", "seal worn", "replace the seal"])


def _discounts(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Service rates"], ["Prices in EUR"])
    sheet.merge_cells("A1:C1")
    put(sheet, "A4", ["Service", "Unit", "Price"], ["Technician", "hour", 92], ["Travel", "km", 0.68])
    put(sheet, "A8", ["Discounts"], ["Order quantity", None, "Discount"], ["10 to 49 pieces", None, 0.05])
    put(sheet, "A11", ["50 pieces and more", None, 0.12])


def _contacts(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Alarm", "Cause", "Remedy"], ["A1", "air", "vent"], ["A2", "seal worn", "replace it"])
    put(sheet, "A5", ["Contacts"])
    put(sheet, "A7", ["Name", "Town"], ["Miller", "Zwolle"], ["Smith", "Suzhou"])
    put(sheet, "A11", ["Intervals"], ["Task", "Hours"], ["Oil", 2000], ["Filter", 4000])


def _grouped(sheet: Worksheet) -> None:
    put(sheet, "A1", ["Part", "Supplier", "Price"], ["Pump", "Alpha", 92])
    put(sheet, "A4", ["Valves"], ["Ball valve", "Beta", 12], ["Gate valve", None, 15])
    put(sheet, "A8", ["Seals"], ["Ring", None, 3])


FAMILIES = {
    "prices": (
        Sheet("list", _list, (
            Wanted("A4:C6", ("Pumps", "All prices in CAD, ex works"), 1, ("1234.5", "$1,234.50")),
            Wanted("A9:C12", ("Valves", "All prices in CAD, ex works")),
        )),
        Sheet("beside one another", _side_by_side, (
            Wanted("A2:C4", ("Standard parts",)), Wanted("F2:H4", ("Spare parts",))
        )),
        Sheet("labels beside", _beside, (
            Wanted("C2:E4", ("Summer tariff",)), Wanted("C7:E9", ("Winter tariff",))
        )),
        Sheet("groups", _groups, (Wanted("A1:E5", (), 2),)),
        Sheet("note below", _below, (
            Wanted("A1:C3", ("Delivery within four weeks of order",), 1, ("1999", "1,999.00 €")),
        )),
        Sheet("titled", _titled, (Wanted("A2:C5", ("Bill of materials, revision C",)),)),
        Sheet("plain", _plain, (Wanted("A1:C3"),)),
    ),
    "laboratory": (
        Sheet("units", _units, (Wanted("A2:D6", ("Pressure test of 12 March",), 2, ("10.25", "15.125", "15.1")),)),
        Sheet("parted", _parted, (Wanted("A1:C4", (), 1, ("83%", "0.8312")),)),
        Sheet("noted", _noted, (
            Wanted("B2:D5", ("Sample C was weighed wet",)),
            Wanted("B10:D13", ("Calibration", "Balance no. 7, next check in May")),
        )),
        Sheet("scattered", _scattered, (
            Wanted("A3:C7", ("Operator: Jane Doe",), 2), Wanted("G3:I5", (), 1, ("8.314462618", "8.31"))
        )),
        Sheet("runs", _groups_of_runs, (Wanted("A1:E5", (), 2),)),
        Sheet("words", _words, (Wanted("A1:C4"),)),
    ),
    "stacked": (
        Sheet("discounts", _discounts, (
            Wanted("A4:C6", ("Service rates", "Prices in EUR")), Wanted("A9:C11", ("Discounts",), 1, ("0.05",))
        )),
        Sheet("contacts", _contacts, (
            Wanted("A1:C3"), Wanted("A7:B9", ("Contacts",)), Wanted("A12:B14", ("Intervals",))
        )),
        Sheet("grouped", _grouped, (Wanted("A1:C9"),)),
    ),
}  # fmt: skip


def main() -> None:
    for family in sys.argv[1:] or FAMILIES:
        found, asked = Counter[str](), Counter[str]()
        for sheet in FAMILIES[family]:
            blocks = _tables(sheet)
            for wanted in sheet.tables:
                marks = _marks(wanted, sheet.tables, blocks)
                asked.update({mark: len(right) for mark, right in marks.items()})
                found.update({mark: sum(right) for mark, right in marks.items()})
                missed = ", ".join(mark for mark, right in marks.items() if not all(right))
                print(f"{family:12}{sheet.name:20}{wanted.area:9}{f'missed: {missed}' if missed else 'right'}")
        print(family, *(f"{mark} {found[mark]}/{asked[mark]}" for mark in asked), sep="  ")


def _tables(sheet: Sheet) -> list[Block]:
    book = Workbook()
    assert book.active is not None
    sheet.draw(book.active)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.xlsx"
        book.save(path)
        document = parse(path, source_of(path, path.name), ParseSettings()).document
    return [block for block in document.blocks if block.table] if document else []


def _marks(wanted: Wanted, others: Sequence[Wanted], blocks: Sequence[Block]) -> dict[str, list[bool]]:
    """Return the results of the checks of a table, by kind."""
    block = next((block for block in blocks if _holds(block, wanted)), None)
    alone = block is not None and not any(_holds(block, other) for other in others if other is not wanted)
    table = block.table if block is not None and block.table is not None else Table("", 0, 0, ())
    above = _range(wanted.area).top - _range(block.provenance.cells).top if block is not None else 0
    said = list(filter(None, table.caption.split("\n")))
    return {
        "bounds": [alone],
        "labels": [*(label in said for label in wanted.says), alone and len(said) <= len(wanted.says)],
        "headers": [alone and table.header_rows - above == wanted.headers],
        "values": [text in table.to_text() for text in wanted.tells],
    }


def _holds(block: Block, wanted: Wanted) -> bool:
    whole, part = _range(block.provenance.cells), _range(wanted.area)
    return whole.contains(part.top, part.left) and whole.contains(part.bottom, part.right)


def _range(cells: str) -> CellRange:
    found = parse_range(cells)
    assert found is not None
    return found


if __name__ == "__main__":
    main()
