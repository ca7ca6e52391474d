"""Tests of the services of `make up`: a Prefect server is started, found again and stopped."""

from __future__ import annotations

import socket
import urllib.request
from pathlib import Path

import pytest

from deploy import services
from deploy.neo4j import server as neo4j
from deploy.prefect import server as prefect


@pytest.mark.slow
def test_a_prefect_server_is_started_once_found_and_stopped(tmp_path: Path) -> None:
    home, config = tmp_path / "prefect", neo4j.Config(home=tmp_path / "neo4j")
    running = prefect.start(prefect.free_port(), home)
    try:
        assert prefect.start(prefect.free_port(), home) == running == prefect.find(home)
        assert services.environment(config, home) == {"PREFECT_API_URL": running.api}
        with urllib.request.urlopen(f"{running.page}/ui-settings", timeout=30) as reply:
            assert running.api in reply.read().decode()
    finally:
        assert prefect.stop(home)
    assert prefect.find(home) is None
    assert not prefect.stop(home)


def test_without_running_services_no_variables_are_set(tmp_path: Path) -> None:
    assert services.environment(neo4j.Config(home=tmp_path / "neo4j"), tmp_path / "prefect") == {}


def test_a_port_used_by_another_program_is_reported(tmp_path: Path) -> None:
    with socket.create_server((prefect.HOST, 0)) as other, pytest.raises(prefect.PrefectError, match="--port"):
        prefect.start(other.getsockname()[1], tmp_path)
