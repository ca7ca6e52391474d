"""Prefect's server with its page on loopback, for users and developers.

    python deploy/prefect/server.py start|stop|status [--port 4200] [--home .prefect]

Runs in the background until it is stopped; runs that were seen stay, in a database below the home. Needs the
environment that Strata is installed in. Nothing is sent to Prefect's makers.
"""

from __future__ import annotations

import argparse
import contextlib
import fcntl
import json
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import version
from pathlib import Path

HOST = "127.0.0.1"
HOME = Path(__file__).resolve().parents[2] / ".prefect"
START_SECONDS = 240
STOP_SECONDS = 20
QUIET = {
    "DO_NOT_TRACK": "1",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_LOGGING_SERVER_LEVEL": "WARNING",
    "PREFECT_CLI_PROMPT": "false",
}
_DATABASE = "prefect.db"
"""The file below Prefect's home."""
_EMPTY = Path(tempfile.gettempdir()) / f"prefect-{version('prefect')}-{os.getuid()}-empty.db"
"""A database with tables and no runs, for this release and user; see `temporary`."""


class PrefectError(Exception):
    """The server could not be started or stopped; the message gives the reason."""


@dataclass(frozen=True)
class Server:
    """A running server. `page` is the address of its page, `api` the value of `PREFECT_API_URL`."""

    pid: int
    port: int

    @property
    def page(self) -> str:
        return f"http://{HOST}:{self.port}"

    @property
    def api(self) -> str:
        return f"{self.page}/api"


def start(port: int = 4200, home: Path = HOME) -> Server:
    """Start the server, or find the one of this home running; return once it answers. Raises `PrefectError`."""
    if running := find(home):
        return running
    if listens(port):
        raise PrefectError(f"Another program has port {port} of {HOST}; choose one with --port.")
    home.mkdir(parents=True, exist_ok=True)
    api = f"http://{HOST}:{port}/api"
    environment = os.environ | QUIET | {"PREFECT_HOME": str(home.resolve())}
    environment |= {"PREFECT_API_URL": api, "PREFECT_SERVER_UI_API_URL": api}
    program = [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]
    with (home / "server.log").open("wb") as log:
        process = subprocess.Popen(
            program, env=environment, cwd=home, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
            start_new_session=True,
        )  # fmt: skip
    server = Server(process.pid, port)
    state_of(home).write_text(json.dumps(asdict(server)))
    deadline = time.monotonic() + START_SECONDS
    while time.monotonic() < deadline and process.poll() is None:
        if answers(server):
            process.returncode = 0  # it is meant to outlive this process: no ResourceWarning about that
            return server
        time.sleep(0.2)
    stop(home)
    last = "\n".join((home / "server.log").read_text(errors="replace").splitlines()[-15:])
    raise PrefectError(f"Prefect's server did not start:\n{last}")


def stop(home: Path = HOME) -> bool:
    """Stop the server of this home with all its processes; return whether one was running."""
    server = find(home)
    state_of(home).unlink(missing_ok=True)
    if server is None:
        return False
    for number in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(server.pid, number)
        deadline = time.monotonic() + STOP_SECONDS
        while time.monotonic() < deadline:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(server.pid, os.WNOHANG)  # when this process started it, it must also reap it
            if not is_alive(server):
                return True
            time.sleep(0.1)
    raise PrefectError(f"Process {server.pid} could not be ended.")


def find(home: Path = HOME) -> Server | None:
    """Return the server of this home, None if it is not running."""
    try:
        server = Server(**json.loads(state_of(home).read_text()))
    except (OSError, ValueError, TypeError):
        return None
    return server if is_alive(server) and listens(server.port) else None


@contextmanager
def temporary() -> Iterator[Server]:
    """Yield a server on a free port with a temporary home, which is stopped at the end of the block.

    Its database is a copy of an empty one that the first such server leaves among the temporary files of this machine:
    creating the tables takes nine of thirteen seconds.
    """
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as name:
        home = Path(name)
        try:
            with _first_alone():
                if _EMPTY.exists():
                    shutil.copy(_EMPTY, home / _DATABASE)
                    running = None
                else:
                    running = start(free_port(), home)
                    _keep_empty(home / _DATABASE)
            yield running or start(free_port(), home)
        finally:
            stop(home)


@contextmanager
def _first_alone() -> Iterator[None]:
    with _EMPTY.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _keep_empty(database: Path) -> None:
    copy = _EMPTY.with_suffix(f".{os.getpid()}")
    with contextlib.closing(sqlite3.connect(database)) as made, contextlib.closing(sqlite3.connect(copy)) as kept:
        made.backup(kept)
    copy.replace(_EMPTY)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((HOST, 0))
        return int(probe.getsockname()[1])


def state_of(home: Path) -> Path:
    return home / "server.json"


def is_alive(server: Server) -> bool:
    """Whether the process is running and is a Prefect server: process ids are reused."""
    command = ["ps", "-ww", "-o", "stat=,args=", "-p", str(server.pid)]
    told = subprocess.run(command, capture_output=True, text=True, check=False).stdout.strip()
    return "prefect" in told and not told.startswith("Z")


def listens(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex((HOST, port)) == 0


def answers(server: Server) -> bool:
    try:
        with urllib.request.urlopen(f"{server.api}/health", timeout=2) as reply:
            return bool(reply.read().strip() == b"true")
    except (urllib.error.URLError, OSError):
        return False


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("command", choices=("start", "stop", "status"))
    parser.add_argument("--port", type=int, default=4200)
    parser.add_argument("--home", type=Path, default=HOME)
    args = parser.parse_args()
    try:
        if args.command == "stop":
            print("Prefect's server has ended." if stop(args.home) else "No Prefect server of this checkout runs.")
            return 0
        running = start(args.port, args.home) if args.command == "start" else find(args.home)
    except PrefectError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"Prefect's page   {running.page}" if running else "No Prefect server of this checkout runs.")
    return 0 if running else 1


if __name__ == "__main__":
    sys.exit(main())
