"""Tests of building a knowledge base from a folder and keeping it equal to the folder."""

import io
import shutil
import zipfile
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import FolderNotFound, SourceError, StoreMismatch
from pipelines.core.graph import EdgeKind, NodeKind
from pipelines.core.outcome import Status
from pipelines.ingest.report import run_of
from pipelines.llm.settings import EmbedSettings
from pipelines.resources import open_stores
from pipelines.retrieve.build_index import build_index
from pipelines.retrieve.index_cache import graph_state, load_index
from pipelines.settings import Settings
from pipelines.store.vector import RecordKind
from tests.ingest.knowledge import assert_same, entries_of, graph_of, vectors_of


def fresh(folder: Path) -> Path:
    """A knowledge base built from scratch from the folder."""
    other = folder.parent / "fresh"
    shutil.rmtree(other, ignore_errors=True)
    build(folder, other)
    return other


def test_every_file_is_indexed_and_counted(folder: Path, tmp_path: Path) -> None:
    report = build(folder, tmp_path / "kb")
    assert report.documents == {"indexed": 3}
    assert report.stages["parse"].done == report.stages["load"].done == 3
    assert report.exit_code == 0


def test_the_report_has_the_seconds_of_all_steps_and_is_recorded(folder: Path, tmp_path: Path) -> None:
    report = build(folder, tmp_path / "kb")
    assert list(report.step_seconds)[:3] == ["documents", "gate", "link"]
    assert {"load vectors", "load graph", "index", "erase"} <= report.step_seconds.keys()
    assert 0 < sum(report.step_seconds.values()) <= report.seconds
    with open_stores(tmp_path / "kb", Settings()) as stores:
        assert run_of(stores.catalog, 1).report.step_seconds == report.step_seconds


def test_the_graph_has_nodes_and_edges_of_all_layers(kb: Path) -> None:
    nodes, edges = graph_of(kb)
    kinds = {node.kind for node in nodes}
    assert {
        NodeKind.DOCUMENT,
        NodeKind.SECTION,
        NodeKind.CHUNK,
        NodeKind.TABLE,
        NodeKind.ATOM,
        NodeKind.ENTITY,
    } <= kinds
    assert {EdgeKind.REFERENCES, EdgeKind.HAS_CHUNK, EdgeKind.NEXT, EdgeKind.MENTIONS} <= {edge.kind for edge in edges}


def test_documents_that_name_one_another_are_linked(kb: Path) -> None:
    entries = entries_of(kb)
    _, edges = graph_of(kb)
    linked = {(edge.source, edge.target) for edge in edges if edge.kind is EdgeKind.REFERENCES}
    assert (entries["manual.md"].document, entries["DS-2041.md"].document) in linked
    assert (entries["reports/IR-3.txt"].document, entries["manual.md"].document) in linked


def test_an_ingest_saves_the_retrieval_index(folder: Path, kb: Path) -> None:
    with open_stores(kb, Settings()) as stores:
        kept = load_index(stores.index_folder, graph_state(stores.graph.owners(), stores.embedder.info))
        assert kept is not None
        assert list(kept[0].chunks) == list(build_index(stores.graph).chunks)
    (folder / "manual.md").unlink()
    build(folder, kb)
    with open_stores(kb, Settings()) as stores:
        kept = load_index(stores.index_folder, graph_state(stores.graph.owners(), stores.embedder.info))
        assert kept is not None
        assert list(kept[0].documents) == list(build_index(stores.graph).documents)


def test_sections_and_documents_are_found_by_their_summaries(kb: Path) -> None:
    nodes = {node.id: node for node in graph_of(kb)[0]}
    with open_stores(kb, Settings()) as stores:
        section = stores.vectors.search(RecordKind.SECTION, stores.embedder.embed(["change the oil"])[0], 1)[0]
        document = stores.vectors.match(RecordKind.DOCUMENT, {"bear": 1.0}, 1)[0]
    assert nodes[section.id].kind is NodeKind.SECTION
    assert "oil" in str(nodes[section.id].properties["summary"])
    assert nodes[document.id].properties["uri"] == "manual.md"
    assert nodes[document.id].properties["summary"]


def test_an_unchanged_folder_changes_nothing(folder: Path, kb: Path) -> None:
    before = graph_of(kb), vectors_of(kb)
    report = build(folder, kb)
    assert all((count.done, count.reused) == (0, 3) for count in report.stages.values())
    assert report.changes == {"done": 0, "unchanged": 3, "removed": 0, "left out": 0}
    assert (graph_of(kb), vectors_of(kb)) == before


def test_an_edited_document_is_replaced_completely(folder: Path, kb: Path) -> None:
    (folder / "DS-2041.md").write_text("# DS-2041 Pump P-101B\n\nThe pump P-101B delivers 50 m3/h.\n")
    report = build(folder, kb)
    assert report.stages["parse"].done == 1
    assert_same(kb, fresh(folder))


def test_a_renamed_document_leaves_nothing_under_its_old_name(folder: Path, kb: Path) -> None:
    (folder / "manual.md").rename(folder / "MM-7.md")
    build(folder, kb)
    assert sorted(entries_of(kb)) == ["DS-2041.md", "MM-7.md", "reports/IR-3.txt"]
    assert_same(kb, fresh(folder))


