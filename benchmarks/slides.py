"""Slides of companies: whether what they say is found, whose parts are told by their places.

    python -m benchmarks.slides

Each folder of `slides.toml` has a few presentations, with tiles of values, columns, timelines, teams, steps, tables,
charts and speaker's notes, and questions to all of them; some have no answer there. An answer is right if it has the
words.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Inches, Pt

from benchmarks.asked_folders import print_answered

TABLES = Path(__file__).with_suffix(".toml")
_WIDTH, _HEIGHT = 13.33, 7.5
"""Inches: a slide of 16:9."""
_BODY_LAYOUT, _TITLE_LAYOUT = 1, 5
"""Layouts of the default template: title with a list, and title only."""
Rows = Sequence[Sequence[str]]


def _text(
    slide: Any, left: float, top: float, width: float, height: float, lines: Sequence[str], size: int = 18
) -> None:
    frame = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height)).text_frame
    _fill(frame, lines)
    for paragraph in frame.paragraphs:
        paragraph.font.size = Pt(size)


def _fill(frame: Any, lines: Sequence[str]) -> None:
    """Write lines as paragraphs; a tab in front of one makes it deeper."""
    frame.text = lines[0]
    for line in lines[1:]:
        paragraph = frame.add_paragraph()
        paragraph.text, paragraph.level = line.lstrip("\t"), line.count("\t")


def _tiles(slide: Any, items: Rows) -> None:
    for place, (upper, lower) in enumerate(items):
        left = 0.6 + 3.1 * place
        _text(slide, left, 2, 2.8, 0.9, [upper], 44 if upper[0].isdigit() else 16)
        _text(slide, left, 3, 2.8, 0.6, [lower])


def _columns(slide: Any, items: Rows) -> None:
    width = 12 / len(items)
    for place, (head, *lines) in enumerate(items):
        _text(slide, 0.6 + width * place, 1.6, width - 0.2, 0.6, [head], 24)
        _text(slide, 0.6 + width * place, 2.3, width - 0.2, 3, lines)


def _timeline(slide: Any, items: Rows) -> None:
    for place, (date, event) in enumerate(items):
        left = 0.6 + 12 / len(items) * place
        _text(slide, left, 2.3, 2.3, 0.5, [date])
        _text(slide, left, 3.2, 2.3, 1, [event])


def _people(slide: Any, items: Rows) -> None:
    for place, lines in enumerate(items):
        left, top = (0.6 + 3.2 * (place - 1), 4) if place else (5, 1.5)
        shape = slide.shapes.add_shape(MSO_SHAPE.ROUNDED_RECTANGLE, Inches(left), Inches(top), Inches(2.8), Inches(1))
        _fill(shape.text_frame, lines)


def _steps(slide: Any, items: Rows) -> None:
    for place, lines in enumerate(items):
        left = Inches(0.4 + 2.5 * place)
        _fill(slide.shapes.add_shape(MSO_SHAPE.CHEVRON, left, Inches(2.5), Inches(2.4), Inches(1.4)).text_frame, lines)


def _table(slide: Any, items: Rows) -> None:
    size = (Inches(0.6), Inches(1.6), Inches(11), Inches(0.5 * len(items)))
    table = slide.shapes.add_table(len(items), len(items[0]), *size).table
    for row, cells in enumerate(items):
        for column, cell in enumerate(cells):
            table.cell(row, column).text = cell


def _chart(slide: Any, items: Rows) -> None:
    (_, *categories), *series = items
    data: Any = CategoryChartData()  # type: ignore[no-untyped-call]
    data.categories = categories
    for name, *values in series:
        data.add_series(name, [float(value) for value in values])
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1.6), Inches(10), Inches(5), data)


def _bullets(slide: Any, items: Rows) -> None:
    _fill(slide.placeholders[1].text_frame, [line for (line,) in items])


KINDS: Mapping[str, Callable[[Any, Rows], None]] = {
    "tiles": _tiles,
    "names above values": _tiles,
    "columns": _columns,
    "timeline": _timeline,
    "people": _people,
    "steps": _steps,
    "table": _table,
    "chart": _chart,
    "bullets": _bullets,
}


def write_slides(folder: Path, slides: Sequence[Mapping[str, Any]]) -> None:
    """Write the presentations of a folder; slides with the same file are in one."""
    files: dict[str, Any] = {}
    for one in slides:
        deck = files.setdefault(one["file"], Presentation())
        deck.slide_width, deck.slide_height = Inches(_WIDTH), Inches(_HEIGHT)
        listed = one["kind"] == "bullets"
        slide = deck.slides.add_slide(deck.slide_layouts[_BODY_LAYOUT if listed else _TITLE_LAYOUT])
        slide.shapes.title.text = one["title"]
        KINDS[one["kind"]](slide, one["items"])
        if listed and "note" in one:
            slide.notes_slide.notes_text_frame.text = one["note"]
        elif "note" in one:
            _text(slide, 0.6, 6, 11, 0.6, [one["note"]])
    for name, deck in files.items():
        deck.save(folder / name)


def main() -> None:
    folders = tomllib.loads(TABLES.read_text(encoding="utf-8"))["folder"]
    print_answered(folders, lambda source, folder: write_slides(source, folder["slide"]))


if __name__ == "__main__":
    main()
