"""DXF drawings, in the text form of the format: their texts, from top to bottom.

Group codes and entities are those of Autodesk's DXF Reference (2018).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings

# A file begins with a section, possibly after comments (group code 999).
_START = re.compile(r"\ufeff?(?:[ \t]*999\r?\n[^\n]*\n)*+[ \t]*0\r?\n[ \t]*SECTION\r?\n")
_DRAWN = ("BLOCKS", "ENTITIES")
"""The sections with drawn entities; blocks are drawn in several places."""
_TEXTS = {
    "TEXT": ("1",),
    "MTEXT": ("3", "1"),
    "ATTRIB": ("1",),
    "ATTDEF": ("1",),
    "DIMENSION": ("1",),
    "MULTILEADER": ("304",),
}
"""The group codes of an entity's text, in the order in which a long text is divided among them. The cells of a table
(ACAD_TABLE) are also texts of a block."""
_MEASURED = "<>"
"""Placeholder for the measured length in the text of a dimension."""
_X, _Y = "10", "20"
_FORMATS = re.compile(r"\\[ACc]\d{1,10};?|\\[FfHQTWp][^;\\{}]{0,200};|\\[LlOoKkN]|(?<!\\)[{}]")
_STACKED = re.compile(r"\\S([^;\\]{0,200})[\^#]([^;\\]{0,200});")
_UNICODE = re.compile(r"\\U\+([0-9A-Fa-f]{4})")
_SIGNS = {"%%d": "°", "%%D": "°", "%%c": "⌀", "%%C": "⌀", "%%p": "±", "%%P": "±", "%%u": "", "%%U": "", "%%o": ""}
_ESCAPES = {"\\P": "\n", "\\~": " ", "\\{": "{", "\\}": "}", "\\\\": "\\"}
_SIGN = re.compile("|".join(map(re.escape, (*_SIGNS, *_ESCAPES))))


def _is_drawing(sample: FileSample) -> bool:
    return _START.match(sample.text) is not None


class DxfReader:
    """Reads the texts of a drawing, each once; those of blocks come last."""

    formats = (FileFormat("image/vnd.dxf", (".dxf",), sniff=_is_drawing),)
    name = "dxf"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        entities = list(_entities(decode(path.read_bytes()).text))
        entities.sort(key=lambda one: (one.section == "BLOCKS", -one.number(_Y), one.number(_X)))
        for text in dict.fromkeys(one.text() for one in entities):
            builder.paragraph(text)
        return builder.build()


@dataclass(slots=True)
class _Entity:
    """A drawn entity: its groups by code, in file order."""

    kind: str
    section: str
    groups: dict[str, list[str]] = field(default_factory=dict)

    def number(self, code: str) -> float:
        try:
            return float(self.groups.get(code, ["0"])[0])
        except ValueError:
            return 0.0

    def text(self) -> str:
        text = "".join(value for code in _TEXTS[self.kind] for value in self.groups.get(code, ()))
        return "" if text.strip() == _MEASURED else _plain(text)


def _entities(text: str) -> Iterator[_Entity]:
    """Yield the entities with text; of a truncated file those that are present."""
    lines = text.removeprefix("\ufeff").splitlines()
    section, entity = "", None
    for at in range(0, len(lines) - 1, 2):
        code, value = lines[at].strip(), lines[at + 1]
        if code != "0":
            if code == "2" and section == "SECTION":
                section = value.strip()
            elif entity is not None:
                entity.groups.setdefault(code, []).append(value)
            continue
        if entity is not None:
            yield entity
        kind = value.strip()
        section = kind if kind in ("SECTION", "ENDSEC", "EOF") else section
        entity = _Entity(kind, section) if kind in _TEXTS and section in _DRAWN else None
    if entity is not None:
        yield entity


def _plain(text: str) -> str:
    """Return a text without formatting codes (DXF Reference, "MTEXT formatting codes")."""
    text = _UNICODE.sub(lambda found: bytes.fromhex(found[1]).decode("utf-16-be", "replace"), text)
    text = _FORMATS.sub("", _STACKED.sub(r"\1/\2", text))
    return _SIGN.sub(lambda found: {**_SIGNS, **_ESCAPES}[found[0]], text).strip()
