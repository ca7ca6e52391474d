"""The result of parsing a file, and OCR results of its pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType

from pipelines.core.document import Document, ReferenceKind
from pipelines.core.outcome import Status
from pipelines.parse.columns import read_columns
from pipelines.parse.lines import Line, Projection, Rect


@dataclass(frozen=True, slots=True)
class PictureText:
    """The OCR result of a picture; lines and sizes are in pixels of the picture after it is turned upright.

    `turn` is the clockwise rotation applied for that, in degrees. `issue` says what is not legible, or
    is empty. Only a page has `words`, those of each line, and `rules`, its straight lines. `is_stored` says that the
    text is that of a searchable scan. `projection` is that of a page that was slanted or photographed at an angle.
    """

    lines: tuple[Line, ...]
    width: int
    height: int
    turn: int = 0
    confidence: float = 0.0
    issue: str = ""
    words: tuple[tuple[Line, ...], ...] = ()
    rules: tuple[Rect, ...] = ()
    is_stored: bool = False
    projection: Projection | None = None

    @property
    def text(self) -> str:
        """The lines in reading order."""
        return "\n".join(line.text for group in read_columns(self.lines) for line in group)


@dataclass(frozen=True, slots=True)
class ReadOff:
    """The OCR result of one picture: the text and confidence of a figure, or all lines of a page.

    `text` is empty if the figure has none; `issue` says why the picture, or a part of it, could not be read.
    """

    text: str = ""
    confidence: float = 1.0
    issue: str = ""
    page: PictureText | None = None


Readings = Mapping[str, ReadOff]
"""OCR results, of figures by the digest of their bytes, of pages by `page_name`."""

NO_READINGS: Readings = MappingProxyType({})
REST = "rest"
"""Entry of `Parsed.unread` for everything after the point where reading stopped."""


def page_name(number: int) -> str:
    """Return the key of a page in `Readings`."""
    return f"page {number}"


@dataclass(frozen=True, slots=True)
class Picture:
    """The bytes of a figure, and their SHA-256 digest."""

    digest: str
    media_type: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Child:
    """A document inside a document: an attachment, an archive member. `name` is unique in its container."""

    name: str
    data: bytes
    kind: ReferenceKind = ReferenceKind.ATTACHMENT


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of parsing a file. `document` is None unless the status is searchable; then `reason` says why.

    `unread` lists what was not read because of a limit, or is not legible for the OCR models that are installed:
    figures by digest, pages ("page 41"), the rest. If there is any, `readings` has the OCR results so far, so that the
    next run need not repeat them, and `again` says whether that run can get further within the same limits.
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

    def in_part(self, reason: str) -> Parsed:
        """Return the same as PARTIAL, for a further `reason`."""
        return replace(self, status=Status.PARTIAL, reason="; ".join(filter(None, (self.reason, reason))))
