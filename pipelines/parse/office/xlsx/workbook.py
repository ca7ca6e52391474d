"""Workbooks and their sheets; only cells with content are stored."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from itertools import islice

from pipelines.core.errors import TooLarge
from pipelines.parse.office.grid import SheetGrid
from pipelines.parse.office.ooxml import (
    NAMESPACES,
    Element,
    local,
    parse_xml,
    qualified,
    read_xml,
    related,
    relationships,
    stream_children,
)
from pipelines.parse.office.package import Package
from pipelines.parse.office.ranges import parse_cell, parse_range
from pipelines.parse.office.xlsx.formats import PLAIN, NumberFormat, built_in, number_text, other_form, parse_format

_SST = frozenset({qualified("x:sst")})
_TEXT, _PHONETIC = qualified("x:t"), qualified("x:rPh")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MOST_STRINGS = 5_000_000
"""Maximum shared strings: 50 sheets of `limits.cells`."""


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet in the workbook's list; `kind` is worksheet, chartsheet, dialogsheet or macrosheet."""

    name: str
    part: str
    kind: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Workbook:
    """The sheets of a workbook and the data that they share.

    The index of `formats` is the style number of a cell; `since_1904` says that days count from 1904.
    """

    sheets: tuple[SheetEntry, ...]
    strings: list[str]
    formats: list[NumberFormat]
    since_1904: bool

    def format(self, style: str | None) -> NumberFormat:
        number = int(style) if style is not None and style.isdigit() else 0
        return self.formats[number] if number < len(self.formats) else PLAIN


def read_workbook(package: Package, part: str) -> Workbook:
    """Return the workbook in `part`. Raises `Malformed` for invalid XML, `TooLarge` for too many shared strings."""
    root = parse_xml(package.read(part), package.uri, part)
    properties = root.find("x:workbookPr", NAMESPACES)
    since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    return Workbook(_sheets(package, part, root), _strings(package, part), _formats(package, part), since_1904)


def rich_text(element: Element) -> str:
    """Return the text of a string item: all its runs, without phonetic guides."""
    texts = [node.text or "" for node in element.iter(_TEXT) if (up := node.getparent()) is None or up.tag != _PHONETIC]
    return unescape("".join(texts))


def unescape(text: str) -> str:
    """Return a text with escaped characters such as "_x000D_" decoded (ECMA-376 1, 22.9.2.19)."""
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text) if "_x" in text else text


def _sheets(package: Package, part: str, root: Element) -> tuple[SheetEntry, ...]:
    links = relationships(package, part)
    found = []
    for sheet in root.iterfind("x:sheets/x:sheet", NAMESPACES):
        link = links.get(sheet.get(qualified("r:id"), ""))
        if link is not None:
            hidden = sheet.get("state", "visible") != "visible"
            found.append(SheetEntry(unescape(sheet.get("name", "")), link.target, link.kind, hidden))
    return tuple(found)


def _strings(package: Package, part: str) -> list[str]:
    strings: list[str] = []
    for name in related(package, part, "sharedStrings")[:1]:
        for item in stream_children(package.read(name), _SST, package.uri, name):
            strings.append(rich_text(item))
            if len(strings) > _MOST_STRINGS:
                raise TooLarge(f"more than {_MOST_STRINGS} strings", ids=(package.uri,))
    return strings


def _formats(package: Package, part: str) -> list[NumberFormat]:
    root = next((read_xml(package, name) for name in related(package, part, "styles")), None)
    if root is None:
        return []
    own = {
        item.get("numFmtId", ""): parse_format(item.get("formatCode", ""))
        for item in root.iterfind("x:numFmts/x:numFmt", NAMESPACES)
    }
    ids = [item.get("numFmtId", "0") for item in root.iterfind("x:cellXfs/x:xf", NAMESPACES)]
    return [own[id] if id in own else built_in(int(id) if id.isdigit() else 0) for id in ids]


_PARENTS = frozenset({qualified("x:sheetData"), qualified("x:worksheet")})
_VALUE, _FORMULA, _INLINE = qualified("x:v"), qualified("x:f"), qualified("x:is")
_LINK_FORMULA = re.compile(r'HYPERLINK\(\s*"([^"]+)"', re.IGNORECASE)
_MOST_RANGES = 100_000
"""Maximum merged ranges of a sheet: as many as `limits.cells`."""


@dataclass(frozen=True, slots=True)
class SheetLink:
    """A link on a cell: a relationship, a `location` in the workbook, or the `address` in a formula."""

    row: int
    column: int
    relationship: str = ""
    location: str = ""
    address: str = ""


