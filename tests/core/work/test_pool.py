"""Tests of jobs in separate processes: limits, crashes, retries and cleanup."""

import json
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from pipelines.core.outcome import Status
from pipelines.core.work.job import Frame, FrameKind, Job, JobLimits, JobListener, JobResult
from pipelines.core.work.pool import Running, WorkerPool
from tests.conftest import ROOT
from tests.core.work import jobs

SMALL = JobLimits(cpu_s=1, stall_s=2, memory_mb=400)
LITTLE_MEMORY = JobLimits(memory_mb=400)
"""Memory is the only limit, so that a slow machine reaches no other first."""


def itself(ended: JobResult) -> JobResult:
    return ended


def run(
    *work: Job, allowance: JobLimits = SMALL, workers: int = 1, listener: JobListener | None = None
) -> list[JobResult]:
    with WorkerPool(allowance, workers) as pool:
        futures = [pool.submit(job, itself, listener or JobListener()) for job in work]
        return [future.result() for future in futures]


def job(function: Callable[..., bytes], *arguments: object) -> Job:
    return Job(function, arguments)


@pytest.mark.parametrize(
    ("function", "allowance", "status", "reason", "error"),
    [
        (jobs.loop, SMALL, Status.TOO_LARGE, "took longer than 1 processor seconds", "Killed"),
        (jobs.talk, SMALL, Status.TOO_LARGE, "took longer than 1 processor seconds", "Killed"),
        (jobs.sleep, SMALL, Status.TOO_LARGE, "made no progress for 2 s", "Killed"),
        (jobs.eat, LITTLE_MEMORY, Status.TOO_LARGE, "took more than 400 MiB of memory", "Killed"),
        (jobs.gulp, SMALL, Status.FAILED, "", "MemoryError"),
        (jobs.crash_after_keeping, SMALL, Status.FAILED, "exit code 3", "Crashed"),
        (jobs.raise_error, SMALL, Status.FAILED, "the disk is full", "StoreError"),
    ],
)
def test_a_job_that_misbehaves_fails_alone(
    function: Callable[..., bytes], allowance: JobLimits, status: Status, reason: str, error: str
) -> None:
    before, broken, after = run(job(jobs.give, b"a"), job(function), job(jobs.give, b"b"), allowance=allowance)
    assert (before.result, after.result) == (b"a", b"b")
    assert broken.result is None
    assert (broken.status, broken.error) == (status, error)
    assert reason in broken.reason


def test_the_last_kept_data_is_returned_after_a_crash_or_kill() -> None:
    crashed, killed = run(job(jobs.crash_after_keeping), job(jobs.loop_after_keeping))
    assert (crashed.kept, crashed.stage) == (b"the text", "look")
    assert (killed.kept, killed.stage) == (b"the text", "late")


def test_an_error_has_its_hint() -> None:
    assert run(job(jobs.raise_error))[0].hint == "make room"


def test_each_stage_has_its_own_limit_of_processor_seconds() -> None:
    assert run(job(jobs.in_stages, 4, 0.5))[0].result == b"done"
    assert run(job(jobs.in_stages, 1, 3))[0].status is Status.TOO_LARGE


def test_waiting_on_a_busy_machine_does_not_count_as_processor_time() -> None:
    allowance = JobLimits(cpu_s=1.5, stall_s=2)
    assert run(job(jobs.alternate_waiting_and_working, 30), allowance=allowance)[0].result == b"done"


@pytest.mark.parametrize("function", [jobs.burn_in_children, jobs.burn_in_an_orphan])
def test_processes_started_by_a_job_are_counted_and_killed_with_it(
    function: Callable[..., bytes], tmp_path: Path
) -> None:
    note = tmp_path / "pids"
    (ended,) = run(job(function, str(note)))
    assert "processor seconds" in ended.reason
    assert all(is_gone(int(pid)) for pid in note.read_text().split())


def is_gone(pid: int) -> bool:
    """Whether the process has ended; a killed one may be listed until its new parent has waited for it."""
    for _ in range(100):
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
        time.sleep(0.05)
    return False


def test_a_worker_does_not_inherit_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    secret = ("OPENAI_API_KEY", "NEO4J_PASSWORD", "AWS_SECRET_ACCESS_KEY", "HF_TOKEN", "STRATA_LLM__API_KEY", "MY_OWN")
    for name in (*secret, "OMP_NUM_THREADS", "LC_ALL"):
        monkeypatch.setenv(name, "1")
    (ended,) = run(job(jobs.environment))
    seen = json.loads(ended.result or b"{}")
    assert not set(secret) & set(seen)
    assert {"PATH", "PYTHONPATH", "OMP_NUM_THREADS", "LC_ALL"} <= set(seen)
    assert seen["ORT_DISABLE_TELEMETRY"] == "1"


class Doubling(JobListener):
    """Replies from another thread, after longer than the limit for a process without progress."""

    def __init__(self, wait: float) -> None:
        self._wait = wait

    def asked(self, question: bytes, answer: Callable[[bytes], None]) -> None:
        threading.Timer(self._wait, answer, [str(2 * int(question)).encode()]).start()


