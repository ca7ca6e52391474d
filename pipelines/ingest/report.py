"""Reporting: the events of a run, its report, and the records of the last runs in the catalog."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from pipelines.core.errors import NotFound
from pipelines.core.outcome import Failure, Status
from pipelines.store.catalog import Catalog
from pipelines.store.facts import CatalogFact

if TYPE_CHECKING:
    from pipelines.llm.budget import Estimate
    from pipelines.llm.ledger import Ledger


class Stage(StrEnum):
    FETCH = "fetch"
    SCAN = "scan"
    FLOW = "flow"
    PARSE = "parse"
    CHUNK = "chunk"
    ATOMIZE = "atomize"
    EMBED = "embed"
    LINK = "link"
    LOAD = "load"
    PROJECT = "project"
    LEARN = "learn"


class Phase(StrEnum):
    STARTED = "started"
    DONE = "done"
    REUSED = "reused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Event:
    """An event of a stage; `subject` is the URI of a document, or empty for the whole corpus.

    `total` is the number of documents to compile, which the last event before the first document carries.
    """

    stage: Stage
    phase: Phase
    subject: str = ""
    detail: str = ""
    total: int = 0


Progress = Callable[[Event], None]
"""The callback for the events of a run."""


def silent(event: Event) -> None:
    """Ignore an event: the default of `progress`."""


@dataclass(frozen=True, slots=True)
class StageCount:
    """How many documents a stage processed, reused from an earlier run, and failed on."""

    done: int = 0
    reused: int = 0
    failed: int = 0


@dataclass(frozen=True, slots=True)
class Report:
    """The summary of a run.

    `documents` counts the files of the folder by status, `changes` those "done", "unchanged", "removed" and "left out",
    and `contents` the items of the knowledge base by kind. `dropped` counts the results of language work that failed a
    check, by reason; `usage` has the model's calls and tokens by role. `step_seconds` has the wall time of each step in
    order, first "documents", the stages of all documents. `repeated` says why documents with the same content were
    compiled again, empty if none were; `stopped` is the reason why the run ended early, empty if it did not.
    """

    knowledge_base: str
    documents: dict[str, int] = field(default_factory=dict)
    changes: dict[str, int] = field(default_factory=dict)
    stages: dict[str, StageCount] = field(default_factory=dict)
    contents: dict[str, int] = field(default_factory=dict)
    dropped: dict[str, int] = field(default_factory=dict)
    usage: dict[str, dict[str, float]] = field(default_factory=dict)
    step_seconds: dict[str, float] = field(default_factory=dict)
    failures: tuple[Failure, ...] = ()
    unfinished: int = 0
    repeated: str = ""
    stopped: str = ""
    seconds: float = 0.0

    @property
    def failures_by_reason(self) -> dict[str, int]:
        """The number of failures by stage and status, most frequent first; "failed" is named by its error, if known."""
        kinds = Counter(
            f"{one.stage}: {(one.error if one.status is Status.FAILED else '') or one.status.value}"
            for one in self.failures
        )
        return dict(kinds.most_common())

    @property
    def dollars(self) -> float:
        """The cost of all model calls."""
        return sum(float(role.get("dollars", 0)) for role in self.usage.values())

    @property
    def exit_code(self) -> int:
        """0 if every document succeeded, 8 if some failed or are unfinished, 7 if the budget ended the run."""
        if self.stopped:
            return 7
        return 8 if self.failures or self.unfinished else 0


class Tally:
    """Counts the results of documents by stage: the first one counts, but a failure is replaced by a later result."""

    def __init__(self) -> None:
        self._ends: dict[tuple[str, str], Phase] = {}

    def __call__(self, event: Event) -> None:
        step = (event.stage.value, event.subject)
        if event.subject and event.phase is not Phase.STARTED and self._ends.get(step) in (None, Phase.FAILED):
            self._ends[step] = event.phase

    def stages(self, names: tuple[str, ...]) -> dict[str, StageCount]:
        counts = Counter((stage, phase) for (stage, _), phase in self._ends.items())
        return {
            name: StageCount(*(counts[name, phase] for phase in (Phase.DONE, Phase.REUSED, Phase.FAILED)))
            for name in names
        }


def usage_by_role(ledger: Ledger, estimate: Estimate | None = None) -> dict[str, dict[str, float]]:
    """Return the model's calls, tokens and costs by role, with the estimated calls and costs if there are any."""
    estimated = {line.role: line for line in estimate.lines} if estimate else {}
    return {
        role: {
            **({"estimated calls": estimated[role].usage.calls} if role in estimated else {}),
            **({"estimated dollars": round(estimated[role].dollars, 6)} if role in estimated else {}),
            "calls": totals.usage.calls,
            "from cache": totals.cached,
            "failed": totals.failed,
            "input tokens": totals.usage.input_tokens,
            "output tokens": totals.usage.output_tokens,
            "seconds": round(totals.seconds, 1),
            "dollars": round(totals.dollars, 6),
        }
        for role, totals in sorted(ledger.roles.items())
    }


