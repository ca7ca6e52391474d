"""`strata man`: the manual page of the command, made of the help that every command prints."""

from __future__ import annotations

from collections.abc import Iterator

import typer
from typer.core import TyperArgument, TyperCommand, TyperGroup, TyperOption

from flows.cli.stdio import say


def register(app: typer.Typer) -> None:
    app.command("man")(man)


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
    lines += [".SH EXIT STATUS", "0 where all is done; README lists the others."]
    return "\n".join(lines)


def _commands(group: TyperGroup, name: str) -> Iterator[tuple[str, TyperCommand]]:
    """Every command with the words that call it."""
    for word, child in group.commands.items():
        if isinstance(child, TyperGroup):
            yield from _commands(child, f"{name} {word}")
        elif isinstance(child, TyperCommand):
            yield f"{name} {word}", child


def _parameters(command: TyperCommand, name: str) -> Iterator[tuple[str, str]]:
    """What a command takes, each with its meaning."""
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
    """Text in which roff obeys nothing: no escape, no line that begins as a request does (groff(7))."""
    plain = text.replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain
