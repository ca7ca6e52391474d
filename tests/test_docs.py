"""Tests of the README and the documentation: their code runs, and what they name exists."""

import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
import typer

from flows.cli.app import app
from pipelines.core.settings_section import paths
from pipelines.settings import load, read
from qa.settings import QaSettings
from tests.conftest import ROOT

README = (ROOT / "README.md").read_text()
PAGES = {path.relative_to(ROOT).as_posix(): path.read_text() for path in sorted((ROOT / "docs").rglob("*.md"))}
PAGES |= {name: (ROOT / name).read_text() for name in ("CONTRIBUTING.md", "SECURITY.md")}
NEEDS_MORE = ("graph sync",)
"""Commands that need a server; they are tested together with Neo4j."""


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)


def strata_lines(page: str = README) -> list[str]:
    """The words after `strata` of each line in the console blocks of a page."""
    console = "\n".join(blocks("console", page))
    return re.findall(r"^\$ (?:\w+=\S+ )*(?:\.venv/bin/)?strata (.+)$", console, re.MULTILINE)


def commands(group: click.Command, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Every command with the words that call it."""
    children = getattr(group, "commands", {})
    for word, child in children.items():
        yield from commands(child, f"{name} {word}".strip())
    if not children:
        yield name, group


STRATA = str(Path(sys.executable).with_name("strata"))
ROOT_COMMAND = typer.main.get_command(app)
COMMANDS = dict(commands(ROOT_COMMAND))


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the examples, as in a checkout, and a folder of documents of the reader."""
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    own = tmp_path / "FOLDER"
    own.mkdir()
    (own / "bolts.md").write_text("# Bolts\n\nThe casing bolts need a torque of 140 Nm.\n")
    (tmp_path / "FILE").write_text("# A file\n\nIt holds a line of text.\n")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.slow
def test_the_python_code_of_the_readme_answers_with_a_citation(
    checkout: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for code in blocks("python"):
        exec(compile(code, "README.md", "exec"), {})
    printed = capsys.readouterr().out
    assert "indexed" in printed
    assert "1 data-sheets/" in printed or re.search(r"^1 \S+\.\w{2,4} ", printed, re.MULTILINE), printed


@pytest.mark.slow
def test_the_commands_of_the_readme_run_in_order(checkout: Path) -> None:
    lines = [line for line in strata_lines() if not line.startswith(NEEDS_MORE)]
    assert len(lines) >= 4
    printed = ""
    for line in lines:
        done = subprocess.run([STRATA, *shlex.split(line)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{line}: {done.stderr}"
        printed += done.stdout
    assert "140 Nm" in printed
    assert (checkout / "parsed.html").stat().st_size > 0


def test_the_settings_in_the_readme_are_valid(tmp_path: Path) -> None:
    for toml in blocks("toml"):
        tomllib.loads(toml)
        (tmp_path / "strata.toml").write_text(toml)
        assert load(tmp_path, {}, QaSettings).origins


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_has_help_and_is_in_the_readme(name: str) -> None:
    assert (COMMANDS[name].help or "").strip()
    group, _, word = name.partition(" ")
    mentions = re.findall(rf"`strata {group}\b[^\n]*", README)
    assert mentions, f"`strata {group}` is not in the README"
    if word:
        assert any(word in mention for mention in mentions), f"`strata {name}` is not in the README"


def test_every_option_in_the_readme_exists() -> None:
    known = {
        option for one in (ROOT_COMMAND, *COMMANDS.values()) for parameter in one.params for option in parameter.opts
    }
    named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", README))
    assert named <= known


def test_every_make_target_in_the_readme_exists() -> None:
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"`?make ([a-z0-9-]+)`", README)) <= targets


def test_every_file_linked_from_the_readme_exists() -> None:
    links = re.findall(r"\]\(((?!https?://)[^)#]+)\)", README)
    assert links
    assert [link for link in links if not (ROOT / link).exists()] == []


@pytest.mark.parametrize("path", sorted(paths(QaSettings)))
def test_every_setting_has_a_description(path: str) -> None:
    model: object = QaSettings
    *sections, name = path.split(".")
    for section in sections:
        model = model.model_fields[section].annotation  # type: ignore[attr-defined]
    assert model.model_fields[name].description  # type: ignore[attr-defined]


def test_the_commands_in_the_documentation_are_valid() -> None:
    lines = [(name, line) for name, page in PAGES.items() for line in strata_lines(page)]
    assert len(lines) > 20
    assert [(name, line, wrong) for name, line in lines if (wrong := misuse(shlex.split(line, comments=True)))] == []


def misuse(words: list[str]) -> str:
    """The usage error of these words, if any; a file that does not exist is not a usage error."""
    command, name = typer.main.get_command(app), "strata"
    while words and (inner := getattr(command, "commands", {}).get(words[0])):
        command, name, words = inner, words[0], words[1:]
    try:
        command.make_context(name, list(words))
    except Exception as error:
        told = f"{type(error).__name__}: {getattr(error, 'message', error)}"
        return "" if getattr(error, "exit_code", 1) == 0 or "does not exist" in told else told
    return ""


def test_the_settings_in_the_documentation_are_valid(tmp_path: Path) -> None:
    shown = [toml for page in PAGES.values() for toml in blocks("toml", page) if "[project." not in toml]
    assert len(shown) > 5
    for toml in shown:
        (tmp_path / "strata.toml").write_text(toml)
        assert read(tmp_path, {}, QaSettings).origins


def test_the_modules_in_the_documentation_can_be_imported() -> None:
    modules = [code for page in PAGES.values() for code in blocks("python", page) if code.startswith("# ")]
    assert len(modules) == 3
    for code in modules:
        exec(compile(code, "page", "exec"), {})


def test_every_file_and_target_in_the_documentation_exists() -> None:
    text = "\n".join(PAGES.values())
    paths = set(re.findall(r"`((?:tests|pipelines|qa|flows|evaluate|docs|deploy|examples)/[\w/.-]+)`", text))
    assert len(paths) > 20
    assert [path for path in sorted(paths) if not (ROOT / path).exists()] == []
    targets = set(re.findall(r"^([a-z0-9-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|\$ )make ([a-z0-9-]+)", text)) <= targets
