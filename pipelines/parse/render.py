"""A parsed file for people: as Markdown, and as a self-contained HTML page with boxes over images of the pages."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Callable
from html import escape
from importlib.resources import files
from pathlib import Path, PurePosixPath
from types import MappingProxyType

from pipelines.core.document import Block, BlockKind, Document, Figure
from pipelines.core.safe_output import content_security_policy
from pipelines.core.table import Table
from pipelines.parse.image import draw_page
from pipelines.parse.parsed import Parsed, Picture
from pipelines.parse.settings import ParseSettings

COLOURS = MappingProxyType(
    {
        BlockKind.TITLE: "#b3261e",
        BlockKind.HEADING: "#d1580f",
        BlockKind.PARAGRAPH: "#1b6ac9",
        BlockKind.LIST_ITEM: "#0f8a7e",
        BlockKind.TABLE: "#7b3fc4",
        BlockKind.FIGURE: "#2e8b2e",
        BlockKind.CODE: "#555555",
        BlockKind.FORMULA: "#a8267c",
        BlockKind.CAPTION: "#8a6d00",
        BlockKind.FOOTNOTE: "#6b7a00",
        BlockKind.NOTE: "#6b7a00",
        BlockKind.PAGE_HEADER: "#999999",
        BlockKind.PAGE_FOOTER: "#999999",
    }
)

_NUMBERED = re.compile(r"\d{1,9}[.)] ")
"""The mark of an item of an ordered list in Markdown."""
_MOST_PAGES = 200
"""Maximum pages that are rendered; 200 take about 20 MB in the browser."""
_MOST_ENTRIES = 400
"""Maximum headings in the navigation list beside the pages."""


def to_html(parsed: Parsed, path: Path, settings: ParseSettings | None = None) -> str:
    """Return an HTML page that shows `parsed`, the result for the file at `path`: pages with boxes, and the text.

    Pages of PDF files and pictures are rendered, others only listed; `settings` has the passwords.
    """
    document = parsed.document
    title = document.title if document else path.name
    body = _document(parsed, document, path, settings or ParseSettings()) if document else ""
    style, script = (
        files("pipelines.parse").joinpath("page", name).read_text("utf-8") for name in ("page.css", "page.js")
    )
    return (
        f'<!DOCTYPE html><html lang="{escape(document.language) if document else ""}"><head><meta charset="utf-8">'
        f"{content_security_policy(style, [script], placed=True)}<title>{escape(title)}</title>"
        f"<style>{style}</style></head><body>"
        f"<header><h1>{escape(title)}</h1>{_summary(parsed)}</header>{body}<script>{script}</script></body></html>"
    )


def _summary(parsed: Parsed) -> str:
    document = parsed.document
    facts = [parsed.status.value, parsed.reason]
    if document is not None:
        format = PurePosixPath(document.source.name).suffix.lstrip(".").upper() or document.source.media_type
        facts += [format, f"read by {document.engine}", document.language]
        counted = (("blocks", document.blocks), ("tables", document.tables), ("figures", document.figures))
        facts += [f"{len(things)} {name if len(things) != 1 else name[:-1]}" for name, things in counted]
        facts += list(document.notes)
    legend = _legend(document) if document is not None else ""
    return f'<div class="meta">{escape(" · ".join(fact for fact in facts if fact))}</div>{legend}'


def _legend(document: Document) -> str:
    """Return the colours of the document's block kinds with their counts, most frequent first."""
    counted = Counter(block.kind for block in (*document.blocks, *document.furniture))
    entries = "".join(
        f'<span style="--c:{COLOURS[kind]}"><i></i>{_name(kind)} {count}</span>'
        for kind, count in counted.most_common()
    )
    return f'<div class="legend">{entries}</div>'


def _name(kind: BlockKind) -> str:
    return kind.value.replace("_", " ")


