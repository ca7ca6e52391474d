"""Tests that every command prints hostile names, titles and texts without markup or escape sequences."""

import ast
import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

import flows.cli
from flows.cli.app import main
from flows.cli.printing import PADDED, TextTable, console, line
from pipelines import build

NAMES = [b"caf\xe9.txt", b"[red]x.txt", b"[/].txt", b"[/x].bin", b"[link=x]y.md", b"\x1b[2Jz.txt", b"a\nb.txt",
         b"%E9.txt", b"a.zip!/b.txt", "gpj\u202e.txt".encode(), "zw\u200bj.txt".encode()]  # fmt: skip
TEXT = """# [red]Pump[/] [link=x]P-101A[/link] \x1b[2J \u202e {number}

The pump [bold]P-101A[/] overheats at 90 degrees. \x1b]0;title\x07 See DS-[/]2041 and [/nowhere]file.txt.

Tag [blink]seal. As [the manual]([/x]gone.md) says, see "[/]lost.pdf".
"""
COMMANDS = {
    "status KB --all": 0,
    "status KB": 0,
    "fsck KB": 0,
    "fsck KB --json": 0,
    "diff folder KB": 0,
    "ingest folder KB --no-flow": 8,
    "graph unresolved KB": 0,
    "graph merges KB": 0,
    "graph queries KB": 0,
    "graph html graph.html KB": 0,
    "config": 0,
    "cache stats KB": 0,
    "ask degrees-P-101A-overheats? KB --trace": 0,
    "ask degrees-P-101A-overheats? KB --document zw<U+200B>j.txt": 0,
    "ask anything? KB --document [/]\x1b[2J": 4,
    "ask anything? KB --folder a.zip!": 0,
    "eval answers --questions questions.jsonl KB": 0,
    "forget [/nothing] KB": 4,
    "forget %1B[2Jz.txt KB": 0,
    "diff folder KB --json": 0,
}
CONTROL_CHARACTERS = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")


Strata = Callable[..., tuple[int, str, str]]


