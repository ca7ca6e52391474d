"""Tests of ingesting each kind of source: the knowledge base equals that of a folder with the same files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core.outcome import Status
from pipelines.sections import IngestSettings
from pipelines.settings import Settings
from tests.conftest import Strata
from tests.ingest.knowledge import DATA_SHEET, MANUAL, assert_same, entries_of
from tests.ingest.remains import remains
from tests.ingest.sources.places import Place, S3Place, kinds, place_of, s3_server

QUICK = Settings(ingest=IngestSettings(workers=1, documents_at_once=2, site_pause_s=0))
pytestmark = pytest.mark.slow


@pytest.fixture(params=kinds())
def place(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    with place_of(request.param, tmp_path, monkeypatch) as made:
        yield made


def test_documents_of_a_source_are_added_changed_renamed_and_removed(place: Place, tmp_path: Path) -> None:
    kb = tmp_path / "kb"
    place.put("manual.md", MANUAL)
    place.put("sheets/DS-2041.md", DATA_SHEET)
    report = build(place.location, kb, QUICK)
    assert (report.documents, report.failures) == ({"indexed": 2}, ())
    assert set(entries_of(kb)) == {place.uri("manual.md"), place.uri("sheets/DS-2041.md")}

    again = build(place.location, kb, QUICK)
    assert (again.changes["unchanged"], again.changes["done"]) == (2, 0)

    place.put("manual.md", MANUAL.replace("4000", "6000"))
    place.remove("sheets/DS-2041.md")
    place.put("pumps/DS-2041.md", DATA_SHEET)
    changed = build(place.location, kb, QUICK)
    assert changed.documents == {"indexed": 2}
    assert set(entries_of(kb)) == {place.uri("manual.md"), place.uri("pumps/DS-2041.md")}
    assert remains(kb, {"changed text": b"every 4000 hours"}) == {}

    build(Path(shutil.copytree(kb / "sources" / "files", tmp_path / "folder")), tmp_path / "plain", QUICK)
    assert_same(kb, tmp_path / "plain")

    place.remove("manual.md")
    assert build(place.location, kb, QUICK).documents == {"indexed": 1}
    assert remains(kb, {"removed text": b"every 6000 hours"}) == {}


def test_a_knowledge_base_of_a_bucket_can_be_replaced_by_one_of_a_folder(
    strata: Strata, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kb = tmp_path / "kb"
    with s3_server(monkeypatch) as endpoint:
        bucket = S3Place(endpoint)
        bucket.put("manual.md", MANUAL)
        bucket.put("old/draft.md", "A draft.")
        words = ("--kb", kb, "--no-flow", "--quiet", "--set", 'ingest.exclude=["old/*"]')
        assert strata("ingest", bucket.location, *words)[0] == 0
        code, said, _ = strata("diff", bucket.location, *words[:2], "--quiet", "--json")
        assert (code, '"added": [\n    "old/draft.md"' in said) == (0, True)
        entries = entries_of(kb)
        assert entries["old/draft.md"].status is Status.SKIPPED
        assert bucket.location in strata("runs", "--kb", kb)[1].replace("\n", "")
        assert strata("forget", "manual.md", "--kb", kb)[0] == 0
        assert remains(kb, {"forgotten text": b"Close valve V-12"}) == {}
        bucket.close()

    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "sheet.md").write_text(DATA_SHEET)
    assert strata("ingest", tmp_path / "folder", "--kb", kb, "--no-flow", "--quiet")[0] == 0
    assert not (kb / "sources").exists()


def test_an_unreachable_source_changes_nothing_and_creates_no_knowledge_base(strata: Strata, tmp_path: Path) -> None:
    code, _, said = strata("ingest", "http://127.0.0.1:1/", "--kb", tmp_path / "kb", "--no-flow")
    assert code == 4
    assert "cannot be reached" in said
    code, _, said = strata("ingest", "ftp://127.0.0.1:1/a", "--kb", tmp_path / "kb", "--no-flow")
    assert (code, "ftp://127.0.0.1:1/a cannot be reached" in said) == (4, True)
    code, _, said = strata("ingest", "gopher:x", "--kb", tmp_path / "kb", "--no-flow")
    assert (code, "no such kind of place: gopher" in said) == (4, True)
    assert not (tmp_path / "kb").exists()
    (tmp_path / "kb").mkdir()
    (tmp_path / "kb" / "strata.toml").write_text("[ingest]\nworkers = 1\n")
    assert strata("ingest", "http://127.0.0.1:1/", "--kb", tmp_path / "kb", "--no-flow")[0] == 4
    assert [path.name for path in (tmp_path / "kb").iterdir()] == ["strata.toml"]
