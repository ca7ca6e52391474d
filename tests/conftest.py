"""Fixtures for all tests: only loopback sockets, and no settings from the developer's environment."""

from __future__ import annotations

import ipaddress
import os
import signal
import socket
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import settings
from xdist.remote import Producer
from xdist.scheduler import LoadFileScheduling

from tests.neo4j_server import neo4j_address, neo4j_server

__all__ = ["neo4j_address", "neo4j_server"]

# A shell starts a job in the background with interrupts ignored, and so would the commands under test.
signal.signal(signal.SIGINT, signal.default_int_handler)
settings.register_profile("strata", deadline=None)  # the duration of an example is meaningless on a busy machine
settings.load_profile("strata")

ROOT = Path(__file__).parent.parent
EXAMPLES = ROOT / "examples" / "documents"
SHARED = ROOT.parent / "shared" / "data"
WORKERS = "STRATA_INGEST__WORKERS"
NEO4J = "neo4j"
LONG = ("slow", NEO4J, "browser")
Strata = Callable[..., tuple[int, str, str]]
"""Runs the command with the given words; returns exit code, output and errors."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the files with the most slow tests first, so that no process has minutes of work left at the end."""
    long = Counter(item.path for item in items for mark in LONG if item.get_closest_marker(mark))
    items.sort(key=lambda item: -long[item.path])


class FileScheduling(LoadFileScheduling):
    """Assigns whole files to a process, and all files that need Neo4j to one, so that only one server is started."""

    def _split_scope(self, nodeid: str) -> str:
        file = nodeid.partition("::")[0]
        return NEO4J if _needs_neo4j(file) else file


@cache
def _needs_neo4j(file: str) -> bool:
    return f"mark.{NEO4J}" in (ROOT / file).read_text("utf-8")


@pytest.hookimpl(optionalhook=True)  # this hook does not exist with `-p no:xdist`
def pytest_xdist_make_scheduler(config: pytest.Config, log: Producer) -> FileScheduling | None:
    return FileScheduling(config, log) if config.getvalue("dist") == "loadfile" else None


@pytest.fixture(scope="session", autouse=True)
def one_worker() -> Iterator[None]:
    """Use one worker process for an ingest unless a test says otherwise.

    The first worker takes a processor second to start, a test's few documents take hundredths. Several workers at once
    are tested in `tests/core/work`, `tests/faults`, `tests/hostile` and `tests/ingest/test_isolation.py`.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(WORKERS, "1")
        yield


@pytest.fixture(autouse=True)
def no_settings_from_outside(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the variables that Strata reads, so that tests use the defaults."""
    for name in list(os.environ):
        if name.startswith(("STRATA_", "OPENAI_", "NEO4J_", "PREFECT_API")) and name != WORKERS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("PREFECT_SERVER_API_PORT", "1")  # do not contact a server of the developer
    monkeypatch.setenv("PREFECT_PROFILES_PATH", os.devnull)


@pytest.fixture
def strata(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Strata:
    from flows.cli.app import main

    def run(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["strata", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), printed.out, printed.err

    return run


@pytest.fixture
def all_defaults(no_settings_from_outside: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Unset every setting, including the number of workers."""
    monkeypatch.delenv(WORKERS)


@pytest.fixture(autouse=True)
def loopback_only(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refuse connections to other machines."""
    connect = socket.socket.connect

    def guarded(self: socket.socket, address: object) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and not _is_loopback(str(address[0])):  # type: ignore[index]
            raise ConnectionRefusedError(f"a test wanted to reach {address}")
        connect(self, address)  # type: ignore[arg-type]

    monkeypatch.setattr(socket.socket, "connect", guarded)


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of benchmark data beside the checkout; tests that need it are skipped if it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the benchmark data (../shared/data) is not on this machine")
    return SHARED


@pytest.fixture(scope="session")
def examples() -> Path:
    return EXAMPLES


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return False