MOST_RUNS = 50
"""Maximum runs that are kept."""
MOST_FAILURES = 200
"""Maximum failures of a run that are kept; all are counted by reason."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """The record of a run. `number` counts from 1, `began` is in UTC, `settings` are those that differ from defaults.

    `reasons` counts all failures by reason, including those of documents that were removed since.
    """

    number: int
    began: str
    folder: str
    report: Report
    settings: dict[str, object] = field(default_factory=dict)
    reasons: dict[str, int] = field(default_factory=dict)


RUNS: CatalogFact[tuple[RunRecord, ...]] = CatalogFact("runs", tuple[RunRecord, ...], ())
"""The last runs, oldest first."""


def record_run(catalog: Catalog, folder: str, settings: dict[str, object], report: Report) -> None:
    """Record the report of a run that has just ended."""
    kept = RUNS.read(catalog)
    began = datetime.fromtimestamp(datetime.now(UTC).timestamp() - report.seconds, UTC)
    short = replace(report, failures=report.failures[:MOST_FAILURES])
    number = kept[-1].number + 1 if kept else 1
    record = RunRecord(
        number, began.isoformat(timespec="seconds"), folder, short, settings, dict(report.failures_by_reason)
    )
    RUNS.write(catalog, (*kept, record)[-MOST_RUNS:])


COMPILING_SECTIONS = ("parse.", "chunk.", "atomize.", "graph.", "llm.", "embed.")
"""The sections of settings on which compiled documents depend."""


def repeated_because(documents: int, catalog: Catalog, settings: dict[str, object]) -> str:
    """Return why `documents` with the same content are compiled again; empty for none.

    It names the settings that differ from those of the last run, such as "llm.model qwen3 (now not set)".
    """
    if not documents:
        return ""
    runs = RUNS.read(catalog)
    before = runs[-1].settings if runs else {}
    names = sorted(name for name in {*before, *settings} if name.startswith(COMPILING_SECTIONS))
    differ = [
        f"{name} {before.get(name, 'not set')} (now {settings.get(name, 'not set')})"
        for name in names
        if before.get(name) != settings.get(name)
    ]
    which = "1 unchanged document is" if documents == 1 else f"{documents} unchanged documents are"
    why = (
        f"settings differ from the last run: {', '.join(differ)}" if differ else "another version, or other tag classes"
    )
    return f"{which} compiled again; {why}"


def run_of(catalog: Catalog, number: int) -> RunRecord:
    """Return the record of the run with this number. Raises `NotFound`."""
    runs = {record.number: record for record in RUNS.read(catalog)}
    if number not in runs:
        hint = f"there are {min(runs)} to {max(runs)}" if runs else "no run is recorded"
        raise NotFound(f"no run {number}", ids=(str(number),), hint=hint)
    return runs[number]


def forget_failures(catalog: Catalog, known: Collection[str]) -> None:
    """Remove the failures of removed documents, those that are not among the `known` URIs, from all records."""
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
