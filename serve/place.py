"""The place of a passage, worded for the reader."""

from __future__ import annotations

from dataclasses import fields

from pipelines.core.provenance import Box, Span
from qa.answer import Citation, PlaceWords
from serve.language import catalogue, spoken


def place_of(uri: str, page: int | None, label: str, cells: str = "", boxes: tuple[Box, ...] = ()) -> str:
    """Return "page 3", "slide 2", "sheet Prices, B2:D4", in the language that is spoken."""
    return placed(Citation(1, "", uri, "", "", "", Span(0, 0), page, label, cells, boxes=boxes))


def placed(citation: Citation) -> str:
    """Return the place of a citation in the language that is spoken."""
    told = catalogue(spoken())
    return citation.placed(PlaceWords(*(told[f"place.{field.name}"] for field in fields(PlaceWords))))
