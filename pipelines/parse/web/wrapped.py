"""Files that wrap others: signed and time-stamped files (.p7m, .tsd), and Outlook's winmail.dat.

The only user of asn1crypto and tnefparse.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core.document import Source
from pipelines.core.errors import Encrypted, Malformed, Unsupported
from pipelines.core.ids import path_of
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample, signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.archives import append_member

if TYPE_CHECKING:
    from tnefparse import TNEF

_TYPES = re.compile(
    rb"\x30[\x00-\xff]{1,6}\x06(?:\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07[\x02\x03]"
    rb"|\x0b\x2a\x86\x48\x86\xf7\x0d\x01\x09\x10\x01\x1f)"
)
"""A sequence that begins with the type of signed, enveloped or time-stamped data (RFC 5652, 5.1 and 6.1; RFC 5544)."""
_HEAD = 28
"""Bytes at the start of a file in which the type is found; in Base64 they are seven groups."""


def _is_wrapped(sample: FileSample) -> bool:
    head = sample.head[:_HEAD]
    return _TYPES.match(head) is not None or _TYPES.match(_decoded(head)) is not None


def _decoded(data: bytes) -> bytes:
    """Return the bytes behind Base64, empty if it is none."""
    try:
        return base64.b64decode(data, validate=True)
    except binascii.Error:
        return b""


class SignedReader:
    """Unpacks what a CMS signature or time stamp encloses; the signature itself is not verified."""

    formats = (FileFormat("application/pkcs7-mime", (".p7m", ".tsd"), sniff=_is_wrapped, also=(".p7s",)),)
    name = "cms"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        data = path.read_bytes()
        builder = DocumentBuilder(source, settings, self.name)
        content = _enclosed(data if _TYPES.match(data[:_HEAD]) else _decoded(b"".join(data.split())), source.uri)
        inner = path_of(source.name)
        append_member(inner.stem if inner.suffix.lower() in (".p7m", ".tsd") else "content", content, builder)
        builder.remark("the signature was not verified")
        return builder.build()


def _enclosed(data: bytes, uri: str) -> bytes:
    from asn1crypto import cms, tsp

    try:
        envelope = cms.ContentInfo.load(data)
        content = envelope["content"]
        if envelope["content_type"].native == "enveloped_data":
            raise Encrypted("it is encrypted for its recipients", ids=(uri,))
        holder = content if isinstance(content, tsp.TimeStampedData) else content["encap_content_info"]
        inner = holder["content"].native
    except (ValueError, TypeError, KeyError, IndexError) as error:
        raise Malformed(f"not a readable signed file: {error}", ids=(uri,)) from error
    if not isinstance(inner, bytes) or not inner:
        raise Unsupported("a signature without the file that it signs", ids=(uri,))
    return inner


class TnefReader:
    """Unpacks the message and the attachments that Outlook puts into winmail.dat (MS-OXTNEF)."""

    formats = (signed("application/vnd.ms-tnef", ".dat", ".tnef"),)
    name = "tnef"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        from tnefparse import TNEF

        builder = DocumentBuilder(source, settings, self.name)
        try:
            mail = TNEF(path.read_bytes())
            for attachment in mail.attachments:
                name = attachment.long_filename() or attachment.name or "attachment"
                append_member(name, bytes(attachment.data), builder)
        except Exception as error:  # the library has no error of its own
            raise Malformed(f"not a readable winmail.dat: {error}", ids=(source.uri,)) from error
        try:
            for name, data in _message(mail):
                append_member(name, data, builder)
        except Exception as error:  # the attachments are whole
            builder.left_out(issue=f"the message is not readable: {error}")
        return builder.build()


def _message(mail: TNEF) -> Iterator[tuple[str, bytes]]:
    """Yield the name and the bytes of the message in its best form, nothing if it has none."""
    for name, form in (("message.html", "htmlbody"), ("message.rtf", "rtfbody"), ("message.txt", "body")):
        if body := getattr(mail, form):
            yield name, body if isinstance(body, bytes) else body.encode()
            return