def test_a_removed_document_leaves_no_nodes_edges_or_vectors(folder: Path, kb: Path) -> None:
    gone = entries_of(kb)["DS-2041.md"].document
    (folder / "DS-2041.md").unlink()
    assert build(folder, kb).changes["removed"] == 1
    nodes, edges = graph_of(kb)
    assert not [node for node in nodes if gone in (node.id, node.owner)]
    assert not [edge for edge in edges if gone in (edge.source, edge.target, edge.owner)]
    assert_same(kb, fresh(folder))


def test_a_removed_document_is_kept_with_keep_missing(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    (folder / "DS-2041.md").unlink()
    build(folder, kb, Settings.model_validate({"ingest": {"keep_missing": True}}))
    assert graph_of(kb) == before


def test_a_restored_document_is_parsed_again(folder: Path, kb: Path) -> None:
    text = (folder / "manual.md").read_text()
    (folder / "manual.md").unlink()
    build(folder, kb)
    (folder / "manual.md").write_text(text)
    assert build(folder, kb).stages["parse"].done == 1
    assert_same(kb, fresh(folder))


def test_the_same_content_under_two_names_is_two_linked_documents(folder: Path, kb: Path) -> None:
    shutil.copy(folder / "manual.md", folder / "copy.md")
    build(folder, kb)
    entries = entries_of(kb)
    _, edges = graph_of(kb)
    same = [{edge.source, edge.target} for edge in edges if edge.kind is EdgeKind.SAME_CONTENT]
    assert same == [{entries["manual.md"].document, entries["copy.md"].document}]
    assert_same(kb, fresh(folder))


def test_a_changed_setting_runs_only_the_stages_that_depend_on_it(folder: Path, kb: Path) -> None:
    report = build(folder, kb, Settings.model_validate({"atomize": {"max_tags": 3}}))
    assert report.stages["parse"].done == report.stages["chunk"].done == 0
    assert report.stages["atomize"].done == 3


def test_a_broken_file_does_not_affect_other_files(folder: Path, tmp_path: Path) -> None:
    (folder / "broken.docx").write_bytes(b"PK\x03\x04 not really")
    (folder / "empty.txt").write_bytes(b"")
    report = build(folder, tmp_path / "kb")
    entries = entries_of(tmp_path / "kb")
    assert entries["broken.docx"].status in (Status.MALFORMED, Status.UNSUPPORTED)
    assert entries["broken.docx"].reason
    assert entries["empty.txt"].status is Status.EMPTY
    assert [failure.subject for failure in report.failures] == ["broken.docx"]
    assert report.documents["indexed"] == 3
    assert report.exit_code == 8


def test_a_file_that_becomes_empty_loses_its_document(folder: Path, kb: Path) -> None:
    (folder / "manual.md").write_bytes(b"")
    build(folder, kb)
    assert entries_of(kb)["manual.md"].status is Status.EMPTY
    assert_same(kb, fresh(folder))


def test_an_attachment_is_added_and_removed_with_its_mail(folder: Path, kb: Path) -> None:
    (folder / "mail.eml").write_text(MAIL)
    build(folder, kb)
    assert entries_of(kb)["mail.eml!/offer.txt"].parent == "mail.eml"
    assert build(folder, kb).changes["unchanged"] == 5
    (folder / "mail.eml").unlink()
    build(folder, kb)
    assert not [uri for uri in entries_of(kb) if uri.startswith("mail")]
    assert_same(kb, fresh(folder))


def test_a_missing_folder_and_an_empty_one_are_errors(tmp_path: Path) -> None:
    with pytest.raises(FolderNotFound):
        build(tmp_path / "nowhere", tmp_path / "kb")
    (tmp_path / "empty").mkdir()
    with pytest.raises(SourceError, match="no documents"):
        build(tmp_path / "empty", tmp_path / "kb")


def test_an_emptied_folder_does_not_empty_the_knowledge_base(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    shutil.rmtree(folder)
    folder.mkdir()
    with pytest.raises(SourceError, match="no documents"):
        build(folder, kb)
    assert graph_of(kb) == before


def test_another_embedder_is_refused(folder: Path, kb: Path) -> None:
    other = Settings(embed=EmbedSettings(name="hashing", dimension=64))
    with pytest.raises(StoreMismatch, match="embedded by wordllama"):
        build(folder, kb, other)


MAIL = """From: a@example.com
To: b@example.com
Subject: Offer
Message-ID: <1@example.com>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=X

--X
Content-Type: text/plain

The offer for the pump P-101A is attached.
--X
Content-Type: text/plain; name=offer.txt
Content-Disposition: attachment; filename=offer.txt

The pump costs 4200 EUR.
--X--
"""


def test_the_member_limit_counts_nested_archives_together(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with zipfile.ZipFile(tmp_path / "folder" / "all.zip", "w") as outer:
        for name in ("one.zip", "two.zip"):
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as archive:
                for number in range(3):
                    archive.writestr(f"{number}.txt", f"Pump {name} {number} runs.")
            outer.writestr(name, inner.getvalue())
    settings = Settings.model_validate({"parse": {"limits": {"members": 5}}})
    report = build(tmp_path / "folder", tmp_path / "kb", settings)
    assert [failure.status for failure in report.failures] == [Status.TOO_LARGE]
    assert sum(uri.endswith(".txt") for uri in entries_of(tmp_path / "kb")) == 3
