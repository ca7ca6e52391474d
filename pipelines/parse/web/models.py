"""3D models in text form: the names of parts, assemblies and authors; the geometry, which is most of it, is no text.

STEP physical files (ISO 10303-21; entities of ISO 10303-41 and -44), IGES (ANSI US PRO/IPO-100, version 5.3), STL.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pipelines.core.document import Source
from pipelines.core.table import Cell
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.limits import check_text
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings

_TOKEN = re.compile(r"'[^']*+(?:'|\Z)|[^';]++|;")
"""A string in a STEP file (two after another where it has a quotation mark), other text, the end of a statement."""
_INSTANCE = re.compile(r"\s*+(?:#(?P<number>\d++)\s*+=\s*+)?(?P<kind>[A-Z][A-Z0-9_]*+)\s*+\(")
"""The beginning of an instance of an entity: its number, which those of the header have not, and its type."""
_STEP = re.compile(r"\ufeff?\s*+ISO-10303-21\b")
_VALUE = re.compile(r"'((?:[^']|'')*+)'|#(\d+)")
_ARGUMENT = re.compile(r"(\((?:[^'()]++|'(?:[^']|'')*+')*+\)|'(?:[^']|'')*+'|\$)")
"""A value in the header: a list, a string, or none."""
_UTF16 = re.compile(r"\\X2\\((?:[0-9A-F]{4})*+)\\X0\\")
_LATIN = re.compile(r"\\X\\([0-9A-F]{2})")
_SHIFTED = re.compile(r"\\S\\(.)")
_SHIFT = 128
"""Characters in strings of STEP: in UTF-16, in ISO 8859-1, and shifted by 128 (ISO 10303-21, 6.4.3)."""
_HEADER: Final = {
    "FILE_DESCRIPTION": ("Description",),
    "FILE_NAME": ("File", "Date", "Author", "Organization", "Preprocessor", "System", "Authorization"),
}
_TEXTS: Final = frozenset(
    "DESCRIPTIVE_REPRESENTATION_ITEM PROPERTY_DEFINITION GENERAL_PROPERTY DOCUMENT DOCUMENT_FILE MATERIAL_DESIGNATION"
    " PERSON ORGANIZATION TEXT_LITERAL DRAUGHTING_CALLOUT PRODUCT_CATEGORY".split()
)
"""Entities with names and notes, besides those of parts."""
_EMPTY: Final = ("", " ", "NONE", "none", "/NULL", "UNKNOWN", "Unknown", "not specified")
"""What programs write where there is no name."""
_END, _TAIL = "END-ISO-10303-21", 1000
"""The last statement of a STEP file, and the characters at its end that are searched for it."""
_CUT = "cut short, and read as far as it goes"
_NOT_READ = "the geometry is no text, and is not read: {} entities"
_HOLLERITH = re.compile(r"(\d{1,4})H")
"""The beginning of a string in IGES, with its length (2.2.2.3)."""
_LINE, _DATA_COLUMNS, _PARAMETER_COLUMNS = 80, 72, 64
"""Columns of a line of IGES, those with data, and those with data in the parameter section."""


@dataclass(frozen=True, slots=True)
class _Instance:
    """An instance in a STEP file: its type, its strings, the numbers of the instances that it refers to."""

    kind: str
    texts: tuple[str, ...]
    refers: tuple[str, ...]


class StepReader:
    """Reads the header of a STEP file, its parts and assemblies as tables, and other names."""

    formats = (
        FileFormat("model/step", (".stp", ".step", ".p21"), sniff=lambda one: _STEP.match(one.text) is not None),
    )
    name = "step"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        builder = DocumentBuilder(source, settings, self.name)
        instances: dict[str, _Instance] = {}
        left = 0
        for statement in _statements(text):
            match = _INSTANCE.match(statement)
            if match is None:
                continue
            number, kind, values = *match.group("number", "kind"), statement[match.end() :]
            if kind in _HEADER:
                _append_header(kind, values, builder)
            elif number and (kind in _TEXTS or kind.startswith(("PRODUCT", "NEXT_ASSEMBLY"))):
                instances[number] = _instance(kind, values)
            else:
                left += bool(number)
        _append_parts(instances, builder)
        notes = (", ".join(dict.fromkeys(one.texts)) for one in instances.values() if one.kind in _TEXTS)
        for note in dict.fromkeys(notes):
            builder.paragraph(note)
        if left:
            builder.remark(_NOT_READ.format(left))
        if _END not in text[-_TAIL:]:
            builder.left_out(issue=_CUT)
        return builder.build()


def _statements(text: str) -> Iterator[str]:
    """Yield the statements of a STEP file, which a semicolon outside of strings ends."""
    parts: list[str] = []
    for match in _TOKEN.finditer(text):
        if match[0] == ";":
            yield "".join(parts)
            parts.clear()
        else:
            parts.append(match[0])


def _instance(kind: str, values: str) -> _Instance:
    found = _VALUE.findall(values)
    texts = tuple(_decoded(text) for text, number in found if not number)
    return _Instance(kind, tuple(text for text in texts if text not in _EMPTY), tuple(one for _, one in found if one))


def _decoded(text: str) -> str:
    """Return a string of STEP without its escapes."""
    text = _UTF16.sub(lambda found: bytes.fromhex(found[1]).decode("utf-16-be", "replace"), text)
    text = _LATIN.sub(lambda found: chr(int(found[1], 16)), text)
    return (
        _SHIFTED.sub(lambda found: chr(ord(found[1]) + _SHIFT), text).replace("''", "'").replace("\\\\", "\\").strip()
    )


def _append_header(kind: str, values: str, builder: DocumentBuilder) -> None:
    """Append the values of an entity of the header with their names; some are lists."""
    for name, argument in zip(_HEADER[kind], _ARGUMENT.findall(values), strict=False):
        texts = [text for text in (_decoded(text) for text, _ in _VALUE.findall(argument)) if text not in _EMPTY]
        if texts:
            builder.paragraph(f"{name}: {', '.join(texts)}")


def _append_parts(instances: Mapping[str, _Instance], builder: DocumentBuilder) -> None:
    """Append the parts, and what is assembled of what, as tables."""
    parts = [one.texts for one in instances.values() if one.kind == "PRODUCT" and one.texts]
    names = ("Part", "Name", "Description")
    rows = [tuple(dict.fromkeys(texts))[: len(names)] for texts in dict.fromkeys(parts)]
    _append_table(names, rows, builder)
    used: Counter[tuple[str, str]] = Counter()
    for one in instances.values():
        if one.kind == "NEXT_ASSEMBLY_USAGE_OCCURRENCE" and len(one.refers) > 1:
            used[_part(one.refers[0], instances), _part(one.refers[1], instances)] += 1
    _append_table(("Assembly", "Part", "Quantity"), [(*pair, str(count)) for pair, count in used.items()], builder)


def _part(number: str, instances: Mapping[str, _Instance]) -> str:
    """Return the name of the part that a definition is of: by its version, to the product."""
    for _ in ("definition", "version", "product"):
        one = instances.get(number)
        if one is None:
            return ""
        if one.kind == "PRODUCT":
            return one.texts[0] if one.texts else ""
        number = one.refers[0] if one.refers else ""
    one = instances.get(number)
    return one.texts[0] if one is not None and one.kind == "PRODUCT" and one.texts else ""


def _append_table(names: tuple[str, ...], rows: list[tuple[str, ...]], builder: DocumentBuilder) -> None:
    if rows:
        grid = [names[: max(map(len, rows))], *rows]
        places = ((row, column, text) for row, texts in enumerate(grid) for column, text in enumerate(texts))
        builder.table([Cell(row, column, text, header=row == 0) for row, column, text in places])


def _is_iges(sample: FileSample) -> bool:
    first = sample.text.partition("\n")[0].rstrip("\r")
    return len(first) == _LINE and re.fullmatch(r"S {0,6}0{0,6}1", first[_DATA_COLUMNS:]) is not None


class IgesReader:
    """Reads the start section of an IGES file, and the strings in it, such as names and notes."""

    formats = (FileFormat("model/iges", (".igs", ".iges"), sniff=_is_iges),)
    name = "iges"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        builder = DocumentBuilder(source, settings, self.name)
        lines = [line for line in text.splitlines() if len(line) > _DATA_COLUMNS]
        builder.paragraph("\n".join(line[:_DATA_COLUMNS].rstrip() for line in lines if line[_DATA_COLUMNS] == "S"))
        data = "".join(line[:_DATA_COLUMNS] for line in lines if line[_DATA_COLUMNS] == "G")
        notes = "".join(line[:_PARAMETER_COLUMNS] for line in lines if line[_DATA_COLUMNS] == "P")
        for string in dict.fromkeys((*_strings(data), *_strings(notes))):
            builder.paragraph(string)
        builder.remark(_NOT_READ.format(sum(line[_DATA_COLUMNS] == "D" for line in lines) // 2))
        if not any(line[_DATA_COLUMNS] == "T" for line in lines[-1:]):
            builder.left_out(issue=_CUT)
        return builder.build()


def _strings(data: str) -> list[str]:
    """Return the strings in data of IGES that have letters."""
    found: list[str] = []
    at = 0
    while (match := _HOLLERITH.search(data, at)) is not None:
        at = match.end() + int(match[1])
        string = data[match.end() : at].strip()
        if len(string) > 1 and any(character.isalpha() for character in string):
            found.append(string)
    return found


_STL = re.compile(r"\s*+solid\b[^\n]*+\n\s*+(?:facet\s+normal|endsolid)")
_SOLID = re.compile(r"^[ \t]*+solid[ \t]++(\S[^\n]*)", re.MULTILINE)


class StlReader:
    """Reads the name of an STL model in text form."""

    formats = (FileFormat("model/stl", (".stl",), sniff=lambda sample: _STL.match(sample.text) is not None),)
    name = "stl"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        check_text(len(text), source.uri, settings.limits)
        builder = DocumentBuilder(source, settings, self.name)
        for match in _SOLID.finditer(text):
            builder.paragraph(match[1])
        builder.remark(_NOT_READ.format(text.count("endfacet")))
        return builder.build()
