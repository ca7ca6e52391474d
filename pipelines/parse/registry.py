"""The readers and their formats. One line adds a built-in reader: its name in `READERS`.

Readers of one's own come from the settings (`parse.engines`) and from installed packages (entry points of the group
`strata.readers`), and are asked in this order, before the built-in ones.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from types import MappingProxyType

from pipelines.core.errors import SettingsError, Unsupported
from pipelines.parse.reader import FileFormat, Reader
from pipelines.parse.settings import ParseSettings

ENTRY_POINTS = "strata.readers"
READERS = (
    "image:ImageReader",
    "office.docx:DocxReader",
    "office.xlsx:XlsxReader",
    "office.pptx:PptxReader",
    "office.odt:OdtReader",
    "office.ods:OdsReader",
    "office.odp:OdpReader",
    "office.legacy:LegacyReader",
    "office.legacy:EncryptedReader",
    "pdf.reader:PdfReader",
    "web.epub:EpubReader",
    "web.msg:MsgReader",
    "web.rtf:RtfReader",
    "web.archives:ZipReader",
    "web.archives:TarReader",
    "web.eml:EmlReader",
    "web.eml:MailboxReader",
    "web.html:HtmlReader",
    "web.xml:XmlReader",
    "web.json:JsonReader",
    "web.markdown:MarkdownReader",
    "web.rst:RstReader",
    "web.org:OrgReader",
    "office.csv:CsvReader",
    "web.text:TextReader",
)
"""The built-in readers, below this package. Where two formats recognise a file, the first of them is taken."""

_WAYS_OUT = MappingProxyType(
    {
        "application/x-7z-compressed": "unpack it into the folder",
        "application/vnd.rar": "unpack it into the folder",
        "application/vnd.ms-outlook-pst": "export its mails as .eml or .msg",
        "application/postscript": "convert it to PDF",
        "image/heic": "save it as JPEG or PNG",
    }
)
"""What can be done with files that nobody reads."""


def reader_for(media_type: str, settings: ParseSettings) -> Reader:
    """Return the reader of `media_type`: of the settings (`engines`), else of an installed package, else built in.

    Raises `Unsupported` for a type that nobody reads, `SettingsError` for a reader that cannot be loaded.
    """
    if media_type in settings.engines:
        return _engine(media_type, settings.engines[media_type])
    for reader in (*_installed(), *_built_in()):
        if any(one.media_type == media_type for one in reader.formats):
            return reader
    raise Unsupported(f"no reader for {media_type or 'files of unknown type'}", hint=_WAYS_OUT.get(media_type, ""))


def built_in_formats() -> tuple[FileFormat, ...]:
    """Return the formats of the built-in readers, in the order in which they are asked."""
    return tuple(one for reader in _built_in() for one in reader.formats)


def own_formats(settings: ParseSettings) -> tuple[FileFormat, ...]:
    """Return the formats of the readers that settings and installed packages add, engines for new types first.

    An engine for a type that is known already reads what is recognised as before. Raises `SettingsError` for a reader
    that cannot be loaded, and for an engine of a new type that does not declare a format of it.
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
    """The readers of installed packages, by name of the entry point; whoever installs a package trusts its code."""
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
