"""Tests of the command `strata serve`: refused options, and serving until an interrupt."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import httpx2
import pytest

from flows.cli.app import main
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("words", "code", "line"),
    [
        (["--host", "0.0.0.0"], 2, "0.0.0.0 can be reached by others, and there is no key"),
        (["--key-file", "nothing"], 2, "the key file nothing cannot be read: No such file or directory"),
        (["--folder", "a", "--folder", "b"], 2, "more folders than knowledge bases"),
        (["--folder", "none"], 4, "no such folder: none"),
        ([], 5, "no knowledge base at kb"),
    ],
)
def test_invalid_options_are_reported_in_one_line(
    words: list[str],
    code: int,
    line: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["strata", "serve", *words])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == code
    assert f"strata: {line}" in capsys.readouterr().err


def test_a_port_that_is_in_use_is_one_line_with_what_to_do(
    made: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        monkeypatch.setattr("sys.argv", ["strata", "serve", "--kb", str(made / "kb"), "--port", port])
        with pytest.raises(SystemExit) as ended:
            main()
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert f"strata: cannot listen on 127.0.0.1, port {port}" in said
    assert "--port 0" in said


@pytest.mark.slow
def test_the_command_serves_until_an_interrupt(made: Path, tmp_path: Path) -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-c", "from flows.cli.app import main; main()", "serve", "--kb", str(made / "kb")]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [*command, "--port", str(port)], cwd=tmp_path, env=environment, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        assert f"http://127.0.0.1:{port}/" in server.stderr.readline()
        assert answers(port, server) == [{"name": "kb", "documents": 7, "searchable": 6}]
        server.send_signal(signal.SIGINT)
        assert server.wait() == 0


def answers(port: int, server: subprocess.Popen[str]) -> object:
    """The reply of the server, as soon as it accepts connections."""
    while server.poll() is None:
        try:
            return httpx2.get(f"http://127.0.0.1:{port}/api/kb", trust_env=False).json()
        except httpx2.ConnectError:
            time.sleep(0.1)
    return server.communicate()[1]
