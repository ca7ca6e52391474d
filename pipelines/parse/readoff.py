"""What was read off a picture, and what is kept of it for a later run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

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
