"""Builds the slide deck of the service training, with a chart, a table and speaker notes."""

from __future__ import annotations

import io
import tomllib
from datetime import datetime
from typing import Any

from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches, Pt

from . import blocks, zips

WHEN = datetime(2023, 5, 8, 9, 0)
BLUE = RGBColor(0x1F, 0x4E, 0x79)
TITLE, CONTENT, TITLE_ONLY = 0, 1, 5


def render() -> bytes:
    """The PPTX file."""
    content = tomllib.loads((blocks.CONTENT / "slides.toml").read_text("utf-8"))
    deck = Presentation()
    _properties(deck, content)
    _widen(deck)
    _opening(deck, content)
    _chart(deck, content["chart"])
    _table(deck, content["table"])
    for text in content["text"]:
        _bullets(deck, text)
    target = io.BytesIO()
    deck.save(target)
    return zips.repack(target.getvalue())


def _properties(deck: Any, content: dict[str, Any]) -> None:
    core = deck.core_properties
    core.title, core.author, core.last_modified_by = content["title"], "Tom Ashworth", "Tom Ashworth"
    core.created = core.modified = WHEN


def _widen(deck: Any) -> None:
    """Change the 4:3 template to 16:9."""
    factor = Inches(13.333) / deck.slide_width
    deck.slide_width = Inches(13.333)
    for holder in (deck.slide_master, *deck.slide_layouts):
        for shape in holder.placeholders:
            if shape._element.spPr.xfrm is not None:
                shape.left, shape.width = int(shape.left * factor), int(shape.width * factor)


def _slide(deck: Any, layout: int, title: str, notes: str) -> Any:
    slide = deck.slides.add_slide(deck.slide_layouts[layout])
    slide.shapes.title.text = title
    for paragraph in slide.shapes.title.text_frame.paragraphs:
        paragraph.font.size, paragraph.font.bold, paragraph.font.color.rgb = Pt(34), True, BLUE
    slide.notes_slide.notes_text_frame.text = notes
    return slide


def _opening(deck: Any, content: dict[str, Any]) -> None:
    slide = _slide(deck, TITLE, content["title"], content["opening_notes"])
    slide.placeholders[1].text = content["subtitle"]


def _chart(deck: Any, part: dict[str, Any]) -> None:
    slide = _slide(deck, TITLE_ONLY, part["title"], part["notes"])
    data = CategoryChartData()
    data.categories = part["names"]
    data.add_series(part["series"], part["values"])
    area = (Inches(1.2), Inches(1.7), Inches(10.9), Inches(5.2))
    chart = slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, *area, data).chart
    chart.has_legend = False
    plot = chart.plots[0]
    plot.has_data_labels, plot.gap_width = True, 60
    plot.data_labels.font.size = Pt(16)
    plot.series[0].format.fill.solid()
    plot.series[0].format.fill.fore_color.rgb = BLUE


def _table(deck: Any, part: dict[str, Any]) -> None:
    slide = _slide(deck, TITLE_ONLY, part["title"], part["notes"])
    rows = part["rows"]
    area = (Inches(0.9), Inches(1.9), Inches(11.5), Inches(0.7 * len(rows)))
    table = slide.shapes.add_table(len(rows), len(rows[0]), *area).table
    for row, cells in enumerate(rows):
        for column, text in enumerate(cells):
            table.cell(row, column).text = text
            table.cell(row, column).text_frame.paragraphs[0].font.size = Pt(20)


def _bullets(deck: Any, part: dict[str, Any]) -> None:
    slide = _slide(deck, CONTENT, part["title"], part["notes"])
    frame = slide.placeholders[1].text_frame
    for number, bullet in enumerate(part["bullets"]):
        paragraph = frame.paragraphs[0] if number == 0 else frame.add_paragraph()
        paragraph.text = bullet
        paragraph.font.size, paragraph.space_after = Pt(26), Pt(8)