def _outline(document: Document) -> str:
    """Return the list of headings, each linked to its block; empty for fewer than three."""
    kinds = (BlockKind.TITLE, BlockKind.HEADING)
    headings = [(place, block) for place, block in enumerate(document.blocks) if block.kind in kinds][:_MOST_ENTRIES]
    entries = "".join(
        # Pixels of indentation; 120 characters are enough to recognise a heading.
        f'<a href="#b{place}" style="padding-left:{6 + 12 * max(0, block.level - 1)}px">{escape(block.text[:120])}</a>'
        for place, block in headings
    )
    return f"<nav>{entries}</nav>" if len(headings) > 2 else ""


def _document(parsed: Parsed, document: Document, path: Path, settings: ParseSettings) -> str:
    pictures = {picture.digest: picture for picture in parsed.pictures}
    source = document.source

    def draw(number: int) -> bytes:
        return draw_page(path, source.media_type, number, settings.passwords_for(source.uri))

    numbers = dict.fromkeys(block.provenance.page for block in (*document.blocks, *document.furniture))
    numbers |= dict.fromkeys(page.number for page in document.pages)
    ordered = sorted(numbers, key=lambda number: (number is None, number or 0))
    pages = "".join(_page(document, number, draw, pictures) for number in ordered)
    return f'<div class="all">{_outline(document)}<main>{pages}</main></div>'


def _page(document: Document, number: int | None, draw: Callable[[int], bytes], pictures: dict[str, Picture]) -> str:
    blocks = [(place, block) for place, block in enumerate(document.blocks) if block.provenance.page == number]
    aside = [(-1 - place, block) for place, block in enumerate(document.furniture) if block.provenance.page == number]
    image = draw(number) if number is not None and number <= _MOST_PAGES else b""
    sheet = _sheet(number or 0, image, list(enumerate(document.blocks)) + aside) if image else ""
    shown = {} if image and document.source.media_type.startswith("image/") else pictures
    listed = "".join(_block(place, block, shown) for place, block in blocks + aside)
    return f'<section class="page">{sheet}<div class="blocks">{_page_title(document, number)}{listed}</div></section>'


def _page_title(document: Document, number: int | None) -> str:
    page = next((page for page in document.pages if page.number == number), None)
    if page is None:
        return ""
    label = f" ({escape(page.label)})" if page.label else ""
    issue = f' <span class="issue">{escape(page.issue)}</span>' if page.issue else ""
    source = "" if page.text_source == "native" else f", text: {escape(page.text_source)}"
    return f'<div class="meta">page {page.number}{label}{source}{issue}</div>'


def _sheet(number: int, image: bytes, blocks: list[tuple[int, Block]]) -> str:
    source = base64.b64encode(image).decode()
    boxes = "".join(
        _box(place, block, box.left, box.top, box.right, box.bottom)
        for place, block in blocks
        for box in block.provenance.boxes
        if box.page == number
    )
    return f'<div class="sheet"><img alt="page {number}" src="data:image/png;base64,{source}">{boxes}</div>'


def _box(place: int, block: Block, left: float, top: float, right: float, bottom: float) -> str:
    # As many characters as a tool tip shows.
    tip = escape(f"{block.kind.value}: {block.text[:600]}", quote=True)
    area = f"left:{left:.2%};top:{top:.2%};width:{right - left:.2%};height:{bottom - top:.2%}"
    return f'<div class="box" data-b="{place}" title="{tip}" style="--c:{COLOURS[block.kind]};{area}"></div>'


def _block(place: int, block: Block, pictures: dict[str, Picture]) -> str:
    content = _content(block, pictures)
    if not content:  # a figure without text, which is visible in the image of the page
        return ""
    name = _name(block.kind) + (f" {block.level}" if block.level else "")
    kind = block.kind.value + (f" h{block.level}" if block.kind is BlockKind.HEADING else "")
    # Pixels per level.
    indent = f"margin-left:{20 * (block.level - 1)}px;" if block.kind is BlockKind.LIST_ITEM else ""
    return (
        f'<div class="block {kind}" id="b{place}" data-b="{place}" style="--c:{COLOURS[block.kind]};{indent}">'
        f'<span class="kind">{name}</span>{content}</div>'
    )


