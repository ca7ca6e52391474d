from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity, TagPair
from pipelines.core.vectors import Vectors
from pipelines.retrieve.build_index import survey
from pipelines.retrieve.index import Atlas, Rows
from pipelines.retrieve.index_file import load, save, state_of
from pipelines.retrieve.names import calling_terms, name_key, runs, title_keys
from pipelines.retrieve.propagate import best_of, spread
from pipelines.retrieve.query import ask, coverage
from pipelines.retrieve.scale import Scale, measure
from pipelines.retrieve.tag_map import rewritten
from pipelines.sections import RetrieveSettings
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind

TEXTS = {
    "a": ("Alpha Works", "Alpha Works was founded by Edda Quill."),
    "b": ("Edda Quill", "Edda Quill was born in Torvik."),
    "c": ("Torvik", "Torvik has a lighthouse of 1874."),
    "d": ("History of Torvik", "The History of Torvik begins with a harbour."),
    "e": ("Weather", "Rain falls on the hills."),
}
NAMES = {
    "a": ("Alpha Works", "Edda Quill"),
    "b": ("Edda Quill", "Torvik"),
    "c": ("Torvik",),
    "d": ("History of Torvik",),
}


def document(name: str) -> Subgraph:
    id, chunk = f"document:{name}", f"chunk:{name}"
    title, text = TEXTS[name]
    told = {"title": title, "uri": f"{name}.md", "metadata": ("created: 2024-01-01", "modified: 2025-01-01")}
    edges = [Edge(id, EdgeKind.HAS_CHUNK, chunk, id)]
    edges += [Edge(chunk, EdgeKind.MENTIONS, Entity.make_id(entity), id) for entity in NAMES.get(name, ())]
    nodes = (Node(id, NodeKind.DOCUMENT, id, told), Node(chunk, NodeKind.CHUNK, id, {"text": text, "position": 0}))
    return Subgraph(id, nodes, tuple(edges))


@pytest.fixture
def store(tmp_path: Path) -> Iterator[EmbeddedStore]:
    opened = EmbeddedStore.open(tmp_path / "strata.db")
    for name in TEXTS:
        opened.graph.write(document(name))
    names = sorted({entity for entities in NAMES.values() for entity in entities})
    nodes = [Node(Entity.make_id(name), NodeKind.ENTITY, CORPUS_OWNER, {"name": name}) for name in names]
    reference = Edge("document:d", EdgeKind.REFERENCES, "document:e", CORPUS_OWNER, "1", {"chunk": "chunk:d"})
    opened.graph.write(Subgraph(CORPUS_OWNER, tuple(nodes), (reference,)))
    yield opened
    opened.close()


@pytest.fixture
def atlas(store: EmbeddedStore) -> Atlas:
    return survey(store.graph)


def number(atlas: Atlas, name: str) -> int:
    found = atlas.number_of(f"chunk:{name}")
    assert found is not None
    return found


def gains(atlas: Atlas, question: str, start: str, **changed: float) -> list[dict[str, float]]:
    """What reaches each chunk, round by round, from a single chunk with score 1."""
    asked = ask(question, atlas)
    score = np.zeros(atlas.size, dtype=np.float32)
    score[number(atlas, start)] = 1.0
    settings = RetrieveSettings(**changed)  # type: ignore[arg-type]
    waves = spread(asked, coverage(asked, atlas), score, np.ones(atlas.size, np.float32), atlas, settings)
    return [
        {name: float(wave.gain[number(atlas, name)]) for name in TEXTS if wave.gain[number(atlas, name)]}
        for wave in waves
    ]


def test_a_graph_gives_the_same_atlas_each_time(store: EmbeddedStore, atlas: Atlas) -> None:
    again = survey(store.graph)
    assert again.chunks == atlas.chunks == tuple(f"chunk:{name}" for name in "abcde")
    assert again.mentions.columns.tolist() == atlas.mentions.columns.tolist()
    assert again.vocabulary == atlas.vocabulary
    assert atlas.dates[0] == "2025-01-01"


def test_a_name_inside_a_longer_one_is_mentioned_less(atlas: Atlas) -> None:
    torvik = atlas.entities.index(Entity.make_id("Torvik"))
    weights = dict(zip(atlas.mentioned.of(torvik).tolist(), atlas.mentioned.values_of(torvik).tolist(), strict=True))
    assert weights == {number(atlas, "b"): 1.0, number(atlas, "c"): 1.0, number(atlas, "d"): 0.5}


