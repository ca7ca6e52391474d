"""Mail files of Outlook. The only user of python-oxmsg."""

from __future__ import annotations

import codecs
import struct
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime
from pathlib import Path
from typing import TYPE_CHECKING

from pipelines.core.document import Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Child, Parsed
from pipelines.parse.reader import signed
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.eml import LONGEST_NAME, Mail, append_mail, message_ids

if TYPE_CHECKING:
    from oxmsg import Message
    from oxmsg.attachment import Attachment as Part

_NAMES = {"subject": "Subject", "sender": "From", "to": "To", "cc": "Cc"}
_RTF_COMPRESSED, _MESSAGE_CODE_PAGE = 0x1009, 0x3FFD
"""Property tags of MS-OXPROPS, as below."""
_STRING8 = 0x1E
"""The type of strings of bytes; all strings of a message are of this type or all are Unicode (MS-OXMSG 2.1.1)."""
# Property tags of a message.
_SENDER_NAME, _INTERNET_MESSAGE_ID, _INTERNET_REFERENCES, _IN_REPLY_TO = 0x0C1A, 0x1035, 0x1039, 0x1042
# Property tags of an attachment.
_ATTACH_FILENAME, _ATTACH_CONTENT_ID = 0x3704, 0x3712
_ITEM = "__substg1.0_3701000D"
_PROPERTIES = "__properties_version1.0"
_HEADER, _PADDING = 24, 8
"""Bytes of the header of an item's property list, and of the padding that it lacks (`_item`)."""


def _code_page(name: str) -> codecs.CodecInfo | None:
    """Return the codec of a name that python-oxmsg uses and Python does not know, such as "windows-950" for cp950."""
    return codecs.lookup(name.replace("windows_", "cp")) if name in ("windows_950", "windows_874") else None


codecs.register(_code_page)


def as_eml(mail: Mail) -> bytes:
    """Return the mail as EML with its texts, pictures and attachments; invalid headers are left out."""
    message = EmailMessage()
    for ours, name in _NAMES.items():
        _put(message, name, mail.headers.get(ours, ""))
    _put(message, "Date", _date(mail.headers.get("created", "")))
    _put(message, "Message-ID", f"<{mail.headers['message_id']}>" if "message_id" in mail.headers else "")
    _put(message, "References", " ".join(f"<{id}>" for id in mail.replies_to))
    message.set_content(mail.text)
    if mail.html:
        message.add_alternative(mail.html, subtype="html")
    for identity, (kind, data) in mail.inline.items():
        main, _, sub = kind.partition("/")
        message.add_attachment(data, maintype=main, subtype=sub, cid=f"<{identity}>", disposition="inline")
    for attachment in mail.attachments:
        message.add_attachment(
            attachment.data, maintype="application", subtype="octet-stream", filename=attachment.name or None
        )
    return message.as_bytes()


