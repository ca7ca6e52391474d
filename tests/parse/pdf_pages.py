"""PDF files made for tests: a few calls, real bytes."""

from __future__ import annotations

from collections.abc import Sequence

import pymupdf

Rows = Sequence[Sequence[str]]
LOREM = (
    "The relief valve opens at the set pressure and closes again when the pressure has fallen by a tenth. It is tested "
    "twice a year on the bench, and the result goes into the log of the plant. "
)


class Pdf:
    """A PDF being made, page by page; sizes in points, y down."""

    def __init__(self) -> None:
        self.file = pymupdf.open()

    def page(self, width: float = 595, height: float = 842) -> Pdf:
        self.file.new_page(width=width, height=height)
        return self

    def text(self, x: float, y: float, text: str, size: float = 11, font: str = "helv", rotate: int = 0) -> Pdf:
        """Write one line with its base line at y."""
        self.file[-1].insert_text((x, y), text, fontsize=size, fontname=font, rotate=rotate)
        return self

    def box(self, left: float, top: float, right: float, bottom: float, text: str, size: float = 11) -> Pdf:
        """Write running text within a rectangle."""
        rest = self.file[-1].insert_textbox(pymupdf.Rect(left, top, right, bottom), text, fontsize=size)
        assert rest >= 0, "the text does not fit"
        return self

    def table(self, left: float, top: float, rows: Rows, width: float = 110, height: float = 22) -> Pdf:
        """Draw a ruled table."""
        page = self.file[-1]
        for number, row in enumerate(rows):
            for column, text in enumerate(row):
                x, y = left + width * column, top + height * number
                page.draw_rect(pymupdf.Rect(x, y, x + width, y + height), width=0.7)
                page.insert_text((x + 4, y + 15), text, fontsize=10)
        return self

    def picture(self, left: float, top: float, right: float, bottom: float, png: bytes) -> Pdf:
        self.file[-1].insert_image(pymupdf.Rect(left, top, right, bottom), stream=png)
        return self

    def data(self, **options: object) -> bytes:
        return bytes(self.file.tobytes(**options))


def drawn(data: bytes, dpi: int = 130) -> bytes:
    """Return the first page of a PDF as PNG: what a scanner would make of it."""
    with pymupdf.open(stream=data, filetype="pdf") as file:
        return bytes(file[0].get_pixmap(dpi=dpi).tobytes("png"))