def test_a_chunk_whose_document_bears_the_name_is_headed(atlas: Atlas) -> None:
    torvik = atlas.entities.index(Entity.make_id("Torvik"))
    entries = slice(atlas.mentioned.starts[torvik], atlas.mentioned.starts[torvik + 1])
    headed = dict(zip(atlas.mentioned.columns[entries].tolist(), atlas.headed[entries].tolist(), strict=True))
    assert headed == {number(atlas, "b"): False, number(atlas, "c"): True, number(atlas, "d"): False}


def test_names_in_a_question_are_found(atlas: Atlas) -> None:
    asked = ask("Who founded alpha works, and where is Torvik?", atlas)
    assert {atlas.entity_names[entity] for entity in asked.entities} == {"Alpha Works", "Torvik"}
    assert {atlas.titles_of[document] for document in asked.titles} == {"Alpha Works", "Torvik"}
    assert all(0 < weight <= 1 for weight in asked.titles.values())


def test_coverage_is_nothing_where_a_term_is_missing(atlas: Atlas) -> None:
    asked = ask("lighthouse rain unheard", atlas)
    covered = coverage(asked, atlas)
    assert covered.shape == (3, 5)
    assert (covered[0] > 0).nonzero()[0].tolist() == [number(atlas, "c")]
    assert (covered[1] > 0).nonzero()[0].tolist() == [number(atlas, "e")]
    assert not covered[2].any()
    assert asked.weights[2] == asked.weights.max()


def test_terms_that_a_tag_adds_weigh_less(atlas: Atlas) -> None:
    asked = ask("light tower", atlas, (TagPair("light tower", "Lighthouse", 0.5),))
    plain = ask("light tower lighthouse", atlas)
    assert asked.terms == plain.terms
    assert asked.weights[2] == pytest.approx(plain.weights[2] * 0.5)


def test_a_tag_named_in_the_question_adds_nothing() -> None:
    assert rewritten((TagPair("pumps", "pump", 1.0),)) == ()
    assert rewritten((TagPair("big car", "truck", 0.8), TagPair("lorry", "truck", 0.6))) == (("truck", 0.8),)


def test_a_shared_name_leads_on_and_not_back(atlas: Atlas) -> None:
    first, second = gains(atlas, "Who founded Alpha Works?", "a")
    assert set(first) == {"b"}
    assert "a" not in second
    assert second["c"] > 0


def test_a_name_of_the_question_leads_nowhere(atlas: Atlas) -> None:
    assert gains(atlas, "What is Edda Quill to Alpha Works?", "a")[0] == {}


def test_what_answers_the_rest_of_the_question_gains_more(atlas: Atlas) -> None:
    blind = gains(atlas, "Who founded it?", "b")[0]
    open_question = gains(atlas, "Who founded it? What of the lighthouse there?", "b")[0]
    assert open_question["c"] > blind["c"]
    assert open_question["d"] == pytest.approx(blind["d"])


def test_the_document_of_that_name_gains_more_than_those_that_only_mention_it(atlas: Atlas) -> None:
    first = gains(atlas, "rain", "b")[0]
    assert first["c"] > first["d"] > 0
    flat = gains(atlas, "rain", "b", headline=0.0)[0]
    assert flat["c"] == pytest.approx(2 * flat["d"])  # d only inside a longer name


def test_a_reference_leads_to_the_chunks_of_its_document(atlas: Atlas) -> None:
    assert gains(atlas, "harbour", "d", references=1.0)[0]["e"] > 0
    assert "e" not in gains(atlas, "harbour", "d", references=0.0)[0]


def test_without_rounds_nothing_is_passed_on(atlas: Atlas) -> None:
    assert gains(atlas, "Who founded Alpha Works?", "a", rounds=0) == []


def test_the_best_come_first_and_ties_by_number() -> None:
    score = np.array([0.5, 0.0, 0.9, 0.5, 0.5], dtype=np.float32)
    assert best_of(score, 3).tolist() == [2, 0, 3]
    assert best_of(score, 10).tolist() == [2, 0, 3, 4]
    assert best_of(np.zeros(3, dtype=np.float32), 2).tolist() == []


