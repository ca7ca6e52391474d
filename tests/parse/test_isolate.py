import threading
import time
from pathlib import Path

import psutil
import pytest

from pipelines.core.outcome import Status
from pipelines.parse.parse import ParserPool, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import Limits, ParseSettings
from tests.faults.process import command_line
from tests.parse.engines import OURS

LIMITS = Limits(cpu_s=3, stall_s=2, memory_mb=400)
SETTINGS = ParseSettings(engines={"text/plain": OURS + "Misbehaving"}, limits=LIMITS)


def run(folder: Path, *texts: str, settings: ParseSettings = SETTINGS, workers: int = 2) -> list[Parsed]:
    with ParserPool(settings, workers) as pool:
        futures = []
        for number, text in enumerate(texts):
            path = folder / f"{number}.txt"
            path.write_text(text)
            futures.append(pool.parse(path, source_of(path, path.name)))
        return [future.result() for future in futures]


@pytest.mark.parametrize(
    ("text", "status", "reason"),
    [
        ("crash", Status.FAILED, "SIGSEGV"),
        ("leave", Status.FAILED, "exit code 3: goodbye"),
        ("hang", Status.TOO_LARGE, "made no progress for 2 s"),
        ("eat", Status.TOO_LARGE, "took more than 400 MiB of memory"),
        ("gulp", Status.TOO_LARGE, "out of memory"),
        ("recurse", Status.TOO_LARGE, "nested too deep"),
    ],
)
def test_a_reader_that_crashes_its_process_loses_one_file(
    tmp_path: Path, text: str, status: Status, reason: str
) -> None:
    before, broken, after = run(tmp_path, "behave before", text, "behave after", workers=1)
    assert before.status is after.status is Status.INDEXED
    assert broken.status is status
    assert reason in broken.reason
    assert broken.document is None


def test_output_printed_by_a_library_does_not_reach_the_results(tmp_path: Path) -> None:
    parsed, after = run(tmp_path, "print", "behave", workers=1)
    assert parsed.status is after.status is Status.INDEXED


def test_one_process_serves_many_files(tmp_path: Path) -> None:
    results = run(tmp_path, *["behave"] * 5, workers=1)
    assert len({parsed.document.text for parsed in results if parsed.document}) == 1


def test_the_child_processes_of_a_killed_reader_are_killed(tmp_path: Path) -> None:
    note = tmp_path / "pid"
    (parsed,) = run(tmp_path, f"hang_with_a_child {note}")
    assert parsed.status is Status.TOO_LARGE
    assert _is_gone(int(note.read_text()))


def _is_gone(pid: int) -> bool:
    """Wait for a killed process to disappear, which takes a moment until its new parent reaps it."""
    for _ in range(100):
        try:
            if "zombie" in Path(f"/proc/{pid}/status").read_text():
                return True
        except FileNotFoundError:
            return True
        time.sleep(0.05)
    return False


def test_pictures_and_children_are_returned_unchanged(tmp_path: Path) -> None:
    from tests.hostile.made import zipped

    path = tmp_path / "a.zip"
    path.write_bytes(zipped({"a.bin": bytes(range(256)) * 1000}))
    with ParserPool(ParseSettings()) as pool:
        parsed = pool.parse(path, source_of(path, "a.zip")).result()
    assert parsed.children[0].data == bytes(range(256)) * 1000


def test_an_error_in_the_block_stops_running_jobs(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("hang")
    settings = SETTINGS.model_copy(update={"limits": Limits(cpu_s=600)})
    futures = []

    def fail() -> None:
        with ParserPool(settings, workers=1) as pool:
            futures.append(pool.parse(path, source_of(path, "a.txt")))
            futures.append(pool.parse(path, source_of(path, "a.txt")))
            while not futures[0].running():
                time.sleep(0.01)
            raise KeyError("stop")

    with pytest.raises(KeyError):
        fail()
    assert futures[0].result().reason == "stopped"
    assert futures[1].cancelled()


def test_closing_leaves_no_worker_and_no_thread_behind(tmp_path: Path) -> None:
    before = _workers()  # a fixture of other tests may hold some: a served application draws pages in one
    with ParserPool(SETTINGS) as pool:
        path = tmp_path / "a.txt"
        path.write_text("behave")
        pool.parse(path, source_of(path, "a.txt")).result()
        during = _workers() - before
    assert during
    assert not _workers() & during
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("parse")]


def _workers() -> set[psutil.Process]:
    """Return the living processes that the fork servers of this process have forked."""
    servers = [child for child in psutil.Process().children() if child.status() != psutil.STATUS_ZOMBIE]
    return {
        worker
        for server in servers
        if "pipelines.core.work.fork_server" in command_line(server)
        for worker in server.children()
    }


def test_the_checkpoint_of_a_lost_process_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tests.parse import engines

    monkeypatch.setattr("pipelines.parse.parse.parse_file", engines.parse_file_and_die)
    (parsed,) = run(tmp_path, "behave")
    assert parsed.status is Status.PARTIAL
    assert "exit code 3" in parsed.reason
    assert parsed.document is not None
    assert "behave" in parsed.document.text
