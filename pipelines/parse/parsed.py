"""What parsing one file gives."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status


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
    """A parsed file and how it went. `document` is None unless the status is searchable; `reason` says why not."""

    status: Status
    document: Document | None = None
    pictures: tuple[Picture, ...] = ()
    children: tuple[Child, ...] = ()
    reason: str = ""
    error: str = ""
