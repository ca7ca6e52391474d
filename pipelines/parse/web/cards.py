"""Calendars (iCalendar, RFC 5545) and address cards (vCard 2.1 to 4.0, RFC 6350): one section per entry."""

from __future__ import annotations

import quopri
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.core.document import ReferenceKind, Source
from pipelines.parse.assemble import DocumentBuilder, Image
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.inline import base64_bytes, inline_data

_FOLD = re.compile(r"(?<!=)\r?\n[ \t]")
"""Line folding (RFC 5545, 3.1), except in quoted-printable (vCard 2.1, 2.1.3)."""
_LINE = re.compile(r'(?:[\w-]+\.)?(?P<name>[\w-]+)(?P<parameters>(?:;(?:[^";:]|"[^"]*")*+)*):(?P<value>.*)')
_PARAMETER = re.compile(r';([\w-]+)(?:=("[^"]*"|[^;]*))?')
_DATE = re.compile(r"(?P<year>\d{4})(?P<month>\d\d)(?P<day>\d\d)(?:T(?P<hour>\d\d)(?P<minute>\d\d)\d\d(?P<utc>Z?))?")
_ESCAPE = re.compile(r"\\([nN,;\\])")
_TITLES = ("SUMMARY", "FN", "NAME")
_PROSE = ("DESCRIPTION", "NOTE", "COMMENT")
_DATA = ("PHOTO", "LOGO", "SOUND", "KEY", "ATTACH")
# Properties that calendar programs do not show: versions, ids, synchronization.
_TECHNICAL = frozenset(
    "BEGIN END VERSION PRODID UID DTSTAMP SEQUENCE CALSCALE METHOD TRANSP REV N CLASS CLIENTPIDMAP".split()
)
_SKIPPED = ("VTIMEZONE", "VALARM")
_NAMES = {
    "DTSTART": "Start", "DTEND": "End", "DUE": "Due", "RRULE": "Repeats", "EXDATE": "Except", "TEL": "Telephone",
    "ADR": "Address", "ORG": "Organization", "BDAY": "Birthday", "EMAIL": "E-mail", "GEO": "Position",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Property:
    """One line: its name and the names of its parameters in capitals, its value as written."""

    name: str
    parameters: dict[str, str]
    value: str

    def text(self) -> str:
        """Return the value for display, with a person's name or a time zone from the parameters."""
        if _DATE.fullmatch(self.value.split(",")[0]):
            zone = self.parameters.get("TZID", "")
            return ", ".join(map(_moment, self.value.split(","))) + (f" ({zone})" if zone else "")
        value = self.value
        if "QUOTED-PRINTABLE" in (self.parameters.get("ENCODING", "").upper(), *self.parameters):
            value = decode(quopri.decodestring(value.encode()), self.parameters.get("CHARSET", "")).text
        if self.name in ("ADR", "ORG", "N"):
            value = ", ".join(filter(None, value.split(";")))
        value = _ESCAPE.sub(lambda sign: "\n" if sign[1] in "nN" else sign[1], value).removeprefix("mailto:")
        person = self.parameters.get("CN", "")
        return f"{person} <{value}>" if person else value


def _moment(value: str) -> str:
    """Return a date or time as "2024-05-31 14:00 UTC"; any other value is unchanged."""
    found = _DATE.fullmatch(value)
    if found is None:
        return value
    date = f"{found['year']}-{found['month']}-{found['day']}"
    return f"{date} {found['hour']}:{found['minute']}{' UTC' if found['utc'] else ''}" if found["hour"] else date


def _begins(mark: str, sample: FileSample) -> bool:
    return sample.text[: len(mark) + 1].lstrip("\ufeff").upper().startswith(mark)


class CardReader:
    """Reads events, tasks and cards: title, fields line by line, descriptions, pictures."""

    formats = (
        FileFormat("text/calendar", (".ics",), sniff=lambda sample: _begins("BEGIN:VCALENDAR", sample)),
        FileFormat("text/vcard", (".vcf",), sniff=lambda sample: _begins("BEGIN:VCARD", sample)),
    )
    name = "cards"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        entry: list[_Property] = []
        titles, skipped = 0, ""
        for line in _properties(decode(path.read_bytes()).text):
            if line.name == "BEGIN" and line.value.upper() in _SKIPPED:
                skipped = skipped or line.value
            elif skipped:
                skipped = "" if line.name == "END" and line.value == skipped else skipped
            elif line.name in ("BEGIN", "END"):
                titles += _append(entry, builder)
                entry = []
            else:
                entry.append(line)
        titles += _append(entry, builder)
        if titles > 1 and "title" not in builder.metadata:  # of several events, the first is not what all is about
            file = PurePosixPath(source.name)
            builder.meta("title", f"{file.stem} ({file.suffix[1:].upper()})")
        return builder.build()


def _properties(text: str) -> Iterator[_Property]:
    """Yield the properties; invalid lines of a broken file become comments of their entry."""
    lines: list[str] = []
    for line in _FOLD.sub("", text).splitlines():
        if lines and lines[-1].endswith("=") and "QUOTED-PRINTABLE" in lines[-1].upper():
            lines[-1] = lines[-1].removesuffix("=") + line
        else:
            lines.append(line)
    for line in lines:
        found = _LINE.fullmatch(line.strip())
        if found is not None:
            parameters = {name.upper(): value.strip('"') for name, value in _PARAMETER.findall(found["parameters"])}
            yield _Property(found["name"].upper(), parameters, found["value"])
        elif line.strip():
            yield _Property("COMMENT", {}, line.strip())


def _append(entry: list[_Property], builder: DocumentBuilder) -> bool:
    """Append an entry under its title; return whether it has one."""
    shown = [line for line in entry if line.name not in _TECHNICAL and line.value]
    title = next((line for name in _TITLES for line in shown if line.name == name), None)
    for line in shown:
        if line.name == "X-WR-CALNAME":
            builder.meta("title", line.text())
    if title is not None:
        builder.heading(" ".join(title.text().split()), 1)
    fields = [line for line in shown if line is not title and line.name not in (*_PROSE, *_DATA)]
    if title is not None or not builder.empty or any(not line.name.startswith("X-") for line in fields):
        builder.paragraph("\n".join(f"{_label(line)}: {line.text()}" for line in fields))
    for line in shown:
        if line.name in _PROSE:
            builder.paragraph(line.text())
        elif line.name in _DATA:
            _append_data(line, builder)
    return title is not None


def _label(line: _Property) -> str:
    kind = line.parameters.get("TYPE", "").lower()
    name = _NAMES.get(line.name, line.name.removeprefix("X-").replace("-", " ").capitalize())
    return f"{name} ({kind})" if kind else name


def _append_data(line: _Property, builder: DocumentBuilder) -> None:
    """Append a picture, or a reference for an address; other data is left out."""
    media_type, data = inline_data(line.value)
    if line.parameters.get("ENCODING", "").upper() in ("B", "BASE64"):
        media_type = f"image/{line.parameters.get('TYPE', 'jpeg').lower()}"
        data = base64_bytes(line.value)
    if data and line.name in ("PHOTO", "LOGO"):
        builder.figure(Image(data, media_type))
    elif "://" in line.value[:20]:  # the longest scheme with room to spare
        builder.reference(ReferenceKind.HYPERLINK, line.value)
    else:
        builder.remark(f"{line.name.lower()} is data and was left out")
