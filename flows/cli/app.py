"""The command `strata`: every command parses, makes one call, and prints the value.

One handler turns errors into one line each and their exit code; what a command needs is imported inside it, so that
`strata --help` and `strata parse` start at once.
"""

from __future__ import annotations

import os
import sys
from typing import Annotated

import typer

from flows.cli import (
    ask,
    config,
    doctor,
    evaluate,
    flow,
    graph,
    ingest,
    keep,
    man,
    parse,
    records,
    serve,
)
from flows.cli.stdio import INTERRUPTED, READER_GONE, flushed, prepare_streams, reader_is_gone, say, say_error
from pipelines.core.errors import StrataError

app = typer.Typer(
    name="strata",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for module in (ingest, ask, serve, parse, keep, evaluate, doctor, man):
    module.register(app)
for name, group in (
    ("graph", graph.app),
    ("flow", flow.app),
    ("runs", records.runs_app),
    ("feedback", records.feedback_app),
    ("verdicts", records.verdicts_app),
    ("eval", evaluate.app),
    ("cache", config.cache_app),
    ("prompts", config.prompts_app),
    ("config", config.config_app),
):
    app.add_typer(group, name=name)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"strata {version('strata-kb')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and end.")
]


@app.callback()
def strata(version: Version = False) -> None:
    """A folder of documents into a knowledge graph with vectors, and cited answers over both."""


def main() -> None:
    """Run the command and end with its exit code; what goes wrong on purpose, or from outside, is one line.

    Where the reader of the output is gone (`strata graph export | head`) it ends as by SIGPIPE, without a word.
    """
    output = prepare_streams()
    sys.exit(flushed(_run(output)))


def _run(output: os.stat_result) -> int:
    try:
        app()
    except StrataError as error:
        say_error(error.message, error.hint)
        return error.exit_code
    except SystemExit as ended:
        return _ended(ended, output)
    except KeyboardInterrupt:
        return _interrupted()
    except OSError as error:
        return _print_os_error(error)
    return 0


def _ended(ended: SystemExit, output: os.stat_result) -> int:
    """Typer turns Control+C into exit code 130 and a broken pipe into 1, and ends every command by this exception."""
    if ended.code == INTERRUPTED:
        return _interrupted()
    if isinstance(ended.__context__, BrokenPipeError):
        return READER_GONE if reader_is_gone(output) else _print_os_error(ended.__context__)
    return ended.code if isinstance(ended.code, int) else int(bool(ended.code))


def _interrupted() -> int:
    say_error("interrupted; what is finished is kept, and the same command goes on from there")
    return INTERRUPTED


def _print_os_error(error: OSError) -> int:
    """A file that cannot be written, a full disk: the system's own words and the file's name."""
    place = f": {error.filename}" if error.filename else ""
    say_error((error.strerror or str(error)) + place)
    return 1


if __name__ == "__main__":
    main()
