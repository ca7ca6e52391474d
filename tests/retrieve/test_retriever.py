from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines.core.knowledge import TagPair
from pipelines.retrieve.flat_search import Mode
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.store.vector import Filter
from tests.qa.corpus import BRIDGE, documents_at, passages_at


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    with passages_at(tmp_path_factory.mktemp("passages")) as retriever:
        yield retriever


@pytest.fixture(scope="module")
def documents(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Retriever]:
    with documents_at(tmp_path_factory.mktemp("documents")) as retriever:
        yield retriever


def under(retriever: Retriever, **changed: float) -> Retriever:
    """A retriever over the same knowledge base with other weights."""
    settings = RetrieveSettings(**changed)  # type: ignore[arg-type]
    return Retriever(retriever._graph, retriever._vectors, retriever._embedder, settings)


def test_edges_lead_to_passages_that_the_question_does_not_name(passages: Retriever) -> None:
    with_edges = [hit.uri for hit in passages.retrieve(BRIDGE, 3)]
    without = [hit.uri for hit in under(passages, hop=0).retrieve(BRIDGE, 3)]
    assert set(with_edges) == {"p1.html", "p2.html", "p3.html"}
    assert set(without) != {"p1.html", "p2.html", "p3.html"}


@pytest.mark.parametrize("query", [BRIDGE, "mechanical seal of a pump", "clock tower", "Torvik"])
def test_the_shares_of_a_hit_add_up_to_its_score(passages: Retriever, query: str) -> None:
    for hit in passages.retrieve(query, 8):
        assert 0 < hit.score < 1
        assert sum(share.score for share in hit.shares) == pytest.approx(hit.score, abs=1e-4)
        assert all(share.score > 0 for share in hit.shares)


def test_a_hit_explains_the_path_that_led_to_it(passages: Retriever) -> None:
    hits = {hit.uri: hit for hit in passages.retrieve(BRIDGE, 5)}
    paths = [share for share in hits["p2.html"].shares if share.path]
    assert paths[0].layer in ("MENTIONS", "REFERENCES")
    assert (paths[0].path[0], paths[0].path[-1]) == ("Marlow Pump Works", "Edda Quill")
    named = [share for share in hits["p1.html"].shares if share.detail == "marlow pump works"]
    assert named[0].layer == "document"


def test_a_hit_has_the_matching_atoms(passages: Retriever) -> None:
    hit = passages.retrieve("When was the lighthouse of Torvik built?", 1)[0]
    assert hit.uri == "p3.html"
    assert "1874" in hit.atoms[0]


def test_a_hit_has_the_chunk_of_its_document(documents: Retriever) -> None:
    hit = documents.retrieve("how often are bearings greased", 1)[0]
    assert hit.title == "Pump handbook"
    assert hit.chunk.heading_path == ("Bearings",)
    assert hit.chunk.provenance.page == 2
    assert hit.chunk.provenance.document == hit.document


def test_the_same_question_gives_the_same_hits(passages: Retriever) -> None:
    assert passages.retrieve(BRIDGE, 8) == under(passages).retrieve(BRIDGE, 8)


@pytest.mark.parametrize("query", ["", "   ", "\n"])
def test_a_blank_question_finds_nothing(passages: Retriever, query: str) -> None:
    for mode in Mode:
        assert passages.retrieve(query, 5, mode=mode) == ()


@pytest.mark.parametrize("query", ["?!", "zzzz qqqq", "'; DROP TABLE chunk", "的", "x" * 5000])
def test_an_unusual_question_is_not_an_error(passages: Retriever, query: str) -> None:
    for mode in Mode:
        passages.retrieve(query, 5, mode=mode)


@pytest.mark.parametrize("query", ["Wer hat den Turm errichtet?", "언제 쉬나요?"])
def test_a_question_without_a_known_word_finds_the_nearest_vectors(passages: Retriever, query: str) -> None:
    found, nearest = passages.retrieve(query, 3), passages.retrieve(query, 3, mode=Mode.DENSE)
    assert [hit.chunk.id for hit in found] == [hit.chunk.id for hit in nearest]
    assert {hit.score for hit in found} == {0.0}


def test_a_limit_of_zero_finds_nothing(passages: Retriever) -> None:
    assert passages.retrieve(BRIDGE, 0) == ()


