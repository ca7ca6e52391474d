"""Running Strata as a process, and killing it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import psutil

ROOT = Path(__file__).parents[2]
INGEST = """
import json, sys, time
from pathlib import Path
from pipelines import build
from pipelines.settings import Settings
shift = float(sys.argv[4])
if shift:
    real = time.time
    time.time = lambda: real() + shift
told = lambda event: print(event.stage.value, event.phase.value, event.subject, flush=True)
report = build(sys.argv[1], sys.argv[2], Settings.model_validate_json(sys.argv[3]), progress=told)
sys.exit(report.exit_code)
"""
_PATIENCE = 900
"""Seconds until a process counts as hung; an ingest into Neo4j may take over 240 on two shared cores."""


@dataclass(frozen=True, slots=True)
class Ended:
    """The exit code and output of a command."""

    code: int
    out: str
    err: str

    @property
    def clear(self) -> bool:
        """Whether it printed exactly one line of error and no traceback."""
        return "Traceback" not in self.err and self.err.startswith("strata: ") and self.err.count("\n") == 1


def environment() -> dict[str, str]:
    """The environment without the developer's settings."""
    ours = ("STRATA_", "OPENAI_", "NEO4J_", "PREFECT_API")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(ours)}
    return kept | {"PYTHONPATH": str(ROOT)}


def command(*words: str | Path) -> list[str]:
    return [sys.executable, "-c", "from flows.cli.app import main; main()", *map(str, words)]


def strata(*words: str | Path, patience: float = _PATIENCE) -> Ended:
    """Run the command until it ends."""
    ended = subprocess.run(
        command(*words), capture_output=True, text=True, env=environment(), timeout=patience, check=False
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr)


def ingesting(
    folder: Path, kb: Path, settings: str = "{}", shift: float = 0.0, extra: Mapping[str, str] | None = None
) -> subprocess.Popen[str]:
    """Start an ingest that prints its events and whose clock is `shift` seconds ahead."""
    words = [sys.executable, "-c", INGEST, str(folder), str(kb), settings, str(shift)]
    return subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment() | dict(extra or {})
    )


def events_of(process: subprocess.Popen[str]) -> list[str]:
    """Wait for an ingest and return its events. Raises `AssertionError` if it fails."""
    out, err = process.communicate(timeout=_PATIENCE)
    assert process.returncode == 0, err
    return out.splitlines()


def kill_at(process: subprocess.Popen[str], events: int, delay: float = 0.0) -> str:
    """Kill an ingest after some events and a delay; return the last event, or an empty string if it had ended."""
    seen = _read(process, events)
    time.sleep(delay)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=_PATIENCE)
    return seen if process.returncode == -signal.SIGKILL else ""


def kill_a_worker_at(process: subprocess.Popen[str], events: int, which: int) -> str:
    """Kill a worker process of an ingest after some events; return the last event, or an empty string if none ran."""
    seen = _read(process, events)
    try:
        children = psutil.Process(process.pid).children(recursive=True)
        workers = [child for child in children if "pipelines.core.work" in command_line(child)]
        if not workers:
            return ""
        workers[which % len(workers)].kill()
    except psutil.NoSuchProcess:
        return ""
    return seen


def command_line(process: psutil.Process) -> str:
    """Return the words a process was started with; none of one that ended since the processes were listed."""
    try:
        return " ".join(process.cmdline())
    except psutil.Error:
        return ""


def _read(process: subprocess.Popen[str], events: int) -> str:
    assert process.stdout is not None
    seen = ""
    for _ in range(events):
        line = process.stdout.readline()
        if not line:
            break
        seen = line.strip()
    return seen
