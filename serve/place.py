"""The place of a passage as a reader says it."""

from __future__ import annotations

from pipelines.core.provenance import Box, Span
from qa.answer import Citation


def place_of(uri: str, page: int | None, label: str, cells: str = "", boxes: tuple[Box, ...] = ()) -> str:
    """Return "page 3", "slide 2", "sheet Prices, B2:D4", as an answer's citations say it."""
    return Citation(1, "", uri, "", "", "", Span(0, 0), page, label, cells, boxes=boxes).place
