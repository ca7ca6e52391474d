"""`strata config`: what is in force, where each value came from, and what a knowledge base was allowed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set
from flows.cli.stdio import say
from pipelines.core.safe_output import shown

if TYPE_CHECKING:
    from pipelines.trust import Permission

app = typer.Typer(invoke_without_command=True)
_Kb = Annotated[Path, typer.Argument(metavar="KB", help="The knowledge base, a folder.")]


@app.callback()
def config(
    context: typer.Context,
    kb: Kb = DEFAULT_KB,
    changed: Annotated[bool, typer.Option("--changed", help="Only what is not a default.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Print the settings in force and where each value came from."""
    if context.invoked_subcommand is not None:
        return
    from flows.cli.console import TextTable, console
    from flows.cli.options import pairs_to_options
    from flows.cli.printing import print_json
    from pipelines.core.settings_section import paths, value_at
    from pipelines.settings import read
    from qa.settings import QaSettings

    loaded = read(kb, pairs_to_options(set), QaSettings)
    rows = [(path, value_at(loaded.settings, path), loaded.origins.get(path, "default")) for path in paths(QaSettings)]
    rows = [row for row in rows if not changed or row[2] != "default"]
    if json:
        print_json({path: {"value": _plain(value), "from": origin} for path, value, origin in rows})
        return
    table = TextTable("setting", "value", "from")
    for path, value, origin in rows:
        table.row(path, str(_plain(value)), origin, style=None if origin != "default" else "dim")
    console().print(table)


@app.command()
def trust(kb: _Kb) -> None:
    """Show what a knowledge base's settings reach outside its folder, and allow it until one of these changes."""
    from pipelines.core.errors import NotFound
    from pipelines.settings import read
    from pipelines.trust import confirm, links_of, record_path
    from qa.settings import QaSettings

    if not kb.is_dir():
        raise NotFound(f"no folder {kb}", ids=(str(kb),))
    settings, links = read(kb, None, QaSettings).permissions, links_of(kb)
    if not settings and not links:
        say(shown(f"{kb} needs no permission"))
        return
    for permission in (*settings, *links):
        say(shown(_line(permission)))
    confirm(kb, settings, links)
    say(shown(f"allowed for {kb.resolve()}, noted in {record_path()}; `strata config distrust {kb}` withdraws it"))


@app.command()
def distrust(kb: _Kb) -> None:
    """Withdraw what was allowed to a knowledge base."""
    from pipelines.trust import withdraw

    say(shown(f"{kb}: {'no longer allowed' if withdraw(kb) else 'nothing was allowed'}"))


@app.command()
def trusted() -> None:
    """List the knowledge bases that were allowed something."""
    from pipelines.trust import confirmed

    for path in sorted(confirmed()):
        say(shown(path))


def _line(permission: Permission) -> str:
    return f"{permission.name} = {permission.value} {permission.does}"


def _plain(value: object) -> object:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