def test_waiting_for_the_parent_does_not_count_as_no_progress() -> None:
    allowance = JobLimits(stall_s=0.5)
    assert run(job(jobs.double, 21), allowance=allowance, listener=Doubling(2))[0].result == b"42"


class Noting(JobListener):
    def __init__(self) -> None:
        self.stages: list[str] = []

    def begun(self, stage: str) -> None:
        self.stages.append(stage)


def test_stages_are_reported_when_they_begin() -> None:
    listener = Noting()
    run(job(jobs.in_stages, 3, 0), listener=listener)
    assert listener.stages == ["0", "1", "2"]


def test_a_job_whose_process_is_killed_externally_is_retried_once(tmp_path: Path) -> None:
    once, twice, after = run(
        job(jobs.be_killed, str(tmp_path / "once"), 1),
        job(jobs.be_killed, str(tmp_path / "twice"), 2),
        job(jobs.give, b"after"),
    )
    assert once.result == b"result of try 2"
    assert (twice.result, twice.status, twice.stage) == (None, Status.TOO_LARGE, "late")
    assert twice.reason.startswith("killed by the system")
    assert twice.kept == b"try 2"
    assert after.result == b"after"


def test_data_kept_by_the_first_try_is_returned_if_the_second_is_killed(tmp_path: Path) -> None:
    assert run(job(jobs.be_killed_before_keeping_again, str(tmp_path / "note")))[0].kept == b"try 1"


def test_temporary_files_are_removed_after_the_job() -> None:
    (ended,) = run(job(jobs.litter))
    assert ended.result
    assert not Path(ended.result.decode()).exists()


def test_results_do_not_depend_on_the_number_of_workers() -> None:
    many = [job(jobs.give, bytes([number])) for number in range(20)]
    assert [one.result for one in run(*many)] == [one.result for one in run(*many, workers=3)]


def test_a_worker_ends_when_its_parent_is_gone() -> None:
    running = Running.start(JobLimits())
    running.writer.send(Frame(FrameKind.JOB, pickle.dumps(job(jobs.loop))))
    while running.results.peek(1)[:1] != FrameKind.STAGE.value:  # type: ignore[attr-defined]
        time.sleep(0.01)
    running.jobs.close()
    try:
        assert running.process.wait(timeout=30), "the worker goes on without its parent"
        assert running.process.code == -signal.SIGKILL
    finally:
        running.end()


def test_a_killed_run_leaves_no_temporary_files(tmp_path: Path) -> None:
    script = (
        "import sys; from pipelines.core.work.job import Job, JobLimits\n"
        "from pipelines.core.work.pool import WorkerPool\n"
        "from tests.core.work import jobs\n"
        "with WorkerPool(JobLimits(), 1) as pool:\n"
        "    pool.submit(Job(jobs.litter_and_wait, (sys.argv[1],)), id).result()\n"
    )
    note = tmp_path / "note"
    with subprocess.Popen([sys.executable, "-c", script, str(note)], cwd=ROOT) as running:
        assert _in_time(note.exists), "the job has not begun"
        scratch = Path(note.read_text())
        assert list(scratch.iterdir())
        running.kill()
    assert _in_time(lambda: not scratch.exists()), f"{scratch} is left"


def _in_time(condition: Callable[[], bool]) -> bool:
    """Wait for a condition, for a minute at most; return whether it holds."""
    until = time.monotonic() + 60
    while not condition() and time.monotonic() < until:
        time.sleep(0.05)
    return condition()


def test_a_killed_fork_server_is_replaced() -> None:
    with WorkerPool(SMALL, 2, preload=jobs.preload) as pool:
        first = pool.submit(job(jobs.tell_parent), itself).result()
        assert first.result is not None
        assert first.result.endswith(b"loaded")
        server = psutil.Process(int(first.result.split()[0]))
        server.kill()
        server.wait()
        others = [pool.submit(job(jobs.tell_parent), itself).result() for _ in range(3)]
    assert [one.result is None for one in others] == [False] * 3


def test_every_job_fails_with_a_reason_if_no_process_can_be_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken = tmp_path / "python"
    broken.write_text("#!/bin/sh\necho 'no such interpreter' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(broken))
    monkeypatch.setenv("OMP_NUM_THREADS", "3")  # forces a new server, because no other has this variable
    first, second = run(job(jobs.give, b"a"), job(jobs.give, b"b"))
    assert (first.status, first.error) == (second.status, second.error) == (Status.FAILED, "Crashed")
    assert first.reason == "no worker process can be started: no such interpreter"


def test_a_script_leaves_no_workers_or_server_behind() -> None:
    script = (
        "from pipelines.core.work.pool import WorkerPool; from pipelines.core.work.job import Job, JobLimits\n"
        "from tests.core.work import jobs\n"
        "with WorkerPool(JobLimits(), 1) as pool:\n"
        "    print(pool.submit(Job(jobs.tell_parent, ()), lambda ended: ended.result).result().decode())\n"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True)
    (server, _) = done.stdout.split()
    assert not psutil.pid_exists(int(server))
