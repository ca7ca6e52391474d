"""Readers of the formats that LibreOffice converts to one of ours, and of files that a password protects."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, TooLarge, Unsupported
from pipelines.core.ids import path_of
from pipelines.parse.compound import ENCRYPTED_OFFICE, OLE, PUBLISHER, STAR_OFFICE, VISIO, WORKS
from pipelines.parse.limits import READING, current_task
from pipelines.parse.magic import IWORK, PDF, SUN_XML, VISIO_XML, XLSB, zip_type
from pipelines.parse.office.libreoffice import convert, program
from pipelines.parse.office.package import Package, decrypted, is_protected
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample, signed
from pipelines.parse.registry import reader_for
from pipelines.parse.settings import ParseSettings

_WORD, _POWERPOINT = "application/msword", "application/vnd.ms-powerpoint"
_WORD_XML, _EXCEL_XML = "application/vnd.ms-word.xml", "application/vnd.ms-excel.xml"
_SIGNED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        _WORD: ("docx", ".doc .dot"),
        _POWERPOINT: ("pptx", ".ppt .pps .pot"),
        XLSB: ("xlsx", ".xlsb"),
        "application/vnd.wordperfect": ("docx", ".wpd .wp .wp5 .wp6"),
        "application/x-hwp3": ("odt", ".hwp"),
        VISIO: ("odg", ".vsd .vst .vss"),
        VISIO_XML: ("odg", ".vsdx .vsdm .vstx .vstm .vssx .vssm"),
        PUBLISHER: ("odg", ".pub"),
        SUN_XML + "writer": ("odt", ".sxw .stw"),
        SUN_XML + "calc": ("ods", ".sxc .stc"),
        SUN_XML + "impress": ("odp", ".sxi .sti"),
        SUN_XML + "draw": ("odg", ".sxd .std"),
        STAR_OFFICE + "writer": ("odt", ".sdw"),
        STAR_OFFICE + "calc": ("ods", ".sdc"),
        STAR_OFFICE + "impress": ("odp", ".sdd"),
        STAR_OFFICE + "draw": ("odg", ".sda"),
    }
)
"""Formats that their content identifies, with the format of the conversion and the suffixes of their names."""
_NAMED: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        WORKS: ("odt", ".wps"),
        "application/x-mswrite": ("odt", ".wri"),
        "application/vnd.lotus-wordpro": ("odt", ".lwp"),
        "application/vnd.lotus-1-2-3": ("ods", ".wk1 .wk3 .wk4 .123 .wks"),
        "application/x-dbf": ("ods", ".dbf"),
        "application/x-quattro-pro": ("ods", ".wq1 .wq2 .wb1 .wb2 .wb3 .qpw"),
        "application/vnd.corel-draw": ("odg", ".cdr"),
        "application/vnd.pagemaker": ("odg", ".pmd .pm6 .p65"),
        "image/cgm": ("pdf", ".cgm"),
        "image/emf": ("pdf", ".emf"),
        "image/wmf": ("pdf", ".wmf"),
    }
)
"""Binary formats that only the name of a file identifies (LibreOffice, filter/source/config/fragments/types)."""
_XML: Mapping[str, tuple[str, bytes]] = MappingProxyType(
    {_WORD_XML: ("docx", b'progid="Word.Document"'), _EXCEL_XML: ("xlsx", b'progid="Excel.Sheet"')}
)
"""Office 2003 and later in one XML file, and the instruction by which Windows finds the program."""
_IWORK = MappingProxyType({".pages": "odt", ".numbers": "ods", ".key": "odp"})
_PREVIEW = "QuickLook/Preview.pdf"
_PROLOG = 1000
"""Bytes at the start of an XML file that are searched for an instruction."""


def _is_named(sample: FileSample, suffixes: Sequence[str]) -> bool:
    """Whether a file has one of these suffixes and a binary content that nothing else identifies."""
    return sample.suffix in suffixes and not sample.is_text and sample.signature in ("", OLE)


def _is_office_xml(sample: FileSample, instruction: bytes) -> bool:
    return instruction in sample.head[:_PROLOG] and program() is not None


def _formats() -> tuple[FileFormat, ...]:
    known = [signed(media_type, *suffixes.split()) for media_type, (_, suffixes) in _SIGNED.items()]
    named = [
        FileFormat(media_type, tuple(suffixes.split()), sniff=partial(_is_named, suffixes=suffixes.split()))
        for media_type, (_, suffixes) in _NAMED.items()
    ]
    xml = [
        FileFormat(kind, sniff=partial(_is_office_xml, instruction=mark), also=(".xml", ".doc", ".xls"))
        for kind, (_, mark) in _XML.items()
    ]
    return (*known, *named, *xml, signed(IWORK, *_IWORK))


class LegacyReader:
    """Reads old and rare office formats and drawings, as LibreOffice converts them. Raises `Unsupported` without it.

    Without LibreOffice, XML of Office 2003 is read as any other XML, and iWork by the preview that older files have.
    """

    formats = _formats()
    name = "legacy"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with tempfile.TemporaryDirectory(prefix="strata-") as name:
            folder = Path(name)
            try:
                return read_converted(path, _target(source), folder, source, settings)
            except (Encrypted, Malformed, Unsupported):
                if source.media_type in (_WORD, _POWERPOINT) and program() is not None and is_protected(path):
                    opened = folder / f"opened{path.suffix}"
                    opened.write_bytes(decrypted(path, source.uri, settings).getbuffer())
                    return read_converted(opened, _target(source), folder, source, settings)
                preview = _preview(path, source, settings) if source.media_type == IWORK else b""
                if not preview:
                    raise
                (folder / "preview.pdf").write_bytes(preview)
                return reader_for(PDF, settings).read(folder / "preview.pdf", source, settings)


def _preview(path: Path, source: Source, settings: ParseSettings) -> bytes:
    """Return the PDF that an iWork document carries for Quick Look, empty if it has none."""
    with Package(path, source.uri, settings) as package:
        return package.find(_PREVIEW)


def _target(source: Source) -> str:
    if source.media_type == IWORK:
        return _IWORK.get(path_of(source.name).suffix.lower(), "pdf")
    found = _SIGNED.get(source.media_type) or _NAMED.get(source.media_type) or _XML[source.media_type]
    return found[0]


def read_converted(path: Path, target: str, folder: Path, source: Source, settings: ParseSettings) -> Parsed:
    """Return the content of a file after its conversion to `target`, a suffix, into `folder`."""
    converted = _convert(path, target, folder, source)
    if target == "pdf":
        return reader_for(PDF, settings).read(converted, source, settings)
    kind = zip_type(converted)
    read_as = replace(source, media_type=kind) if target.startswith("od") else source  # the type names the body
    return reader_for(kind, settings).read(converted, read_as, settings)


def _convert(path: Path, target: str, folder: Path, source: Source) -> Path:
    """Return the converted file in `folder`. Raises `TooLarge` if the time limit is reached, and the errors of
    `convert`.

    Without a suffix LibreOffice goes by the content; one of another format ("report.txt") it believes.
    """
    _, suffixes = _SIGNED.get(source.media_type, ("", ""))
    if suffixes and path.suffix.lower() not in ("", *suffixes.split()):
        path = Path(shutil.copy(path, folder / path.stem))
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
            kind = zip_type(opened)
            return reader_for(kind, settings).read(opened, replace(source, media_type=kind), settings)
