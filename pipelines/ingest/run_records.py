"""The reports of the last runs, kept in the catalog of the knowledge base: what `strata runs` shows."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from pipelines.core.errors import NotFound
from pipelines.ingest.report import Report
from pipelines.store.catalog import Catalog
from pipelines.store.facts import Fact

MOST_RUNS = 50
"""Runs that are kept; older ones go."""
MOST_FAILURES = 200
"""Failures of a run that are kept one by one; all are counted by their reason."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """A run as it is kept: `number` counts from 1, `began` is in UTC, `settings` are those that are not the defaults.

    `reasons` counts the failures of all kinds, also of documents that have gone since.
    """

    number: int
    began: str
    folder: str
    report: Report
    settings: dict[str, object] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)


RUNS: Fact[tuple[RunRecord, ...]] = Fact("runs", tuple[RunRecord, ...], ())
"""The last runs, oldest first."""


def record_run(catalog: Catalog, folder: str, settings: dict[str, object], report: Report) -> None:
    """Keep the report of a run that has just ended."""
    kept = RUNS.read(catalog)
    began = datetime.fromtimestamp(datetime.now(UTC).timestamp() - report.seconds, UTC)
    short = replace(report, failures=report.failures[:MOST_FAILURES])
    number = kept[-1].number + 1 if kept else 1
    record = RunRecord(
        number, began.isoformat(timespec="seconds"), folder, short, settings, dict(report.failures_by_reason)
    )
    RUNS.write(catalog, (*kept, record)[-MOST_RUNS:])


def run_of(catalog: Catalog, number: int) -> RunRecord:
    """Return the run of this number. Raises `NotFound`."""
    runs = {record.number: record for record in RUNS.read(catalog)}
    if number not in runs:
        hint = f"there are {min(runs)} to {max(runs)}" if runs else "no run is recorded"
        raise NotFound(f"no run {number}", ids=(str(number),), hint=hint)
    return runs[number]


def forget_failures(catalog: Catalog, known: Collection[str]) -> None:
    """Take out of all records the failures of documents that are not among the `known` URIs: these have gone."""
    runs = RUNS.read(catalog)
    left = tuple(
        replace(
            one,
            report=replace(one.report, failures=tuple(each for each in one.report.failures if each.subject in known)),
        )
        for one in runs
    )
    if left != runs:
        RUNS.write(catalog, left)
