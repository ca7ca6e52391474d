"""A real Neo4j for the tests of its store: started once for a session, on ports of its own."""

from __future__ import annotations

import importlib.util
import os
import socket
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType

import pytest

from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore

VERSION = os.environ.get("STRATA_TEST_NEO4J", "5")
"""The release that the tests run on: "5" or "2026"."""


def server_module() -> ModuleType:
    """The script that starts and stops Neo4j, as a module."""
    path = Path(__file__).parents[2] / "deploy" / "neo4j" / "server.py"
    spec = importlib.util.spec_from_file_location("strata_neo4j_server", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Neo4jServer:
    """A server that tests may stop and start; what it holds stays."""

    def __init__(self, home: Path) -> None:
        self._module = server_module()
        self._config = self._module.Config(
            version=VERSION, bolt_port=free_port(), http_port=free_port(), home=home, heap="768m", page_cache="128m"
        )

    def start(self) -> Neo4jAddress:
        server = self._module.start(self._config)
        return Neo4jAddress(server.bolt, server.user, server.password or "")

    def stop(self) -> None:
        self._module.stop(self._config)

    @property
    def unavailable(self) -> str:
        """Why no server can be started here; empty where one can."""
        if self._module.available(VERSION) is not None:
            return ""
        return f"no Neo4j {VERSION} can run here: neither Docker nor Java with Maven (see deploy/neo4j/README.md)"


@pytest.fixture(scope="session")
def neo4j_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Neo4jServer]:
    server = Neo4jServer(tmp_path_factory.mktemp("neo4j"))
    if reason := server.unavailable:
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    yield server
    server.stop()


@pytest.fixture(scope="session")
def neo4j_address(neo4j_server: Neo4jServer) -> Neo4jAddress:
    return neo4j_server.start()


@pytest.fixture
def neo4j_store(neo4j_address: Neo4jAddress) -> Iterator[Callable[..., Neo4jStore]]:
    """Opens stores, each with a knowledge base of its own unless one is named."""
    opened: list[Neo4jStore] = []

    def open_store(kb: str = "", patience: float = 5.0) -> Neo4jStore:
        opened.append(Neo4jStore.open(neo4j_address, kb or uuid.uuid4().hex, patience))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()
