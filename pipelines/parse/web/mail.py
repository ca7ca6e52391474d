"""What a mail is to Strata, whichever format it came in, and how it becomes a document."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from pipelines.core.document import ReferenceKind
from pipelines.core.ids import last_part
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Child
from pipelines.parse.web.dom import parse_html_text, text_of
from pipelines.parse.web.text import append_text
from pipelines.parse.web.walk import Walker

_MESSAGE_ID = re.compile(r"<([^<>\s]+)>")
LONGEST_NAME = 80
"""Characters of a subject that name a mail's file: RFC 5322, 2.1.1, wants lines of 78."""
_SHOWN = (("sender", "From"), ("to", "To"), ("cc", "Cc"), ("created", "Date"))


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file that came with a mail."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: its headers by our names (subject, sender, to, cc, created, message_id), its text, what came with it.

    `html` is used where there is one, with the plain text that stands `beside` it; else `text`. `inline` are the
    pictures that the HTML shows, by content id. `replies_to` are the message ids of the thread, the nearest last.
    """

    headers: Mapping[str, str]
    text: str = ""
    html: str = ""
    beside: str = ""
    replies_to: tuple[str, ...] = ()
    attachments: tuple[Attachment, ...] = ()
    inline: Mapping[str, tuple[str, bytes]] = field(default_factory=dict)


def message_ids(header: str) -> tuple[str, ...]:
    """Return the ids in a header such as References, without their brackets."""
    return tuple(dict.fromkeys(_MESSAGE_ID.findall(header)))


def append_mail(mail: Mail, builder: DocumentBuilder) -> None:
    """Append subject, headers, text and a list of the attachments, which become children."""
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
