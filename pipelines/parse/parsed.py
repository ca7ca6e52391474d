"""What parsing one file gives, and what was read off its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.columns import in_rows, reading_order
from pipelines.parse.lines import Line


@dataclass(frozen=True, slots=True)
class PictureText:
    """What was read off a picture; lines and sizes are in pixels of the picture turned upright.

    `turn` is by how much it was turned for that, in degrees clockwise. `issue` says why nothing of what was read is
    kept, empty when all is well.
    """

    lines: tuple[Line, ...]
    width: int
    height: int
    turn: int = 0
    confidence: float = 0.0
    issue: str = ""

    @property
    def text(self) -> str:
        """The lines in reading order."""
        return "\n".join(line.text for group in reading_order(self.lines) for line in in_rows(group))


@dataclass(frozen=True, slots=True)
class ReadOff:
    """One picture read: a figure's text and its confidence, or all that was read off a page.

    `text` is empty where nothing stands in a figure, `issue` says what kept it from being read.
    """

    text: str = ""
    confidence: float = 1.0
    issue: str = ""
    page: PictureText | None = None


Readings = Mapping[str, ReadOff]
"""Pictures read, figures by the digest of their bytes, pages by `page_name`."""

NO_READINGS: Readings = MappingProxyType({})
REST = "rest"
"""What stands in `Parsed.unread` for all that follows where reading was broken off."""


def page_name(number: int) -> str:
    """Return how a page is called among readings."""
    return f"page {number}"


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
