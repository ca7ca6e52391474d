"""Builds the price list, a workbook with one sheet for parts and one for service rates."""

from __future__ import annotations

import io
import tomllib
from datetime import datetime
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.worksheet.worksheet import Worksheet

from . import blocks, zips

EURO = '#,##0.00 "EUR"'
HEAD = PatternFill("solid", fgColor="1F4E79")
THIN = Side(style="thin", color="9AA5B1")
WHEN = datetime(2025, 1, 2, 9, 0)


def render() -> bytes:
    """The XLSX file of the price list."""
    content = tomllib.loads((blocks.CONTENT / "price_list.toml").read_text("utf-8"))
    book = Workbook()
    book.properties.title, book.properties.creator = content["title"], "Ingrid Solberg"
    book.properties.created = WHEN
    parts = book.worksheets[0]
    parts.title = "Spare parts"
    _parts(parts, content)
    _rates(book.create_sheet("Service rates"), content)
    target = io.BytesIO()
    book.save(target)
    return zips.repack(target.getvalue())


def _parts(sheet: Worksheet, content: dict[str, Any]) -> None:
    _title(sheet, content["title"], content["note"], "A1:E1")
    _head(sheet, 4, ["Part no.", "Description", "Fits", "Unit", "Price"])
    for number, (part, text, fits, price) in enumerate(content["parts"], 5):
        _row(sheet, number, [part, text, fits, "piece", price])
        sheet.cell(number, 5).number_format = EURO
    sheet.freeze_panes = "A5"
    sheet.auto_filter.ref = f"A4:E{sheet.max_row}"
    _widths(sheet, 11, 46, 20, 9, 16)


def _rates(sheet: Worksheet, content: dict[str, Any]) -> None:
    _title(sheet, "Service rates 2025", "Prices in EUR without VAT.", "A1:C1")
    _head(sheet, 4, ["Service", "Unit", "Price"])
    for number, values in enumerate(content["rates"], 5):
        _row(sheet, number, values)
        sheet.cell(number, 3).number_format = EURO
    start = sheet.max_row + 3
    sheet.cell(start - 1, 1, "Quantity discounts on spare parts").font = Font(bold=True, size=12)
    _head(sheet, start, ["Order quantity", "", "Discount"])
    for number, (text, discount) in enumerate(content["discounts"], start + 1):
        _row(sheet, number, [text, "", discount])
        sheet.cell(number, 3).number_format = "0 %"
    _widths(sheet, 46, 10, 16)


def _title(sheet: Worksheet, title: str, note: str, area: str) -> None:
    sheet["A1"] = title
    sheet["A1"].font = Font(bold=True, size=14, color="1F4E79")
    sheet["A2"] = note
    sheet["A2"].font = Font(italic=True, color="555555")
    sheet.merge_cells(area)


def _head(sheet: Worksheet, row: int, names: list[str]) -> None:
    for column, name in enumerate(names, 1):
        cell = sheet.cell(row, column, name or None)
        cell.font, cell.fill = Font(bold=True, color="FFFFFF"), HEAD
        cell.alignment = Alignment(horizontal="left")


def _row(sheet: Worksheet, row: int, values: list[Any]) -> None:
    for column, value in enumerate(values, 1):
        sheet.cell(row, column, None if value == "" else value).border = Border(bottom=THIN)


def _widths(sheet: Worksheet, *widths: int) -> None:
    for letter, width in zip("ABCDE", widths, strict=False):
        sheet.column_dimensions[letter].width = width
