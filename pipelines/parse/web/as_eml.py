"""A mail written as it is sent (RFC 5322): what was an item of another program becomes a file of its own."""

from __future__ import annotations

from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from pipelines.parse.web.mail import Mail

_NAMES = {"subject": "Subject", "sender": "From", "to": "To", "cc": "Cc"}


def as_eml(mail: Mail) -> bytes:
    """Return the mail with its texts, pictures and attachments; headers that cannot be written are left out."""
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
    """A header that breaks the rules is worth less than the mail."""
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