@dataclass(slots=True)
class Worksheet:
    """The content of a worksheet; `drawings` are the names of its drawing parts, `margins` its headers and footers."""

    grid: SheetGrid
    margins: list[tuple[str, str]] = field(default_factory=list)
    links: list[SheetLink] = field(default_factory=list)
    drawings: list[str] = field(default_factory=list)


_CODE = re.compile(r'&(?:"[^"]*"|K[0-9A-F+-]{5,6}|\d+|([^&"]))')
_SHOWN = {"L": "\n", "C": "\n", "R": "\n", "P": "1", "N": "1"}
"""What codes are shown as: the parts on lines of their own, page numbers as those of the first page."""


def margin_text(code: str) -> str:
    """Return the text of a header or footer: its left, centre and right part, without codes (ECMA-376 1, 18.3.1.46)."""
    parts = code.replace("&&", "\0")
    text = _CODE.sub(lambda found: _SHOWN.get((found[1] or "").upper(), ""), parts)
    return text.replace("\0", "&").strip()


def read_sheet(package: Package, part: str, workbook: Workbook, most: int) -> Worksheet:
    """Return the worksheet in `part` with at most `most` cells. Raises `Malformed` for invalid XML."""
    sheet = Worksheet(SheetGrid(most))
    row = -1
    for element in stream_children(package.read(part), _PARENTS, package.uri, part):
        name = local(element)
        if name == "row" and not sheet.grid.full:
            number = element.get("r", "")
            row = int(number) - 1 if number.isdigit() else row + 1
            _read_row(element, row, workbook, sheet)
        elif name == "mergeCells":
            ranges = (parse_range(item.get("ref", "")) for item in islice(element, _MOST_RANGES))
            sheet.grid.merged += [found for found in ranges if found is not None and found.size > 1]
        elif name == "autoFilter":
            if (found := parse_range(element.get("ref", ""))) is not None:
                sheet.grid.tables.append(found)
        elif name == "hyperlinks":
            _read_links(element, sheet)
        elif name == "headerFooter":
            sheet.margins += [(local(margin), margin_text(margin.text or "")) for margin in element]
    return sheet


def _read_row(element: Element, row: int, workbook: Workbook, sheet: Worksheet) -> None:
    column = -1
    for cell in element:
        if local(cell) != "c":
            continue
        found = parse_cell(cell.get("r", ""))
        row, column = found if found is not None else (row, column + 1)
        if len(cell) == 0:
            continue
        sheet.grid.put(row, column, _text(cell, workbook), _other_form(cell, workbook))
        formula = cell.find(_FORMULA)
        if formula is not None and formula.text and (match := _LINK_FORMULA.search(formula.text)):
            sheet.links.append(SheetLink(row, column, address=match.group(1)))


def _text(cell: Element, workbook: Workbook) -> str:
    """Return the displayed text of a cell; that of a formula without a result is the formula."""
    kind, found = cell.get("t", "n"), cell.find(_VALUE)
    raw = (found.text or "") if found is not None else ""
    if kind == "inlineStr":
        inline = cell.find(_INLINE)
        return rich_text(inline) if inline is not None else ""
    if not raw:
        formula = cell.find(_FORMULA)
        calculated = found is not None and kind == "str"
        return f"={formula.text}" if not calculated and formula is not None and formula.text else ""
    if kind == "s":
        return workbook.strings[int(raw)] if raw.isdigit() and int(raw) < len(workbook.strings) else ""
    if kind == "n":
        return number_text(raw, workbook.format(cell.get("s")), workbook.since_1904)
    if kind == "b":
        return "TRUE" if raw == "1" else "FALSE"
    return raw.replace("T", " ").removesuffix("Z") if kind == "d" else unescape(raw)


def _other_form(cell: Element, workbook: Workbook) -> str:
    """Return a number's other form (see `other_form`), empty for a cell that is not a number."""
    found = cell.find(_VALUE)
    if cell.get("t", "n") != "n" or found is None or not found.text:
        return ""
    return other_form(found.text, workbook.format(cell.get("s")))


def _read_links(element: Element, sheet: Worksheet) -> None:
    for link in element.iterfind("x:hyperlink", NAMESPACES):
        found = parse_range(link.get("ref", ""))
        if found is not None:
            relationship = link.get(qualified("r:id"), "")
            sheet.links.append(SheetLink(found.top, found.left, relationship, link.get("location", "")))
