from __future__ import annotations

import multiprocessing
import os
import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pipelines.core.codec import encode
from pipelines.core.errors import KnowledgeBaseNotFound, StoreError, StoreLocked, StoreMismatch, StoreUnavailable
from pipelines.core.outcome import Status
from pipelines.core.sqlite_file import translated
from pipelines.llm.cache import ReplyStore
from pipelines.store.catalog import Catalog, Entry
from pipelines.store.embedded_store import MIGRATIONS, EmbeddedStore, applied
from pipelines.store.graph import GraphStore, item_hash, subgraph_digest
from pipelines.store.testing.catalog_contract import CatalogContract
from pipelines.store.testing.graph_store_contract import A, B, GraphStoreContract, assert_holds, document


@pytest.fixture
def embedded(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore.open(tmp_path / "strata.sqlite")
    yield opened
    opened.close()


@pytest.fixture
def store(embedded: EmbeddedStore) -> GraphStore:
    return embedded.graph


@pytest.fixture
def catalog(embedded: EmbeddedStore) -> Catalog:
    return embedded.catalog


class TestSqliteGraph(GraphStoreContract):
    pass


class TestSqliteCatalog(CatalogContract):
    pass


def test_graph_and_catalog_are_written_in_one_transaction(embedded: EmbeddedStore) -> None:
    def fail() -> None:
        with embedded.transaction():
            embedded.graph.write(document(A))
            embedded.catalog.record(Entry("a", "", 0, Status.INDEXED))
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail()
    assert_holds(embedded.graph)
    assert embedded.catalog.entries() == ()


def test_data_persists_after_reopening(tmp_path: Path) -> None:
    first = EmbeddedStore.open(tmp_path / "kb")
    first.graph.write(document(A))
    first.close()
    again = EmbeddedStore.open(tmp_path / "kb", create=False)
    assert_holds(again.graph, document(A))
    again.close()


def test_opening_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseNotFound):
        EmbeddedStore.open(tmp_path / "none", create=False)
    assert not list(tmp_path.iterdir())


def test_opening_a_file_of_another_kind_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "kb").write_bytes(b"not a database at all, " * 100)
    with pytest.raises(StoreMismatch):
        EmbeddedStore.open(tmp_path / "kb")


def test_opening_a_cache_file_is_an_error_and_leaves_it_unchanged(tmp_path: Path) -> None:
    ReplyStore(tmp_path / "strata.db").close()
    before = (tmp_path / "strata.db").read_bytes()
    with pytest.raises(StoreMismatch, match="not the database of a knowledge base") as raised:
        EmbeddedStore.open(tmp_path / "strata.db", create=False)
    assert "ingest the folder again" in raised.value.hint
    assert (tmp_path / "strata.db").read_bytes() == before


def test_a_file_of_a_later_version_is_refused(tmp_path: Path) -> None:
    EmbeddedStore.open(tmp_path / "kb").close()
    connection = sqlite3.connect(tmp_path / "kb")
    connection.execute("INSERT INTO migrations VALUES ('m999_later')")
    connection.commit()
    connection.close()
    with pytest.raises(StoreMismatch) as raised:
        EmbeddedStore.open(tmp_path / "kb")
    assert raised.value.ids == ("m999_later",)


def test_migrations_are_numbered_and_recorded(tmp_path: Path) -> None:
    EmbeddedStore.open(tmp_path / "kb").close()
    connection = sqlite3.connect(tmp_path / "kb")
    assert applied(connection) == [step.__name__ for step in MIGRATIONS]
    connection.close()
    assert [int(step.__name__[1:4]) for step in MIGRATIONS] == list(range(1, len(MIGRATIONS) + 1))


def test_an_older_file_is_migrated(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "kb", isolation_level=None)
    connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY) WITHOUT ROWID")
    MIGRATIONS[0](connection)
    connection.execute("INSERT INTO migrations VALUES (?)", (MIGRATIONS[0].__name__,))
    connection.close()
    opened = EmbeddedStore.open(tmp_path / "kb")
    assert opened.catalog.entries() == ()
    opened.close()


