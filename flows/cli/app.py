"""The command `strata`: each command parses its options, makes one call, and prints the result.

One handler turns errors into a one-line message and an exit code. Commands import what they need when they run, so that
`strata --help` and `strata parse` start quickly. `strata man` prints the manual page.
"""

from __future__ import annotations

import inspect
import os
import signal
import sys
import warnings
from collections.abc import Iterator
from typing import Annotated

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from flows.cli import (
    ask,
    config,
    evaluate,
    flow,
    graph,
    ingest,
    maintenance,
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
for module in (ingest, ask, serve, parse, maintenance, evaluate):
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


def _fill_paragraphs(group: typer.Typer) -> None:
    """Join the lines of each paragraph of the commands' help, so that a narrow terminal does not break them twice."""
    for command in group.registered_commands:
        paragraphs = (inspect.getdoc(command.callback) or "").split("\n\n")
        command.help = "\n\n".join(paragraph.replace("\n", " ") for paragraph in paragraphs)
    for inner in group.registered_groups:
        if inner.typer_instance:
            _fill_paragraphs(inner.typer_instance)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        say(f"strata {version('strata-kb')}")
        raise typer.Exit


Version = Annotated[
    bool, typer.Option("--version", is_eager=True, callback=_print_version, help="Print the version and exit.")
]


@app.callback()
def strata(version: Version = False) -> None:
    """Turn a folder of documents into a knowledge graph with vectors, and answer questions with citations."""


def main() -> None:
    """Run the command and exit with its code; expected errors are printed as one line.

    If the reader of the output has gone (`strata graph export | head`), it exits silently, as by SIGPIPE.
    """
    output = prepare_streams()
    code = _run(output)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # Control+C while the interpreter ends would print a traceback
    sys.exit(flushed(code))


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
    """Return the exit code: Typer ends every command by SystemExit, with 130 for Control+C and 1 for a broken pipe."""
    if ended.code == INTERRUPTED:
        return _interrupted()
    if isinstance(ended.__context__, BrokenPipeError):
        return READER_GONE if reader_is_gone(output) else _print_os_error(ended.__context__)
    return ended.code if isinstance(ended.code, int) else int(bool(ended.code))


def _interrupted() -> int:
    # Control+C may have come between the making of a coroutine and its first step, or while an event loop was made:
    # when they are freed, Python would warn, or print the error of a finalizer, after our line.
    warnings.filterwarnings("ignore", "coroutine .* was never awaited", RuntimeWarning)
    sys.unraisablehook = _ignored
    say_error("interrupted; finished work is kept, and the same command continues from there")
    return INTERRUPTED


def _ignored(error: sys.UnraisableHookArgs) -> None:
    """Print nothing for the error of a finalizer."""


def _print_os_error(error: OSError) -> int:
    """Print an error of the operating system (an unwritable file, a full disk) with the name of the file."""
    place = f": {error.filename}" if error.filename else ""
    say_error((error.strerror or str(error)) + place)
    return 1


@app.command()
def man(context: typer.Context) -> None:
    """Print the manual page: `strata man | man -l -`, or into share/man/man1/strata.1 of a prefix."""
    root = context.find_root().command
    if isinstance(root, TyperGroup):
        say(manual_page(root))


def manual_page(root: TyperGroup) -> str:
    """Return the page in roff, with the macros of man(7)."""
    lines = [
        '.TH STRATA 1 "" "Strata" "User Commands"',
        ".SH NAME",
        f"strata \\- {_escaped(_first_line(root))}",
        ".SH SYNOPSIS",
        ".B strata",
        "COMMAND [ARGS]...",
        ".SH COMMANDS",
    ]
    for name, command in _commands(root, "strata"):
        lines += [f'.SS "{_escaped(name)}"', *_paragraphs(command.help or "")]
        for term, meaning in _parameters(command, name):
            lines += [".TP", f".B {_escaped(term)}", _escaped(" ".join(meaning.split())) or "\\&"]
    lines += [".SH EXIT STATUS", "0 on success; the README lists the others."]
    return "\n".join(lines)


def _commands(group: TyperGroup, name: str) -> Iterator[tuple[str, TyperCommand]]:
    """Yield every command with its full name."""
    for word, child in group.commands.items():
        if isinstance(child, TyperGroup):
            yield from _commands(child, f"{name} {word}")
        elif isinstance(child, TyperCommand):
            yield f"{name} {word}", child


def _parameters(command: TyperCommand, name: str) -> Iterator[tuple[str, str]]:
    """Yield the options and arguments of a command with their help."""
    context = typer.Context(command, info_name=name)
    for one in command.get_params(context):
        if isinstance(one, TyperOption) and not one.hidden:
            yield ", ".join((*one.opts, *one.secondary_opts)), one.help or ""
        elif isinstance(one, TyperArgument):
            yield (one.metavar or one.name or "").upper(), one.help or ""


def _paragraphs(text: str) -> Iterator[str]:
    for paragraph in text.replace("\b", "").strip().split("\n\n"):
        yield from (".PP", _escaped(" ".join(paragraph.split())))


def _first_line(command: TyperGroup) -> str:
    return (command.help or "").strip().partition("\n")[0].rstrip(".")


def _escaped(text: str) -> str:
    """Return text without roff escapes and requests (groff(7))."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


_fill_paragraphs(app)

if __name__ == "__main__":
    main()
