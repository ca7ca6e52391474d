"""Overview of a knowledge base: files by status, languages, contents, cost, past ingests; failures with remedies."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipelines.core import codec
from pipelines.core.graph import NodeKind
from pipelines.core.outcome import Status
from pipelines.ingest.report import RUNS, RunRecord
from pipelines.llm.chat import Usage
from pipelines.llm.ledger import TraceLine, cost
from pipelines.llm.settings import Price
from pipelines.store.catalog import Entry
from pipelines.store.facts import being_written, incompleteness, remedy, state
from serve.language import say
from serve.library import OpenBase, document_key
from serve.results import FailureLine, KnowledgeBaseLine, KnowledgeBaseOverview, RunLine, SpendingLine
from serve.views import text

_LONGEST_TRACE = 64 << 20
"""Bytes at the end of a trace that are summed up: half a million calls."""


def overview(base: OpenBase) -> KnowledgeBaseOverview:
    """Return the overview of a knowledge base."""
    stores = base.knowledge.stores
    entries = base.entries()
    there = state(stores.catalog)
    found = [entry for entry in entries if entry.status.searchable]
    contents = Counter[str]()
    for entry in found:
        contents.update(entry.counts)
    info = stores.embedder.info
    return KnowledgeBaseOverview(
        base.name,
        len(entries),
        len(found),
        dict(Counter(entry.status.value for entry in entries).most_common()),
        dict(Counter(entry.reason for entry in entries if entry.reason).most_common(20)),
        language_counts(base),
        dict(Counter(entry.media_type or "unknown" for entry in entries).most_common()),
        {name: count for name, count in sorted(contents.items()) if count},
        f"{info.name} ({info.model})" if info.model else info.name,
        base.knowledge.default_strategy,
        () if base.scope else spending(stores.folder.trace, base.settings.llm.prices),
        {} if base.scope else {path: codec.encode(value).decode() for path, value in base.settings.changed().items()},
        incompleteness(there),
        remedy(there),
        being_written(stores.catalog),
    )


def knowledge_base_line(base: OpenBase) -> KnowledgeBaseLine:
    """Return the number of files of a knowledge base, and of those that can be found."""
    entries = base.entries()
    return KnowledgeBaseLine(base.name, len(entries), sum(entry.status.searchable for entry in entries))


def failures(base: OpenBase) -> list[FailureLine]:
    """Return the missing and incomplete files with reason and remedy, in order of URI."""
    return [_failure(entry) for entry in base.entries() if entry.status is not Status.INDEXED]


def spending(trace: Path, prices: dict[str, Price]) -> tuple[SpendingLine, ...]:
    """Return the usage of the calls in a trace by role; empty without a trace."""
    sums: dict[str, SpendingLine] = {}
    for line in _lines(trace):
        before = sums.get(line.role, SpendingLine(line.role, 0, 0, 0, 0, 0, 0.0))
        spent = Usage() if line.cached or line.error else Usage(line.input_tokens, line.output_tokens, 1)
        sums[line.role] = SpendingLine(
            line.role,
            before.calls + 1,
            before.cached + line.cached,
            before.failed + bool(line.error),
            before.input_tokens + spent.input_tokens,
            before.output_tokens + spent.output_tokens,
            before.dollars + cost(spent, prices.get(line.model)),
        )
    return tuple(sums[role] for role in sorted(sums))


def first_document(base: OpenBase) -> str:
    """Return the id of the first document that can be found, empty if there is none."""
    return next((document_key(entry) for entry in base.entries() if entry.status.searchable), "")


def _lines(trace: Path) -> Iterator[TraceLine]:
    """Yield the lines of a trace, skipping incomplete ones."""
    if not trace.is_file():
        return
    with trace.open("rb") as file:
        if (size := trace.stat().st_size) > _LONGEST_TRACE:
            file.seek(size - _LONGEST_TRACE)
            file.readline()
        for data in file:
            try:
                yield codec.decode(data, TraceLine)
            except codec.DecodeError:
                continue


def language_counts(base: OpenBase) -> dict[str, int]:
    nodes = base.knowledge.stores.graph.nodes((NodeKind.DOCUMENT,))
    return dict(Counter(text(node, "language") or "unknown" for node in nodes).most_common())


def _failure(entry: Entry) -> FailureLine:
    return FailureLine(
        document_key(entry),
        entry.uri,
        entry.status.value,
        entry.reason,
        entry.stage,
        say(f"remedy.{entry.status.value}"),
        entry.notes,
    )


def runs_of(base: OpenBase) -> list[RunLine]:
    """Return the past ingests, the latest first; none in a restricted view, because they describe all documents."""
    return [_line(record) for record in reversed(RUNS.read(base.knowledge.stores.catalog))]


def _line(record: RunRecord) -> RunLine:
    report = record.report
    return RunLine(
        record.number,
        record.began.removesuffix("+00:00"),
        max(0, report.changes.get("done", 0) - sum(count.failed for count in report.stages.values())),
        report.changes.get("unchanged", 0),
        report.changes.get("removed", 0),
        sum(record.reasons.values()),
        report.seconds,
        report.dollars,
        report.stopped,
        record.reasons,
    )
