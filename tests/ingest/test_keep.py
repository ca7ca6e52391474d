"""Tests of maintaining a knowledge base: diff, forget, fsck and reindex."""

import json
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import KnowledgeBaseNotFound, NotFound, SettingsError
from pipelines.core.outcome import Status
from pipelines.ingest.dry_run import FolderDiff, diff, estimate_ingest
from pipelines.ingest.erase import forget
from pipelines.ingest.fsck import fsck
from pipelines.ingest.integrity import Defect, StorePart
from pipelines.ingest.reindex import reindex
from pipelines.llm.settings import EmbedSettings
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.facts import TAG_PAIRS
from pipelines.store.vector import EmbeddedRecords, RecordKind
from qa import KnowledgeBase
from tests.ingest.knowledge import assert_same, entries_of, graph_of, vectors_of

HASHING = Settings(embed=EmbedSettings(name="hashing", dimension=64))


def test_an_unchanged_folder_has_an_empty_diff(folder: Path, kb: Path) -> None:
    assert diff(folder, kb) == FolderDiff()


def test_a_diff_lists_changed_documents_and_counts_nodes(folder: Path, kb: Path) -> None:
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")
    (folder / "manual.md").rename(folder / "MM-7.md")
    (folder / "reports" / "IR-3.txt").unlink()
    (folder / "DS-2041.md").write_text("# DS-2041 Pump P-101A\n\nThe pump P-101A delivers 41 m3/h.\n")
    before = graph_of(kb)
    found = diff(folder, kb)
    assert (found.added, found.changed, found.removed) == (("new.md",), ("DS-2041.md",), ("reports/IR-3.txt",))
    assert found.renamed == (("manual.md", "MM-7.md"),)
    assert found.coming["Document"] == 3
    assert found.going["Document"] == 3
    assert found.going["Table"] == 1
    assert graph_of(kb) == before


def test_neither_a_difference_nor_an_estimate_makes_a_knowledge_base_unfinished(folder: Path, kb: Path) -> None:
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")
    diff(folder, kb)
    estimate_ingest(folder, kb, Settings())
    with KnowledgeBase.open(kb) as knowledge:
        assert knowledge.ask("What does the pump P-101A deliver?").warnings == ()


def test_an_ingest_adds_what_the_diff_counted(folder: Path, kb: Path) -> None:
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")
    announced = diff(folder, kb)
    before = {node.id for node in graph_of(kb)[0]}
    assert build(folder, kb).stages["parse"].done == 0
    after = {node.id for node in graph_of(kb)[0]}
    nodes = {kind: number for kind, number in announced.coming.items() if not kind.isupper()}
    assert len(after - before) == sum(nodes.values())


def test_a_diff_against_a_missing_knowledge_base_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseNotFound):
        diff(folder, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_forgotten_document_leaves_no_artifacts_nodes_or_vectors(folder: Path, kb: Path, tmp_path: Path) -> None:
    gone = entries_of(kb)["DS-2041.md"]
    forgotten = forget("DS-2041.md", kb)
    assert forgotten.uris == ("DS-2041.md",)
    assert forgotten.artifacts >= len(gone.artifacts) - 1
    with open_stores(kb, Settings()) as stores:
        for stage, key in gone.artifacts.items():
            assert stores.artifacts.get(stage, key) is None
    (folder / "DS-2041.md").unlink()
    build(folder, tmp_path / "without")
    assert_same(kb, tmp_path / "without")


def test_forgetting_an_unknown_document_is_an_error(kb: Path) -> None:
    with pytest.raises(NotFound, match="no document nothing"):
        forget("nothing.pdf", kb)


def test_a_consistent_knowledge_base_has_no_findings(kb: Path) -> None:
    checked = fsck(kb)
    assert (checked.documents, checked.findings, checked.clean) == (3, (), True)


def test_missing_vectors_and_graph_are_found_and_repaired(kb: Path) -> None:
    before = graph_of(kb), vectors_of(kb)
    document = entries_of(kb)["manual.md"].document
    with open_stores(kb, Settings()) as stores:
        stores.vectors.write([document], EmbeddedRecords())
        stores.graph.remove(entries_of(kb)["DS-2041.md"].document)
    checked = fsck(kb)
    found = {(finding.place, finding.fault) for finding in checked.findings}
    assert {(StorePart.VECTORS, Defect.MISSING), (StorePart.GRAPH, Defect.MISSING)} <= found
    assert not checked.clean
    mended = fsck(kb, repair=True)
    assert mended.clean
    assert mended.remaining == ()
    assert (graph_of(kb), vectors_of(kb)) == before


def test_a_missing_artifact_is_found_and_rebuilt_by_the_next_ingest(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    entry = entries_of(kb)["manual.md"]
    with open_stores(kb, Settings()) as stores:
        stores.artifacts.remove("atomize", entry.artifacts["atomize"])
    assert [finding.place for finding in fsck(kb).findings] == [StorePart.ARTIFACTS]
    fsck(kb, repair=True)
    build(folder, kb)
    assert fsck(kb).clean
    assert graph_of(kb) == before


def test_reindexing_with_another_embedder_keeps_the_graph(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    reindexed = reindex(kb, HASHING)
    assert reindexed.before.startswith("wordllama")
    assert reindexed.after.startswith("hashing")
    assert 0 <= reindexed.recall_after <= 1
    assert graph_of(kb) == before
    with open_stores(kb, Settings()) as stores:
        assert stores.embedder.info.name == "hashing"
        assert stores.vectors.search(RecordKind.CHUNK, stores.embedder.embed(["pump"])[0], 3)
    assert fsck(kb).clean
    assert build(folder, kb).changes["unchanged"] == 3


def test_old_vectors_are_kept_until_they_are_dropped(kb: Path) -> None:
    old = {path.name for path in (kb / "vectors").iterdir()}
    reindex(kb, HASHING)
    assert old < {path.name for path in (kb / "vectors").iterdir()}
    back = reindex(kb, Settings(embed=EmbedSettings(name="wordllama", dimension=256)), drop_old=True)
    assert {path.name for path in (kb / "vectors").iterdir()} == old
    assert back.dropped


def test_reindexing_with_the_present_embedder_is_refused(kb: Path) -> None:
    with pytest.raises(SettingsError, match="present embedder"):
        reindex(kb)


def test_a_failed_document_is_never_searchable(folder: Path, kb: Path) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    build(folder, kb)
    assert not entries_of(kb)["bad.pdf"].status.searchable
    assert entries_of(kb)["bad.pdf"].status is not Status.SKIPPED
    assert fsck(kb).clean


def test_tag_pairs_are_learned_from_samples_and_saved(folder: Path, kb: Path, tmp_path: Path) -> None:
    samples = tmp_path / "samples.jsonl"
    question = {"question": "How often does the grease bath need changing?", "answer": "every 4000 hours"}
    samples.write_text(
        "\n".join(json.dumps(question | {"question": question["question"] + mark}) for mark in ("", "?"))
    )
    build(folder, kb, qa_samples=samples)
    with open_stores(kb, Settings()) as stores:
        pairs = TAG_PAIRS.read(stores.catalog)
    assert any("bath" in pair.query_term for pair in pairs)
    assert all(0 < pair.weight <= 1 for pair in pairs)
