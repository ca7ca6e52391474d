"""Tests of the Containerfile: the files it copies exist and cover the wheel, and its command is valid."""

from __future__ import annotations

import json
import tomllib

import typer

from flows.cli.app import app
from tests.conftest import ROOT

FILE = (ROOT / "deploy" / "Containerfile").read_text("utf-8")


def lines(word: str) -> list[list[str]]:
    """The arguments of each occurrence of an instruction."""
    whole = FILE.replace("\\\n", " ").splitlines()
    return [line.split()[1:] for line in whole if line.startswith(f"{word} ")]


def test_it_copies_everything_the_wheel_contains() -> None:
    copied = {part.rstrip("/") for parts in lines("COPY") for part in parts[:-1] if not part.startswith(("--", "/"))}
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    assert {*wheel["packages"], *wheel["force-include"], "pyproject.toml", "constraints.txt"} <= copied
    assert [one for one in copied if not (ROOT / one).exists()] == []
    ignored = (ROOT / "deploy" / "Containerfile.dockerignore").read_text("utf-8").splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == copied


def test_it_runs_without_root_and_serves_with_a_key() -> None:
    assert lines("USER") == [["strata"]]
    words = json.loads(FILE[FILE.rindex("CMD ") + 4 :])
    command = typer.main.get_command(app)
    context = command.commands[words[0]].make_context(words[0], words[1:])  # type: ignore[attr-defined]
    assert (context.params["host"], str(context.params["key_file"])) == ("0.0.0.0", "/run/secrets/strata-key")
