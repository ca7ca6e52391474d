"""`strata parse`: how one file is understood."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Kb, Set
from flows.cli.stdio import plain_output, say, say_error, say_json

if TYPE_CHECKING:
    from pipelines.core.document import Chunk
    from pipelines.settings import Settings


_MOST_NAMES = 10
"""Maximum documents inside a file that are listed: two lines of a terminal."""


def register(app: typer.Typer) -> None:
    app.command("parse")(parse_file)


def parse_file(
    file: Annotated[Path, typer.Argument(help="The file.")],
    json: Annotated[bool, typer.Option("--json", help="Print blocks, headings, tables and positions as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the text as Markdown (the default).")] = False,
    scored: Annotated[
        bool, typer.Option("--scored", help="Print JSON for benchmarks of parsers, with list markers separated.")
    ] = False,
    html: Annotated[bool, typer.Option("--html", help="Print an HTML page with boxes drawn over the pages.")] = False,
    chunks: Annotated[
        bool, typer.Option("--chunks", help="Print its chunks, with their summaries and forward summaries.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    kb: Kb = DEFAULT_KB,
    set: Set = None,
) -> None:
    """Parse one file as an ingest would, and print the result."""
    from pipelines.core.errors import SettingsError
    from pipelines.ingest.single_file import chunk_parsed, parse_single_file
    from pipelines.parse.json_view import to_json
    from pipelines.parse.render import to_html, to_markdown

    if json + scored + markdown + html + chunks > 1:
        raise SettingsError("--json, --scored, --markdown, --html and --chunks are mutually exclusive")
    settings = _settings(kb, set)
    parsed = parse_single_file(file, settings.parse)
    if chunks:
        text = "\n\n".join(map(_chunk_text, chunk_parsed(parsed, settings, kb)))
    elif json or scored:
        text = to_json(parsed, scored=scored)
    else:
        text = to_html(parsed, file, settings.parse) if html else to_markdown(parsed)
    if output is not None:
        output.write_text(text, encoding="utf-8")
    elif json or scored:
        say_json(text)
    else:
        plain_output().write(text + "\n")
    if parsed.children:
        names = ", ".join(child.name for child in parsed.children[:_MOST_NAMES])
        more = f" and {len(parsed.children) - _MOST_NAMES} more" if len(parsed.children) > _MOST_NAMES else ""
        say(f"{file} contains documents, which an ingest reads too: {names}{more}", err=True)
    if not parsed.status.searchable:
        say_error(f"{file}: {parsed.status.value}: {parsed.reason}")
        raise typer.Exit(4)


def _chunk_text(chunk: Chunk) -> str:
    """Return a chunk with its position, summaries, context and text."""
    page = f"page {chunk.provenance.page}" if chunk.provenance.page else ""
    head = " · ".join(filter(None, (str(chunk.position + 1), page, " > ".join(chunk.heading_path))))
    parts = {"forward summary": chunk.forward_summary, "summary": chunk.summary, "context": chunk.context}
    lines = [f"{name}: {' '.join(text.split())}" for name, text in parts.items() if text]
    return "\n".join((f"== {head}", *lines, "", chunk.text))


def _settings(kb: Path, pairs: list[str] | None) -> Settings:
    from flows.cli.options import pairs_to_options
    from pipelines.settings import load

    return load(kb, pairs_to_options(pairs)).settings