def test_the_default_limit_comes_from_the_settings(passages: Retriever) -> None:
    assert len(under(passages, limit=2).retrieve("pump")) == 2


@pytest.mark.parametrize("mode", [Mode.BM25, Mode.DENSE, Mode.HYBRID])
def test_flat_modes_find_passages_by_their_words(passages: Retriever, mode: Mode) -> None:
    hits = passages.retrieve("mechanical seal keeps a pump from leaking", 3, mode=mode)
    assert hits[0].uri == "p8.html"
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert all(0 <= hit.score <= 1 for hit in hits)


def test_chunks_below_the_threshold_are_excluded(passages: Retriever) -> None:
    hits = passages.chunks("mechanical seal of a pump", 8, 0.4)
    assert hits[0].uri == "p8.html"
    assert 0 < len(hits) < 8
    assert all(hit.score >= 0.4 for hit in hits)


def test_atoms_come_with_their_chunks(passages: Retriever) -> None:
    atoms = passages.atoms("In which harbour town was Edda Quill born?", 3, 0.2)
    assert "Torvik" in atoms[0].text
    assert atoms[0].hit.uri == "p2.html"
    assert [atom.score for atom in atoms] == sorted((atom.score for atom in atoms), reverse=True)
    assert passages.atoms("Where was Edda Quill born?", 3, 0.99) == ()


def test_linked_chunks_are_one_edge_away(passages: Retriever) -> None:
    start = passages.retrieve("Marlow Pump Works", 1)[0].chunk.id
    links = passages.linked([start], 5)
    assert links[0].source == start
    assert links[0].hit.uri == "p2.html"
    assert links[0].edge in ("MENTIONS", "REFERENCES")
    assert start not in {link.hit.chunk.id for link in links}
    assert passages.linked(["chunk:unknown"], 5) == ()


def test_chunk_frequency_counts_the_chunks_with_a_term(passages: Retriever) -> None:
    assert passages.chunk_frequency("torvik") == 2
    assert passages.chunk_frequency("unheard") == 0


@pytest.mark.parametrize(
    ("where", "uris"),
    [
        (Filter(folders=("manuals",)), {"manuals/Pump_Handbook.pdf", "manuals/old/compressor.md"}),
        (Filter(folders=("manuals/old/",)), {"manuals/old/compressor.md"}),
        (Filter(documents=("parts/prices.csv",)), {"parts/prices.csv"}),
        (Filter(media_types=("text/csv", "application/pdf")), {"parts/prices.csv", "manuals/Pump_Handbook.pdf"}),
        (Filter(since="2024-01-01"), {"parts/prices.csv", "manuals/Pump_Handbook.pdf"}),
        (Filter(until="2020-12-31"), {"manuals/old/compressor.md"}),
        (Filter(pages=(2,)), {"manuals/Pump_Handbook.pdf"}),
        (Filter(folders=("nowhere",)), set()),
    ],
)
def test_a_filter_restricts_the_hits_in_every_mode(documents: Retriever, where: Filter, uris: set[str]) -> None:
    for mode in Mode:
        found = documents.retrieve("seal bearings grease pump oil EUR", 10, where, mode)
        assert {hit.uri for hit in found} == uris, mode


def test_a_filter_by_tag_restricts_the_hits(documents: Retriever) -> None:
    tag = documents.index.tag_names[0]
    found = documents.retrieve("seal bearings grease pump oil", 10, Filter(tags=(tag,)))
    numbers = {documents.index.chunk_number(hit.chunk.id) for hit in found}
    assert numbers
    assert numbers <= {int(number) for number in documents.index.tag_chunks.columns_of(0)}


def test_a_filter_by_tag_accepts_all_spellings_of_the_tag(documents: Retriever) -> None:
    name, *others = next(each for each in documents.index.tag_spellings if len(each) > 1)
    for mode in Mode:
        hits = documents.retrieve("seal bearings grease pump oil", 10, Filter(tags=(name,)), mode)
        assert len({hit.uri for hit in hits}) > 1, mode
        for spelling in (*others, name.upper()):
            assert documents.retrieve("seal bearings grease pump oil", 10, Filter(tags=(spelling,)), mode) == hits


