"""Prefect's own server for the length of a run, started while the run prepares itself.

Prefect starts one too where `PREFECT_API_URL` is not set, but only when the flow begins, with services that a single
run has no use for, and it logs at shutdown. This one is the same program with those services off; importing it takes
its time, which passes beside the first parses.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from importlib.util import find_spec
from pathlib import Path
from types import TracebackType
from typing import Self

from pipelines.core.errors import SettingsError, StrataError

START_SECONDS = 240
PROGRAM = "flows.prefect_server"
"""The module that the child process runs: this one, see `serve`."""
APP = "prefect.server.api.server:create_app"
_UNUSED_SERVICES = (
    "SCHEDULER", "LATE_RUNS", "CANCELLATION_CLEANUP", "PAUSE_EXPIRATIONS", "FOREMAN", "TRIGGERS", "EVENT_PERSISTER",
    "EVENT_LOGGER", "REPOSSESSOR", "DB_VACUUM",
)  # fmt: skip
QUIET = {
    "PREFECT_LOGGING_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_INTERNAL_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_SERVER_LEVEL": "CRITICAL",
    "PREFECT_LOGGING_TO_API_ENABLED": "false",
    "PREFECT_CLI_PROMPT": "false",
}
"""What keeps Prefect from printing (see also `pipelines.core.no_telemetry`); a value that the user has set stays."""
# What Prefect reads in the folder that one is in, wherever that is, and what in it is Prefect's.
_READ = {".env": b"PREFECT_", "prefect.toml": b"", "pyproject.toml": b"tool.prefect"}


class ServerFailed(StrataError):
    """Prefect's server did not start; `strata ingest --no-flow` does without."""


class PrefectServer:
    """A context in which `PREFECT_API_URL` names a server: the user's where one is set, else our own once started."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the server
        self._url = ""

    def __enter__(self) -> Self:
        for name, value in QUIET.items():
            os.environ.setdefault(name, value)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._process is not None:
            os.environ.pop("PREFECT_API_URL", None)
            self._process.terminate()
            if self._process.stdin is not None:
                self._process.stdin.close()
            try:
                self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._log.close()

    @property
    def is_there(self) -> bool:
        """Whether a server is named, so that a flow would be seen by somebody."""
        return bool(os.environ.get("PREFECT_API_URL"))

    @property
    def url(self) -> str:
        """The address of our own server's API, empty where the user's is used."""
        return self._url

    def start(self) -> None:
        """Begin to start a server, unless one is named already. Raises `ServerFailed` where Prefect is missing."""
        if self.is_there:
            return
        port = _free_port()
        self._url = f"http://127.0.0.1:{port}/api"
        if find_spec("prefect") is None:
            raise ServerFailed("Prefect is not installed", hint="pip install strata-kb")
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", PROGRAM, str(port)],
            env={**os.environ, **_server_environment()},
            stdin=subprocess.PIPE,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,  # Control+C is for the run, which then ends its server
        )
        os.environ["PREFECT_API_URL"] = self._url

    def wait(self) -> None:
        """Return once the server answers. Raises `ServerFailed`."""
        if self._process is None:
            return
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            if self._process.poll() is not None:
                break
            if _answers(self._url + "/health"):
                return
            time.sleep(0.05)
        self._log.seek(0)
        last = self._log.read().decode(errors="replace").strip().splitlines()[-1:]
        raise ServerFailed(
            f"Prefect's server did not start: {' '.join(last) or 'no answer in time'}",
            hint="`--no-flow` ingests without it; PREFECT_API_URL names one that runs",
        )


def _server_environment() -> dict[str, str]:
    services = {f"PREFECT_SERVER_SERVICES_{name}_ENABLED": "false" for name in _UNUSED_SERVICES}
    return {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1", **services}


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=2) as reply:  # noqa: S310 - our own loopback address
            return bool(reply.status == 200)
    except (urllib.error.URLError, OSError):
        return False


def refuse_settings_in(*strangers: Path) -> None:
    """Raise `SettingsError` where one is in one of these folders and Prefect would take settings from there.

    They can name a server of its own, a database, a file of loggers to load. Those of any other folder, of the
    environment and of a profile are the user's.
    """
    here = Path.cwd()
    if not any(here.is_relative_to(folder.resolve()) for folder in strangers):
        return
    for name, words in _READ.items():
        path = here / name
        if path.is_file() and words.lower() in path.read_bytes().lower():
            hint = "go to another folder and name these by their path, or add --no-flow"
            raise SettingsError(f"Prefect would take settings from {path}", ids=(str(path),), hint=hint)


def serve(port: int) -> None:
    """Serve on loopback: the program of the child process. It ends when its standard input does.

    So it is gone also when the process that started it was killed.
    """
    import uvicorn

    threading.Thread(target=_end_with_parent, daemon=True).start()
    uvicorn.run(APP, factory=True, host="127.0.0.1", port=port, log_level="critical", lifespan="on")


def _end_with_parent() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    serve(int(sys.argv[1]))
