"""Renders documents to PDF with one or two columns, a running head and a page number."""

from __future__ import annotations

import io
import re
from html import escape

from reportlab import rl_config
from reportlab.lib.colors import white
from reportlab.lib.pagesizes import A4
from reportlab.lib.units import mm
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import (
    BaseDocTemplate,
    Flowable,
    Frame,
    FrameBreak,
    KeepTogether,
    ListFlowable,
    ListItem,
    NextPageTemplate,
    PageTemplate,
    Spacer,
)
from reportlab.platypus import Paragraph as Text
from reportlab.platypus import Table as Grid

from . import blocks
from .blocks import Document
from .sketches import FIGURES
from .styles import BLUE, PALE, RULE, Styles

rl_config.invariant = 1
rl_config.useA85 = 0  # binary streams are a fifth smaller
WIDTH, HEIGHT = A4
SIDE, TOP, BOTTOM, GUTTER = 20 * mm, 24 * mm, 20 * mm, 7 * mm
COMPANY = "KESTRIN PUMPS"


class Template(BaseDocTemplate):
    """Draws running head and foot, and collects an outline of the headings."""

    def __init__(self, target: io.BytesIO, document: Document) -> None:
        super().__init__(
            target,
            pagesize=A4,
            title=f"{document.text('number')} {document.text('title')}",
            author=document.text("author"),
            subject=document.text("subject"),
            creator="Kestrin document system",
        )
        self.document = document

    def afterFlowable(self, flowable: Flowable) -> None:  # noqa: N802 - ReportLab's name
        if self.document.meta.get("outline") and isinstance(flowable, Text) and flowable.style.name == "head1":
            key = f"h{self.seq.nextf('outline')}"
            self.canv.bookmarkPage(key)
            self.canv.addOutlineEntry(flowable.getPlainText(), key)

    def furniture(self, canvas: Canvas, _: BaseDocTemplate) -> None:
        """Everything on the page that is not text flow."""
        doc = self.document
        canvas.saveState()
        canvas.setFillColor(BLUE)
        canvas.rect(SIDE, HEIGHT - 17 * mm, WIDTH - 2 * SIDE, 0.8, stroke=0, fill=1)
        canvas.setFont("Sans-Bold", 9)
        canvas.drawString(SIDE, HEIGHT - 15 * mm, COMPANY)
        canvas.setFont("Sans-Regular", 8)
        canvas.drawRightString(WIDTH - SIDE, HEIGHT - 15 * mm, f"{doc.text('kind')} {doc.text('number')}")
        canvas.drawString(SIDE, 12 * mm, doc.text("revision"))
        canvas.drawRightString(WIDTH - SIDE, 12 * mm, f"Page {canvas.getPageNumber()}")
        if stamp := doc.text("stamp"):
            canvas.translate(WIDTH / 2, 62 * mm)
            canvas.rotate(18)
            canvas.setStrokeColorRGB(0.75, 0.1, 0.1)
            canvas.setFillColorRGB(0.75, 0.1, 0.1)
            canvas.setLineWidth(2)
            canvas.roundRect(-60 * mm, -9 * mm, 120 * mm, 20 * mm, 6)
            canvas.setFont("Sans-Bold", 36)
            canvas.drawCentredString(0, -3 * mm, stamp)
        canvas.restoreState()


def render(document: Document) -> bytes:
    """The PDF file of a document."""
    columns = int(document.meta.get("columns", 1))
    styles = Styles(columns)
    target = io.BytesIO()
    template = Template(target, document)
    opening = _opening(document, styles)
    top_height = sum(_height(part) for part in opening) + 2 * mm
    template.addPageTemplates(_pages(template, columns, top_height))
    width = (WIDTH - 2 * SIDE - (columns - 1) * GUTTER) / columns
    story: list[Flowable] = [*opening, FrameBreak(), NextPageTemplate("later")]
    for block in document.blocks:
        story.extend(_flow(block, styles, width))
    template.build(story)
    return target.getvalue()


def _height(part: Flowable) -> float:
    _, height = part.wrap(WIDTH - 2 * SIDE, HEIGHT)
    return float(height + part.getSpaceBefore() + part.getSpaceAfter())


