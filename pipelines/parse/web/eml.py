"""E-mails (RFC 5322, MIME), mailboxes, and the conversion of a mail of any format to a document."""

from __future__ import annotations

import email.policy
import mailbox
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from email.errors import CloseBoundaryNotFoundDefect
from email.message import Message
from email.parser import BytesParser
from email.utils import parsedate_to_datetime
from pathlib import Path

from pipelines.core.document import ReferenceKind, Source
from pipelines.core.errors import Encrypted, TooLarge
from pipelines.core.ids import last_part, part_name
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Child, Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.archives import append_member
from pipelines.parse.web.dom import parse_html_text, text_of
from pipelines.parse.web.text import append_text
from pipelines.parse.web.walk import Walker

_POSTMARK, _FIELD = re.compile(r"From \S.*\d\d:\d\d:\d\d"), re.compile(r"[A-Za-z-]+: ")
_MAIL_HEADER = re.compile(r"([A-Za-z][!-9;-~]{1,75}):(?!//)")
"""The name of a header (RFC 5322, 2.2), but not the scheme of an address; lines have 78 characters (2.1.1)."""
_MAIL_NAMES = frozenset(
    "from to cc subject date message-id received return-path delivered-to mime-version content-type reply-to sender"
    " x-mailer in-reply-to references dkim-signature list-id x-mozilla-status".split()
)
_LONGEST_SUFFIX = 10
"""Maximum characters of a media subtype that becomes the suffix of an unnamed attachment."""
_UNDECODED = re.compile(r"[\udc80-\udcff]")
"""A byte in a header that the parser could not decode."""
_HEADER_LINES = 60
"""Header lines that are examined: routing takes about twenty, and the characteristic ones are among them."""
_LEAST_KNOWN, _LEAST_PROVEN = 3, 2
"""Minimum known headers of a mail. Memos have "To:" and "Subject:" too, so two need one of `_MAIL_PROOF`."""
_MAIL_PROOF = frozenset("message-id received return-path delivered-to mime-version x-mailer dkim-signature".split())
_HEADERS = (("subject", "Subject"), ("sender", "From"), ("to", "To"), ("cc", "Cc"))
_SIGNATURES = ("application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature")
_APPLE_MAIL = "message/x-emlx"
"""A mail behind a line with the number of its bytes, and with a property list of Apple Mail after it."""
_COUNT = re.compile(r"[0-9]{1,9} *\r?\n")
_RTF_BODY = "rtf-body.rtf"
"""How libpst (readpst) attaches the same text in RTF."""


class EmlReader:
    """Reads a mail. Its text is taken from the HTML version if there is one; attachments become children."""

    formats = (
        FileFormat("message/rfc822", (".eml",), sniff=lambda sample: _is_mail(sample.text), also=(".mhtml", ".mht")),
        FileFormat(_APPLE_MAIL, (".emlx",), sniff=lambda sample: _is_mail(_counted(sample.text))),
    )
    name = "eml"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        data = path.read_bytes()
        if source.media_type == _APPLE_MAIL:
            size, _, data = data.partition(b"\n")
            data = data[: int(size)]
        message = BytesParser(policy=email.policy.default).parsebytes(data)
        append_mail(_mail(message, source, settings), builder)
        if any(isinstance(defect, CloseBoundaryNotFoundDefect) for part in message.walk() for defect in part.defects):
            builder.left_out(issue="cut short: the end of its last part is missing")
        return builder.build()


class MailboxReader:
    """Reads a mailbox: every mail becomes a child."""

    formats = (FileFormat("application/mbox", sniff=lambda sample: _is_mailbox(sample.text)),)
    name = "mbox"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        box = mailbox.mbox(path, create=False)
        try:
            for number, key in enumerate(box.iterkeys(), 1):
                if number > settings.limits.members:
                    raise TooLarge(f"more than {settings.limits.members} mails", ids=(source.uri,))
                _append_mail_of_box(box.get_bytes(key), number, builder)
        finally:
            box.close()
        return builder.build()


def _append_mail_of_box(data: bytes, number: int, builder: DocumentBuilder) -> None:
    append_member(name_of_mail(data, number), data, builder)


def name_of_mail(data: bytes, number: int) -> str:
    """Return a file name for a mail of a box: its number and its subject."""
    return part_name(f"{number:04d} {subject_of(data)}.eml")


def subject_of(data: bytes) -> str:
    """Return the subject of a mail as a part of a file name, "no subject" if it has none."""
    message = BytesParser(policy=email.policy.default).parsebytes(data, headersonly=True)
    subject = (_header(message, "Subject") or "no subject").replace("/", " ").replace("\\", " ")
    return subject[:LONGEST_NAME].strip()


