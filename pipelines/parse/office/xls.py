"""The reader of XLS (Excel 2 to 2003), by xlrd; workbooks with drawings go through LibreOffice, if it is installed."""

from __future__ import annotations

import io
import struct
import tempfile
from pathlib import Path

import xlrd
from xlrd.biffh import XLRDError
from xlrd.book import Book
from xlrd.sheet import Cell as XlsCell
from xlrd.sheet import Sheet

from pipelines.core.document import ReferenceKind, Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.compound import stream_of
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.legacy import read_converted
from pipelines.parse.office.libreoffice import MISSING, program
from pipelines.parse.office.package import decrypted
from pipelines.parse.office.ranges import CellRange
from pipelines.parse.office.xlsx.formats import number_text, other_form, parse_format
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings

_ENGINE = "xlrd"
_HEAD = struct.Struct("<HH")
"""Kind and size in front of each record (MS-XLS 2.1.4)."""
_BOF, _OBJ, _TXO = 0x0809, 0x005D, 0x01B6
"""Records that begin a part, describe an object, and give the text of the object before (MS-XLS 2.4.21, 2.4.181,
2.4.329)."""
_CHART_SHEET, _CHART, _PICTURE, _COMMENT = 0x0020, 0x0005, 0x0008, 0x0019
"""The kind of a part that is a chart (MS-XLS 2.4.21), and kinds of objects: OLE objects are pictures (2.5.143)."""
_PART_KIND, _OBJECT_KIND, _TEXT_SIZE = slice(2, 4), slice(4, 6), slice(10, 12)
"""Where the records have the kind of the part, the kind of the object, and the number of characters."""
_UNDRAWN = "charts, pictures, text boxes and embedded files were not read: " + MISSING


class XlsReader:
    """Reads sheets with merged cells, links and comments; with LibreOffice also what is drawn and embedded.

    xlrd reads cells exactly, and no drawings at all; a workbook with drawings is converted to ODS, which keeps them.
    """

    formats = (signed("application/vnd.ms-excel", ".xls", ".xlt", ".xlr"),)
    name = "xls"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        book = _open(path, source, settings)
        drawn = has_drawings(stream_of(path, "Workbook"))
        if drawn and program() is not None and not settings.passwords_for(source.uri):
            with tempfile.TemporaryDirectory(prefix="strata-") as folder:
                return read_converted(path, "ods", Path(folder), source, settings)
        return _read(book, source, settings, _UNDRAWN if drawn else "")


def has_drawings(records: bytes) -> bool:
    """Whether a stream of BIFF8 records has charts, pictures, OLE objects or texts beside those of comments."""
    at, kind = 0, _COMMENT
    while at + _HEAD.size <= len(records):
        record, size = _HEAD.unpack_from(records, at)
        at += _HEAD.size
        data = records[at : at + size]
        at += size
        if record == _BOF and int.from_bytes(data[_PART_KIND], "little") == _CHART_SHEET:
            return True
        if record == _OBJ:
            kind = int.from_bytes(data[_OBJECT_KIND], "little")
            if kind in (_CHART, _PICTURE):
                return True
        if record == _TXO and kind != _COMMENT and any(data[_TEXT_SIZE]):
            return True
    return False


def _read(book: Book, source: Source, settings: ParseSettings, note: str) -> Parsed:
    builder = DocumentBuilder(source, settings, _ENGINE)
    if note:
        builder.remark(note)
    builder.meta("author", book.user_name or "")
    for number in range(book.nsheets):
        try:
            sheet = book.sheet_by_index(number)
        except _BROKEN as error:
            SheetBuilder(builder, number + 1, book.sheet_names()[number]).page(issue=f"the sheet is broken: {error}")
            continue
        _write(sheet, number + 1, book, builder)
        book.unload_sheet(number)
    return builder.build()


# xlrd does not wrap the errors that broken files cause in its own code.
_BROKEN = (XLRDError, LookupError, ValueError, AssertionError, EOFError, TypeError, AttributeError, OverflowError)


