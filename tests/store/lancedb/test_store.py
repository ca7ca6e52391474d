from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import lancedb
import numpy as np
import pytest

from pipelines.core.errors import StoreMismatch, StoreUnavailable
from pipelines.store.lancedb import changes, table
from pipelines.store.lancedb.guard import guarded
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.testing.vector_store_contract import (
    PUMP,
    SEAL,
    VALVE,
    A,
    B,
    VectorStoreContract,
    embedded,
    held,
    vector,
)
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind, VectorStore


@pytest.fixture
def store(tmp_path: Path) -> Iterator[VectorStore]:
    opened = LanceVectorStore(tmp_path / "vectors", 4)
    yield opened
    opened.close()


class TestLanceVectorStore(VectorStoreContract):
    pass


def test_records_persist_after_reopening(tmp_path: Path) -> None:
    LanceVectorStore(tmp_path, 4).write([A], embedded(PUMP, VALVE))
    again = LanceVectorStore(tmp_path, 4)
    assert held(again) == [PUMP[0], VALVE[0]]
    assert again.match(RecordKind.CHUNK, {"valv": 1.0}, 1)[0].id == "chunk:2"


def test_optimizing_compacts_a_table_and_open_readers_continue_to_read(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store, closing(LanceVectorStore(tmp_path, 4)) as reader:
        store.write([A], embedded(PUMP))
        assert held(reader) == [PUMP[0]]
        store.write([B], embedded(SEAL))
        store.optimize()
        assert len(list((tmp_path / "chunk.lance" / "data").iterdir())) == 1
        assert reader.match(RecordKind.CHUNK, {"pump": 1.0}, 1)[0].id == PUMP[0].id
        store.write([A], embedded(VALVE))
        store.optimize()
        assert held(reader) == [PUMP[0], SEAL[0]]  # an open reader keeps its version for a while


def row_ids(folder: Path, name: str) -> dict[str, int]:
    """The row id of each record in a table; a row that is written again gets another."""
    rows = lancedb.connect(str(folder)).open_table(name).search().select(["id"]).with_row_id(True).to_arrow()
    return dict(zip(rows["id"].to_pylist(), rows["_rowid"].to_pylist(), strict=True))


def test_unchanged_records_are_not_written_again(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A, B], embedded(PUMP, VALVE, SEAL))
        before, versions = row_ids(tmp_path, "chunk"), store.versions()
        store.write([A, B], embedded(PUMP, VALVE, SEAL))
        assert store.versions() == versions
        renamed = (replace(VALVE[0], text="The valve opens"), VALVE[1])
        store.write([A], embedded(PUMP, renamed))
        after = row_ids(tmp_path, "chunk")
        assert {id for id in before if before[id] == after[id]} == {PUMP[0].id, SEAL[0].id}
        assert held(store) == [PUMP[0], renamed[0], SEAL[0]]


@pytest.mark.parametrize(
    "told", [{"uri": "a.md"}, {"page": 9}, {"tags": ("",)}, {"tags": ("a", "b")}, {"language": "de"}, {"date": "2026"}]
)
def test_a_record_with_any_changed_field_is_written_again(tmp_path: Path, told: dict[str, Any]) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A], embedded(PUMP, VALVE))
        other = replace(PUMP[0], **told)
        store.write([A], embedded((other, PUMP[1]), VALVE))
        assert held(store) == [other, VALVE[0]]
        store.write([A], embedded((other, VALVE[1]), VALVE))
        found = next(store.records())
        assert found.vectors[0] == pytest.approx(VALVE[1], abs=0.001)


def test_records_with_changed_terms_are_written_again(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A], EmbeddedRecords((PUMP[0],), PUMP[1][None], ("before",)))
        store.write([A], EmbeddedRecords((PUMP[0],), PUMP[1][None], ("after",)))
        assert store.match(RecordKind.CHUNK, {"before": 1.0}, 1) == []
        assert store.match(RecordKind.CHUNK, {"after": 1.0}, 1)[0].id == PUMP[0].id


def test_duplicate_records_are_removed_by_the_next_write(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A], embedded(PUMP, VALVE))
        store.write([], embedded(PUMP))
        assert held(store) == [PUMP[0], PUMP[0], VALVE[0]]
        store.write([A], embedded(PUMP, VALVE))
        assert held(store) == [PUMP[0], VALVE[0]]


def test_more_changed_rows_than_a_condition_can_list_are_replaced_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changes, "MOST_NAMED", 1)
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A, B], embedded(PUMP, VALVE, SEAL))
        store.write([A], embedded((replace(PUMP[0], id="chunk:8"), PUMP[1])))
        assert [record.id for record in held(store)] == [SEAL[0].id, "chunk:8"]