def test_the_graph_of_a_file_without_numbered_ids_is_migrated(tmp_path: Path) -> None:
    held = (document(A), document(B))
    connection = sqlite3.connect(tmp_path / "kb", isolation_level=None)
    connection.execute("CREATE TABLE migrations (name TEXT PRIMARY KEY) WITHOUT ROWID")
    for step in MIGRATIONS[:3]:
        step(connection)
        connection.execute("INSERT INTO migrations VALUES (?)", (step.__name__,))
    for one in held:
        for node in one.nodes:
            row = (node.id, node.kind, node.owner, encode(node.properties), item_hash(node))
            connection.execute("INSERT INTO nodes VALUES (?, ?, ?, ?, ?)", row)
        for edge in one.edges:
            place = (edge.source, edge.kind, edge.target, edge.key)
            row = (*place, edge.owner, encode(edge.properties), item_hash(edge))
            connection.execute("INSERT INTO edges VALUES (?, ?, ?, ?, ?, ?, ?)", row)
        connection.execute("INSERT INTO owners VALUES (?, ?)", (one.owner, subgraph_digest(one)))
    connection.close()
    opened = EmbeddedStore.open(tmp_path / "kb")
    assert_holds(opened.graph, *held)
    with closing(sqlite3.connect(tmp_path / "kb")) as reader:
        assert reader.execute("PRAGMA freelist_count").fetchone() == (0,)
    opened.graph.write(document(A, chunks=1, text="changed"))
    assert_holds(opened.graph, document(A, chunks=1, text="changed"), document(B))
    opened.close()


def test_a_wiped_file_contains_no_id_of_removed_data(embedded: EmbeddedStore) -> None:
    embedded.graph.write(document(A))
    embedded.graph.write(document(B))
    embedded.graph.remove(A)
    assert embedded.wipe()
    kept = embedded.path.read_bytes()
    assert (A.encode() in kept, b"chunk:a" in kept, b"chunk:b" in kept) == (False, False, True)
    assert_holds(embedded.graph, document(B))


def test_other_threads_read_committed_data_and_write_one_at_a_time(embedded: EmbeddedStore) -> None:
    seen: list[int] = []
    with embedded.transaction():
        embedded.graph.write(document(A))
        reader = threading.Thread(target=lambda: seen.append(len(list(embedded.graph.nodes()))))
        reader.start()
        reader.join()
    writer = threading.Thread(target=embedded.graph.write, args=(document(B),))
    writer.start()
    writer.join()
    assert seen == [0]
    assert_holds(embedded.graph, document(A), document(B))


def _hold(path: Path, ready: multiprocessing.synchronize.Event) -> None:
    with EmbeddedStore.open(path).exclusive():
        ready.set()
        signal.pause()


def test_a_snapshot_reads_the_state_at_its_beginning(embedded: EmbeddedStore) -> None:
    embedded.catalog.set_fact("moment", "1")

    def write(value: str) -> None:
        writer = threading.Thread(target=lambda: embedded.catalog.set_fact("moment", value))
        writer.start()
        writer.join()

    with embedded.snapshot():
        assert embedded.catalog.fact("moment") == "1"
        write("2")
        with embedded.snapshot():
            assert embedded.catalog.fact("moment") == "1"
        assert embedded.catalog.fact("moment") == "1"
    assert embedded.catalog.fact("moment") == "2"
    with pytest.raises(ZeroDivisionError), embedded.snapshot():
        assert embedded.catalog.fact("moment") == str(1 // 0)
    write("3")
    assert embedded.catalog.fact("moment") == "3"


def test_a_second_writing_process_is_refused_until_the_first_ends(embedded: EmbeddedStore) -> None:
    context = multiprocessing.get_context("spawn")
    ready = context.Event()
    holder = context.Process(target=_hold, args=(embedded.path, ready))
    holder.start()
    assert ready.wait(30)
    with pytest.raises(StoreLocked, match=str(holder.pid)), embedded.exclusive():
        pass
    assert list(embedded.graph.nodes()) == []  # reading needs no lock
    os.kill(holder.pid or 0, signal.SIGKILL)
    holder.join()
    with embedded.exclusive():
        embedded.graph.write(document(A))


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_BUSY, StoreUnavailable),
        (sqlite3.SQLITE_BUSY_SNAPSHOT, StoreUnavailable),
        (sqlite3.SQLITE_FULL, StoreError),
        (sqlite3.SQLITE_CORRUPT, StoreMismatch),
        (sqlite3.SQLITE_ERROR, StoreError),
    ],
)
def test_sqlite_errors_are_translated_with_their_cause(code: int, kind: type[StoreError]) -> None:
    cause = sqlite3.OperationalError("as SQLite says it")
    cause.sqlite_errorcode = code
    with pytest.raises(StoreError) as raised, translated(Path("kb")):
        raise cause
    assert type(raised.value) is kind
    assert raised.value.__cause__ is cause
