"""What `make up` starts: a Prefect server that is found again, named to a shell, and ended; a port that is taken."""

from __future__ import annotations

import socket
import urllib.request
from pathlib import Path

import pytest

from deploy import services
from deploy.neo4j import server as neo4j
from deploy.prefect import server as prefect


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind((prefect.HOST, 0))
        return int(probe.getsockname()[1])


@pytest.mark.slow
def test_a_server_is_started_once_named_and_ended_and_its_page_asks_its_own_api(tmp_path: Path) -> None:
    home, config = tmp_path / "prefect", neo4j.Config(home=tmp_path / "neo4j")
    running = prefect.start(free_port(), home)
    try:
        assert prefect.start(free_port(), home) == running == prefect.find(home)
        assert services.environment(config, home) == {"PREFECT_API_URL": running.api}
        with urllib.request.urlopen(f"{running.page}/ui-settings", timeout=30) as reply:
            assert running.api in reply.read().decode()
    finally:
        assert prefect.stop(home)
    assert prefect.find(home) is None
    assert not prefect.stop(home)


def test_nothing_is_named_where_nothing_runs(tmp_path: Path) -> None:
    assert services.environment(neo4j.Config(home=tmp_path / "neo4j"), tmp_path / "prefect") == {}


def test_a_port_of_another_program_is_told(tmp_path: Path) -> None:
    with socket.create_server((prefect.HOST, 0)) as other, pytest.raises(prefect.PrefectError, match="--port"):
        prefect.start(other.getsockname()[1], tmp_path)