def test_a_table_whose_creation_was_interrupted_is_created_by_the_next_write(tmp_path: Path) -> None:
    (tmp_path / "chunk.lance" / "data").mkdir(parents=True)
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        assert held(store) == []
        store.write([A], embedded(PUMP))
        assert held(store) == [PUMP[0]]


def test_missing_indexes_are_created_by_the_next_optimize(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A], embedded(PUMP))
    opened = lancedb.connect(str(tmp_path)).open_table("chunk")
    made = {index.name for index in opened.list_indices()}
    for name in made:
        opened.drop_index(name)
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        assert store.match(RecordKind.CHUNK, {"pump": 1.0}, 1)[0].id == PUMP[0].id
        store.optimize()
    again = lancedb.connect(str(tmp_path)).open_table("chunk")
    assert made == {index.name for index in again.list_indices()} != set()


def test_a_store_of_another_dimension_is_refused(tmp_path: Path) -> None:
    LanceVectorStore(tmp_path, 4).write([A], embedded(PUMP))
    with pytest.raises(StoreMismatch) as raised:
        LanceVectorStore(tmp_path, 8).match(RecordKind.CHUNK, {"pump": 1.0}, 1)
    assert "reindex" in raised.value.hint


def test_a_table_with_a_missing_column_is_damaged(tmp_path: Path) -> None:
    with closing(LanceVectorStore(tmp_path, 4)) as store:
        store.write([A], embedded(PUMP))
    import lancedb as library

    library.connect(str(tmp_path)).open_table("chunk").alter_columns({"path": "media_type", "rename": "media_tyqe"})
    with closing(LanceVectorStore(tmp_path, 4)) as store, pytest.raises(StoreMismatch, match="media_type"):
        store.search(RecordKind.CHUNK, vector(1, 0, 0, 0), 5)


def test_the_library_is_imported_on_first_use() -> None:
    made = "from pathlib import Path; from pipelines.store.lancedb.store import LanceVectorStore"
    code = f"import sys; {made}; LanceVectorStore(Path('v'), 4).close(); sys.exit('lancedb' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_library_errors_are_translated_with_their_cause() -> None:
    cause = RuntimeError("lance error: disk is gone")

    def fail() -> None:
        raise cause

    with pytest.raises(StoreUnavailable) as raised:
        guarded(fail)
    assert raised.value.__cause__ is cause


def test_an_approximate_index_finds_what_exact_search_finds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "INDEX_FROM", 500)
    random = np.random.default_rng(0)
    centres = random.normal(size=(20, 16))
    rows = np.repeat(centres, 40, axis=0) + random.normal(scale=0.2, size=(800, 16))
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    records = tuple(Record(f"atom:{n:03}", RecordKind.ATOM, A, f"text {n}", "c") for n in range(800))
    store = LanceVectorStore(tmp_path, 16)
    store.write([A], EmbeddedRecords(records, rows))
    exact = [{one.id for one in store.search(RecordKind.ATOM, row, 10)} for row in rows[::40]]
    store.optimize()
    found = [{one.id for one in store.search(RecordKind.ATOM, row, 10)} for row in rows[::40]]
    assert sum(len(a & b) for a, b in zip(exact, found, strict=True)) >= 0.9 * 10 * len(exact)
    store.write(
        ["document:new"], EmbeddedRecords((Record("atom:new", RecordKind.ATOM, "document:new", "new", "c"),), -rows[:1])
    )
    assert store.search(RecordKind.ATOM, -rows[0], 1)[0].id == "atom:new"


def test_identical_vectors_can_be_indexed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "_partitions", lambda rows: 300)  # as for 80,000 rows
    kinds = np.eye(4, dtype=np.float32)
    records = tuple(Record(f"{n:04d}", RecordKind.ATOM, "doc", f"pump {n}") for n in range(9000))
    store = LanceVectorStore(tmp_path, 4)
    store.write(["doc"], EmbeddedRecords(records, kinds[[n % 4 for n in range(9000)]]))
    store.optimize()
    found = store.search(RecordKind.ATOM, kinds[1], 5)
    assert len(found) == 5
    assert all(int(one.id) % 4 == 1 for one in found)
    store.close()


def test_records_come_in_batches_sorted_by_id(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table, "BATCH", 2)
    store = LanceVectorStore(tmp_path, 4)
    store.write([A, B], embedded(SEAL, PUMP))
    store.write(
        ["document:c"], embedded((Record("chunk:0", RecordKind.CHUNK, "document:c", "x", "c"), vector(0, 1, 0, 0)))
    )
    batches = [[record.id for record in batch.records] for batch in store.records()]
    assert batches == [["chunk:0", "chunk:1"], ["chunk:3"]]
