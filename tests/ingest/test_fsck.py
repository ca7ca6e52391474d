"""Tests of checking and repairing a damaged knowledge base."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from pipelines import build
from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.ids import digest
from pipelines.ingest.fsck import fsck
from pipelines.ingest.integrity import SAMPLED_LEAST, Defect, StorePart, inspect_artifacts
from pipelines.llm.cache import ReplyStore
from pipelines.llm.chat import Reply
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings
from pipelines.store.artifact import FileArtifacts
from pipelines.store.vector import EmbeddedRecords
from qa.knowledge_base import KnowledgeBase
from tests.ingest.knowledge import entries_of, graph_of, vectors_of


def artifact(kb: Path, uri: str, stage: str) -> Path:
    return FileArtifacts(kb / "artifacts").path(stage, entries_of(kb)[uri].artifacts[stage])


def truncated(kb: Path, stage: str) -> None:
    path = artifact(kb, "manual.md", stage)
    path.write_bytes(path.read_bytes()[:-7])


def emptied(kb: Path, stage: str) -> None:
    artifact(kb, "manual.md", stage).write_bytes(b"")


def swapped(kb: Path, stage: str) -> None:
    shutil.copy(artifact(kb, "DS-2041.md", stage), artifact(kb, "manual.md", stage))


@pytest.mark.parametrize(
    ("damage", "stage"),
    [(truncated, "parse"), (emptied, "chunk"), (swapped, "atomize"), (truncated, "card"), (swapped, "embed")],
)
def test_a_damaged_artifact_is_reported_and_rebuilt_by_the_next_ingest(
    damage: Callable[[Path, str], None], stage: str, folder: Path, kb: Path
) -> None:
    before = graph_of(kb), vectors_of(kb)
    damage(kb, stage)
    found = fsck(kb, read_data=True).findings
    assert [(one.place, one.fault, one.detail) for one in found] == [(StorePart.ARTIFACTS, Defect.CHANGED, "manual.md")]
    assert found[0].subject.startswith(f"{stage}/")
    left = fsck(kb, repair=True).remaining
    assert [(one.place, one.subject, one.detail) for one in left] == [
        (StorePart.CATALOG, "manual.md", "ingest the folder again")
    ]
    build(folder, kb)
    assert fsck(kb, read_data=True).clean
    assert (graph_of(kb), vectors_of(kb)) == before


@pytest.mark.parametrize("stage", ["parse", "card", "embed"])
def test_a_damaged_artifact_fails_only_its_document_in_an_ingest(stage: str, folder: Path, kb: Path) -> None:
    emptied(kb, stage)
    (folder / "new.md").write_text("# DS-9 Valve\n\nThe valve V-12 closes in 3 s. See the Maintenance Manual.\n")
    assert {failure.subject for failure in build(folder, kb).failures} <= {"manual.md"}
    assert build(folder, kb).documents == {"indexed": 4}
    build(folder, kb.with_name("fresh"))
    fsck(kb, repair=True, read_data=True)
    build(folder, kb)
    assert fsck(kb, read_data=True).clean
    assert graph_of(kb) == graph_of(kb.with_name("fresh"))


def test_a_sample_of_artifacts_is_deterministic_and_reports_its_size(tmp_path: Path) -> None:
    artifacts = FileArtifacts(tmp_path)
    for number in range(3 * SAMPLED_LEAST):
        artifacts.put("parse", digest(str(number).encode()), b"kept")
    stores = Stores(None, None, artifacts, None, None)  # type: ignore[arg-type]
    keys = sorted(artifacts.keys("parse"), key=lambda key: digest(f"parse/{key}".encode()))
    artifacts.path("parse", keys[0]).write_bytes(b"")
    artifacts.path("parse", keys[-1]).write_bytes(b"")
    sampled, read = inspect_artifacts(stores, (), every=False), inspect_artifacts(stores, (), every=True)
    assert (sampled.held, sampled.read, len(sampled.findings)) == (3 * SAMPLED_LEAST, SAMPLED_LEAST, 1)
    assert (read.read, len(read.findings)) == (3 * SAMPLED_LEAST, 2)


def test_an_answer_from_a_damaged_graph_is_refused(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        db.execute(
            "UPDATE nodes SET properties = CAST(replace(CAST(properties AS TEXT), '4000 hours', '9000 hours') AS BLOB)"
            " WHERE kind = 'Chunk'"
        )
        db.commit()
    with KnowledgeBase.open(kb) as opened, pytest.raises(StoreMismatch, match="damaged"):
        opened.ask("How often is the oil of the bearing changed?")
    assert {finding.place for finding in fsck(kb).findings} == {StorePart.GRAPH}
    assert fsck(kb, repair=True).clean
    assert graph_of(kb) == before


def test_an_undecodable_row_of_the_graph_is_found_and_repaired(kb: Path) -> None:
    before = graph_of(kb)
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        db.execute("UPDATE nodes SET properties = x'00' WHERE kind = 'Chunk'")
        db.execute("UPDATE edges SET kind = 'NO_SUCH' WHERE kind = 'HAS_CHUNK'")
        db.commit()
    assert not fsck(kb).clean
    assert fsck(kb, repair=True).clean
    assert graph_of(kb) == before


@pytest.mark.parametrize("owner", ["nodes.owner", f"(SELECT number FROM ids WHERE id = '{CORPUS_OWNER}')"])
def test_a_damaged_hash_is_repaired_together_with_the_digest_of_its_owner(owner: str, kb: Path) -> None:
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        place = f"(SELECT min(id) FROM nodes WHERE owner = {owner})"
        db.execute(f"UPDATE nodes SET hash = zeroblob(16) WHERE id = {place}")
        db.commit()
    assert fsck(kb).findings
    assert fsck(kb, repair=True).remaining == ()


def test_what_damaged_rows_have_hidden_is_repaired_too(kb: Path) -> None:
    before = graph_of(kb)
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        db.execute("UPDATE nodes SET properties = x'00' WHERE kind = 'Chunk'")
        corpus = f"(SELECT number FROM ids WHERE id = '{CORPUS_OWNER}')"
        db.execute(f"DELETE FROM nodes WHERE id = (SELECT max(id) FROM nodes WHERE owner = {corpus})")
        db.commit()
    assert CORPUS_OWNER not in {one.subject for one in fsck(kb).findings}
    assert fsck(kb, repair=True).clean
    assert graph_of(kb) == before


@pytest.mark.parametrize("digest", ["'x'", "NULL", "x'ff00'"])
def test_a_damaged_digest_of_an_owner_is_repaired(digest: str, kb: Path) -> None:
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        db.execute(f"UPDATE OR REPLACE owners SET digest = coalesce({digest}, '')")
        db.commit()
    assert not fsck(kb).clean
    assert fsck(kb, repair=True).clean


def test_a_document_with_a_damaged_catalog_entry_is_ingested_again(folder: Path, kb: Path) -> None:
    before = entries_of(kb)
    with closing(sqlite3.connect(kb / "strata.db")) as db:
        db.execute("UPDATE entries SET entry = CAST(replace(CAST(entry AS TEXT), 'Manual', 'Mangle') AS BLOB)")
        db.commit()
    assert (StorePart.CATALOG, "manual.md") in {(one.place, one.subject) for one in fsck(kb).findings}
    assert not entries_of(kb)["manual.md"].status.searchable
    build(folder, kb)
    assert fsck(kb).clean
    assert [one.artifacts for one in entries_of(kb).values()] == [one.artifacts for one in before.values()]


def test_missing_vectors_are_reported_and_rebuilt(kb: Path) -> None:
    before = vectors_of(kb)
    shutil.rmtree(next((kb / "vectors").iterdir()))
    with KnowledgeBase.open(kb) as opened, pytest.raises(StoreMismatch, match="vectors are missing"):
        opened.ask("How often is the oil of the bearing changed?")
    assert [finding.place for finding in fsck(kb).findings] == [StorePart.VECTORS]
    assert fsck(kb, repair=True).clean
    assert vectors_of(kb) == before


def test_unreadable_vectors_are_reported_and_rebuilt(kb: Path) -> None:
    before = vectors_of(kb)
    for path in (kb / "vectors").rglob("data/*.lance"):
        path.write_bytes(path.read_bytes()[:-100])
    assert StorePart.VECTORS in {finding.place for finding in fsck(kb).findings}
    assert fsck(kb, repair=True).clean
    assert vectors_of(kb) == before


def test_changed_vectors_are_found_if_all_data_is_read(kb: Path) -> None:
    with open_stores(kb, Settings()) as stores:
        owner = entries_of(kb)["manual.md"].document
        held = list(stores.vectors.records(owners=[owner]))
        stores.vectors.write([owner], EmbeddedRecords())
        for batch in held:
            stores.vectors.write([], EmbeddedRecords(batch.records, batch.vectors + np.float32(0.25)))
    assert fsck(kb).clean
    found = fsck(kb, read_data=True).findings
    assert [(one.place, one.fault) for one in found] == [(StorePart.VECTORS, Defect.CHANGED)]
    assert fsck(kb, repair=True, read_data=True).clean


def test_damaged_caches_are_reported_ignored_and_dropped(folder: Path, kb: Path) -> None:
    with KnowledgeBase.open(kb) as opened:
        whole = opened.ask("How often is the oil of the bearing changed?")
    with closing(ReplyStore(kb / "replies.db")) as store:
        store.put("1", "distil", Reply("a pump of 40 bar"))
    (kb / "replies.db").write_bytes((kb / "replies.db").read_bytes().replace(b"40 bar", b"90 bar"))
    (kb / "embeddings.db").write_bytes(b"not a database at all" * 400)
    index = kb / "retrieval" / "index.npz"
    index.write_bytes(index.read_bytes()[:-500])
    found = fsck(kb).findings
    assert {one.subject for one in found} == {"replies.db", "embeddings.db", "retrieval/index.npz"}
    assert {one.place for one in found} == {StorePart.CACHES}
    with KnowledgeBase.open(kb) as opened:
        assert opened.ask("How often is the oil of the bearing changed?").text == whole.text
    assert fsck(kb, repair=True).clean


def test_a_destroyed_database_is_reported_with_a_hint_and_rebuilt_from_artifacts(folder: Path, kb: Path) -> None:
    before = graph_of(kb)
    (kb / "strata.db").write_bytes(b"\0" * 8192)
    with pytest.raises(StoreMismatch) as error:
        fsck(kb)
    assert "remove strata.db and ingest the folder again" in error.value.hint
    (kb / "strata.db").unlink()
    report = build(folder, kb)
    assert report.stages["parse"].done == 0
    assert graph_of(kb) == before
    assert fsck(kb).clean
