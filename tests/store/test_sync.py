from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pipelines.ingest.integrity import Defect, check_copy
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import GraphStore, Synced, recount, sync
from pipelines.store.neo4j.connection import Connection, Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore
from pipelines.store.testing.graph_store_contract import A, B, assert_holds, corpus, document, reference


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[GraphStore]:
    opened = EmbeddedStore.open(tmp_path / "one")
    for part in (document(A), document(B), corpus(reference(A, B))):
        opened.graph.write(part)
    yield opened.graph
    opened.close()


@pytest.fixture(params=["sqlite", pytest.param("neo4j", marks=pytest.mark.neo4j)])
def other(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[GraphStore]:
    if request.param == "neo4j":
        open_store: Callable[..., Neo4jStore] = request.getfixturevalue("neo4j_store")
        yield open_store()
        return
    opened = EmbeddedStore.open(tmp_path / "two")
    yield opened.graph
    opened.close()


def same(one: GraphStore, two: GraphStore) -> bool:
    return (list(one.nodes()), list(one.edges())) == (list(two.nodes()), list(two.edges()))


def test_a_copy_is_equal_to_its_source(embedded: GraphStore, other: GraphStore) -> None:
    assert sync(embedded, other) == Synced(written=3)
    assert same(embedded, other)
    assert other.owners() == embedded.owners()
    assert list(check_copy(embedded.owners(), other.owners(), recount(other))) == []


def test_only_differences_are_written(embedded: GraphStore, other: GraphStore) -> None:
    sync(embedded, other)
    embedded.write(document(A, chunks=5))
    assert sync(embedded, other) == Synced(written=1, unchanged=2)
    assert sync(embedded, other) == Synced(unchanged=3)
    assert same(embedded, other)


def test_owners_missing_in_the_source_are_removed_and_shared_edges_restored(
    embedded: GraphStore, other: GraphStore
) -> None:
    stray = document("document:c")
    other.write(stray)
    embedded.write(corpus(reference(A, B), reference(A, "document:c")))
    sync(embedded, other)
    assert same(embedded, other)
    embedded.remove(B)
    assert sync(embedded, other).removed == 1
    assert same(embedded, other)


def test_syncing_in_the_other_direction_restores_the_graph(
    embedded: GraphStore, other: GraphStore, tmp_path: Path
) -> None:
    sync(embedded, other)
    third = EmbeddedStore.open(tmp_path / "three")
    sync(other, third.graph)
    assert_holds(third.graph, document(A), document(B), corpus(reference(A, B)))
    third.close()


@pytest.mark.neo4j
def test_an_external_change_of_the_copy_is_found(
    embedded: GraphStore, neo4j_store: Callable[..., Neo4jStore], neo4j_address: Neo4jAddress
) -> None:
    copy = neo4j_store("damaged")
    sync(embedded, copy)
    hand = Connection(neo4j_address, 5)
    hand.run("MATCH (n:Chunk {kb: 'damaged', id: 'chunk:a0'}) SET n.text = 'other'")
    hand.close()
    findings = list(check_copy(embedded.owners(), copy.owners(), recount(copy)))
    assert [(one.subject, one.fault) for one in findings] == [(A, Defect.CHANGED)]