def _put(message: EmailMessage, name: str, value: str) -> None:
    """Set a header, unless its value is invalid."""
    try:
        if value:
            message[name] = " ".join(value.split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        del message[name]


def _date(written: str) -> str:
    try:
        return format_datetime(datetime.fromisoformat(written))
    except ValueError:
        return ""


class MsgReader:
    """Reads a mail with its attachments; an attached message, appointment or contact becomes a mail of its own."""

    formats = (signed("application/vnd.ms-outlook", ".msg"),)
    name = "msg"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        from oxmsg import Message

        builder = DocumentBuilder(source, settings, self.name)
        try:
            message = Message.load(str(path))
            mail = _mail(message, builder, settings.limits.depth)
        except (OSError, ValueError, KeyError, IndexError, AssertionError, struct.error, UnicodeError) as error:
            raise Malformed(f"not a readable Outlook message: {error}", ids=(source.uri,)) from error
        append_mail(mail, builder)
        return builder.build()


def _mail(message: Message, builder: DocumentBuilder, depth: int) -> Mail:
    text_property = message.properties.str_prop_value
    headers = {name.lower(): value for name, value in message.message_headers.items()}
    references = f"{text_property(_INTERNET_REFERENCES) or headers.get('references', '')} "
    references += text_property(_IN_REPLY_TO) or headers.get("in-reply-to", "")
    attachments, inline = _attachments(message, builder, depth)
    if not (message.body or message.html_body):
        attachments += _rtf_body(message, builder)
    return Mail(
        headers=_headers(message, headers),
        text=message.body or "",
        html=_in_code_page(message.html_body or "", message),
        replies_to=message_ids(references),
        attachments=tuple(attachments),
        inline=inline,
    )


def _rtf_body(message: Message, builder: DocumentBuilder) -> list[Child]:
    """Return the body in RTF (MS-OXRTFCP) as a document, empty if there is none; a broken one is noted."""
    from compressed_rtf import decompress

    packed = message.properties.binary_prop_value(_RTF_COMPRESSED)
    try:
        # Without a further byte, the library reads behind the end of some.
        return [Child("message.rtf", decompress(packed + b"\0"))] if packed else []
    except Exception as error:  # the library has no error of its own
        builder.remark(f"the body in RTF is broken and was not read: {error}")
        return []


def _in_code_page(text: str, message: Message) -> str:
    """Return a text in the code page of the body, if the message has strings of bytes and states no other.

    The library reads such strings as Latin 9, except the plain body; Outlook writes them in the sender's code page.
    """
    properties = message.properties
    if properties.int_prop_value(_MESSAGE_CODE_PAGE) is not None or all(one.ptyp != _STRING8 for one in properties):
        return text
    try:
        return text.encode("iso-8859-15").decode(properties.body_encoding)
    except (UnicodeError, LookupError):
        return text


def _headers(message: Message, headers: dict[str, str]) -> dict[str, str]:
    receivers = ", ".join(_address(person.name, person.email_address) for person in message.recipients)
    identity = message.properties.str_prop_value(_INTERNET_MESSAGE_ID) or headers.get("message-id", "")
    found = {
        "subject": _in_code_page(message.subject, message),
        "sender": _in_code_page(message.sender or message.properties.str_prop_value(_SENDER_NAME) or "", message),
        "to": _in_code_page(receivers or headers.get("to", ""), message),
        "cc": headers.get("cc", ""),
        "created": message.sent_date.isoformat() if message.sent_date else "",
        "message_id": next(iter(message_ids(identity)), ""),
    }
    return {name: value for name, value in found.items() if value}


def _address(name: str, address: str) -> str:
    return f"{name} <{address}>" if name and address and name != address else name or address


def _attachments(
    message: Message, builder: DocumentBuilder, depth: int
) -> tuple[list[Child], dict[str, tuple[str, bytes]]]:
    attachments: list[Child] = []
    inline: dict[str, tuple[str, bytes]] = {}
    for part in message.attachments:
        name = (part.file_name or part.properties.str_prop_value(_ATTACH_FILENAME) or "").rstrip("\0")
        identity = part.properties.str_prop_value(_ATTACH_CONTENT_ID) or ""
        data, kind = part.file_bytes, part.mime_type or ""
        item = _item(part) if data is None and depth > 0 else None
        if item is not None:
            attachments.append(_as_attachment(_mail(item, builder, depth - 1), name))
        elif data is None:
            builder.remark(f"the attachment {name or 'without a name'} is of a kind of its own and was not read")
        elif identity and kind.startswith("image/") and f"cid:{identity}" in (message.html_body or ""):
            inline[identity] = (kind, data)
        else:
            attachments.append(Child(name, data))
    return attachments, inline


def _item(part: Part) -> Message | None:
    """Return the item embedded in an attachment (MS-OXMSG 2.2.2.1), or None.

    The property list of an embedded item begins 8 bytes earlier than that of a file (MS-OXMSG 2.4.1.2), where the
    library expects it.
    """
    from oxmsg import Message
    from oxmsg.storage import Storage, Stream

    found = next((inner for inner in part._storage.storages if inner.name == _ITEM), None)
    if found is None:
        return None
    streams = [
        Stream(stream.path, stream.bytes_[:_HEADER] + bytes(_PADDING) + stream.bytes_[_HEADER:])
        if stream.name == _PROPERTIES
        else stream
        for stream in found.streams
    ]
    return Message(Storage(found.path, tuple(streams), found.storages))


def _as_attachment(mail: Mail, name: str) -> Child:
    subject = mail.headers.get("subject", "").replace("/", " ")[:LONGEST_NAME].strip(" \0")
    return Child(f"{(name or subject or 'message').removesuffix('.msg')}.eml", as_eml(mail))
