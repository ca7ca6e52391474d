"""A parsed file as JSON, as Markdown, and as a page on which a person sees what was understood."""

from __future__ import annotations

import msgspec

from pipelines.parse.html_page import to_html
from pipelines.parse.markdown_text import to_markdown
from pipelines.parse.parsed import Parsed
from pipelines.parse.view import view

__all__ = ["to_html", "to_json", "to_markdown"]


def to_json(parsed: Parsed, indent: int = 1) -> str:
    """Return `parsed` as JSON: status, title, blocks, headings, tables, pictures, pages, references, notes."""
    return msgspec.json.format(msgspec.json.encode(view(parsed)), indent=indent).decode()