@pytest.fixture
def strata(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Strata:
    """Runs the command in `place`, and returns exit code, output and errors."""

    def run(*words: str) -> tuple[int, str, str]:
        monkeypatch.chdir(place)
        monkeypatch.setattr("sys.argv", ["strata", *words])
        with pytest.raises(SystemExit) as ended:
            main()
        return (int(ended.value.code or 0), *capsys.readouterr())

    return run


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and its knowledge base `kb`, with names and texts that are hostile to a terminal."""
    place = tmp_path_factory.mktemp("shown")
    for number, name in enumerate(NAMES):
        path = place / "folder" / os.fsdecode(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"\0\1" if name.endswith(b"bin") else TEXT.format(number=number).encode())
    with zipfile.ZipFile(place / "folder" / "a.zip", "w") as archive:
        archive.writestr("b.txt", TEXT.format(number="zipped"))
        archive.writestr("\x1b[31mred!/c.txt", TEXT.format(number="zipped too"))
    asked = {"id": "[/q]\x1b[2J", "question": "At how many degrees does the pump overheat?", "answers": ["90 [/]"]}
    (place / "questions.jsonl").write_text(json.dumps(asked) + "\n")
    build(place / "folder", place / "kb")
    return place


def test_every_command_prints_hostile_names_and_texts_as_text(strata: Strata) -> None:
    for words, code in COMMANDS.items():
        ended, *printed = strata(*words.replace("KB", "--kb kb").split())
        assert ended == code, (words, printed)
        for output in printed:
            assert not CONTROL_CHARACTERS.search(output), (words, output)


def test_every_file_is_listed_under_a_unique_name(strata: Strata) -> None:
    strata("ingest", "folder", "--kb", "kb", "--no-flow")
    uris = [entry["uri"] for entry in json.loads(strata("status", "--all", "--json", "--kb", "kb")[1])]
    assert {"caf%E9.txt", "%25E9.txt", "a.zip%21/b.txt", "a.zip!/b.txt", "a.zip!/%1B[31mred%21/c.txt"} <= set(uris)
    assert len(uris) == len(set(uris))
    rows = strata("status", "--all", "--kb", "kb")[1].splitlines()
    assert [row.split("  ")[0] for row in rows[1:-1]] == [uri.replace("\u200b", "<U+200B>") for uri in uris]


def test_a_graph_export_has_hostile_texts_as_escaped_json(strata: Strata) -> None:
    code, out, _ = strata("graph", "export", "--kb", "kb")
    assert code == 0
    assert "\x1b" not in out
    assert [json.loads(row) for row in out.splitlines()]


@pytest.mark.parametrize("name", ["caf%E9.txt", os.fsdecode(b"caf\xe9.txt"), "zw<U+200B>j.txt"])
def test_a_document_can_be_forgotten_by_its_displayed_or_its_real_name(strata: Strata, name: str) -> None:
    assert strata("ingest", "folder", "--kb", "kb", "--no-flow")[0] == 8
    code, out, _ = strata("forget", name, "--kb", "kb")
    assert (code, out.count("forgotten: ")) == (0, 1)


def test_a_file_with_any_name_can_be_parsed(strata: Strata) -> None:
    code, out, _ = strata("parse", os.fsdecode(b"folder/caf\xe9.txt"))
    assert code == 0
    assert "overheats at 90 degrees" in out
    for name in ("folder/[/x].bin", "\x1b[2Jnothing"):
        code, _, err = strata("parse", name)
        assert code == 4
        assert not CONTROL_CHARACTERS.search(err)


def test_output_can_be_written_in_any_encoding(place: Path) -> None:
    name = "过热 \U0001f600.txt"
    (place / "folder" / name).write_text("过热")
    build(place / "folder", place / "kb")

    def printed(*words: str) -> bytes:
        environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONIOENCODING": "cp1252"}
        command = [sys.executable, "-m", "flows.cli.app", *words, "--kb", str(place / "kb")]
        done = subprocess.run(command, env=environment, capture_output=True, check=True)
        assert done.stderr == b""
        return done.stdout

    assert rb"\u8fc7\u70ed \U0001f600.txt" in printed("status", "--all")
    assert name in {entry["uri"] for entry in json.loads(printed("status", "--all", "--json"))}
    assert printed("graph", "export")


def test_table_cells_are_not_truncated_unless_the_output_is_a_terminal(capsys: pytest.CaptureFixture[str]) -> None:
    long = "folder/" * 200 + "a.txt"
    table = TextTable("document", "reason")
    table.row(long, "one\ntwo")
    table.row("b", "x " * 300)
    console().print(table)
    rows = capsys.readouterr().out.splitlines()
    assert rows[1] == f"{long}  one⏎two"
    assert rows[2] == f"b{' ' * (PADDED + 1)}{'x ' * 300}".rstrip()


class Terminal(io.StringIO):
    """A stream that reports to be a terminal."""

    def isatty(self) -> bool:
        return True


def test_long_cells_are_folded_in_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stdout", terminal)
    monkeypatch.setenv("COLUMNS", "40")
    monkeypatch.setenv("TERM", "xterm")
    table = TextTable("document", "reason")
    table.row("abcdefghi/" * 20, "too large")
    console().print(table)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", terminal.getvalue()).splitlines()  # styles of rich
    assert max(len(row) for row in lines) <= 40
    assert "".join(row.split()[0] for row in lines[1:]) == "abcdefghi/" * 20


def test_markup_in_a_line_is_printed_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    console().print(line(("failed", "red"), " [red]a\x1b[2J\n:smile: ", "[/]"))
    console().print("[bold]\x9b2J")
    assert capsys.readouterr().out == "failed [red]a<U+001B>[2J⏎:smile: [/]\n[bold]<U+009B>2J\n"


def test_commands_print_only_through_the_printing_module() -> None:
    """Rich's constructors and the standard streams are used in no other module of the command line."""
    folder = Path(str(flows.cli.__file__)).parent
    elsewhere = []
    for file in sorted(folder.glob("*.py")):
        if file.name in ("printing.py", "stdio.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Attribute) and ast.unparse(node) in ("typer.echo", "sys.stdout", "sys.stderr"):
                elsewhere.append(f"{file.name}:{node.lineno}")
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Console", "RichConsole", "Table", "print"):
                elsewhere.append(f"{file.name}:{node.lineno}")
    assert elsewhere == []
