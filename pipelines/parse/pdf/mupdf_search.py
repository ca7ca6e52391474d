"""What PyMuPDF searches a page for: its layout model for regions, its table finder for grids of drawn lines."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from functools import cache
from typing import Any

import pymupdf

from pipelines.core.libraries import one_thread, session
from pipelines.parse.lines import Rect
from pipelines.parse.pdf.extract import grid_of
from pipelines.parse.pdf.page import PageGrid, PageRegion, RegionKind

_PARTS = {
    "text": RegionKind.TEXT,
    "title": RegionKind.TITLE,
    "section-header": RegionKind.HEADING,
    "list-item": RegionKind.LIST_ITEM,
    "table": RegionKind.TABLE,
    "picture": RegionKind.PICTURE,
    "caption": RegionKind.CAPTION,
    "footnote": RegionKind.FOOTNOTE,
    "formula": RegionKind.FORMULA,
    "page-header": RegionKind.HEADER,
    "page-footer": RegionKind.FOOTER,
}
_MOST_SEGMENTED = 600
"""Drawn things of a page up to which the layout model has MuPDF part it into segments; a ruled table has fewer."""


def regions_of(page: Any, *, looking: bool) -> list[PageRegion]:
    """Return what the layout model sees on a page, in its reading order; `looking` it sees the picture, too."""
    with _quiet():
        groups = _layout_model(looking).predict(page, return_raw=True) or []
    return [
        PageRegion(
            _PARTS.get(group["class_name"], RegionKind.TEXT),
            # Left, top, right, bottom.
            Rect(*(float(side) for side in group["group_bbox"][:4])),
        )
        for group in groups
    ]


def grids_of(page: Any) -> list[PageGrid]:
    """Return the grids of the tables of a page that have drawn lines."""
    with _quiet():
        found = page.find_tables(use_layout=False)
    # The finder gives None where the page's geometry was too odd for it; the text then stays text.
    tables = found.tables if found is not None else []
    return [grid for table in tables if (grid := grid_of(table)) is not None]


@contextlib.contextmanager
def _quiet() -> Iterator[None]:
    """The library prints advice; a parser's output is not the place for it."""
    with contextlib.redirect_stdout(sys.stderr):
        yield


@cache
def _layout_model(looking: bool) -> Any:
    """Return the layout model, that does not part intricate drawings into segments and looks into no tables.

    One `looking` sees the picture of a page besides its lines: .17 processor seconds a page, without .04.

    To part takes the square of their lines: 9.4 seconds for a circuit diagram, 0.5 without; five minutes for 18,560
    strokes. Of pages of text and tables nothing changes. The tables' cells, which nobody asks for here, and memory
    asked for anew for each page took more than half of the model's time: 64 of 97 processor seconds for 377 pages,
    of which 28 are left (`benchmarks/parse_cost.py`).
    """
    # The library makes a model of its own as it is imported, unless there is one.
    made, pymupdf._get_layout = pymupdf._get_layout, pymupdf.message
    try:
        with one_thread():
            import pymupdf.layout.pymupdf_util_base as base
            from pymupdf.layout.onnx.BoxRFDGNN import BoxRFDGNN

            model = BoxRFDGNN(use_sort=True, feature_set_name="imf+rf" if looking else "rf")
    finally:
        pymupdf._get_layout = made
    base.create_stext_page = _structured_text
    model.table_grid_extractor = None
    model.feature_extractor = type(model.feature_extractor)(session(model.imf_model_path)) if looking else None
    return model


def _structured_text(page: Any, flags: int) -> Any:
    if len(page.get_bboxlog()) > _MOST_SEGMENTED:
        flags &= ~pymupdf.TEXT_SEGMENT
    return page.get_textpage(flags=flags)


def _characters(page: Any, clip: Any = None) -> Any:
    """Put the page's characters where the search for tables looks for them, and return its text page.

    In place of the library's own, which tells 24 things of each: of a grid by drawn lines only the place is asked for,
    and whether it is white. Of 50 pages of tables and drawings 17.0 processor seconds are left 12.2, with the words of
    each table looked up by their place (`benchmarks/parse_cost.py`).
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


pymupdf.table.make_chars = _characters
