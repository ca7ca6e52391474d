"""Tests of ingesting malformed links, numbers and names."""

from __future__ import annotations

from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.errors import StoreUnavailable
from pipelines.core.graph import Subgraph
from pipelines.core.outcome import Failure, Status
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import GraphStore, sync
from pipelines.store.testing.graph_store_contract import A, B, corpus, document, reference
from tests.ingest.knowledge import assert_same, entries_of, lines_of, write_folder

ADDRESSES = [
    "http://[x", "http://e.example]x", "https://[1]/a", "http://h:port/", "http://h:99999999999/", "//[", "file://[x",
    "www.[x", "http://\u2100.example/", "%ed%a0%80.md", "a.md#[", "C:\\[", "?" * 300, "[" * 300, "../" * 300 + "x.md",
]  # fmt: skip
BAD_HTML = "<html><head><title>Rev {digits}</title></head><body><h1>DS-{digits} Rev. {digits}</h1>{links}</body></html>"
DIGITS = "9" * 5000


def write_hostile(folder: Path) -> list[str]:
    links = "".join(f'<p>See <a href="{one}">the crane</a> in section {DIGITS}.</p>' for one in ADDRESSES)
    (folder / "links.html").write_text(BAD_HTML.format(digits=DIGITS, links=links))
    (folder / "links.md").write_text(
        "# Crane\n\n" + "\n\n".join(f"[link={one}]x [a]({one}) <{one}>" for one in ADDRESSES)
    )
    (folder / "dates.eml").write_text(
        f"From: a@example.com\nDate: Mon, 99 Foo 0000 99:99:99 +9999\nSubject: Rev {DIGITS}\n\nThe crane {DIGITS}.\n"
    )
    (folder / "years.csv").write_text(f"date,load\n0000-00-00,{DIGITS}\n99999-12-31,1e999\nNaN,-0\n")
    return ["dates.eml", "links.html", "links.md", "years.csv"]


def test_malformed_links_and_numbers_are_indexed_without_failures(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    names = write_hostile(folder)
    report = build(folder, tmp_path / "kb")
    assert report.failures == ()
    entries = entries_of(tmp_path / "kb")
    assert {name: entries[name].status for name in names} == dict.fromkeys(names, Status.INDEXED)
    assert report.documents == {"indexed": 3 + len(names)}


class Refusing:
    """A graph store that fails to write the subgraph of one owner."""

    def __init__(self, store: GraphStore, error: Exception) -> None:
        self._store = store
        self._error = error

    def write(self, subgraph: Subgraph) -> None:
        if subgraph.owner == A:
            raise self._error
        self._store.write(subgraph)

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)


def test_a_document_that_cannot_be_projected_fails_alone(tmp_path: Path) -> None:
    one, two = (EmbeddedStore.open(tmp_path / name) for name in ("one", "two"))
    for part in (document(A), document(B), corpus(reference(A, B))):
        one.graph.write(part)
    failed = sync(one.graph, Refusing(two.graph, OverflowError("too large")))  # type: ignore[arg-type]
    assert failed.failures == (Failure(A, "project", "project: OverflowError: too large", "OverflowError"),)
    assert (failed.written, failed.unchanged) == (2, 0)
    assert [node for node in two.graph.nodes() if node.owner == B]
    assert sync(one.graph, two.graph).failures == ()
    assert lines_of(two.graph) == lines_of(one.graph)
    with pytest.raises(StoreUnavailable):
        sync(one.graph, Refusing(EmbeddedStore.open(tmp_path / "three").graph, StoreUnavailable("away")))  # type: ignore[arg-type]


def test_removed_hostile_documents_do_not_affect_the_links_of_others(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "folder")
    build(folder, tmp_path / "kb")
    names = write_hostile(folder)
    build(folder, tmp_path / "other")
    for name in names:
        (folder / name).unlink()
    build(folder, tmp_path / "other")
    assert_same(tmp_path / "other", tmp_path / "kb")
