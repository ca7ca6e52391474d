"""Which reader reads which media type. Readers are named, not imported: parsing text loads no PDF library."""

from __future__ import annotations

from importlib import import_module
from types import MappingProxyType

from pipelines.core.errors import SettingsError, Unsupported
from pipelines.parse.reader import Reader
from pipelines.parse.settings import ParseSettings

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_OFFICE = "pipelines.parse.office."
_WEB = "pipelines.parse.web."
_IMAGE = "pipelines.parse.image:ImageReader"

READERS = MappingProxyType(
    {
        "application/pdf": "pipelines.parse.pdf.reader:PdfReader",
        "image/png": _IMAGE,
        "image/jpeg": _IMAGE,
        "image/tiff": _IMAGE,
        "image/webp": _IMAGE,
        "image/bmp": _IMAGE,
        "image/gif": _IMAGE,
        _OOXML + "wordprocessingml.document": _OFFICE + "docx:DocxReader",
        _OOXML + "spreadsheetml.sheet": _OFFICE + "xlsx:XlsxReader",
        "application/vnd.ms-excel.sheet.macroenabled.12": _OFFICE + "xlsx:XlsxReader",
        _OOXML + "presentationml.presentation": _OFFICE + "pptx:PptxReader",
        _ODF + "text": _OFFICE + "odt:OdtReader",
        _ODF + "spreadsheet": _OFFICE + "ods:OdsReader",
        _ODF + "presentation": _OFFICE + "odp:OdpReader",
        "application/msword": _OFFICE + "legacy:LegacyReader",
        "application/vnd.ms-powerpoint": _OFFICE + "legacy:LegacyReader",
        "application/vnd.ms-excel": _OFFICE + "legacy:LegacyReader",
        "text/csv": _OFFICE + "csv:CsvReader",
        "text/tab-separated-values": _OFFICE + "csv:CsvReader",
        "text/html": _WEB + "html:HtmlReader",
        "application/xhtml+xml": _WEB + "html:HtmlReader",
        "text/markdown": _WEB + "markdown:MarkdownReader",
        "text/plain": _WEB + "text:TextReader",
        "application/json": _WEB + "json:JsonReader",
        "application/xml": _WEB + "xml:XmlReader",
        "text/xml": _WEB + "xml:XmlReader",
        "application/epub+zip": _WEB + "epub:EpubReader",
        "message/rfc822": _WEB + "eml:EmlReader",
        "application/vnd.ms-outlook": _WEB + "msg:MsgReader",
        "application/rtf": _WEB + "rtf:RtfReader",
        "text/rtf": _WEB + "rtf:RtfReader",
        "application/zip": _WEB + "zip:ZipReader",
        "application/x-tar": _WEB + "tar:TarReader",
        "application/gzip": _WEB + "tar:TarReader",
        "application/x-bzip2": _WEB + "tar:TarReader",
        "application/x-xz": _WEB + "tar:TarReader",
        "application/vnd.ms-office.encrypted": _OFFICE + "encrypted:EncryptedReader",
        "application/x-ndjson": _WEB + "json:JsonReader",
        "application/mbox": _WEB + "eml:MailboxReader",
        "image/svg+xml": _WEB + "xml:XmlReader",
        "text/x-rst": _WEB + "rst:RstReader",
        "text/x-org": _WEB + "org:OrgReader",
    }
)

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
    """Return the reader of `media_type`, one of the settings' own (`engines`) before a built-in one.

    Raises `Unsupported` for a type that nobody reads, `SettingsError` for an engine that cannot be loaded.
    """
    chosen = settings.engines.get(media_type)
    if chosen is not None:
        return _load_own(media_type, chosen)
    if media_type not in READERS:
        raise Unsupported(f"no reader for {media_type or 'files of unknown type'}", hint=_WAYS_OUT.get(media_type, ""))
    return _load(READERS[media_type])


def _load(name: str) -> Reader:
    module, _, attribute = name.partition(":")
    reader = getattr(import_module(module), attribute)()
    if not isinstance(reader, Reader):
        raise TypeError(f"{name} is not a reader")
    return reader


def _load_own(media_type: str, name: str) -> Reader:
    try:
        return _load(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise SettingsError(f"parse.engines: cannot load {name!r} for {media_type}: {error}") from error
