"""Tests of documents over the budget for OCR: they are indexed in part, and later runs complete them."""

from __future__ import annotations

import base64
from pathlib import Path

import pytest

from pipelines import build
from pipelines.core import codec
from pipelines.core.outcome import Status
from pipelines.ingest.report import Report
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.artifact import read_document
from tests.ingest.knowledge import entries_of
from tests.parse.pdf_pages import Pdf, drawn

WORDS = ("Inlet valve", "Outlet valve", "Surge tank")
URI = "valves.html"


def settings(**ocr: object) -> Settings:
    return Settings.model_validate({"parse": {"ocr": ocr}, "ingest": {"workers": 1}})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "folder"
    folder.mkdir()
    pictures = (drawn(Pdf().page(300, 150).text(30, 80, word, size=24).data()) for word in WORDS)
    shown = "".join(f'<p><img src="data:image/png;base64,{base64.b64encode(data).decode()}"></p>' for data in pictures)
    (folder / URI).write_text(f"<h1>Valves</h1><p>Close the inlet valve first.</p>{shown}")
    (folder / "pump.md").write_text("# Pump P-101A\n\nThe pump delivers 40 m3/h at 6 bar.\n")
    return folder


def document(kb: Path) -> bytes:
    with open_stores(kb, Settings()) as stores:
        return codec.encode(read_document(stores.artifacts, entries_of(kb)[URI]))


def readings(kb: Path) -> list[Path]:
    return [path for path in (kb / "artifacts" / "readings").rglob("*") if path.is_file()]


def done(report: Report) -> int:
    return report.changes["done"]


def test_unread_pictures_are_read_by_later_runs_until_the_document_is_complete(folder: Path, tmp_path: Path) -> None:
    kb, one = tmp_path / "kb", settings(figure_limit=1)
    build(folder, kb, one)
    first = entries_of(kb)[URI]
    assert first.status is Status.PARTIAL
    assert first.reason == "2 of 3 pictures were not read off: more than 1 in one run (parse.ocr.figure_limit)"
    assert b"Close the inlet valve first." in document(kb)
    assert WORDS[0].encode() in document(kb)
    assert WORDS[2].encode() not in document(kb)
    assert readings(kb)
    assert done(build(folder, kb, one)) == 1
    assert entries_of(kb)[URI].status is Status.PARTIAL
    assert done(build(folder, kb, one)) == 1
    last = entries_of(kb)[URI]
    assert (last.status, last.reason) == (Status.INDEXED, "")
    assert not readings(kb)
    assert done(build(folder, kb, one)) == 0
    build(folder, tmp_path / "unlimited", settings())
    assert document(kb) == document(tmp_path / "unlimited")
    assert entries_of(kb)[URI].artifacts == entries_of(tmp_path / "unlimited")[URI].artifacts


def test_a_document_without_progress_is_retried_only_with_a_higher_limit(folder: Path, tmp_path: Path) -> None:
    kb, none = tmp_path / "kb", settings(figures_cpu_s=0)
    build(folder, kb, none)
    entry = entries_of(kb)[URI]
    assert entry.status is Status.PARTIAL
    assert "3 of 3 pictures were not read off: over 0 processor seconds" in entry.reason
    assert done(build(folder, kb, none)) == 0
    assert entries_of(kb)[URI] == entry
    assert done(build(folder, kb, settings())) == 1
    assert entries_of(kb)[URI].status is Status.INDEXED
    assert WORDS[2].encode() in document(kb)
