"""Hook of mkdocs: generates the pages of commands, settings and files from the code."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator
from pathlib import Path

import click
import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from flows.cli.app import app
from pipelines.core.settings_section import paths
from pipelines.settings import WELL_KNOWN
from qa.settings import QaSettings

ROOT = Path(__file__).parents[1]
ROOMS = ("pipelines", "qa", "evaluate", "serve", "flows")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the generated pages to those on disk."""
    for name, page in (("commands", commands_page), ("settings", settings_page), ("files", files_page)):
        files.append(File.generated(config, f"reference/{name}.md", content=page()))
    return files


def commands_page() -> str:
    """Return the page of commands: each with its help, arguments and options."""
    root = typer.main.get_command(app)
    parts = ["# Commands", "", "Every command prints its own help: `strata COMMAND --help`.", ""]
    for name, command in _commands(root):
        parts += [f"## `strata {name}`", "", _plain(command.help), ""]
        parts += _table(("option", "meaning", "default"), _parameters(command))
    return "\n".join(parts) + "\n"


def settings_page() -> str:
    """Return the page of settings: a table for each section of strata.toml."""
    parts = [
        "# Settings",
        "",
        "Settings come from `strata.toml` in the folder of the knowledge base, then environment variables, then"
        " `--set` on the command line; the later wins. `strata config --kb KB` prints those in force and where each"
        " came from. The environment variable of `chunk.max_tokens` is `STRATA_CHUNK__MAX_TOKENS`.",
        "",
        "These standard variables are read as well: "
        + ", ".join(f"`{variable}` (`{path}`)" for variable, path in WELL_KNOWN.items())
        + ".",
        "",
    ]
    rows: dict[str, list[tuple[str, ...]]] = {}
    for path in paths(QaSettings):
        section, _, name = path.rpartition(".")
        field = _field(path)
        default = field.get_default(call_default_factory=True)
        rows.setdefault(section, []).append((f"`{name}`", _plain(field.description), f"`{_shown(default)}`"))
    for section, fields in rows.items():
        parts += [f"## `[{section}]`", "", *_table(("setting", "meaning", "default"), fields)]
    return "\n".join(parts) + "\n"


def files_page() -> str:
    """Return the page of files: a table for each folder, with the first line of each file's docstring."""
    parts = ["# Files", "", "All modules, with the first line of their documentation.", ""]
    for room in ROOMS:
        for folder in sorted({path.parent for path in (ROOT / room).rglob("*.py")}):
            rows = [(f"`{path.name}`", _summary(path)) for path in sorted(folder.glob("*.py")) if _summary(path)]
            parts += [f"## `{folder.relative_to(ROOT)}/`", "", *_table(("file", "purpose"), rows)] if rows else []
    return "\n".join(parts) + "\n"


def _summary(path: Path) -> str:
    """Return the first paragraph of a file's docstring, empty if it has none."""
    return _plain((ast.get_docstring(ast.parse(path.read_text("utf-8"))) or "").split("\n\n")[0])


def _field(path: str) -> FieldInfo:
    model: type[BaseModel] = QaSettings
    *sections, name = path.split(".")
    for section in sections:
        model = model.model_fields[section].annotation  # type: ignore[assignment]
    return model.model_fields[name]


def _commands(group: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    children = getattr(group, "commands", {})
    for word, child in children.items():
        yield from _commands(child, f"{name} {word}".strip())
    if name and (not children or getattr(group, "invoke_without_command", False)):
        yield name, group


def _parameters(command: click.Command) -> Iterator[tuple[str, ...]]:
    for one in command.params:
        if one.param_type_name == "option":
            names = ", ".join(f"`{name}`" for name in (*one.opts, *one.secondary_opts))
            default = "" if one.default in (None, False, (), [], "") or callable(one.default) else f"`{one.default}`"
            yield names, _plain(one.help), default
        else:
            yield f"`{one.metavar or one.name.upper()}`", _plain(getattr(one, "help", "")), ""


def _table(head: tuple[str, ...], rows: Iterator[tuple[str, ...]] | list[tuple[str, ...]]) -> list[str]:
    lines = [f"| {' | '.join(row)} |" for row in rows]
    return [f"| {' | '.join(head)} |", f"|{' --- |' * len(head)}", *lines, ""] if lines else []


def _plain(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _shown(value: object) -> str:
    if hasattr(value, "get_secret_value"):
        return '""'
    if isinstance(value, tuple):
        value = list(value)
    return json.dumps(value, ensure_ascii=False, default=str)
