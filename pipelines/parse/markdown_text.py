"""A parsed file as Markdown."""

from __future__ import annotations

from pipelines.core.document import Block, BlockKind, Document
from pipelines.core.table import Table
from pipelines.parse.parsed import Parsed


def to_markdown(parsed: Parsed) -> str:
    """Return the document as Markdown, a comment where a page begins; without one its status and reason."""
    if parsed.document is None:
        return f"*{parsed.status.value}: {parsed.reason}*\n"
    parts: list[str] = []
    page: int | None = None
    listed = False
    for block in parsed.document.blocks:
        if block.provenance.page != page and block.provenance.page is not None:
            page = block.provenance.page
            parts += [_page_mark(parsed.document, page), "\n\n"]
            listed = False
        item = block.kind is BlockKind.LIST_ITEM
        if listed and not item:
            parts.append("\n")
        parts += [_piece(block), "\n" if item else "\n\n"]
        listed = item
    return "".join(parts).rstrip() + "\n"


def _page_mark(document: Document, number: int) -> str:
    label = next((page.label for page in document.pages if page.number == number), "")
    return f"<!-- page {number}: {label} -->" if label and label != str(number) else f"<!-- page {number} -->"


def _piece(block: Block) -> str:
    text = block.text
    if block.table is not None:
        return _table(block.table)
    if block.figure is not None:
        figure = block.figure
        shown = " ".join((figure.description or figure.caption or "picture").split())
        return f"![{shown}]({figure.digest[:16]})" + (f"\n\n{figure.ocr_text}" if figure.ocr_text else "")
    match block.kind:
        case BlockKind.TITLE:
            return f"# {_line(text)}"
        case BlockKind.HEADING:
            return f"{'#' * min(6, block.level + 1)} {_line(text)}"
        case BlockKind.LIST_ITEM:
            return _item(text, block.level)
        case BlockKind.CODE:
            return _fenced(text)
        case BlockKind.FORMULA:
            return f"$$\n{text}\n$$"
        case BlockKind.CAPTION:
            return f"*{_line(text)}*"
        case BlockKind.FOOTNOTE | BlockKind.NOTE:
            return "> " + text.replace("\n", "\n> ")
        case _:
            return text


def _line(text: str) -> str:
    return " ".join(text.split())


def _item(text: str, level: int) -> str:
    indent = "  " * (level - 1)
    return f"{indent}- " + text.replace("\n", f"\n{indent}  ")


def _fenced(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"


def _table(table: Table) -> str:
    """Markdown has no spans: a table that needs them is HTML, as Markdown allows."""
    spanned = any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)
    return table.to_html() if spanned else table.to_markdown()
