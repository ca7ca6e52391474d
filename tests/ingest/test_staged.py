"""Tests that compiling documents with one job per stage gives the same result as one job per document."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from pipelines import build
from pipelines.ingest.build import open_run
from pipelines.ingest.compile import DocumentProgress
from pipelines.ingest.report import Report
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import PlainSteps, execute
from pipelines.ingest.task import COMPILING, SourceItem
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from tests.ingest.knowledge import assert_same, entries_of, write_folder
from tests.ingest.saboteur import ENGINE
from tests.ingest.test_figures import answer, noise, settings_for

GOOD = "The pump P-101A delivers 40 m3/h at 6 bar.\n"


class StageByStage(PlainSteps):
    """Compiles documents with one job per stage, as a flow does."""

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        works = [DocumentProgress(item) for item in items]
        for stage in COMPILING:
            works = list(await asyncio.gather(*(run.advance_in_turn(work, stage) for work in works)))
        return [member for work in works for member in run.take(work)]


def staged(folder: Path, kb: Path, settings: Settings) -> Report:
    with open_run(folder, kb, settings) as run:
        return asyncio.run(execute(run, run.prepare(), StageByStage()))


def summary_of(report: Report) -> tuple[object, ...]:
    failures = sorted((one.subject, one.stage, one.status, one.error, one.retryable) for one in report.failures)
    return report.documents, report.changes, report.stages, report.contents, report.unfinished, failures


def catalog(kb: Path) -> dict[str, Entry]:
    """The catalog entries without their reasons, which may name a temporary file."""
    return {uri: replace(entry, reason="") for uri, entry in entries_of(kb).items()}


def artifacts(kb: Path) -> set[Path]:
    """The paths of the artifacts."""
    kept = (kb / "artifacts").rglob("*")
    return {path.relative_to(kb) for path in kept if path.is_file()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    import docx

    folder = write_folder(tmp_path / "folder")
    (tmp_path / "pump.png").write_bytes(noise())
    made = docx.Document()
    made.add_heading("Cooling circuit", 1)
    made.add_paragraph("The cooling circuit is shown below. It runs day and night.")
    made.add_picture(str(tmp_path / "pump.png"))
    made.save(str(folder / "circuit.docx"))
    (folder / "broken.pdf").write_bytes(b"%PDF-1.7\nnothing\n")
    return folder


def test_compiling_by_stage_without_a_model_gives_the_same_result(folder: Path, tmp_path: Path) -> None:
    plain, by_stage = build(folder, tmp_path / "plain", Settings()), staged(folder, tmp_path / "staged", Settings())
    assert summary_of(plain) == summary_of(by_stage)
    assert_same(tmp_path / "plain", tmp_path / "staged")
    assert catalog(tmp_path / "plain") == catalog(tmp_path / "staged")
    assert artifacts(tmp_path / "plain") == artifacts(tmp_path / "staged")


@pytest.mark.parametrize("answers", [True, False], ids=["model", "absent"])
def test_compiling_by_stage_with_a_model_gives_the_same_result(answers: bool, folder: Path, tmp_path: Path) -> None:
    with LoopbackServer(answer) as server:
        settings = settings_for(server.url)
        if answers:
            plain = build(folder, tmp_path / "plain", settings)
            by_stage = staged(folder, tmp_path / "staged", settings)
    if not answers:
        plain, by_stage = build(folder, tmp_path / "plain", settings), staged(folder, tmp_path / "staged", settings)
    assert summary_of(plain) == summary_of(by_stage)
    assert plain.unfinished == 0 if answers else plain.unfinished > 0
    assert_same(tmp_path / "plain", tmp_path / "staged")
    assert artifacts(tmp_path / "plain") == artifacts(tmp_path / "staged")


@pytest.mark.parametrize("orders", ["chunk raise", "atomize crash", "embed raise"])
def test_a_document_that_breaks_a_stage_fails_alone(orders: str, tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    for name, text in {"a": GOOD, "b": orders, "c": GOOD}.items():
        (folder / f"{name}.txt").write_text(f"{text}\n\n{GOOD}")
    engines = {"engines": {"text/plain": ENGINE}}
    settings = Settings.model_validate({"parse": engines, "ingest": {"workers": 1}})
    plain, by_stage = build(folder, tmp_path / "plain", settings), staged(folder, tmp_path / "staged", settings)
    assert summary_of(plain) == summary_of(by_stage)
    assert by_stage.documents["indexed"] == 2
    assert artifacts(tmp_path / "plain") == artifacts(tmp_path / "staged")