def test_words_for_a_document_kind_raise_its_score(documents: Retriever) -> None:
    assert documents.retrieve("What does a seal cost according to the price list?", 1)[0].uri == "parts/prices.csv"
    assert documents.retrieve("What does the PDF say about the seal?", 1)[0].uri == "manuals/Pump_Handbook.pdf"


def test_a_question_without_known_words_is_scored_by_vectors_alone(documents: Retriever) -> None:
    by_meaning = under(documents, lexical=0, title=0, called=0, document=0)
    for question in ("money for a thing that broke", "umbrella weather forecast"):
        assert documents.retrieve(question, 5) == by_meaning.retrieve(question, 5)


def test_a_question_in_words_of_the_corpus_is_scored_by_them_too(documents: Retriever) -> None:
    question = documents.retrieve("how often are bearings greased", 1)[0].chunk.text
    assert documents.retrieve(question, 5) == under(documents, worded=1e-9).retrieve(question, 5)
    assert documents.retrieve(question, 5) != under(documents, lexical=0).retrieve(question, 5)


def test_a_learned_tag_pair_maps_a_word_of_the_user_to_a_tag(documents: Retriever) -> None:
    tag = next(name for name in documents.index.tag_names if "grease" in name.lower())
    told = Retriever(documents._graph, documents._vectors, documents._embedder, pairs=(TagPair("schmiere", tag, 0.9),))
    mapped = [pair for pair in told.map_query("how often does it need schmiere?") if pair.corpus_tag == tag]
    assert mapped == [TagPair("schmiere", tag, 0.9)]
    assert told.retrieve("how often does it need schmiere?", 1)[0].chunk.heading_path == ("Bearings",)


def test_the_saved_index_is_reused_until_the_graph_changes(tmp_path: Path) -> None:
    with documents_at(tmp_path / "kb") as first:
        hits = first.retrieve("shaft seal", 5)
        kept = tmp_path / "kb" / "retrieval" / "index.npz"
        written = kept.stat().st_mtime_ns
        again = Retriever(first._graph, first._vectors, first._embedder, cache=kept.parent)
        assert again.retrieve("shaft seal", 5) == hits
        assert kept.stat().st_mtime_ns == written
        first._graph.remove(hits[0].document)
        changed = Retriever(first._graph, first._vectors, first._embedder, cache=kept.parent)
        assert hits[0].uri not in {hit.uri for hit in changed.retrieve("shaft seal", 5)}
        assert kept.stat().st_mtime_ns != written


@pytest.mark.parametrize("damage", [b"", b"not an archive", b"PK\x03\x04 torn"])
def test_a_damaged_saved_index_is_rebuilt(tmp_path: Path, damage: bytes) -> None:
    with documents_at(tmp_path / "kb") as first:
        hits = first.retrieve("shaft seal", 5)
        kept = tmp_path / "kb" / "retrieval"
        (kept / "index.npz").write_bytes(damage)
        assert Retriever(first._graph, first._vectors, first._embedder, cache=kept).retrieve("shaft seal", 5) == hits


def test_an_empty_knowledge_base_finds_nothing(tmp_path: Path) -> None:
    with documents_at(tmp_path / "kb") as filled:
        for owner in list(filled._graph.owners()):
            filled._graph.remove(owner)
        empty = under(filled)
        for mode in Mode:
            assert empty.retrieve("shaft seal", 5, mode=mode) == ()
        assert empty.atoms("shaft seal", 5) == ()
        assert empty.linked(["chunk:x"], 5) == ()


def test_each_weight_may_be_zero(passages: Retriever) -> None:
    for name in RetrieveSettings().tuned:
        if name != "rest":
            assert under(passages, **{name: 0.0}).retrieve(BRIDGE, 3), name


def test_a_chunk_gains_score_from_the_rest_of_its_document(passages: Retriever, documents: Retriever) -> None:
    assert not passages.features(BRIDGE).layers.document.any()  # one chunk per document
    features = documents.features("how often are bearings greased, and which seal is there?")
    both = features.covered.any(axis=1).sum()
    own = (features.covered > 0).sum(axis=0)
    assert features.layers.document[own == both].sum() == 0 or (own < both).all()
    assert features.layers.document[own < both].max() > 0


def test_settings_are_frozen() -> None:
    with pytest.raises(ValueError, match="frozen"):
        RetrieveSettings().hop = 1.0
