from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from pipelines.core.vectors import Vectors
from pipelines.retrieve.index import Index
from pipelines.retrieve.index_cache import Scale, graph_state, load_index, measure_scale, save_index
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind


def test_a_saved_index_is_loaded_unchanged_for_the_same_state(
    store: EmbeddedStore, index: Index, tmp_path: Path
) -> None:
    scale = Scale({"chunk": 0.25}, 0.75, {"chunk": np.eye(3, dtype=np.float32)})
    save_index(tmp_path, "state", index, scale)
    kept = load_index(tmp_path, "state")
    assert kept is not None
    assert kept[1] == scale
    assert kept[1].background["chunk"].tolist() == scale.background["chunk"].tolist()
    assert dict(kept[0].entities_by_name) == dict(index.entities_by_name)
    assert dict(kept[0].vocabulary) == dict(index.vocabulary)
    assert kept[0].postings.columns.tolist() == index.postings.columns.tolist()
    assert kept[0].named_in_title.tolist() == index.named_in_title.tolist()
    assert load_index(tmp_path, "another state") is None
    assert load_index(tmp_path / "nowhere", "state") is None


def test_an_index_that_cannot_be_saved_is_not_an_error(index: Index, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    save_index(tmp_path / "file" / "folder", "state", index, Scale({}))
    assert load_index(tmp_path / "file" / "folder", "state") is None


def test_the_graph_state_depends_on_graph_and_embedder(store: EmbeddedStore) -> None:
    from pipelines.llm.embedder import EmbedderInfo

    one = EmbedderInfo("wordllama", "m", 256)
    before = graph_state(store.graph.owners(), one)
    assert before == graph_state(store.graph.owners(), one)
    assert before != graph_state(store.graph.owners(), EmbedderInfo("e5", "m", 384))
    store.graph.remove("document:e")
    assert before != graph_state(store.graph.owners(), one)


def unit(*values: float) -> Vectors:
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def test_the_scale_maps_chance_similarity_to_zero_and_identity_to_one(tmp_path: Path) -> None:
    store = LanceVectorStore(tmp_path / "vectors", 2)
    rows = {"one": unit(1, 0), "two": unit(0.6, 0.8)}
    for name, row in rows.items():
        chunk = Record(f"chunk:{name}", RecordKind.CHUNK, name, "t", f"chunk:{name}")
        atom = Record(f"atom:{name}", RecordKind.ATOM, name, "t", f"chunk:{name}")
        store.write([name], EmbeddedRecords((chunk, atom), np.stack([row, row])))
    scale = measure_scale(store, list(rows))
    # The store keeps vectors as 16-bit floats, with 11 significant bits.
    assert scale.floors["chunk"] == pytest.approx(0.6, abs=1e-3)
    assert scale.top == pytest.approx(1.0, abs=1e-3)
    values = np.array([0.6, 0.8, 1.0, 0.1], dtype=np.float32)
    assert scale.scaled(RecordKind.CHUNK, values, unit(1, 0)).tolist() == pytest.approx([0.0, 0.5, 1.0, 0.0], abs=2e-3)


def test_the_scale_of_a_question_starts_at_its_own_background_similarity() -> None:
    background = np.stack([unit(1, 0.1), unit(1, -0.1)])
    scale = Scale({"chunk": 0.0}, 1.0, {"chunk": background})
    for question in (unit(1, 0), unit(0, 1)):
        cosines = background @ question
        chance, above = cosines.mean() + cosines.std(), 0.5
        found = scale.scaled(RecordKind.CHUNK, np.array([chance, chance + above], dtype=np.float32), question)
        assert found.tolist() == pytest.approx([0.0, above], abs=1e-6)


def test_the_floor_of_tags_is_their_mean_similarity_to_one_another(tmp_path: Path) -> None:
    store = LanceVectorStore(tmp_path / "vectors", 2)
    row = unit(1, 0)
    chunk = Record("chunk:one", RecordKind.CHUNK, "one", "t", "chunk:one")
    atom = Record("atom:one", RecordKind.ATOM, "one", "t", "chunk:one")
    tags = [Record(f"tag:{name}", RecordKind.TAG, "", name) for name in "abc"]
    vectors = np.stack([row, row, unit(1, 0.1), unit(1, -0.1), unit(1, 0.5)])
    store.write(["one", ""], EmbeddedRecords((chunk, atom, *tags), vectors))
    scale = measure_scale(store, ["one"])
    cosines = [float(vectors[one] @ vectors[two]) for one, two in ((2, 3), (2, 4), (3, 4))]
    assert scale.floors["tag"] == pytest.approx(np.mean(cosines), abs=1e-3)
    # The range from the floor to 1 is 0.08, so rounding errors are about eleven times larger.
    assert scale.similarity(RecordKind.TAG, float(np.mean(cosines))) == pytest.approx(0.0, abs=2e-2)
    assert scale.similarity(RecordKind.TAG, 1.0) == pytest.approx(1.0, abs=2e-2)


def test_an_empty_store_has_the_default_scale(tmp_path: Path) -> None:
    assert measure_scale(LanceVectorStore(tmp_path / "vectors", 2), []) == Scale({})
