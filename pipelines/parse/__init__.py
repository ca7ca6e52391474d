"""Bytes to documents. The names are loaded when they are first used: reading text loads no PDF library.

A file in this process: `pipelines.parse.parse.parse`. Many files within limits: `ParserPool`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pipelines.parse.describe import ChatDescriber, Describer, describe_figures
    from pipelines.parse.html_page import to_html
    from pipelines.parse.isolate import ParserPool
    from pipelines.parse.json_view import to_json
    from pipelines.parse.markdown_text import to_markdown
    from pipelines.parse.parse import source_of
    from pipelines.parse.parsed import Child, Parsed, Picture
    from pipelines.parse.reader import Reader
    from pipelines.parse.registry import Detected
    from pipelines.parse.settings import Limits, ParseSettings

_HOMES = {
    "ChatDescriber": "describe",
    "Child": "parsed",
    "Describer": "describe",
    "Detected": "registry",
    "Limits": "settings",
    "ParseSettings": "settings",
    "Parsed": "parsed",
    "ParserPool": "isolate",
    "Picture": "parsed",
    "Reader": "reader",
    "describe_figures": "describe",
    "source_of": "parse",
    "to_html": "html_page",
    "to_json": "json_view",
    "to_markdown": "markdown_text",
}

__all__ = [
    "ChatDescriber", "Child", "Describer", "Detected", "Limits", "ParseSettings", "Parsed", "ParserPool", "Picture",
    "Reader", "describe_figures", "source_of", "to_html", "to_json", "to_markdown",
]  # fmt: skip


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
