"""A real Neo4j server for tests, started once per session on its own ports when a test needs it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from deploy.neo4j import server
from pipelines.store.neo4j.connection import Neo4jAddress

VERSION = os.environ.get("STRATA_TEST_NEO4J", "5")
"""The Neo4j release used by the tests: "5" or "2026"."""
QUICK = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
"""A server of some minutes spends a third of its processor time on compiling for a long life."""


class Neo4jServer:
    """A server that tests may stop and start; its data is kept."""

    def __init__(self, home: Path) -> None:
        self._config = server.Config(
            version=VERSION,
            bolt_port=server.free_port(),
            http_port=server.free_port(),
            home=home,
            heap="768m",
            page_cache="128m",
        )

    def start(self) -> Neo4jAddress:
        running = server.start(self._config)
        return Neo4jAddress(running.bolt, running.user, running.password or "")

    def stop(self) -> None:
        server.stop(self._config)

    @property
    def unavailable(self) -> str:
        """Why no server can be started on this machine; empty if one can."""
        if server.available(VERSION) is not None:
            return ""
        return f"no Neo4j {VERSION} can run here: neither Docker nor Java with Maven (see deploy/neo4j/README.md)"


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    real = Neo4jServer(tmp_path_factory.mktemp("neo4j"))
    if reason := real.unavailable:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("JAVA_TOOL_OPTIONS", QUICK)
        yield real
        real.stop()


@pytest.fixture(scope="session")
def neo4j_address(neo4j_server: Neo4jServer) -> Neo4jAddress:
    return neo4j_server.start()
