"""Tests of comparing a folder with the catalog."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines.core.document import Source
from pipelines.core.outcome import Status
from pipelines.ingest.keys import Makers, StageKeys, stage_keys
from pipelines.ingest.plan import IngestPlan, plan
from pipelines.ingest.scan import scan
from pipelines.settings import Settings
from pipelines.store.catalog import Entry

SETTINGS = Settings()
MAKERS = Makers("structural", "extractive", "wordllama")


def keys(source: Source) -> StageKeys:
    return stage_keys(source, SETTINGS, MAKERS)


def planned(folder: Path, *entries: Entry) -> IngestPlan:
    return plan(scan(folder, SETTINGS.ingest), entries, keys)


def indexed(plan: IngestPlan) -> Entry:
    """The entry that a run makes for the only item of a plan."""
    (item,) = plan.items
    source = item.source
    return Entry(
        source.uri,
        source.digest,
        source.size,
        Status.INDEXED,
        modified_ns=item.modified_ns,
        changed_ns=item.changed_ns,
        artifacts=keys(source).by_stage(),
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("pump")
    return tmp_path


def test_a_new_file_is_planned(folder: Path) -> None:
    assert [item.source.uri for item in planned(folder).items] == ["a.txt"]


def test_an_unchanged_indexed_file_is_not_planned(folder: Path) -> None:
    entry = indexed(planned(folder))
    assert planned(folder, entry) == IngestPlan(unchanged=(entry,))


def test_a_file_with_a_new_date_but_the_same_bytes_is_unchanged(folder: Path) -> None:
    entry = indexed(planned(folder))
    assert planned(folder, replace(entry, modified_ns=1)).unchanged == (entry,)


def test_changed_content_of_the_same_size_and_date_is_planned(folder: Path) -> None:
    path, entry = folder / "a.txt", indexed(planned(folder))
    dated = path.stat()
    path.write_text("seal")
    os.utime(path, ns=(dated.st_atime_ns, dated.st_mtime_ns))
    (item,) = planned(folder, entry).items
    assert item.source.digest != entry.digest


def test_an_edited_file_is_planned(folder: Path) -> None:
    entry = indexed(planned(folder))
    (folder / "a.txt").write_text("pumps")
    assert len(planned(folder, entry).items) == 1


def test_a_changed_setting_plans_the_file_again(folder: Path) -> None:
    entry = indexed(planned(folder))
    changed = SETTINGS.model_copy(update={"chunk": SETTINGS.chunk.model_copy(update={"max_tokens": 500})})
    again = plan(scan(folder, SETTINGS.ingest), [entry], lambda source: stage_keys(source, changed, MAKERS))
    assert len(again.items) == 1


def test_a_missing_file_is_gone_with_its_parts(folder: Path) -> None:
    mail = Entry("mail.eml", "1", 1, Status.INDEXED)
    offer = Entry("mail.eml!/offer.pdf", "2", 1, Status.INDEXED, parent="mail.eml")
    assert planned(folder, mail, offer).gone == (mail, offer)


def test_a_failed_file_is_planned_again(folder: Path) -> None:
    entry = replace(indexed(planned(folder)), status=Status.FAILED)
    assert len(planned(folder, entry).items) == 1


def test_a_part_of_an_unchanged_container_is_unchanged_or_planned_again(folder: Path) -> None:
    container = indexed(planned(folder))
    source = Source("a.txt!/b", "", 1, "22")
    part = Entry(source.uri, source.digest, 1, Status.INDEXED, parent="a.txt", artifacts=keys(source).by_stage())
    assert planned(folder, container, part).unchanged == (container, part)
    failed = replace(part, status=Status.FAILED)
    again = planned(folder, container, failed)
    assert [(item.source, item.parent) for item in again.items] == [(source, "a.txt")]
    assert again.gone == ()


def test_a_skipped_file_is_reported_with_its_reason(folder: Path) -> None:
    (folder / ".hidden").write_text("x")
    (entry,) = planned(folder).left_out
    assert (entry.uri, entry.status, entry.reason) == (".hidden", Status.SKIPPED, "hidden file")
