"""Tests of interrupts, closed pipes, full disks and closed streams: at most one line, and the exit code."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from deploy.prefect import server as prefect
from pipelines import build
from tests.ingest.knowledge import write_folder

STRATA = [sys.executable, "-m", "flows.cli.app"]
INTERRUPTED = "strata: interrupted; finished work is kept, and the same command continues from there"


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("streams")
    build(write_folder(place / "folder"), place / "kb")
    return place


def processes_in(place: Path) -> list[str]:
    """The command lines of the processes whose working directory is this folder."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if entry.name.isdigit() and (entry / "cwd").readlink() == place:
                found.append((entry / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue
    return found


def interrupted(place: Path, words: list[str], at: str) -> tuple[int, str]:
    """Interrupt the command when it prints `at`; return its exit code and its later output."""
    with subprocess.Popen(
        [*STRATA, *words], cwd=place, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        while at not in process.stderr.readline():
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=120)
    for _ in range(100):  # a process that was told to end may take a moment
        if not processes_in(place):
            break
        time.sleep(0.1)
    return process.returncode, err


def test_an_interrupted_ingest_prints_one_line_and_leaves_no_process(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder")
    code, err = interrupted(tmp_path, ["ingest", "folder", "--kb", "kb", "--no-flow"], "scan: folder")
    assert (code, err.splitlines()[-1]) == (130, INTERRUPTED)
    assert "Traceback" not in err
    assert processes_in(tmp_path) == []


INTERRUPT_BEFORE_COROUTINE = """
import asyncio, sys
from flows.cli.app import main

def interrupt(runner):
    runner.half_made = asyncio.SelectorEventLoop.__new__(asyncio.SelectorEventLoop)  # its finalizer fails
    raise KeyboardInterrupt

asyncio.Runner.__enter__ = interrupt
sys.argv[1:] = ["ingest", "folder", "--kb", "kb", "--no-flow"]
main()
"""


def test_an_interrupt_before_a_coroutine_starts_prints_one_line_without_a_warning(tmp_path: Path) -> None:
    write_folder(tmp_path / "folder")
    command = [sys.executable, "-W", "always", "-c", INTERRUPT_BEFORE_COROUTINE]
    done = subprocess.run(command, cwd=tmp_path, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (130, INTERRUPTED)
    assert "never awaited" not in done.stderr
    assert "Exception ignored" not in done.stderr


@pytest.mark.slow
def test_an_interrupted_flow_prints_one_line_and_leaves_no_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_folder(tmp_path / "folder")
    with prefect.temporary() as running:
        monkeypatch.setenv("PREFECT_API_URL", running.api)
        code, err = interrupted(tmp_path, ["ingest", "folder", "--kb", "kb"], "flow: http")
    assert (code, err.splitlines()[-1]) == (130, INTERRUPTED)
    assert "Traceback" not in err
    assert processes_in(tmp_path) == []


@pytest.mark.parametrize("words", [["graph", "export", "--kb", "kb"], ["status", "--all", "--kb", "kb"], ["--help"]])
def test_a_closed_pipe_ends_the_command_with_the_code_of_sigpipe(place: Path, words: list[str]) -> None:
    reader, writer = os.pipe()
    os.close(reader)  # as when `head` has ended
    done = subprocess.run([*STRATA, *words], cwd=place, env=environment(), stdout=writer, stderr=-1, check=False)
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
@pytest.mark.parametrize("words", [["graph", "export", "--kb", "kb"], ["status", "--all", "--kb", "kb"]])
def test_a_full_disk_is_reported_in_one_line(place: Path, words: list[str]) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:
        done = subprocess.run([*STRATA, *words], cwd=place, env=environment(), stdout=full, stderr=-1, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith(b"strata: ")
    assert done.stderr.endswith(b"No space left on device\n")
    assert done.stderr.count(b"\n") == 1


def test_a_closed_standard_output_is_not_an_error(place: Path) -> None:
    command = " ".join([*STRATA, "status", "--all", "--kb", "kb", ">&-"])
    done = subprocess.run(["bash", "-c", command], cwd=place, env=environment(), stderr=subprocess.PIPE, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_a_file_that_cannot_be_written_is_reported_in_one_line(place: Path) -> None:
    words = ["graph", "export", "--kb", "kb", "--out", "nowhere/graph.jsonl"]
    done = subprocess.run([*STRATA, *words], cwd=place, env=environment(), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "strata: No such file or directory: nowhere/graph.jsonl\n")