def _mail(message: Message, source: Source, settings: ParseSettings) -> Mail:
    _refuse_encrypted(message, source)
    texts: dict[str, list[str]] = {"text/plain": [], "text/html": []}
    beside: list[str] = []
    attachments: list[Child] = []
    inline: dict[str, tuple[str, bytes]] = {}
    for number, (part, alternative) in enumerate(_leaves(message, source, settings), 1):
        kind = part.get_content_type()
        if kind in texts and not _is_attached(part):
            (texts[kind] if alternative or kind == "text/html" else beside).append(_text(part))
        elif kind not in _SIGNATURES:
            data, identity = _bytes(part), _address(part)
            if kind == "text/css":
                continue
            if identity and kind.startswith("image/") and part.get_content_disposition() != "attachment":
                inline[identity] = (kind, data)
            else:
                attachments.append(Child(_name(part, number), data))
    html = "<hr>".join(texts["text/html"])
    if any(texts.values()) or beside:
        attachments = [one for one in attachments if one.name != _RTF_BODY]
    for identity in [one for one in inline if f"cid:{one}" not in html and not ("://" in one and one in html)]:
        kind, data = inline.pop(identity)
        attachments.append(Child(f"{identity.split('@')[0]}.{kind.partition('/')[2]}", data))
    return Mail(
        headers=_headers(message),
        text="\n\n".join([*texts["text/plain"], *beside]),
        html=html,
        beside="\n\n".join(beside),
        replies_to=_thread(message),
        attachments=tuple(attachments),
        inline=inline,
    )


def _address(part: Message) -> str:
    """Return the name of a part in the HTML: its id (RFC 2392), or the original address in a saved page (RFC 2557)."""
    return str(part.get("Content-ID") or part.get("Content-Location") or "").strip(" <>")


def _refuse_encrypted(message: Message, source: Source) -> None:
    kind = message.get_content_type()
    enveloped = "pkcs7-mime" in kind and message.get_param("smime-type") == "enveloped-data"
    if kind == "multipart/encrypted" or enveloped:
        raise Encrypted("the mail is encrypted for its receiver", ids=(source.uri,))


def _leaves(message: Message, source: Source, settings: ParseSettings) -> Iterator[tuple[Message, bool]]:
    """Yield the parts with content, in order, and whether each is one of several alternatives.

    An attached mail is one part.
    """
    left: list[tuple[Message, int, bool]] = [(message, 1, False)]
    count = 0
    while left:
        part, depth, alternative = left.pop()
        count += 1
        if depth > settings.limits.depth or count > settings.limits.members:
            raise TooLarge("too many parts, or nested too deep", ids=(source.uri,))
        payload = part.get_payload()
        if part.get_content_maintype() == "multipart" and isinstance(payload, list):
            inside = alternative or part.get_content_subtype() == "alternative"
            left += [(child, depth + 1, inside) for child in reversed(payload) if isinstance(child, Message)]
        elif part.get_content_maintype() != "multipart":
            yield part, alternative


def _is_attached(part: Message) -> bool:
    return part.get_content_disposition() == "attachment" or bool(part.get_filename())


def _text(part: Message) -> str:
    data = _bytes(part)
    charset = part.get_content_charset("") or ""
    text = decode(data, charset).text
    return _reflowed(text, part) if part.get_param("format") == "flowed" else text


def _reflowed(text: str, part: Message) -> str:
    """Join lines that end in a space, which marks a paragraph that continues (RFC 3676)."""
    joint = "" if str(part.get_param("delsp")).lower() == "yes" else " "
    return re.sub(r"(?<!^--) \r?\n(?!>)", joint, text, flags=re.MULTILINE)


def _bytes(part: Message) -> bytes:
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        return inner[0].as_bytes() if isinstance(inner, list) and isinstance(inner[0], Message) else b""
    payload = part.get_payload(decode=True)
    return payload if isinstance(payload, bytes) else b""


def _name(part: Message, number: int) -> str:
    name = part.get_filename()
    if name:
        return str(name)
    if part.get_content_type() == "message/rfc822":
        inner = part.get_payload()
        subject = _header(inner[0], "Subject") if isinstance(inner, list) and isinstance(inner[0], Message) else ""
        return f"{subject.replace('/', ' ')[:LONGEST_NAME] or f'mail-{number}'}.eml"
    suffix = {"calendar": ".ics", "plain": ".txt", "jpeg": ".jpg"}.get(part.get_content_subtype())
    return f"attachment-{number}{suffix or '.' + part.get_content_subtype()[:_LONGEST_SUFFIX]}"


def _headers(message: Message) -> dict[str, str]:
    found = {ours: _header(message, name) for ours, name in _HEADERS}
    found["created"] = _date(_header(message, "Date"))
    found["message_id"] = next(iter(message_ids(_header(message, "Message-ID"))), "")
    return {name: value for name, value in found.items() if value}


