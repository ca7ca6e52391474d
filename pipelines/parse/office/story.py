"""A run of blocks in a text document, whichever the format: its page, its lines of code, headings by their look."""

from __future__ import annotations

from typing import Generic, TypeVar

from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.lookalikes import Lookalikes

L = TypeVar("L", bound=Lookalikes)


class Story(Generic[L]):
    """Appends blocks in reading order; a format adds how its elements are read.

    `place` is where the next block stands, without a page where the file does not tell pages. Lines of code are held
    until something else follows, and become one block.
    """

    def __init__(self, builder: DocumentBuilder, looks: L, place: Place) -> None:
        self._builder = builder
        self._looks = looks
        self.place = place
        self._code: list[str] = []

    def finish(self) -> None:
        """Append what is still held back and find headings by their look; called once, at the end."""
        self._flush()
        self._builder.promote(self._looks.headings(self._builder.last))

    def _flush(self) -> None:
        """Append the lines of code held so far."""
        if self._code:
            self._builder.code("\n".join(self._code), self.place)
            self._code.clear()

    def _turn(self, pages: int) -> None:
        """Go on by so many pages."""
        if pages and self.place.page is not None:
            self.place = Place(self.place.page + pages)
