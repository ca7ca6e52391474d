from __future__ import annotations

from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.outcome import Status
from pipelines.ingest.integrity import (
    Defect,
    Inconsistency,
    StorePart,
    check_artifacts,
    check_copy,
    check_ends,
    check_graph,
    check_vectors,
)
from pipelines.store.catalog import Entry

ENTRIES = (
    Entry("a.pdf", "", 1, Status.INDEXED, "document:a", artifacts={"parse": "p", "chunk": "c"}),
    Entry("b.pdf", "", 1, Status.FAILED, "", artifacts={"parse": "gone"}),
)
FINE = {"document:a": "1", CORPUS_OWNER: "2"}


def defects_of(found: object) -> list[tuple[Defect, str]]:
    return [(one.fault, one.subject) for one in found]  # type: ignore[attr-defined]


def test_consistent_stores_have_no_findings() -> None:
    assert list(check_graph(ENTRIES, FINE, FINE)) == []
    assert list(check_copy(FINE, FINE, FINE)) == []
    assert list(check_vectors(ENTRIES, {"document:a": {"1"}}, {"document:a": {"1"}})) == []
    assert list(check_artifacts(ENTRIES, {"parse": ["p"], "chunk": ["c", "old"]})) == []
    assert list(check_ends({"a", "b"}, [("a", "b")])) == []


def test_a_document_without_its_graph_is_missing() -> None:
    assert list(check_graph(ENTRIES, {}, {})) == [Inconsistency(StorePart.GRAPH, Defect.MISSING, "document:a", "a.pdf")]


def test_a_graph_without_its_document_is_an_orphan() -> None:
    assert defects_of(check_graph(ENTRIES, FINE | {"document:z": "9"}, FINE)) == [(Defect.ORPHAN, "document:z")]


def test_a_graph_with_another_digest_is_changed() -> None:
    assert defects_of(check_graph(ENTRIES, FINE, FINE | {"document:a": "7"})) == [(Defect.CHANGED, "document:a")]


def test_a_copy_of_the_graph_may_have_missing_orphaned_and_changed_owners() -> None:
    source, copy = {"a": "1", "b": "2", "c": "3"}, {"b": "2", "c": "4", "d": "5"}
    found = defects_of(check_copy(source, copy, copy))
    assert found == [(Defect.MISSING, "a"), (Defect.CHANGED, "c"), (Defect.ORPHAN, "d")]


def test_vectors_may_be_missing_or_orphaned() -> None:
    found = check_vectors(ENTRIES, {"document:a": {"1", "2"}}, {"document:a": {"2", "3"}, "document:z": {"4"}})
    assert defects_of(found) == [
        (Defect.MISSING, "document:a"),
        (Defect.ORPHAN, "document:a"),
        (Defect.ORPHAN, "document:z"),
    ]


def test_a_missing_artifact_of_a_searchable_document_is_found() -> None:
    assert list(check_artifacts(ENTRIES, {"parse": [], "chunk": ["c"]})) == [
        Inconsistency(StorePart.ARTIFACTS, Defect.MISSING, "parse/p", "a.pdf")
    ]


def test_an_edge_without_one_of_its_nodes_is_found() -> None:
    assert defects_of(check_ends({"a"}, [("a", "z")])) == [(Defect.MISSING, "z")]
