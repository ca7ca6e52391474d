"""`strata config`: what is in force, and where each value came from."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import DEFAULT_KB, Json, Kb, Set


def register(app: typer.Typer) -> None:
    app.command("config")(config)


def config(
    kb: Kb = DEFAULT_KB,
    changed: Annotated[bool, typer.Option("--changed", help="Only what is not a default.")] = False,
    json: Json = False,
    set: Set = None,
) -> None:
    """Print the settings in force and where each value came from."""
    from rich.console import Console
    from rich.table import Table

    from flows.cli.options import pairs_to_options
    from flows.cli.tables import print_json
    from pipelines.settings import load, paths, value_at
    from qa.settings import QaSettings

    loaded = load(kb, pairs_to_options(set), QaSettings)
    rows = [(path, value_at(loaded.settings, path), loaded.origins.get(path, "default")) for path in paths(QaSettings)]
    rows = [row for row in rows if not changed or row[2] != "default"]
    if json:
        print_json({path: {"value": _plain(value), "from": origin} for path, value, origin in rows})
        return
    table = Table("setting", "value", "from", box=None, pad_edge=False)
    for path, value, origin in rows:
        table.add_row(path, str(_plain(value)), origin, style=None if origin != "default" else "dim")
    Console().print(table)


def _plain(value: object) -> object:
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    return value if isinstance(value, str | int | float | bool) or value is None else str(value)