def _content(block: Block, pictures: dict[str, Picture]) -> str:
    if block.table is not None:
        return block.table.to_html()
    picture = pictures.get(block.figure.digest) if block.figure is not None else None
    if picture is None or not picture.media_type.startswith("image/"):
        return escape(block.text)
    data = base64.b64encode(picture.data).decode()
    image = f'<img alt="" src="data:{escape(picture.media_type, quote=True)};base64,{data}">'
    words = f"<details><summary>text in the picture</summary>{escape(block.text)}</details>" if block.text else ""
    return image + words


def to_markdown(parsed: Parsed) -> str:
    """Return the document as Markdown, with a comment at the start of each page; or its status and reason."""
    if parsed.document is None:
        return f"*{parsed.status.value}: {parsed.reason}*\n"
    shift = _heading_shift(parsed.document)
    parts: list[str] = []
    page: int | None = None
    listed = False
    for block in parsed.document.blocks:
        if block.provenance.page != page and block.provenance.page is not None:
            page = block.provenance.page
            parts += ["\n" if listed else "", _page_mark(parsed.document, page), "\n\n"]
            listed = False
        item = block.kind is BlockKind.LIST_ITEM
        if listed and not item:
            parts.append("\n")
        parts += [_piece(block, shift), "\n" if item else "\n\n"]
        listed = item
    return "".join(parts).rstrip() + "\n"


def _heading_shift(document: Document) -> int:
    """Return 1 if the title takes the first heading level, so that headings move down by one; else 0."""
    kinds = {block.kind for block in document.blocks}
    highest = min((block.level for block in document.blocks if block.kind is BlockKind.HEADING), default=1)
    return 1 if BlockKind.TITLE in kinds and highest == 1 else 0


def _page_mark(document: Document, number: int) -> str:
    label = next((page.label for page in document.pages if page.number == number), "")
    return f"<!-- page {number}: {label} -->" if label and label != str(number) else f"<!-- page {number} -->"


def _piece(block: Block, shift: int) -> str:
    if block.table is not None:
        return _table(block.table)
    if block.figure is not None:
        return _figure(block.figure)
    if block.kind is BlockKind.HEADING:
        # Markdown has six levels (CommonMark 4.2).
        return f"{'#' * min(6, block.level + shift)} {_line(block.text)}"
    if block.kind is BlockKind.LIST_ITEM:
        return _item(block.text, block.level)
    formatted = _FORMATS.get(block.kind)
    return formatted(block.text) if formatted else block.text


def _figure(figure: Figure) -> str:
    shown = _line(figure.description or figure.caption or "picture")
    # 16 hexadecimal digits of a digest are unique among the pictures of a document.
    return f"![{shown}]({figure.digest[:16]})" + (f"\n\n{figure.ocr_text}" if figure.ocr_text else "")


def _line(text: str) -> str:
    return " ".join(text.split())


def _item(text: str, level: int) -> str:
    indent = "  " * (level - 1) + ("" if _NUMBERED.match(text) else "- ")
    return indent + text.replace("\n", f"\n{indent}  ")


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _quoted(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


_FORMATS: dict[BlockKind, Callable[[str], str]] = {
    BlockKind.TITLE: lambda text: f"# {_line(text)}",
    BlockKind.CODE: _fenced,
    BlockKind.FORMULA: lambda text: f"$$\n{text}\n$$",
    BlockKind.CAPTION: lambda text: f"*{_line(text)}*",
    BlockKind.FOOTNOTE: _quoted,
    BlockKind.NOTE: _quoted,
}


def _table(table: Table) -> str:
    """Return a table as Markdown, or as HTML if it has spans, which Markdown lacks; a single cell as a line."""
    if table.rows == table.columns == 1 and table.cells:
        return _line(table.cells[0].text)
    spanned = any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)
    return table.to_html() if spanned else table.to_markdown()
