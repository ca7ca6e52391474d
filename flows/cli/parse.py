"""`strata parse`: what is understood of one file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Kb, Set
from flows.cli.stdio import plain_output, say_error, say_json

if TYPE_CHECKING:
    from pipelines.parse.settings import ParseSettings


def register(app: typer.Typer) -> None:
    app.command("parse")(parse_file)


def parse_file(
    file: Annotated[Path, typer.Argument(help="The file.")],
    json: Annotated[bool, typer.Option("--json", help="Print blocks, headings, tables and places as JSON.")] = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the text as Markdown (the default).")] = False,
    html: Annotated[bool, typer.Option("--html", help="Print a page with the boxes drawn over the pages.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write to this file.")] = None,
    kb: Kb = DEFAULT_KB,
    set: Set = None,
) -> None:
    """Print what one file holds, as it would be ingested."""
    from pipelines.core.errors import SettingsError
    from pipelines.ingest.single_file import parse_single_file
    from pipelines.parse.html_page import to_html
    from pipelines.parse.json_view import to_json
    from pipelines.parse.markdown_text import to_markdown

    if json + markdown + html > 1:
        raise SettingsError("--json, --markdown and --html exclude one another")
    settings = _settings(kb, set)
    parsed = parse_single_file(file, settings)
    text = to_json(parsed) if json else to_html(parsed, file, settings) if html else to_markdown(parsed)
    if output is not None:
        output.write_text(text, encoding="utf-8")
    elif json:
        say_json(text)
    else:
        plain_output().write(text + "\n")
    if not parsed.status.searchable:
        say_error(f"{file}: {parsed.status.value}: {parsed.reason}")
        raise typer.Exit(4)


def _settings(kb: Path, pairs: list[str] | None) -> ParseSettings:
    from flows.cli.options import pairs_to_options
    from pipelines.settings import load

    return load(kb, pairs_to_options(pairs)).settings.parse