def _header(message: Message, name: str) -> str:
    """Return a header on one line, or '' if it is broken; bytes that are not encoded as prescribed are decoded."""
    raw = next((" ".join(str(value).split()) for key, value in message.raw_items() if key.lower() == name.lower()), "")
    written = decode(raw.encode("utf-8", "surrogateescape"), "").text if _UNDECODED.search(raw) else ""
    try:
        header = email.policy.default.header_factory(name, written) if written else message.get(name, "")
        return " ".join(str(header).split())
    except (ValueError, IndexError, AttributeError, TypeError, LookupError):
        return ""


def _date(written: str) -> str:
    try:
        return parsedate_to_datetime(written).isoformat()
    except (ValueError, TypeError, IndexError):
        return written


def _thread(message: Message) -> tuple[str, ...]:
    ids = message_ids(_header(message, "References")) + message_ids(_header(message, "In-Reply-To"))
    return tuple(dict.fromkeys(ids))


def _counted(text: str) -> str:
    """Return what follows a first line that is a number, empty if it is none."""
    count = _COUNT.match(text)
    return text[count.end() :] if count else ""


def _is_mailbox(text: str) -> bool:
    """Whether a text begins with the line that separates the mails of a mailbox, followed by a header."""
    first, _, second = text.lstrip("\ufeff\r\n").partition("\n")
    return bool(_POSTMARK.match(first) and _FIELD.match(second))


def _is_mail(text: str) -> bool:
    """Whether a text begins with a block of headers, with three known from mail or two that only mail has."""
    if _is_mailbox(text):
        return False
    head = re.split(r"\r?\n\r?\n", text.lstrip("\ufeff\r\n"), maxsplit=1)[0]
    lines = head.splitlines()[:_HEADER_LINES]
    names = [match.group(1).lower() for line in lines if (match := _MAIL_HEADER.match(line))]
    folded = sum(line[:1] in " \t" for line in lines)
    if not names or len(names) + folded < len(lines) or lines[0][:1] in " \t":
        return False
    known = _MAIL_NAMES.intersection(names)
    return len(known) >= _LEAST_KNOWN or (len(known) >= _LEAST_PROVEN and bool(known & _MAIL_PROOF))


_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
LONGEST_NAME = 80
"""Maximum characters of a subject in a file name: lines should have at most 78 (RFC 5322, 2.1.1)."""
_SHOWN = (("sender", "From"), ("to", "To"), ("cc", "Cc"), ("created", "Date"))


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: headers by our names (subject, sender, to, cc, created, message_id), text and attachments.

    If there is `html`, it is read, followed by the plain text parts `beside` it; else `text`. `inline` has the media
    type and bytes of pictures in the HTML by content id. `replies_to` has the message ids of the thread, the direct
    parent last.
    """

    headers: Mapping[str, str]
    text: str = ""
    html: str = ""
    beside: str = ""
    replies_to: tuple[str, ...] = ()
    attachments: tuple[Child, ...] = ()
    inline: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


def message_ids(header: str) -> tuple[str, ...]:
    """Return the ids in a header such as References, without angle brackets."""
    return tuple(dict.fromkeys(_MESSAGE_ID.findall(header)))


def append_mail(mail: Mail, builder: DocumentBuilder) -> None:
    """Append subject, headers, text, and a list of the attachments, which become children."""
    for name, value in mail.headers.items():
        builder.meta({"subject": "title"}.get(name, name), value)
    builder.meta("subject", mail.headers.get("subject", ""))
    builder.meta("author", mail.headers.get("sender", ""))
    builder.title(mail.headers.get("subject", ""))
    builder.paragraph("\n".join(f"{label}: {mail.headers[name]}" for name, label in _SHOWN if mail.headers.get(name)))
    for identity in mail.replies_to:
        builder.reference(ReferenceKind.REPLY, identity, mail.headers.get("subject", ""))
    _append_body(mail, builder)
    for number, attachment in enumerate(mail.attachments, 1):
        name = builder.child(Child(last_part(attachment.name), attachment.data), f"attachment-{number}")
        builder.list_item(f"Attachment: {name}")
        builder.reference(ReferenceKind.ATTACHMENT, name, name)


def _append_body(mail: Mail, builder: DocumentBuilder) -> None:
    root = parse_html_text(mail.html, builder.source.uri)
    if not text_of(root):
        append_text(mail.text, builder)
        return

    def resolve(address: str) -> tuple[str, bytes]:
        return mail.inline.get(address.removeprefix("cid:"), ("image/png", b""))

    Walker(builder, titled=False, furniture=False, resolve=resolve).walk(root)
    append_text(mail.beside, builder)
