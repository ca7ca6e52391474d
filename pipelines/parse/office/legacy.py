"""Readers of DOC, PPT, XLSB, WPD, SXW, SXC and SXI (through LibreOffice), XLS (xlrd), and encrypted files."""

from __future__ import annotations

import io
import tempfile
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import xlrd
from xlrd.biffh import XLRDError
from xlrd.book import Book
from xlrd.sheet import Cell as XlsCell
from xlrd.sheet import Sheet

from pipelines.core.document import ReferenceKind, Source
from pipelines.core.errors import Encrypted, Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.limits import READING, current_task
from pipelines.parse.magic import ENCRYPTED_OFFICE, SUN_XML, XLSB, zip_type
from pipelines.parse.office.grid import SheetBuilder, SheetGrid, are_named
from pipelines.parse.office.labels import SheetTable
from pipelines.parse.office.libreoffice import convert
from pipelines.parse.office.package import decrypted, holds_encrypted_package
from pipelines.parse.office.regions import CellRange
from pipelines.parse.office.xlsx.formats import number_text, other_form, parse_format
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import signed
from pipelines.parse.registry import reader_for
from pipelines.parse.settings import UNLOCK_HINT, ParseSettings

_ENGINE = "xlrd"


def read_xls(path: Path, source: Source, settings: ParseSettings) -> Parsed:
    """Return a workbook's sheets. Raises `Encrypted` and `Malformed`."""
    builder = DocumentBuilder(source, settings, _ENGINE)
    book = _open(path, source, settings)
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
    content = path.read_bytes()
    if settings.passwords_for(source.uri):
        content = _unlocked(path, source, settings, content)
    try:
        try:
            # xlrd reads formats, merged cells and links only of some versions of the format.
            return _load(content, formats=True)
        except NotImplementedError:
            return _load(content, formats=False)
    except _BROKEN as error:
        if "encrypted" in str(error).lower():
            raise Encrypted("the workbook is protected by a password", ids=(source.uri,), hint=UNLOCK_HINT) from error
        raise Malformed(f"the workbook is broken: {error}", ids=(source.uri,)) from error
    except Exception as error:  # compdoc errors are plain exceptions
        raise Malformed(f"the workbook is broken: {error}", ids=(source.uri,)) from error


def _load(content: bytes, *, formats: bool) -> Book:
    return xlrd.open_workbook(file_contents=content, formatting_info=formats, on_demand=True, logfile=io.StringIO())


def _unlocked(path: Path, source: Source, settings: ParseSettings, content: bytes) -> bytes:
    try:
        return decrypted(path, source.uri, settings).read()
    except Malformed:
        return content


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
        head = f"[{note.author}] " if note.author else ""
        text = note.text.removeprefix(f"{note.author}:").strip()
        builder.note(head + text, page.place(CellRange(row, column, row, column)))


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


_WPD = "application/vnd.wordperfect"
_WRITER, _CALC, _IMPRESS = (SUN_XML + kind for kind in ("writer", "calc", "impress"))
_TARGETS = MappingProxyType(
    {
        "application/msword": "docx",
        "application/vnd.ms-powerpoint": "pptx",
        XLSB: "xlsx",
        _WPD: "docx",
        _WRITER: "odt",
        _CALC: "ods",
        _IMPRESS: "odp",
    }
)


class LegacyReader:
    """Reads formats of Office 97 to 2003, binary workbooks, WordPerfect and OpenOffice.org 1."""

    formats = (
        signed("application/msword", ".doc"),
        signed("application/vnd.ms-powerpoint", ".ppt"),
        signed("application/vnd.ms-excel", ".xls"),
        signed(XLSB, ".xlsb"),
        signed(_WPD, ".wpd"),
        signed(_WRITER, ".sxw", ".stw"),
        signed(_CALC, ".sxc"),
        signed(_IMPRESS, ".sxi"),
    )
    name = "legacy"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        if holds_encrypted_package(path):
            decrypted(path, source.uri, settings)
            raise Malformed("a document of today under the name of an old one", ids=(source.uri,))
        target = _TARGETS.get(source.media_type)
        if target is None:
            return read_xls(path, source, settings)
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            converted = _convert(path, target, Path(folder), source)
            kind = zip_type(converted)
            read_as = replace(source, media_type=kind) if target.startswith("od") else source  # the type names the body
            return reader_for(kind, settings).read(converted, read_as, settings)


def _convert(path: Path, target: str, folder: Path, source: Source) -> Path:
    """Return the converted file in `folder`. Raises `TooLarge` if the time limit is reached, and the errors of
    `convert`."""
    clock = current_task().clock
    left = READING * clock.limit_s - clock.spent
    try:
        return convert(path.resolve(), target, folder, source.uri, left)  # the path may be a link
    except TooLarge as error:
        raise TooLarge(f"LibreOffice took {clock.reason}", ids=(source.uri,)) from error


class EncryptedReader:
    """Decrypts a file with the passwords in the settings and reads its content; raises `Encrypted` if none fits."""

    formats = (signed(ENCRYPTED_OFFICE),)
    name = "encrypted"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        content = decrypted(path, source.uri, settings)
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            opened = Path(folder) / "opened"
            opened.write_bytes(content.getbuffer())
            return reader_for(zip_type(opened), settings).read(opened, source, settings)