def _open(path: Path, source: Source, settings: ParseSettings) -> Book:
    """Return the workbook, decrypted if it is protected. Raises `Encrypted` and `Malformed`."""
    try:
        return _load(path.read_bytes())
    except _BROKEN as error:
        if "encrypted" not in str(error).lower():
            raise Malformed(f"the workbook is broken: {error}", ids=(source.uri,)) from error
    except Exception as error:  # compdoc errors are plain exceptions
        raise Malformed(f"the workbook is broken: {error}", ids=(source.uri,)) from error
    try:
        return _load(decrypted(path, source.uri, settings).read())
    except _BROKEN as error:
        raise Malformed(f"the workbook is broken: {error}", ids=(source.uri,)) from error


def _load(content: bytes) -> Book:
    """Return the workbook; xlrd reads formats, merged cells and links only of some versions of the format."""
    try:
        return _load_with(content, formats=True)
    except NotImplementedError:
        return _load_with(content, formats=False)


def _load_with(content: bytes, *, formats: bool) -> Book:
    return xlrd.open_workbook(file_contents=content, formatting_info=formats, on_demand=True, logfile=io.StringIO())


def _write(sheet: Sheet, number: int, book: Book, builder: DocumentBuilder) -> None:
    grid = SheetGrid(builder.settings.limits.cells)
    for row in range(sheet.nrows):
        for column in range(sheet.row_len(row)):
            cell = sheet.cell(row, column)
            is_number = cell.ctype == xlrd.XL_CELL_NUMBER
            also = other_form(_value_text(cell), parse_format(_format(cell, book))) if is_number else ""
            grid.put(row, column, _text(cell, book), also)
        if grid.full:
            break
    grid.merged += [CellRange(top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells]
    page = SheetBuilder(builder, number, sheet.name)
    page.page(hidden=sheet.visibility != 0, issue=grid.issue)
    regions = grid.regions()
    if regions and are_named(book.sheet_names()):
        page.heading()
    for region in regions:
        if page.table(region):
            _add_links(sheet, region, builder)
    for (row, column), note in sorted(sheet.cell_note_map.items()):
        text = note.text.removeprefix(f"{note.author}:").strip()
        page.comment(text, note.author, CellRange(row, column, row, column), regions)


def _add_links(sheet: Sheet, region: SheetTable, builder: DocumentBuilder) -> None:
    for link in sheet.hyperlink_list:
        if region.area.contains(link.frowx, link.fcolx):
            target = link.url_or_path or link.textmark or ""
            target = target.decode("utf-8", "replace") if isinstance(target, bytes) else target
            kind = ReferenceKind.HYPERLINK if link.url_or_path else ReferenceKind.CROSS_REFERENCE
            builder.reference(kind, target, link.desc or "")


def _text(cell: XlsCell, book: Book) -> str:
    if cell.ctype == xlrd.XL_CELL_TEXT:
        return str(cell.value)
    if cell.ctype in (xlrd.XL_CELL_NUMBER, xlrd.XL_CELL_DATE):
        return number_text(_value_text(cell), parse_format(_format(cell, book)), book.datemode == 1)
    if cell.ctype == xlrd.XL_CELL_BOOLEAN:
        return "TRUE" if cell.value else "FALSE"
    if cell.ctype == xlrd.XL_CELL_ERROR:
        return str(xlrd.error_text_from_code.get(cell.value, "#N/A"))
    return ""


def _value_text(cell: XlsCell) -> str:
    return str(int(cell.value)) if float(cell.value).is_integer() else repr(cell.value)


def _format(cell: XlsCell, book: Book) -> str:
    """Return the format code of a cell; if the file was read without formats, that of a date or "General"."""
    if cell.xf_index is None or cell.xf_index >= len(book.xf_list):
        return "yyyy-mm-dd" if cell.ctype == xlrd.XL_CELL_DATE else "General"
    found = book.format_map.get(book.xf_list[cell.xf_index].format_key)
    return str(found.format_str) if found is not None else "General"
