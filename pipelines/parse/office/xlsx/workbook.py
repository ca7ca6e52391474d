"""What the sheets of a workbook have in common: their names, the shared strings, the number formats."""

from __future__ import annotations

import re
from dataclasses import dataclass

from pipelines.core.errors import TooLarge
from pipelines.parse.office.ooxml import (
    NAMESPACES,
    Element,
    parse_xml,
    qualified,
    read_xml,
    related,
    relationships,
    stream_children,
)
from pipelines.parse.office.package import Package
from pipelines.parse.office.xlsx.formats import PLAIN, NumberFormat, built_in, parse_format

_SST = frozenset({qualified("x:sst")})
_TEXT, _PHONETIC = qualified("x:t"), qualified("x:rPh")
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_MOST_STRINGS = 5_000_000


@dataclass(frozen=True, slots=True)
class SheetEntry:
    """A sheet as the workbook lists it; `kind` is worksheet, chartsheet, dialogsheet or macrosheet."""

    name: str
    part: str
    kind: str
    hidden: bool


@dataclass(frozen=True, slots=True)
class Workbook:
    """`formats` by the style number of a cell; `since_1904` says from when days are counted."""

    sheets: tuple[SheetEntry, ...]
    strings: list[str]
    formats: list[NumberFormat]
    since_1904: bool

    def format(self, style: str | None) -> NumberFormat:
        number = int(style) if style is not None and style.isdigit() else 0
        return self.formats[number] if number < len(self.formats) else PLAIN


def read_workbook(package: Package, part: str) -> Workbook:
    """Return the workbook in `part`. Raises `Malformed` for XML that is broken, `TooLarge` for too many strings."""
    root = parse_xml(package.read(part), package.uri, part)
    properties = root.find("x:workbookPr", NAMESPACES)
    since_1904 = properties is not None and properties.get("date1904") in ("1", "true")
    return Workbook(_sheets(package, part, root), _strings(package, part), _formats(package, part), since_1904)


def rich_text(element: Element) -> str:
    """Return the text of a string item: all its runs, without the phonetic guide."""
    texts = [node.text or "" for node in element.iter(_TEXT) if (up := node.getparent()) is None or up.tag != _PHONETIC]
    return unescape("".join(texts))


def unescape(text: str) -> str:
    """Return a text with characters written as "_x000D_" put back (ECMA-376 1, 22.9.2.19)."""
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
