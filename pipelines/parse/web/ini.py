"""Files of sections with keys and values: INI files, electronic data sheets of CANopen devices (EDS, CiA 306), TOML."""

from __future__ import annotations

import re
from pathlib import Path

from pipelines.core.document import Source
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.limits import check_text
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.text import append_text

_SECTION = re.compile(r"\[{1,2}([^\[\]]{1,200})\]{1,2}\s*((?:[;#].*)?)")
"""A section or, in two brackets, an element of an array of TOML, and the comment behind it."""
_NAME = re.compile(r"\w{0,40}name: ([^\n]{1,200})", re.IGNORECASE)
"""The first key of a section that names what it describes (`ParameterName` in an EDS file)."""
_QUOTED = re.compile(r"""(["'])((?:(?!\1)[^\\])*)\1""")
"""A value in quotation marks, without escapes."""


class IniReader:
    """Reads each section under a heading: its name, with that of what it describes ("6081 Profile velocity")."""

    formats = (
        FileFormat("text/x-ini", (".ini", ".eds", ".dcf", ".inf", ".reg")),
        FileFormat("application/toml", (".toml",)),
    )
    name = "ini"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        text = decode(path.read_bytes()).text
        check_text(len(text), source.uri, settings.limits)
        builder = DocumentBuilder(source, settings, self.name)
        sections = _sections(text)
        if len(sections) == 1:
            append_text(text, builder)
            return builder.build()
        for title, lines in sections:
            named = next((match[1].strip() for line in lines if (match := _NAME.fullmatch(line))), "")
            if title:
                builder.heading(" ".join(filter(None, (title, named))), 1)
            builder.paragraph("\n".join(lines))
        return builder.build()


def _sections(text: str) -> list[tuple[str, list[str]]]:
    """Return the titles and lines of the sections; the first has no title."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    for line in map(str.strip, text.splitlines()):
        if section := _SECTION.fullmatch(line):
            title, comment = section.groups()
            sections.append((title.strip(), [comment] if comment else []))
        elif line:
            sections[-1][1].append(_field(line))
    return sections


def _field(line: str) -> str:
    """Return a key with its value as "key: value", and comments and other lines as they are."""
    key, sign, value = map(str.strip, line.partition("="))
    if not sign or key.startswith((";", "#")):
        return line
    quoted = _QUOTED.fullmatch(value)
    return f"{key}: {quoted[2] if quoted else value}"
