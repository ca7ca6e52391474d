"""The ingests so far, as the knowledge base keeps them (`strata runs`)."""

from __future__ import annotations

from pipelines.ingest.report import RUNS, RunRecord
from serve.library import OpenBase
from serve.results import RunLine


def runs_of(base: OpenBase) -> list[RunLine]:
    """Return the last ingests, the latest first; none where only some folders are seen: they tell of all."""
    return [_line(record) for record in reversed(RUNS.read(base.knowledge.stores.catalog))]


def _line(record: RunRecord) -> RunLine:
    report = record.report
    return RunLine(
        record.number,
        record.began.removesuffix("+00:00"),
        report.changes.get("done", 0),
        report.changes.get("unchanged", 0),
        report.changes.get("removed", 0),
        sum(record.reasons.values()),
        report.seconds,
        report.dollars,
        report.stopped,
        record.reasons,
    )
