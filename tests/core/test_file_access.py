"""Tests of file modes: a knowledge base is private to its owner, and a read-only one can be queried."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import StoreError
from pipelines.core.file_access import read_only_uri
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Reply, Usage
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.settings import load
from pipelines.store.folder import KnowledgeBaseFolder
from qa import KnowledgeBase
from qa.settings import QaSettings
from tests.conftest import ROOT
from tests.ingest.knowledge import write_folder

QUESTION = "How often is the bearing oil changed?"
# Runs a command as the owner of the files, but without a superuser's access to everything.
AS_OWNER = ("unshare", "--user", "--map-user=1000", "--map-group=1000")
# Runs a command while the folder $0 is mounted read-only.
ON_READ_ONLY_DISK = (
    "unshare", "--user", "--map-root-user", "--mount", "sh", "-c",
    'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0" && exec "$@"',
)  # fmt: skip
STRATA = "import sys; from flows.cli.app import main; sys.argv[0] = 'strata'; main()"


@pytest.fixture
def any_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    build(write_folder(tmp_path / "folder"), tmp_path / "kb")
    replies = ReplyStore(KnowledgeBaseFolder(tmp_path / "kb").replies)
    replies.put("key", "answer", Reply("kept", "m", Usage(), "stop"))
    replies.close()
    return tmp_path / "kb"


@pytest.fixture(params=["mode", "mount"])
def strata(kb: Path, request: pytest.FixtureRequest) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Runs the command while `kb` is read-only, and returns exit code, output and errors."""
    prefix = AS_OWNER if request.param == "mode" else (*ON_READ_ONLY_DISK, str(kb))
    if why := _why_unavailable(prefix):
        pytest.skip(f"no way here to make a folder that cannot be written: {why}")

    def run(*words: object) -> tuple[int, str, str]:
        command = [*prefix, sys.executable, "-c", STRATA, *map(str, words)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT)}
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
        return done.returncode, done.stdout, done.stderr

    if request.param == "mode":
        _change_modes(kb, lambda mode: mode & ~0o222)
    yield run
    _change_modes(kb, lambda mode: mode | 0o200)


def _why_unavailable(prefix: tuple[str, ...]) -> str:
    if shutil.which(prefix[0]) is None:
        return f"{prefix[0]} is not installed"
    return subprocess.run([*prefix, "true"], capture_output=True, text=True, check=False).stderr.strip()


def _change_modes(folder: Path, change: Callable[[int], int]) -> None:
    for path in (folder, *folder.rglob("*")):
        path.chmod(change(stat.S_IMODE(path.stat().st_mode)))


def modes(folder: Path) -> dict[str, int]:
    return {path.relative_to(folder).as_posix(): stat.S_IMODE(path.stat().st_mode) for path in folder.rglob("*")}


@pytest.mark.usefixtures("any_umask")
def test_a_new_knowledge_base_is_private_for_any_umask(tmp_path: Path) -> None:
    kb, folder = tmp_path / "above" / "kb", write_folder(tmp_path / "folder")
    with LoopbackServer(lambda _: "{}") as server:
        record = tmp_path / "record.jsonl"
        options = {"llm.base_url": server.url, "llm.record": str(record), "llm.tries": 1, "llm.reply_tries": 1}
        settings = load(None, options, QaSettings).settings
        build(folder, kb, settings)
        with KnowledgeBase.open(kb, settings) as knowledge:
            knowledge.ask(QUESTION)
    assert stat.S_IMODE(kb.stat().st_mode) == 0o700
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    found = modes(kb)
    for folder_name in ("artifacts", "vectors", "retrieval"):
        assert found[folder_name] == 0o700
    for name in ("strata.db", "strata.db.lock", "replies.db", "trace.jsonl"):
        assert found[name] == 0o600


@pytest.mark.usefixtures("any_umask")
def test_an_existing_folder_keeps_its_mode_and_new_files_are_private(tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    kb.mkdir(mode=0o755)
    build(write_folder(tmp_path / "folder"), kb)
    assert stat.S_IMODE(kb.stat().st_mode) == 0o755
    assert {mode for name, mode in modes(kb).items() if "/" not in name} == {0o600, 0o700}


def test_an_ingest_warns_if_others_can_read_the_knowledge_base(tmp_path: Path, kb: Path) -> None:
    def said() -> str:
        words = ["ingest", str(tmp_path / "folder"), "--kb", str(kb), "--no-flow", "--quiet"]
        return subprocess.run([sys.executable, "-c", STRATA, *words], capture_output=True, text=True, check=True).stderr

    assert said() == ""
    kb.chmod(0o755)
    (kb / "strata.db").chmod(0o644)
    assert said() == f"strata: other users can read {kb}; `chmod -R go= {kb}` makes it private\n"


@pytest.mark.slow
def test_a_read_only_knowledge_base_can_be_asked_shown_and_exported(
    strata: Callable[..., tuple[int, str, str]], kb: Path
) -> None:
    before = modes(kb)
    code, out, err = strata("ask", QUESTION, "--kb", kb)
    assert (code, err) == (0, "")
    assert "4000 hours" in out
    code, out, _ = strata("status", "--kb", kb, "--json")
    assert (code, len(json.loads(out))) == (0, 3)
    assert strata("graph", "export", "--kb", kb)[1].count("\n") > 30
    code, out, _ = strata("cache", "stats", "--kb", kb, "--json")
    assert (code, [line["replies"] for line in json.loads(out)]) == (0, [1])
    assert "3 of 3 documents can be found, read-only" in strata("doctor", "--kb", kb)[1]
    assert modes(kb) == before


@pytest.mark.slow
def test_a_model_answers_from_a_read_only_knowledge_base(strata: Callable[..., tuple[int, str, str]], kb: Path) -> None:
    reply = {"claims": [], "found": False, "answer": ""}
    with LoopbackServer(lambda _: json.dumps(reply)) as server:
        options = ("--set", f"llm.base_url={server.url}", "--strategy", "naive")
        code, _, err = strata("ask", QUESTION, "--kb", kb, *options)
        assert (code, err) == (0, "")
        assert server.calls
    assert not KnowledgeBaseFolder(kb).trace.exists()


@pytest.mark.slow
def test_writing_to_a_read_only_knowledge_base_is_reported_in_one_line(
    strata: Callable[..., tuple[int, str, str]], kb: Path, tmp_path: Path
) -> None:
    for words in (["fsck"], ["forget", "manual.md"], ["ingest", tmp_path / "folder", "--no-flow", "--quiet"]):
        code, out, err = strata(*words, "--kb", kb)
        assert (code, out) == (5, "")
        assert err.startswith("strata: the knowledge base cannot be written to")
        assert err.count("\n") == 1


def test_a_write_ahead_log_without_its_index_is_not_ignored(tmp_path: Path) -> None:
    path = tmp_path / "strata.db"
    writing = sqlite3.connect(path)
    for statement in ("PRAGMA journal_mode = WAL", "CREATE TABLE t (x)", "INSERT INTO t VALUES (1)"):
        writing.execute(statement)
    writing.commit()
    reading = sqlite3.connect(read_only_uri(path), uri=True)
    assert reading.execute("SELECT x FROM t").fetchall() == [(1,)]
    reading.close()
    shutil.copytree(tmp_path, copy := tmp_path.with_name("copy"), ignore=shutil.ignore_patterns("*-shm"))
    writing.close()
    with pytest.raises(StoreError, match="log"):
        read_only_uri(copy / "strata.db")
