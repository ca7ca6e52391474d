"""A parsed file as Markdown."""

from __future__ import annotations

from collections.abc import Callable

from pipelines.core.document import Block, BlockKind, Document, Figure
from pipelines.core.table import Table
from pipelines.parse.parsed import Parsed


def to_markdown(parsed: Parsed) -> str:
    """Return the document as Markdown, a comment where a page begins; without one its status and reason."""
    if parsed.document is None:
        return f"*{parsed.status.value}: {parsed.reason}*\n"
    deeper = _below_title(parsed.document)
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
        parts += [_piece(block, deeper), "\n" if item else "\n\n"]
        listed = item
    return "".join(parts).rstrip() + "\n"


def _below_title(document: Document) -> int:
    """Where a title takes the first level, headings of level 1 take the second."""
    kinds = {block.kind for block in document.blocks}
    highest = min((block.level for block in document.blocks if block.kind is BlockKind.HEADING), default=1)
    return 1 if BlockKind.TITLE in kinds and highest == 1 else 0


def _page_mark(document: Document, number: int) -> str:
    label = next((page.label for page in document.pages if page.number == number), "")
    return f"<!-- page {number}: {label} -->" if label and label != str(number) else f"<!-- page {number} -->"


def _piece(block: Block, deeper: int) -> str:
    if block.table is not None:
        return _table(block.table)
    if block.figure is not None:
        return _figure(block.figure)
    if block.kind is BlockKind.HEADING:
        # CommonMark 4.2 has six levels.
        return f"{'#' * min(6, block.level + deeper)} {_line(block.text)}"
    if block.kind is BlockKind.LIST_ITEM:
        return _item(block.text, block.level)
    written = _WRITTEN.get(block.kind)
    return written(block.text) if written else block.text


def _figure(figure: Figure) -> str:
    shown = _line(figure.description or figure.caption or "picture")
    # 16 hexadecimal digits of a digest tell the pictures of a document apart.
    return f"![{shown}]({figure.digest[:16]})" + (f"\n\n{figure.ocr_text}" if figure.ocr_text else "")


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


def _quoted(text: str) -> str:
    return "> " + text.replace("\n", "\n> ")


_WRITTEN: dict[BlockKind, Callable[[str], str]] = {
    BlockKind.TITLE: lambda text: f"# {_line(text)}",
    BlockKind.CODE: _fenced,
    BlockKind.FORMULA: lambda text: f"$$\n{text}\n$$",
    BlockKind.CAPTION: lambda text: f"*{_line(text)}*",
    BlockKind.FOOTNOTE: _quoted,
    BlockKind.NOTE: _quoted,
}


def _table(table: Table) -> str:
    """Markdown has no spans: a table that needs them is HTML, as Markdown allows."""
    spanned = any(cell.row_span > 1 or cell.column_span > 1 for cell in table.cells)
    return table.to_html() if spanned else table.to_markdown()
