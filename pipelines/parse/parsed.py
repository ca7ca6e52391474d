"""What parsing one file gives."""

from __future__ import annotations

from dataclasses import dataclass, field

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.readoff import ReadOff


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of a figure, under their SHA-256."""

    digest: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Child:
    """A document inside the document: an attachment, a member of an archive. `name` is unique in its container."""

    name: str
    data: bytes
    kind: ReferenceKind = ReferenceKind.ATTACHMENT


@dataclass(frozen=True, slots=True)
class Parsed:
    """A parsed file and how it went. `document` is None unless the status is searchable; `reason` says why not.

    `unread` names what a limit kept from being read: figures by the digest of their bytes, pages ("page 41"), the
    rest. Where there is any, `readings` has what was read off pictures, so that the next run need not do it again, and
    `again` says whether that run gets further within the same limits.
    """

    status: Status
    document: Document | None = None
    pictures: tuple[Picture, ...] = ()
    children: tuple[Child, ...] = ()
    reason: str = ""
    error: str = ""
    unread: tuple[str, ...] = ()
    readings: dict[str, ReadOff] = field(default_factory=dict)
    again: bool = False
