"""The real Neo4j that the tests of its store start, for answers that are read from it."""

from tests.store.conftest import neo4j_address, neo4j_server

__all__ = ["neo4j_address", "neo4j_server"]
