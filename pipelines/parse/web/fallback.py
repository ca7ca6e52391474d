"""What cannot be read as what it claims to be is still text."""

from __future__ import annotations

from dataclasses import replace

from pipelines.core.outcome import Status
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.parsed import Parsed
from pipelines.parse.web.text import append_text


def as_text(text: str, builder: DocumentBuilder, status: Status, reason: str) -> Parsed:
    """Return `text` read as plain text, with `status` and the reason why it was not read otherwise."""
    append_text(text, builder)
    builder.remark(reason)
    parsed = builder.build()
    return replace(parsed, status=status, reason=reason) if parsed.status.searchable else parsed