def _pages(template: Template, columns: int, top_height: float) -> list[PageTemplate]:
    def frames(top: float) -> list[Frame]:
        width = (WIDTH - 2 * SIDE - (columns - 1) * GUTTER) / columns
        return [
            Frame(SIDE + number * (width + GUTTER), BOTTOM, width, top - BOTTOM, 0, 0, 0, 0)
            for number in range(columns)
        ]

    top = HEIGHT - TOP
    opening = Frame(SIDE, top - top_height, WIDTH - 2 * SIDE, top_height, 0, 0, 0, 0)
    first = PageTemplate("first", [opening, *frames(top - top_height - 2 * mm)], onPage=template.furniture)
    return [first, PageTemplate("later", frames(top), onPage=template.furniture)]


def _opening(document: Document, styles: Styles) -> list[Flowable]:
    title = escape(document.text("title"))
    if chinese := document.text("title_zh"):
        title += f' <font name="Chinese">{chinese}</font>'
    parts: list[Flowable] = [Text(title, styles.title)]
    line = f"{document.text('number')} · {document.text('revision')} · {document.text('author')}"
    parts.append(Text(escape(line), styles.meta))
    if abstract := document.text("abstract"):
        parts.append(Text("<b>Abstract.</b> " + escape(abstract), styles.body))
    return parts


def markup(text: str) -> str:
    """Inline markup as ReportLab's."""
    shapes = {
        "": "{0}",
        "bold": "<b>{0}</b>",
        "italic": "<i>{0}</i>",
        "link": '<a href="{1}" color="#1f4e79">{0}</a>',
        "note": "<super>{0}</super>",
    }
    parts = (shapes[run.style].format(escape(run.text), escape(run.target)) for run in blocks.runs(text))
    return re.sub(r"([\u3400-\u9fff]+)(?![^<]*\")", r'<font name="Chinese">\1</font>', "".join(parts))


def _flow(block: blocks.Block, styles: Styles, width: float) -> list[Flowable]:
    match block:
        case blocks.Heading():
            return [Text(markup(block.text), styles.heads[block.level - 1])]
        case blocks.Paragraph():
            return [Text(markup(block.text), styles.body)]
        case blocks.ListBlock():
            items = [ListItem(Text(markup(item), styles.body), spaceAfter=-2) for item in block.items]
            kind = "1" if block.ordered else "bullet"
            return [
                ListFlowable(items, bulletType=kind, leftIndent=14, bulletFontSize=8, start=None),
                Spacer(1, 4),
            ]
        case blocks.Figure():
            drawing = FIGURES[block.name](width)
            return [KeepTogether([Spacer(1, 4), drawing, Text(markup(block.caption), styles.caption), Spacer(1, 4)])]
        case blocks.Table():
            return [Text(markup(block.caption), styles.caption), _grid(block, styles, width), Spacer(1, 8)]


def _grid(table: blocks.Table, styles: Styles, width: float) -> Grid:
    look: list[tuple[object, ...]] = [
        ("BACKGROUND", (0, 0), (-1, table.head - 1), BLUE),
        ("GRID", (0, 0), (-1, -1), 0.5, RULE),
        ("VALIGN", (0, 0), (-1, -1), "MIDDLE"),
        ("TOPPADDING", (0, 0), (-1, -1), 2.5),
        ("BOTTOMPADDING", (0, 0), (-1, -1), 2.5),
        ("ROWBACKGROUNDS", (0, table.head), (-1, -1), [white, PALE]),
    ]
    centred = set()
    for top, left, bottom, right in table.spans():
        look.append(("SPAN", (left, top), (right, bottom)))
        if bottom > top:
            look.append(("BACKGROUND", (left, top), (right, bottom), BLUE if top < table.head else white))
        if right > left:
            centred.add((top, left))

    def cell(row: int, column: int, text: str) -> Text | str:
        if text in ("<", "^"):
            return ""
        style = styles.in_table(row < table.head, (row, column) in centred)
        return Text(markup(text), style)

    rows = [[cell(row, column, text) for column, text in enumerate(cells)] for row, cells in enumerate(table.rows)]
    return Grid(rows, colWidths=_column_widths(table, width), style=look, repeatRows=table.head)


def _column_widths(table: blocks.Table, width: float) -> list[float]:
    count = len(table.rows[0])
    lengths = [6.0] * count
    for row in table.rows:
        for column, text in enumerate(row):
            alone = column + 1 == count or row[column + 1] != "<"
            if alone and text not in ("<", "^"):
                lengths[column] = max(lengths[column], min(len(text), 40) + 2.0)
    return [width * length / sum(lengths) for length in lengths]
