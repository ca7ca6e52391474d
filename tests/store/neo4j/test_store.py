from __future__ import annotations

import inspect
import logging
import threading
import time
from collections.abc import Callable

import pytest
from neo4j import exceptions

from deploy.neo4j import server
from pipelines.core.errors import StoreError, StoreMismatch, StoreUnavailable
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.store.graph import GraphStore, write_all
from pipelines.store.neo4j import writer
from pipelines.store.neo4j.connection import ERRORS, Connection, Neo4jAddress, our_error
from pipelines.store.neo4j.schema import LABELS, MIGRATIONS, UNFINISHED, applied, labels_of
from pipelines.store.neo4j.store import Neo4jStore
from pipelines.store.testing.graph_store_contract import (
    A,
    B,
    GraphStoreContract,
    assert_holds,
    corpus,
    document,
    reference,
)
from tests.neo4j_server import Neo4jServer

pytestmark = pytest.mark.neo4j
OpenStore = Callable[..., Neo4jStore]


@pytest.fixture
def store(neo4j_store: OpenStore) -> GraphStore:
    return neo4j_store()


class TestNeo4jStore(GraphStoreContract):
    pass


class TestNeo4jStoreInSeveralTransactions(GraphStoreContract):
    @pytest.fixture(autouse=True)
    def _small_batches(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(writer, "AT_ONCE", 0)
        monkeypatch.setattr(writer, "BATCH", 2)


def labels(store: Neo4jStore) -> dict[str, list[str]]:
    rows = store.query("MATCH (n:Strata {kb: $kb}) RETURN n.id AS id, labels(n) AS labels")
    return {str(row["id"]): sorted(row["labels"]) for row in rows}  # type: ignore[call-overload]


def test_knowledge_bases_in_one_server_are_separate(neo4j_store: OpenStore) -> None:
    one, two = neo4j_store(), neo4j_store()
    one.write(document(A))
    two.write(document(A, chunks=1))
    one.remove(A)
    assert_holds(one)
    assert_holds(two, document(A, chunks=1))


def test_a_node_has_its_layer_and_its_kind_as_labels(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    atoms = [Node(f"atom:{kind}", NodeKind.ATOM, A, {"kind": kind}) for kind in ("question", "statement")]
    store.write(Subgraph(A, (Node(A, NodeKind.DOCUMENT, A), *atoms)))
    assert labels(store) == {
        A: ["Document", "InformationResource", "Strata"],
        "atom:question": ["Atom", "AtomicQuestion", "DistilledKnowledge", "Strata"],
        "atom:statement": ["Atom", "AtomicStatement", "DistilledKnowledge", "Strata"],
    }


def test_labels_are_never_taken_from_documents() -> None:
    hostile = Node("n", NodeKind.ATOM, A, {"kind": "x` DETACH DELETE n //"})
    assert set(labels_of(hostile)) <= LABELS


def test_a_query_cannot_write(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    store.write(document(A))
    with pytest.raises(StoreError):
        list(store.query("MATCH (n {kb: $kb}) DETACH DELETE n"))
    assert_holds(store, document(A))


def test_removing_a_document_removes_its_pending_nodes(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    store.write(document(A))
    assert labels(store)["tag:pump"] == ["Pending", "Strata"]
    store.write(corpus(reference(A, B)))
    store.remove(CORPUS_OWNER)
    store.remove(A)
    assert labels(store) == {}


def test_replacing_a_subgraph_keeps_unchanged_nodes(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    store.write(document(A, chunks=3))
    before = {row["id"]: row["element"] for row in store.query(ELEMENTS)}
    store.write(document(A, chunks=4))
    after = {row["id"]: row["element"] for row in store.query(ELEMENTS)}
    assert before.items() <= after.items()


ELEMENTS = "MATCH (n:Strata {kb: $kb}) RETURN n.id AS id, elementId(n) AS element"


def test_migrations_are_recorded_and_applied_once(neo4j_store: OpenStore, neo4j_address: Neo4jAddress) -> None:
    neo4j_store()
    connection = Connection(neo4j_address, 5)
    names = [step.name for step in MIGRATIONS]
    assert applied(connection) == names
    assert [int(name[1:4]) for name in names] == list(range(1, len(names) + 1))
    online = connection.run("SHOW INDEXES YIELD name, state WHERE name STARTS WITH 'strata' RETURN collect(state) AS s")
    assert set(online[0]["s"]) == {"ONLINE"}  # type: ignore[call-overload]
    connection.close()


def test_a_database_of_a_later_version_is_refused(neo4j_store: OpenStore, neo4j_address: Neo4jAddress) -> None:
    connection = Connection(neo4j_address, 5)
    connection.run("CREATE (:KnowledgeBase {kb: 'later', migrations: ['m999_later']})")
    try:
        with pytest.raises(StoreMismatch) as raised:
            neo4j_store()
    finally:
        connection.run("MATCH (k:KnowledgeBase {kb: 'later'}) DELETE k")
        connection.close()
    assert raised.value.ids == ("m999_later",)


def test_every_node_except_the_root_is_data(neo4j_store: OpenStore) -> None:
    store = neo4j_store("plant")
    for subgraph in (corpus(reference(A, B)), document(A), document(B)):
        store.write(subgraph)
    rows = list(store.query("MATCH (n {kb: $kb}) WHERE NOT n:Strata RETURN labels(n) AS labels, n.name AS name"))
    assert rows == [{"labels": ["KnowledgeBase"], "name": "plant"}]
    assert_holds(store, corpus(reference(A, B)), document(A), document(B))


def test_owners_recorded_by_an_earlier_version_are_migrated(
    neo4j_store: OpenStore, neo4j_address: Neo4jAddress
) -> None:
    store = neo4j_store("noted")
    loose = Subgraph("document:c", (Node("chunk:c", NodeKind.CHUNK, "document:c"),))
    for subgraph in (corpus(reference(A, B)), document(A), document(B), loose):
        store.write(subgraph)
    noted = [{"owner": owner, "digest": digest} for owner, digest in store.owners().items()]
    noted[0]["digest"] = UNFINISHED
    connection = Connection(neo4j_address, 5)
    connection.run("MATCH (n {kb: 'noted'}) REMOVE n.owner_digest")
    connection.run("MATCH (k:KnowledgeBase) DELETE k")
    connection.run("UNWIND $noted AS one CREATE (o:StrataOwner {kb: 'noted'}) SET o += one", noted=noted)
    connection.run("UNWIND $names AS name CREATE (:StrataMigration {name: name})", names=[*EARLIER])
    again = neo4j_store("noted")
    assert dict(again.owners()) == {one["owner"]: one["digest"] for one in noted}
    assert connection.run("MATCH (n:StrataOwner|StrataMigration) RETURN count(n) AS left") == [{"left": 0}]
    for subgraph in (corpus(reference(A, B)), document(A, text="changed"), document(B), loose):
        again.write(subgraph)
    assert_holds(again, corpus(reference(A, B)), document(A, text="changed"), document(B), loose)
    connection.close()


EARLIER = [step.name for step in MIGRATIONS if step.name < "m006"]


def test_concurrent_writers_of_documents_with_shared_tags_all_succeed(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    tags = [Node(f"tag:{number}", NodeKind.TAG, CORPUS_OWNER) for number in range(30)]
    parts = []
    for number in range(8):
        owner = f"document:{number}"
        nodes = (Node(owner, NodeKind.DOCUMENT, owner), Node(f"chunk:{number}", NodeKind.CHUNK, owner))
        shuffled = sorted(tags, key=lambda tag: hash((tag.id, number)))
        edges = tuple(Edge(f"chunk:{number}", EdgeKind.HAS_TAG, tag.id, owner) for tag in shuffled)
        parts.append(Subgraph(owner, nodes, edges))
    parts.append(Subgraph(CORPUS_OWNER, tuple(tags)))
    threads = [threading.Thread(target=store.write, args=(part,)) for part in parts]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert_holds(store, *parts)


def test_concurrent_writers_of_documents_with_shared_tags_do_not_deadlock(
    neo4j_store: OpenStore, caplog: pytest.LogCaptureFixture
) -> None:
    store = neo4j_store()
    tags = [f"tag:{number:02}" for number in range(20)]
    parts = []
    for number in range(12):
        owner, chunks = f"document:{number}", [f"chunk:{number}-{place}" for place in range(8)]
        nodes = (Node(owner, NodeKind.DOCUMENT, owner), *(Node(id, NodeKind.CHUNK, owner) for id in chunks))
        edges = tuple(Edge(id, EdgeKind.HAS_TAG, tag, owner) for id in chunks for tag in tags)
        parts.append(Subgraph(owner, nodes, edges))
    with caplog.at_level(logging.INFO, "neo4j"):
        assert len(list(write_all(store, parts))) == len(parts)
    assert "eadlock" not in caplog.text
    assert_holds(store, *parts)


def test_an_unreachable_server_is_reported_without_waiting() -> None:
    began = time.monotonic()
    with pytest.raises(StoreUnavailable):
        Neo4jStore.open(Neo4jAddress(f"bolt://127.0.0.1:{server.free_port()}"), "kb", patience=60)
    assert time.monotonic() - began < 30


def test_a_wrong_password_is_not_retried(neo4j_address: Neo4jAddress) -> None:
    wrong = Neo4jAddress(neo4j_address.uri, neo4j_address.user, "wrong-password")
    with pytest.raises(StoreError, match="password") as raised:
        Neo4jStore.open(wrong, "kb", patience=60)
    assert not raised.value.retryable


@pytest.mark.slow
def test_a_load_continues_when_the_server_is_back(neo4j_server: Neo4jServer, neo4j_store: OpenStore) -> None:
    store = neo4j_store(patience=180)
    parts = [document(f"document:{letter}", chunks=40, text=letter * 50) for letter in "abcdefgh"]

    def load() -> None:
        for part in parts:
            store.write(part)
            time.sleep(0.2)

    loader = threading.Thread(target=load)
    loader.start()
    time.sleep(0.5)
    neo4j_server.stop()
    time.sleep(3)
    assert loader.is_alive()
    neo4j_server.start()
    loader.join(180)
    assert not loader.is_alive()
    assert_holds(store, *parts)


def driver_exceptions() -> list[type[Exception]]:
    found = (value for _, value in inspect.getmembers(exceptions, inspect.isclass))
    return [value for value in found if issubclass(value, exceptions.GqlError | exceptions.DriverError)]


def test_every_exception_of_the_driver_is_translated() -> None:
    assert set(driver_exceptions()) == set(ERRORS)


@pytest.mark.parametrize("kind", driver_exceptions(), ids=lambda kind: kind.__name__)
def test_errors_that_the_driver_would_retry_are_retryable(kind: type[Exception]) -> None:
    error = kind.__new__(kind)
    ours = our_error(error, "bolt://here")
    if getattr(error, "is_retryable", lambda: False)():
        assert ours.retryable
    assert ours.ids == ("bolt://here",)


def test_cells_and_metadata_are_named_properties_that_are_not_read_back(neo4j_store: OpenStore) -> None:
    store = neo4j_store()
    cells = {"columns": ("Oil grade", "text", ""), "values": ("VG 46", "x", "y"), "text": "Oil grade: VG 46"}
    row = Node("row:1", NodeKind.ROW, A, cells)
    one = Node(A, NodeKind.DOCUMENT, A, {"uri": "a.pdf", "metadata": ("author: Li: Ming", "uri: elsewhere")})
    store.write(Subgraph(A, (row, one), ()))
    told = next(iter(store.query("MATCH (r:Row {kb: $kb}) RETURN properties(r) AS told")))["told"]
    assert isinstance(told, dict)
    assert (told["Oil grade"], told["text"], told["text (cell)"]) == ("VG 46", "Oil grade: VG 46", "x")
    found = next(iter(store.query("MATCH (d:Document {kb: $kb}) RETURN d.author AS author, d.uri AS uri")))
    assert found == {"author": "Li: Ming", "uri": "a.pdf"}
    assert {node.id: node.properties for node in store.nodes()} == {row.id: row.properties, one.id: one.properties}
    words = "CALL db.index.fulltext.queryNodes('strata_text', 'grade') YIELD node"
    rows = store.query(f"{words} WITH node WHERE node.kb = $kb RETURN node.id AS id")
    assert [row["id"] for row in rows] == ["row:1"]
