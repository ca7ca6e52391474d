"""Keeping a knowledge base true: previewing, forgetting, checking, and changing the embedder."""

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


def test_an_unchanged_folder_differs_in_nothing(folder: Path, kb: Path) -> None:
    assert diff(folder, kb) == FolderDiff()


def test_a_difference_names_documents_and_counts_what_comes_and_goes(folder: Path, kb: Path) -> None:
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


def test_what_was_announced_is_what_an_ingest_does(folder: Path, kb: Path) -> None:
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s.\n")
    announced = diff(folder, kb)
    before = {node.id for node in graph_of(kb)[0]}
    assert build(folder, kb).stages["parse"].done == 0
    after = {node.id for node in graph_of(kb)[0]}
    nodes = {kind: number for kind, number in announced.coming.items() if not kind.isupper()}
    assert len(after - before) == sum(nodes.values())


def test_a_difference_to_no_knowledge_base_is_an_error(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(KnowledgeBaseNotFound):
        diff(folder, tmp_path / "none")
    assert not (tmp_path / "none").exists()


def test_a_forgotten_document_leaves_no_trace(folder: Path, kb: Path, tmp_path: Path) -> None:
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


def test_forgetting_the_unknown_says_so(kb: Path) -> None:
    with pytest.raises(NotFound, match="no document nothing"):
        forget("nothing.pdf", kb)


def test_a_sound_knowledge_base_has_no_findings(kb: Path) -> None:
    checked = fsck(kb)
    assert (checked.documents, checked.findings, checked.clean) == (3, (), True)


def test_vectors_and_graph_that_disagree_are_found_and_mended(kb: Path) -> None:
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


def test_a_lost_artifact_is_found_and_made_anew_by_the_next_ingest(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    entry = entries_of(kb)["manual.md"]
    with open_stores(kb, Settings()) as stores:
        stores.artifacts.remove("atomize", entry.artifacts["atomize"])
    assert [finding.place for finding in fsck(kb).findings] == [StorePart.ARTIFACTS]
    fsck(kb, repair=True)
    build(folder, kb)
    assert fsck(kb).clean
    assert graph_of(kb) == before


def test_another_embedder_takes_over_without_new_language_work(folder: Path, kb: Path) -> None:
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


def test_the_old_vectors_stay_until_they_are_dropped(kb: Path) -> None:
    old = {path.name for path in (kb / "vectors").iterdir()}
    reindex(kb, HASHING)
    assert old < {path.name for path in (kb / "vectors").iterdir()}
    back = reindex(kb, Settings(embed=EmbedSettings(name="wordllama", dimension=256)), drop_old=True)
    assert {path.name for path in (kb / "vectors").iterdir()} == old
    assert back.dropped


def test_the_present_embedder_is_no_change(kb: Path) -> None:
    with pytest.raises(SettingsError, match="present embedder"):
        reindex(kb)


def test_a_failed_document_is_never_searchable(folder: Path, kb: Path) -> None:
    (folder / "bad.pdf").write_bytes(b"%PDF-1.7 broken")
    build(folder, kb)
    assert not entries_of(kb)["bad.pdf"].status.searchable
    assert entries_of(kb)["bad.pdf"].status is not Status.SKIPPED
    assert fsck(kb).clean


def test_words_of_users_are_learned_from_samples_and_kept_for_questions(folder: Path, kb: Path, tmp_path: Path) -> None:
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
