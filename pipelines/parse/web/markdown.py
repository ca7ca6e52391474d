"""Markdown (CommonMark with GitHub's tables, footnotes, front matter), and Jupyter notebooks converted to it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from html import escape
from itertools import takewhile
from pathlib import Path
from typing import Any

from lxml.html import defs

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.lines import LABELLED
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.dom import parse_html_text
from pipelines.parse.web.walk import Walker

_LEAST_SIGNS = 2
"""Number of different signs that identify Markdown: a single one, such as a line of "#", occurs in scripts and logs."""
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
    """Reads Markdown with embedded HTML."""

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
    """Append a Markdown text; front matter becomes metadata, and the markers of an unfinished merge stay visible."""
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
    parser.add_render_rule("softbreak", lambda renderer, tokens, place, options, env: _line_break(tokens, place))
    tokens = parser.parse(text)
    front_matter = next((token.content for token in tokens if token.type == "front_matter"), "")
    return str(parser.renderer.render(tokens, parser.options, {})), front_matter


def _line_break(tokens: Sequence[Any], place: int) -> str:
    """Return a line break between two lines with labels ("Type: K80"), which nobody wrapped, else a space."""
    above = takewhile(_is_inside, (tokens[number] for number in range(place - 1, -1, -1)))
    below = takewhile(_is_inside, (tokens[number] for number in range(place + 1, len(tokens))))
    lines = ("".join(token.content for token in reversed(list(above))), "".join(token.content for token in below))
    return "<br>\n" if all(map(LABELLED.match, lines)) else "\n"


def _is_inside(token: Any) -> bool:
    """Whether a token is within a line."""
    return token.type not in ("softbreak", "hardbreak")


def _html(tokens: Sequence[Any], place: int, closed: set[str]) -> str:
    """Escape a tag that is unknown in HTML and never closed: a placeholder in the text, such as <file name>."""
    content: str = tokens[place].content
    match = _TAG_NAME.match(content)
    if match is None or match.group(1).lower() in defs.tags or match.group(1).lower() in closed:
        return content
    return content.replace("<", "&lt;").replace(">", "&gt;")


def _read_front_matter(text: str, builder: DocumentBuilder) -> None:
    """Set metadata from fields that are on one line."""
    for line in text.splitlines():
        match = _FIELD.match(line)
        if match and match.group(1).strip().lower() in _FIELDS:
            builder.meta(_FIELDS[match.group(1).strip().lower()], match.group(2).strip().strip("'\"[]"))


def _shows_signs(text: str) -> bool:
    """Whether a text has enough of the signs of Markdown."""
    return sum(sign.search(text) is not None for sign in _SIGNS) >= _LEAST_SIGNS


_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TERMINAL = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
"""Terminal control sequences (ECMA-48) in outputs and tracebacks."""
_FENCES = re.compile(r"`{3,}")
_UNEXPECTED = (ValueError, TypeError, AttributeError, KeyError)
"""Errors of reading JSON values that have another type than nbformat says."""


def _is_notebook(sample: FileSample) -> bool:
    text = sample.text.lstrip("\ufeff \t\r\n")
    return text.startswith("{") and (sample.suffix == ".ipynb" or ('"nbformat"' in text and '"cells"' in text))


class NotebookReader:
    """Reads notebooks: text cells as Markdown, code as code, outputs as text, tables and figures."""

    formats = (FileFormat("application/x-ipynb+json", (".ipynb",), sniff=_is_notebook, also=(".json",)),)
    name = "notebook"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            notebook = json.loads(decode(path.read_bytes()).text)
            text = "\n\n".join(_cells(notebook, builder))
        except (*_UNEXPECTED, RecursionError) as error:
            raise Malformed(f"not a notebook: {error}", ids=(source.uri,)) from error
        _append_metadata(notebook.get("metadata", {}), builder)
        append_markdown(text, builder)
        return builder.build()


def _append_metadata(metadata: dict[str, Any], builder: DocumentBuilder) -> None:
    if isinstance(title := metadata.get("title"), str):
        builder.meta("title", title)
    authors = [one.get("name", "") for one in metadata.get("authors", []) if isinstance(one, dict)]
    if names := [one for one in authors if isinstance(one, str) and one]:
        builder.meta("author", ", ".join(names))


def _cells(notebook: dict[str, Any], builder: DocumentBuilder) -> Iterator[str]:
    """Yield the cells as Markdown; before nbformat 4 they are in worksheets. An invalid output becomes a remark."""
    language = str(notebook.get("metadata", {}).get("kernelspec", {}).get("language", ""))
    sheets = [notebook, *notebook.get("worksheets", [])]
    for cell in [cell for sheet in sheets for cell in sheet.get("cells", [])]:
        kind, source = cell["cell_type"], _joined(cell.get("source", cell.get("input", "")))
        if kind == "markdown":
            yield _with_attachments(source, cell.get("attachments", {}))
        elif kind == "heading":
            yield "#" * int(cell.get("level", 1)) + f" {source}"
        else:
            yield _fenced(source, language if kind == "code" else "")
        for output in cell.get("outputs", []):
            try:
                yield _output(output)
            except _UNEXPECTED:
                builder.remark("an output of a cell is invalid and was not read")


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _with_attachments(source: str, attachments: dict[str, dict[str, str]]) -> str:
    """Return a cell's source with its attached pictures (`attachment:NAME`) inserted as data."""
    for name, forms in attachments.items():
        for media_type, data in forms.items():
            source = source.replace(f"(attachment:{name})", f"(data:{media_type};base64,{_unwrapped(data)})")
    return source


def _output(output: dict[str, Any]) -> str:
    """Return an output in its most informative form: a table, a picture, else text."""
    forms = {**output, **output.get("data", {})}
    pictures = [one for one in _PICTURES if one in forms]
    if output.get("output_type") == "stream":
        return _fenced(_joined(output["text"]))
    if output.get("output_type") in ("error", "pyerr"):
        return _fenced(f"{output.get('ename', '')}: {output.get('evalue', '')}")
    if "text/html" in forms:
        # A blank line would end the HTML in Markdown.
        return "<div>" + re.sub(r"\n\s*\n", "\n", _joined(forms["text/html"])) + "</div>"
    if "text/markdown" in forms:
        return _joined(forms["text/markdown"])
    if pictures:
        alt = escape(_joined(forms.get("text/plain", "")).strip(), quote=True)
        return f'<img alt="{alt}" src="data:{pictures[0]};base64,{_unwrapped(forms[pictures[0]])}">'
    return _fenced(_joined(forms.get("text/plain", forms.get("text", ""))))


def _unwrapped(data: str | list[str]) -> str:
    return "".join(_joined(data).split())


def _fenced(text: str, language: str = "") -> str:
    """Return text as a code block whose fence is longer than any fence in it."""
    text = _TERMINAL.sub("", text).strip("\n")
    if not text:
        return ""
    fence = "`" * (max(map(len, _FENCES.findall(text)), default=2) + 1)
    return f"{fence}{language}\n{text}\n{fence}"