@given(st.dictionaries(st.tuples(st.integers(0, 5), st.integers(0, 4)), st.integers(1, 9)))
def test_rows_hold_what_they_were_made_of_also_turned(pairs: dict[tuple[int, int], int]) -> None:
    rows = Rows.of_pairs({place: float(value) for place, value in pairs.items()}, 6)
    assert _entries(rows) == pairs
    assert {(r, c): v for (c, r), v in _entries(rows.turned(5)).items()} == pairs
    owner, places = rows.gather(np.arange(6, dtype=np.int32))
    gathered = zip(owner.tolist(), rows.columns[places].tolist(), strict=True)
    assert sorted(gathered) == sorted(pairs)
    assert rows.counts().tolist() == [sum(r == row for r, _ in pairs) for row in range(6)]


def _entries(rows: Rows) -> dict[tuple[int, int], int]:
    return {
        (row, int(column)): int(value)
        for row in range(rows.size)
        for column, value in zip(rows.of(row), rows.values_of(row), strict=True)
    }


def test_an_atlas_comes_back_as_it_was_kept(store: EmbeddedStore, atlas: Atlas, tmp_path: Path) -> None:
    scale = Scale({"chunk": 0.25}, 0.75)
    save(tmp_path, "state", atlas, scale)
    kept = load(tmp_path, "state")
    assert kept is not None
    assert kept[1] == scale
    assert kept[0].named == atlas.named
    assert kept[0].vocabulary == atlas.vocabulary
    assert kept[0].postings.columns.tolist() == atlas.postings.columns.tolist()
    assert kept[0].headed.tolist() == atlas.headed.tolist()
    assert load(tmp_path, "another state") is None
    assert load(tmp_path / "nowhere", "state") is None


def test_what_cannot_be_kept_is_no_error(atlas: Atlas, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    save(tmp_path / "file" / "folder", "state", atlas, Scale({}))


def test_another_graph_or_embedder_is_another_state(store: EmbeddedStore) -> None:
    from pipelines.llm.embedder import EmbedderInfo

    one = EmbedderInfo("wordllama", "m", 256)
    before = state_of(store.graph.owners(), one)
    assert before == state_of(store.graph.owners(), one)
    assert before != state_of(store.graph.owners(), EmbedderInfo("e5", "m", 384))
    store.graph.remove("document:e")
    assert before != state_of(store.graph.owners(), one)


def unit(*values: float) -> Vectors:
    row = np.array(values, dtype=np.float32)
    return row / np.linalg.norm(row)


def test_the_scale_runs_from_chance_to_the_thing_itself(tmp_path: Path) -> None:
    store = LanceVectorStore(tmp_path / "vectors", 2)
    rows = {"one": unit(1, 0), "two": unit(0.6, 0.8)}
    for name, row in rows.items():
        chunk = Record(f"chunk:{name}", RecordKind.CHUNK, name, "t", f"chunk:{name}")
        atom = Record(f"atom:{name}", RecordKind.ATOM, name, "t", f"chunk:{name}")
        store.write([name], EmbeddedRecords((chunk, atom), np.stack([row, row])))
    scale = measure(store, list(rows))
    assert scale.floors["chunk"] == pytest.approx(0.6)
    assert scale.top == pytest.approx(1.0)
    values = np.array([0.6, 0.8, 1.0, 0.1], dtype=np.float32)
    assert scale.dense(RecordKind.CHUNK, values).tolist() == pytest.approx([0.0, 0.5, 1.0, 0.0], abs=1e-5)


def test_an_empty_store_has_a_plain_scale(tmp_path: Path) -> None:
    assert measure(LanceVectorStore(tmp_path / "vectors", 2), []) == Scale({})


@pytest.mark.parametrize(
    ("title", "keys"),
    [
        ("Twins (group)", ["twins group", "twins"]),
        ("Jacksonville, Florida", ["jacksonville florida", "jacksonville"]),
        ("The", []),
        ("水泵（旧）", ["水泵 旧", "水泵"]),
    ],
)
def test_a_title_gives_its_shorter_forms(title: str, keys: list[str]) -> None:
    assert list(title_keys(title)) == keys


def test_names_are_compared_by_their_words() -> None:
    assert name_key("DS-2041 (Rev. B)") == name_key("ds 2041 rev b")
    assert name_key("Akinoshū Kenji") == name_key("akinoshu kenji")
    assert name_key("が 가") == "が 가"
    assert [key for _, _, key in runs("one two three", 2)] == ["one two", "two three", "one", "two", "three"]


def test_a_document_is_called_by_title_file_and_kind() -> None:
    found = calling_terms("Pump list", "x/PumpPrices_2024.xlsx", "application/vnd.spreadsheetml.sheet")
    assert {"pump", "list", "price", "2024", "spreadsheet", "workbook"} <= set(found)
    assert calling_terms("", "", "") == []
