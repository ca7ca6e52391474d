"""Tests of `strata chat`: conversations are saved, resumed, dropped, and erased with the documents they cite."""

from __future__ import annotations

import io
import json
import os
import re
import select
import shutil
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from flows.cli.app import main
from pipelines import build
from pipelines.ingest.feedback import MOST, KeptConversation, conversation_named, keep_conversation
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.folder import KnowledgeBaseFolder
from tests.conftest import ROOT

Chat = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("chat")
    (place / "folder").mkdir()
    (place / "folder" / "pump.md").write_text("# K65\n\nThe casing bolts of the K65 need 68 Nm.\n")
    (place / "folder" / "seal.md").write_text("# Seals\n\nThe seal of the K80 is made of silicon carbide.\n")
    build(place / "folder", place / "kb")
    return place


@pytest.fixture
def place(begun: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(begun, tmp_path / "place"))


@pytest.fixture
def chat(place: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Chat:
    """Runs `strata chat` with typed lines, and returns exit code, output and errors."""

    def run(*words: str, typed: str = "") -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["strata", "chat", "--kb", str(place / "kb"), *words])
        monkeypatch.setattr("sys.stdin", io.StringIO(typed))
        with pytest.raises(SystemExit) as ended:
            main()
        told = capsys.readouterr()
        code = ended.value.code or 0
        assert isinstance(code, int)
        return code, told.out, told.err

    return run


def kept(chat: Chat) -> list[dict[str, object]]:
    found: list[dict[str, object]] = json.loads(chat("--list", "--json")[1])
    return found


def test_a_conversation_is_saved_resumed_and_dropped(chat: Chat) -> None:
    code, out, err = chat(typed="What do the casing bolts of the K65 need?\n\n")
    (one,) = kept(chat)
    assert code == 0
    assert "68 Nm" in out
    assert f"strata chat --resume {one['id']}" in err
    assert str(one["id"]) in chat("--list")[1]
    for way in (("--last",), ("--resume", str(one["id"]))):
        _, out, err = chat(*way, typed="And how much is that for them?\n")
        assert "> What do the casing bolts" in out  # earlier turns are shown again
        assert "understood as: And how much is that for them? (" in err
    (one,) = kept(chat)
    assert [str(turn["asked"])[:3] for turn in one["turns"]] == ["Wha", "And", "And"]  # type: ignore[attr-defined]
    assert chat("--private", typed="What is the seal made of?\n")[0] == 0
    assert len(kept(chat)) == 1
    assert chat("--forget", str(one["id"]))[0] == 0
    assert kept(chat) == []
    code, _, err = chat("--last")
    assert (code, "strata chat --list" in err) == (4, True)


def test_a_resumed_answer_of_several_lines_is_shown_in_lines(chat: Chat, place: Path) -> None:
    with closing(EmbeddedStore.open(KnowledgeBaseFolder(place / "kb").database, create=False)) as store:
        keep_conversation(store.catalog, KeptConversation.new().said("Which?", "Which?", "the bolts\nthe seal", ()))
    assert "> Which?\nthe bolts\nthe seal\n" in chat("--last")[1]


def test_answers_are_printed_as_json_without_prompts(chat: Chat) -> None:
    code, out, _ = chat("--json", "--private", typed="What do the casing bolts of the K65 need?\n")
    assert code == 0
    assert "68 Nm" in json.loads(out)["text"]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo terminal")
def test_the_arrow_keys_bring_a_question_back(place: Path) -> None:
    here, there = os.openpty()
    command = [sys.executable, "-m", "flows.cli.app", "chat", "--private", "--kb", str(place / "kb")]
    with subprocess.Popen(command, cwd=ROOT, stdin=there, stdout=there, stderr=subprocess.DEVNULL) as process:
        os.close(there)
        try:
            told = _read_until(here, "> ")
            for typed in (b"What do the casing bolts of the K65 need?\n", b"\x1b[A\n"):
                os.write(here, typed)
                told = _read_until(here, "\n> ")
        finally:
            process.kill()
            os.close(here)
    assert "What do the casing bolts of the K65 need?" in told
    assert "need 68 Nm. [1]" in told


def _read_until(terminal: int, words: str) -> str:
    """Return the plain text that a terminal shows up to some words."""
    seen = b""
    while words not in (told := re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\r", "", seen.decode(errors="replace"))):
        assert select.select([terminal], [], [], 30)[0], told
        seen += os.read(terminal, 4096)
    return told


def test_an_unknown_name_gets_a_suggestion(chat: Chat) -> None:
    for words, hint in ((("--document", "pumo.md"), "did you mean pump.md"), (("--resume", "chat:0"), "chat --list")):
        code, _, err = chat(*words)
        assert (code, hint in err) == (4, True), words


def test_an_answer_is_erased_with_the_documents_it_cites(chat: Chat, place: Path) -> None:
    chat(typed="What do the casing bolts of the K65 need?\nWhat is the seal of the K80 made of?\n")
    (place / "folder" / "pump.md").unlink()
    build(place / "folder", place / "kb")
    (one,) = kept(chat)
    answers = [str(turn["answer"]) for turn in one["turns"]]  # type: ignore[attr-defined]
    assert answers[0] == ""
    assert "silicon carbide" in answers[1]
    assert "the cited documents have changed" in chat("--last")[1]
    for path in (place / "kb").rglob("*"):
        assert not path.is_file() or b"68 Nm" not in path.read_bytes(), path


def test_the_oldest_conversations_over_the_limit_are_dropped(place: Path) -> None:
    store = EmbeddedStore.open(KnowledgeBaseFolder(place / "kb").database, create=False)
    for number in range(MOST + 2):
        keep_conversation(store.catalog, KeptConversation(f"chat:{number}").said("q", "q", "a", ("d",)))
    assert conversation_named(store.catalog, "").id == f"chat:{MOST + 1}"
    assert conversation_named(store.catalog, "chat:2").id == "chat:2"
    store.close()


def test_an_empty_list_says_so_beside_its_header(chat: Chat) -> None:
    code, out, err = chat("--list")
    assert (code, out.split()[0], err) == (0, "id", "none\n")
