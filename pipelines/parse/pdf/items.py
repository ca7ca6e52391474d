"""What a page is made of, in reading order, before it becomes part of a document."""

from __future__ import annotations

from dataclasses import dataclass

from pipelines.core.document import BlockKind, ReferenceKind
from pipelines.core.provenance import Box
from pipelines.core.table import Cell
from pipelines.parse.assemble import Image
from pipelines.parse.lines import PLAIN, Rect, Style


@dataclass(frozen=True, slots=True)
class Pointer:
    """A link and the words that it covers."""

    kind: ReferenceKind
    target: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Item:
    """One block of a page. `style` is that of its first line; `rect` is on the upright page, `boxes` as it is shown.

    `parts` are the rows at which each page's share of a merged table begins.
    """

    kind: BlockKind
    text: str
    page: int
    rect: Rect
    style: Style = PLAIN
    level: int = 0
    confidence: float = 1.0
    cells: tuple[Cell, ...] = ()
    parts: tuple[int, ...] = (0,)
    image: Image | None = None
    boxes: tuple[Box, ...] = ()
    pointers: tuple[Pointer, ...] = ()
