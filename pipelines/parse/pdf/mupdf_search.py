"""Search of a page by PyMuPDF: its layout model finds regions, its table finder grids of drawn lines."""

from __future__ import annotations

import contextlib
import re
import sys
from collections.abc import Iterator, Sequence
from typing import Any

from pipelines.parse.lines import DESCENT, Line, Rect
from pipelines.parse.pdf.extract import grid_of
from pipelines.parse.pdf.library import layout_model, pymupdf
from pipelines.parse.pdf.page import PageGrid, PageRegion, RegionKind

_KINDS = {kind.value: kind for kind in RegionKind}
_BLANK = pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 1, 1))
_FONTS = {False: "helv", True: "hebo"}
"""PDF's built-in Helvetica, regular and bold, by the library's names."""
_MOST_SEGMENTED = 600
"""Maximum drawing operations of a page that MuPDF segments for the layout model; a ruled table has fewer."""


def regions_of(page: Any, searched: Any, *, with_image: bool, drawn: int) -> list[PageRegion]:
    """Return the regions found by the layout model, in its reading order.

    Args:
        page: the page of the library, as it looks.
        searched: the page with its text: the same one, or that of `searchable_page`.
        with_image: whether the model also uses the page's image.
        drawn: drawing operations of the page.
    """
    model = layout_model(with_image)
    seen = _Seen(page, searched, with_image, segmented=drawn <= _MOST_SEGMENTED)
    with _without_output():
        groups = model.predict(seen, return_raw=True) or []
    return [
        PageRegion(
            _KINDS.get(group["class_name"], RegionKind.TEXT),
            # Left, top, right, bottom.
            Rect(*(float(side) for side in group["group_bbox"][:4])),
        )
        for group in groups
    ]


def grids_of(page: Any) -> list[PageGrid]:
    """Return the grids of the tables of a page with drawn lines."""
    with _without_output():
        found = page.find_tables(use_layout=False)
    # The finder returns None for a page whose geometry it cannot process.
    tables = found.tables if found is not None else []
    return [grid for table in tables if (grid := grid_of(table)) is not None]


def searchable_page(area: Any, lines: Sequence[Line], rules: Sequence[Rect]) -> Any:
    """Return a file of one page with the text and straight lines of a scan, for the layout model and the table finder.

    Both look at positions, sizes and kinds of characters: those that the fonts lack are replaced by Latin ones.
    """
    file = pymupdf.open()
    page = file.new_page(width=area.width, height=area.height)
    for font in _FONTS.values():
        page.insert_font(font)
    drawn = [_drawn(rule, area.height) for rule in rules]
    written = [_written(line, area.height) for line in lines]
    number = file.get_new_xref()
    file.update_object(number, "<<>>")
    # Text without filling or stroke (PDF 1.7, 9.3.6), as below the picture of a searchable scan.
    file.update_stream(number, "\n".join([*drawn, "BT 3 Tr", *written, "ET"]).encode("ascii"))
    page.set_contents(number)
    return file


def _drawn(rule: Rect, height: float) -> str:
    """Return a straight line as PDF operators, whose origin is at the bottom left."""
    x, y = rule.middle
    left, top, right, bottom = (
        (rule.left, y, rule.right, y) if rule.width > rule.height else (x, rule.top, x, rule.bottom)
    )
    return f"{left:.2f} {height - top:.2f} m {right:.2f} {height - bottom:.2f} l S"


def _written(line: Line, height: float) -> str:
    """Return a line of text as PDF operators, stretched to its width."""
    font = _FONTS[line.style.bold]
    text = "".join(map(_latin, line.text))
    # In per cent (Tz, PDF 1.7, 9.3.4).
    stretch = 100 * line.rect.width / max(1.0, pymupdf.get_text_length(text, font, line.size))
    x, y = line.rect.left, height - line.rect.bottom + DESCENT * line.size
    escaped = re.sub(r"([\\()])", r"\\\1", text)
    return f"/{font} {line.size:.2f} Tf {stretch:.2f} Tz 1 0 0 1 {x:.2f} {y:.2f} Tm ({escaped}) Tj"


def _latin(character: str) -> str:
    """Return a character, or a Latin one of its kind."""
    if character.isascii() and character.isprintable():
        return character
    return "0" if character.isdigit() else "X" if character.isupper() else "x"


@contextlib.contextmanager
def _without_output() -> Iterator[None]:
    """Redirect messages that the library prints to the standard error."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


class _Seen:
    """A page as the layout model sees it: not segmented if too complex, and blank unless the model uses its image."""

    def __init__(self, page: Any, searched: Any, with_image: bool, *, segmented: bool) -> None:
        self.rect, self.get_text, self.widgets = page.rect, searched.get_text, page.widgets
        self._page, self._searched, self._with_image = page, searched, with_image
        self._dropped = 0 if segmented else pymupdf.TEXT_SEGMENT

    def get_textpage(self, flags: int) -> Any:
        """Return the text page for the library's `flags`."""
        return self._searched.get_textpage(flags=flags & ~self._dropped)

    def get_pixmap(self) -> Any:
        """Return the image of the page at 72 dots per inch, or of one pixel."""
        return self._page.get_pixmap() if self._with_image else _BLANK


def _fast_characters(page: Any, clip: Any = None) -> Any:
    """Store the page's characters for the table finder, and return the text page.

    Replaces the library's function, which stores 24 attributes of each character; for grids of drawn lines only the
    position is needed, and whether it is white space. With it and an index of words by position, 50 pages of tables
    and drawings take 12.2 instead of 17.0 processor seconds (`benchmarks/parse_cost.py`).
    """
    text = page.get_textpage(clip=clip, flags=pymupdf.table.FLAGS)
    *_, up, _, foot = page.transformation_matrix
    found = pymupdf.table.CHARS._list()
    for block in page.get_text("rawdict", textpage=text)["blocks"]:
        for line in block["lines"]:
            for span in line["spans"]:
                for char in span["chars"]:
                    left, top, right, bottom = char["bbox"]
                    y0, y1 = sorted((top * up + foot, bottom * up + foot))
                    found.append(
                        {"text": char["c"], "x0": left, "x1": right, "top": top, "bottom": bottom, "y0": y0, "y1": y1}
                    )
    return text


pymupdf.table.make_chars = _fast_characters
