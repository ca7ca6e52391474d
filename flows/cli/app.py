"""The command `strata`: every command parses, makes one call, and prints the value.

One handler turns errors into one line each and their exit code; what a command needs is imported inside it, so that
`strata --help` and `strata parse` start at once.
"""

from __future__ import annotations

import sys
from importlib.metadata import version
from typing import Annotated

import typer

from flows.cli import ask, cache, config, demo, doctor, evaluate, graph, ingest, keep, parse, prompts, tune
from pipelines.core.errors import StrataError

app = typer.Typer(
    name="strata",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (ingest, ask, parse, keep, tune, doctor, demo):
    module.register(app)
for name, group in (
    ("graph", graph.app),
    ("eval", evaluate.app),
    ("cache", cache.app),
    ("prompts", prompts.app),
    ("config", config.app),
):
    app.add_typer(group, name=name)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"strata {version('strata-kb')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
]


@app.callback()
def strata(version: Version = False) -> None:
    """A folder of documents into a knowledge graph with vectors, and cited answers over both."""


def main() -> None:
    """Run the command; an error that Strata raises on purpose ends it with one line and its exit code."""
    try:
        app()
    except StrataError as error:
        sys.exit(_print_error(error))
    except KeyboardInterrupt:
        sys.stderr.write("interrupted; what is done is kept\n")
        sys.exit(130)
    except BrokenPipeError:
        sys.stderr.close()
        sys.exit(0)


def _print_error(error: StrataError) -> int:
    hint = f" ({error.hint})" if error.hint else ""
    sys.stderr.write(f"strata: {error.message}{hint}\n")
    return error.exit_code
