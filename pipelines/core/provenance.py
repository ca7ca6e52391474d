"""Positions in a source: spans of text, pages, boxes."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """Half-open range of characters [start, end) in a document's text."""

    start: int
    end: int

    def __post_init__(self) -> None:
        if not 0 <= self.start <= self.end:
            raise ValueError(f"not a span: [{self.start}, {self.end})")

    def __len__(self) -> int:
        return self.end - self.start

    def slice(self, text: str) -> str:
        return text[self.start : self.end]

    def covers(self, other: Span) -> bool:
        return self.start <= other.start and other.end <= self.end

    def overlaps(self, other: Span) -> bool:
        return self.start < other.end and other.start < self.end

    def shifted(self, by: int) -> Span:
        return Span(self.start + by, self.end + by)


@dataclass(frozen=True, slots=True, order=True)
class Box:
    """Rectangle on a page, in fractions of its width and height; origin at the top left, page numbers from 1.

    A side that is not a finite number becomes 0, because stores cannot represent it.
    """

    page: int
    left: float
    top: float
    right: float
    bottom: float

    def __post_init__(self) -> None:
        for side in ("left", "top", "right", "bottom"):
            if not isfinite(getattr(self, side)):
                object.__setattr__(self, side, 0.0)


@dataclass(frozen=True, slots=True)
class PlaceWords:
    """Templates for places: `{first}` and `{last}` are pages, `{name}` is a sheet."""

    page: str = "page {first}"
    pages: str = "pages {first}-{last}"
    slide: str = "slide {first}"
    slides: str = "slides {first}-{last}"
    sheet: str = "sheet {name}"


@dataclass(frozen=True, slots=True)
class Provenance:
    """Origin of a block, chunk, atom, mention or answer.

    `page` is the physical page, slide or sheet where it begins, from 1; None if the format has no pages. `label` is the
    name of that page for a reader: the sheet's name, the printed page number. `cells` is a range of a sheet ("B2:D9").
    """

    document: str
    span: Span
    page: int | None = None
    label: str = ""
    cells: str = ""
    boxes: tuple[Box, ...] = ()

    def pages(self) -> tuple[int, ...]:
        """Return all pages that it touches, ascending."""
        found = {box.page for box in self.boxes}
        if self.page is not None:
            found.add(self.page)
        return tuple(sorted(found))

    def place(self, uri: str, words: PlaceWords = PlaceWords()) -> str:
        """Return the place in the file `uri` in words, "" if it is unknown.

        >>> Provenance("", Span(0, 1), 3).place("a.pdf"), Provenance("", Span(0, 1), 2).place("a.pptx")
        ('page 3', 'slide 2')
        """
        if self.cells:
            sheet = words.sheet.format(name=self.label) if self.label else ""
            return ", ".join(part for part in (sheet, self.cells) if part)
        if not (pages := self.pages()):
            return self.label
        slides = uri.lower().rsplit(".", 1)[-1] in ("pptx", "ppt", "odp")
        one, several = (words.slide, words.slides) if slides else (words.page, words.pages)
        where = (one if pages[0] == pages[-1] else several).format(first=pages[0], last=pages[-1])
        return where + (f" ({self.label})" if self.label not in ("", str(pages[0])) else "")
