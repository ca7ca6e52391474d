"""The readers and their formats, and the detection of a file's media type by content.

A built-in reader is added by one line, its name in `READERS`. Readers from the settings (`parse.engines`) and from
installed packages (entry points of the group `strata.readers`) are asked before the built-in ones, in this order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pipelines.core.errors import SettingsError, Unsupported
from pipelines.parse.compound import ENCRYPTED_OFFICE, OLE
from pipelines.parse.magic import ONENOTE, OOXML_TYPES
from pipelines.parse.reader import FileFormat, FileSample, Reader
from pipelines.parse.settings import ParseSettings

ENTRY_POINTS = "strata.readers"
READERS = (
    "image:ImageReader",
    "office.docx.reader:DocxReader",
    "office.xlsx.reader:XlsxReader",
    "office.pptx.reader:PptxReader",
    "office.odf.reader:OdtReader",
    "office.odf.reader:OdsReader",
    "office.odf.slides:OdpReader",
    "office.xls:XlsReader",
    "office.legacy:LegacyReader",
    "office.legacy:EncryptedReader",
    "pdf.reader:PdfReader",
    "pdf.converted:PostScriptReader",
    "pdf.converted:DjvuReader",
    "web.hwp:HwpReader",
    "web.epub:EpubReader",
    "web.msg:MsgReader",
    "web.rtf:RtfReader",
    "web.dxf:DxfReader",
    "web.models:StepReader",
    "web.models:IgesReader",
    "web.models:StlReader",
    "web.diagrams:DiagramReader",
    "web.reqif:ReqifReader",
    "web.archives:ZipReader",
    "web.archives:SevenZipReader",
    "web.archives:TarReader",
    "web.unpackers:LibarchiveReader",
    "web.unpackers:HelpReader",
    "web.unpackers:OutlookReader",
    "web.unpackers:AccessReader",
    "web.wrapped:SignedReader",
    "web.wrapped:TnefReader",
    "web.man:ManReader",
    "web.cards:CardReader",
    "web.text:SubtitleReader",
    "web.eml:EmlReader",
    "web.eml:MailboxReader",
    "web.markup:HtmlReader",
    "web.markup:XmlReader",
    "web.markdown:NotebookReader",
    "web.json:JsonReader",
    "web.markdown:MarkdownReader",
    "web.pandoc:PandocReader",
    "web.rst:RstReader",
    "web.rst:OrgReader",
    "web.asciidoc:AsciiDocReader",
    "office.csv:CsvReader",
    "office.csv:ColumnReader",
    "web.ini:IniReader",
    "web.yaml:YamlReader",
    "web.text:TextReader",
)
"""The built-in readers, relative to this package. If two formats recognise a file, the first one wins."""

_HINTS = MappingProxyType(
    {
        "image/x-dwg": "save it as DXF or PDF",
        "application/vnd.sqlite3": "export its tables as CSV",
        ONENOTE: "export it as PDF or DOCX",
        OLE: "an Office document of this kind is damaged; LibreOffice or Office may repair it",
    }
)
"""What the user can do with files that no reader supports."""


def reader_for(media_type: str, settings: ParseSettings) -> Reader:
    """Return the reader of `media_type`: from the settings (`engines`), an installed package, or built in.

    Raises `Unsupported` if there is none, `SettingsError` if a reader cannot be loaded.
    """
    if media_type in settings.engines:
        return _engine(media_type, settings.engines[media_type])
    for reader in (*_installed(), *_built_in()):
        if any(one.media_type == media_type for one in reader.formats):
            return reader
    raise Unsupported(f"no reader for {media_type or 'files of unknown type'}", hint=_HINTS.get(media_type, ""))


def built_in_formats() -> tuple[FileFormat, ...]:
    """Return the formats of the built-in readers, in the order of detection."""
    return tuple(one for reader in _built_in() for one in reader.formats)


def custom_formats(settings: ParseSettings) -> tuple[FileFormat, ...]:
    """Return the formats of readers from settings and installed packages, engines for new media types first.

    An engine for a known media type does not change detection. Raises `SettingsError` if a reader cannot be loaded, or
    if an engine for a new media type declares no format for it.
    """
    installed = tuple(one for reader in _installed() for one in reader.formats)
    known = {one.media_type for one in (*installed, *built_in_formats())}
    new = [_format(media_type, name) for media_type, name in settings.engines.items() if media_type not in known]
    return (*new, *installed)


def _format(media_type: str, name: str) -> FileFormat:
    formats: tuple[FileFormat, ...] = getattr(_engine(media_type, name), "formats", ())
    for one in formats:
        if one.media_type == media_type:
            return one
    raise SettingsError(f"parse.engines: {name!r} declares no format {media_type} (`formats`, see Reader)")


def _engine(media_type: str, name: str) -> Reader:
    return _load(name, f"parse.engines: cannot load {name!r} for {media_type}")


@cache
def _installed() -> tuple[Reader, ...]:
    """Return the readers of installed packages, by entry point name; installing a package means trusting its code."""
    points = sorted(entry_points(group=ENTRY_POINTS), key=lambda point: (point.name, point.value))
    return tuple(_load(point.value, f"cannot load {point.value!r}, an installed reader") for point in points)


@cache
def _built_in() -> tuple[Reader, ...]:
    return tuple(_load(f"{__package__}.{name}", name) for name in READERS)


def _load(name: str, complaint: str) -> Reader:
    module, _, attribute = name.partition(":")
    try:
        reader: Reader = getattr(import_module(module), attribute)()
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SettingsError(f"{complaint}: {error}") from error
    if not callable(getattr(reader, "read", None)):
        raise SettingsError(f"{complaint}: it is not a reader")
    return reader


TEXT = "text/plain"
UNKNOWN = "application/octet-stream"
_NEUTRAL_SUFFIXES = frozenset(
    ["", ".txt", ".text", ".dat", ".tmp", ".json", ".jsonl", ".ndjson", ".html", ".htm", ".xml"]
)
"""Suffixes of text whose format may be guessed: they say nothing, or the content has not confirmed them."""


@dataclass(frozen=True, slots=True)
class Detected:
    """The media type of a file, `UNKNOWN` if undetected, and whether the file is text.

    `note` is a sentence if the file name contradicts the type.
    """

    media_type: str
    note: str = ""
    is_text: bool = False


def detect(path: Path, name: str = "", settings: ParseSettings | None = None) -> Detected:
    """Return the media type of the file at `path`; `name` is its name if that differs from the path's.

    Formats of `settings.engines` and entry points are asked before the built-in ones. An empty file has the type of its
    suffix, or plain text. Raises `OSError` if the file cannot be read, `SettingsError` if a reader cannot be loaded.
    """
    sample = FileSample(path, PurePosixPath(name or path.name).suffix.lower())
    own, built_in = custom_formats(settings or ParseSettings()), built_in_formats()
    named = [one.media_type for one in (*own, *built_in) if sample.suffix in one.suffixes]
    if not sample.head:
        return Detected(named[0] if named else TEXT)
    media_type = _recognised(sample, own, named) or _recognised(sample, built_in, named) or _remaining(sample, built_in)
    promised = [one.media_type for one in (*own, *built_in) if one.promises(sample.suffix)]
    if not promised or media_type in promised:
        return Detected(media_type, is_text=sample.is_text)
    note = f"named {sample.suffix}, but its content is {media_type}"
    return Detected(media_type, note, sample.is_text)


def _recognised(sample: FileSample, formats: Sequence[FileFormat], named: Sequence[str]) -> str:
    """Return the first format that recognises the content, else the first that the name indicates, else ''."""
    if sample.signature == ENCRYPTED_OFFICE and named and named[0] in OOXML_TYPES:
        return named[0]  # the content is encrypted, so that only the name can tell
    for matches in (FileFormat.recognises, FileFormat.named):
        found = next((one.media_type for one in formats if matches(one, sample)), "")
        if found:
            return found
    return ""


def _remaining(sample: FileSample, formats: Sequence[FileFormat]) -> str:
    """Return the type of a file that no reader recognises: a binary format, or text that matches a `guess`."""
    if not sample.is_text:
        return sample.signature or _rare(sample.head)
    if sample.suffix not in _NEUTRAL_SUFFIXES:
        return TEXT
    return next((one.media_type for one in formats if one.guess is not None and one.guess(sample)), TEXT)


def _rare(head: bytes) -> str:
    """Return the type of a binary file that no reader supports, from puremagic."""
    import puremagic

    try:
        return str(puremagic.from_string(head, mime=True)) or UNKNOWN
    except (puremagic.PureError, ValueError):
        return UNKNOWN
