"""Jupyter notebooks (nbformat 3 and 4): their cells and what these put out, read by way of Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from html import escape
from pathlib import Path
from typing import Any

from pipelines.core.document import Source
from pipelines.core.errors import Malformed
from pipelines.parse.assemble import DocumentBuilder
from pipelines.parse.decode import decode
from pipelines.parse.parsed import Parsed
from pipelines.parse.reader import FileFormat, FileSample
from pipelines.parse.settings import ParseSettings
from pipelines.parse.web.markdown import append_markdown

_PICTURES = ("image/png", "image/jpeg", "image/gif", "image/webp")
_TERMINAL = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
"""Colours and moves of a terminal (ECMA-48), which outputs and tracebacks hold."""
_FENCES = re.compile(r"`{3,}")


def _is_notebook(sample: FileSample) -> bool:
    text = sample.text.lstrip("\ufeff \t\r\n")
    return text.startswith("{") and (sample.suffix == ".ipynb" or ('"nbformat"' in text and '"cells"' in text))


class NotebookReader:
    """Reads notebooks: texts as Markdown, code as code, what was put out as text, tables and figures."""

    formats = (FileFormat("application/x-ipynb+json", (".ipynb",), sniff=_is_notebook, also=(".json",)),)
    name = "notebook"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        builder = DocumentBuilder(source, settings, self.name)
        try:
            notebook = json.loads(decode(path.read_bytes()).text)
            text = "\n\n".join(_cells(notebook))
        except (ValueError, RecursionError, TypeError, AttributeError, KeyError) as error:
            raise Malformed(f"not a notebook: {error}", ids=(source.uri,)) from error
        _append_metadata(notebook.get("metadata", {}), builder)
        append_markdown(text, builder)
        return builder.build()


def _append_metadata(metadata: dict[str, Any], builder: DocumentBuilder) -> None:
    if isinstance(title := metadata.get("title"), str):
        builder.meta("title", title)
    authors = [one.get("name", "") for one in metadata.get("authors", []) if isinstance(one, dict)]
    if named := [one for one in authors if isinstance(one, str) and one]:
        builder.meta("author", ", ".join(named))


def _cells(notebook: dict[str, Any]) -> Iterator[str]:
    """Yield the cells as Markdown; before nbformat 4 they stand in worksheets."""
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
            yield from _output(output)


def _joined(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else "".join(lines)


def _with_attachments(source: str, attachments: dict[str, dict[str, str]]) -> str:
    """Put the pictures that a cell carries where it shows them (`attachment:NAME`)."""
    for name, forms in attachments.items():
        for media_type, data in forms.items():
            source = source.replace(f"(attachment:{name})", f"(data:{media_type};base64,{_unwrapped(data)})")
    return source


def _output(output: dict[str, Any]) -> Iterator[str]:
    """Yield one of the forms of an output that say the most: a table, a picture, else its text."""
    forms = {**output, **output.get("data", {})}
    pictures = [one for one in _PICTURES if one in forms]
    if output.get("output_type") == "stream":
        yield _fenced(_joined(output["text"]))
    elif output.get("output_type") in ("error", "pyerr"):
        yield _fenced(f"{output.get('ename', '')}: {output.get('evalue', '')}")
    elif "text/html" in forms:
        # A blank line would end the HTML in Markdown.
        yield "<div>" + re.sub(r"\n\s*\n", "\n", _joined(forms["text/html"])) + "</div>"
    elif "text/markdown" in forms:
        yield _joined(forms["text/markdown"])
    elif pictures:
        told = escape(_joined(forms.get("text/plain", "")).strip(), quote=True)
        yield f'<img alt="{told}" src="data:{pictures[0]};base64,{_unwrapped(forms[pictures[0]])}">'
    else:
        yield _fenced(_joined(forms.get("text/plain", forms.get("text", ""))))


def _unwrapped(data: str | list[str]) -> str:
    return "".join(_joined(data).split())


def _fenced(text: str, language: str = "") -> str:
    """Return text as a block of code whose fence is longer than any within it."""
    text = _TERMINAL.sub("", text).strip("\n")
    if not text:
        return ""
    fence = "`" * (max(map(len, _FENCES.findall(text)), default=2) + 1)
    return f"{fence}{language}\n{text}\n{fence}"
