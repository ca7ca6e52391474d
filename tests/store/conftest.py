"""Fixture of stores in the Neo4j server of the session, each with its own knowledge base."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterator

import pytest

from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore


@pytest.fixture
def neo4j_store(neo4j_address: Neo4jAddress) -> Iterator[Callable[..., Neo4jStore]]:
    """Opens stores, each with its own knowledge base unless one is named."""
    opened: list[Neo4jStore] = []

    def open_store(kb: str = "", patience: float = 5.0) -> Neo4jStore:
        opened.append(Neo4jStore.open(neo4j_address, kb or uuid.uuid4().hex, patience))
        return opened[-1]

    yield open_store
    for store in opened:
        store.close()
