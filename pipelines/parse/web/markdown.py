"""Markdown: CommonMark with the tables of GitHub, footnotes and front matter, read by way of its HTML."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from lxml.html import defs

from pipelines.core.document import Source
from pipelines.core.errors import TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.walk import Walker

_LEAST_SIGNS = 2
"""Signs of Markdown that make a text Markdown: one alone, such as a line of "#", stands in scripts and logs."""
_SIGNS = tuple(
    re.compile(pattern, re.MULTILINE)
    for pattern in (
        r"^#{1,6} \S",
        r"^(?:```|~~~)",
        r"!?\[[^\[\]\n]+\]\([^\[)\n]+\)",
        r"^\|?[^\S\n]*:?-{3,}:?[^\S\n]*\|",
        r"(?<!\*)\*\*[^*\s][^*\n]*\*\*",
        r"^\[[^\]\n]+\]:\s+\S",
    )
)
_MARKER = re.compile(r"^(<{7}|={7}|>{7}|\|{7})(?: .*)?$", re.MULTILINE)
_QUOTES = re.compile(r"^>+", re.MULTILINE)
_TAG_NAME = re.compile(r"</?([A-Za-z][\w-]*)")
_FIELD = re.compile(r"^([A-Za-z][\w -]{0,40}):\s*(.*)$")
_FIELDS = {"title": "title", "author": "author", "authors": "author", "date": "created", "created": "created",
           "description": "description", "summary": "description", "tags": "keywords", "keywords": "keywords",
           "lang": "language", "language": "language", "updated": "modified", "modified": "modified"}  # fmt: skip


class MarkdownReader:
    """Reads Markdown with HTML inside it."""

    formats = (
        FileFormat(
            "text/markdown",
            (".md", ".markdown", ".mdown", ".mkd"),
            guess=lambda sample: _shows_signs(sample.text),
            also=(".txt",),
        ),
    )
    name = "markdown"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        append_markdown(decode(path.read_bytes()).text, builder)
        return builder.build()


def append_markdown(text: str, builder: DocumentBuilder, *, titled: bool = True) -> None:
    """Append what Markdown says; its front matter becomes metadata, marks of an unfinished merge stay visible."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    if "<<<<<<< " in text and ">>>>>>> " in text:
        text = _MARKER.sub(lambda match: f"\n\\{match.group()}\n", text)
        builder.remark("holds the marks of an unfinished merge")
    depth = builder.settings.limits.depth
    if max(map(len, _QUOTES.findall(text)), default=0) > depth:
        raise TooLarge("quotes nested too deep", ids=(builder.source.uri,))
    html, front_matter = _render(text, depth)
    _read_front_matter(front_matter, builder)
    Walker(builder, titled=titled, furniture=False).walk(parse_html_text(html, builder.source.uri))


def _render(text: str, depth: int) -> tuple[str, str]:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.footnote import footnote_plugin
    from mdit_py_plugins.front_matter import front_matter_plugin

    parser = MarkdownIt("commonmark", {"html": True, "maxNesting": depth}).enable(["table", "strikethrough"])
    parser.use(front_matter_plugin).use(footnote_plugin)
    closed = {name.lower() for name in re.findall(r"</([A-Za-z][\w-]*)", text)}
    parser.add_render_rule("html_inline", lambda renderer, tokens, place, options, env: _html(tokens, place, closed))
    parser.add_render_rule("html_block", lambda renderer, tokens, place, options, env: _html(tokens, place, closed))
    tokens = parser.parse(text)
    front_matter = next((token.content for token in tokens if token.type == "front_matter"), "")
    return str(parser.renderer.render(tokens, parser.options, {})), front_matter


def _html(tokens: Sequence[Any], place: int, closed: set[str]) -> str:
    """A tag that HTML does not know and that nothing closes is a placeholder in the text, such as <file name>."""
    content: str = tokens[place].content
    match = _TAG_NAME.match(content)
    if match is None or match.group(1).lower() in defs.tags or match.group(1).lower() in closed:
        return content
    return content.replace("<", "&lt;").replace(">", "&gt;")


def _read_front_matter(text: str, builder: DocumentBuilder) -> None:
    """Only what is on one line: metadata are plain strings."""
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match and match.group(1).strip().lower() in _FIELDS:
            builder.meta(_FIELDS[match.group(1).strip().lower()], match.group(2).strip().strip("'\"[]"))


def _shows_signs(text: str) -> bool:
    """Whether enough of the signs of Markdown stand in a text."""
    return sum(sign.search(text) is not None for sign in _SIGNS) >= _LEAST_SIGNS
