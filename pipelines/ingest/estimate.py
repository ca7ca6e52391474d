"""The estimate of an ingest: its run up to linking, with a chat that counts and stores that keep nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.atomize.tag_pairs import ROLE as PAIR_ROLE
from pipelines.atomize.tag_pairs import read_samples
from pipelines.core import codec
from pipelines.core.work.job import JobContext
from pipelines.graph.document_profile import DocumentProfile, document_profile
from pipelines.ingest.build import open_run
from pipelines.ingest.compile import raise_what_ends_the_run
from pipelines.ingest.corpus import judge_entities, read_profiles
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.parse_stage import parse
from pipelines.ingest.report import Progress, silent
from pipelines.ingest.run import ESTIMATE, IngestRun
from pipelines.ingest.stages import do_language_work
from pipelines.ingest.task import DocumentTask, SourceItem
from pipelines.ingest.vocabulary import find_classes, with_classes
from pipelines.ingest.worker_context import WorkerContext
from pipelines.llm.estimate import DryRunChat, Estimate
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, Member

PAIR_TOKENS = (200, 40)
"""Tokens of a request for the tags that the words of a question lead to, and of its reply: what it will show is not
known before the documents are distilled."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a dry run made of a document: the documents inside it, and its profile, None where it is none itself."""

    members: tuple[Member, ...] = ()
    profile: DocumentProfile | None = None


def estimate_ingest(
    folder: Path | str, kb: Path, settings: Settings, progress: Progress = silent, qa_samples: Path | None = None
) -> Estimate:
    """Return what an ingest of `folder` will ask of the model, by a run that asks nothing and keeps what it parsed.

    Replies that are kept from earlier runs are used. Where there is none, the run goes on as it does where a call
    fails: chunks are cut and entities named without a model, into about as many. Samples of questions and answers
    are one call each. Empty where no model is configured. Raises what `build` raises.
    """
    with open_run(folder, kb, settings, progress, dry_run=True) as run:
        items = run.prepare()
        chat = run.workers.chat
        if not isinstance(chat, DryRunChat):
            return Estimate()
        asyncio.run(_dry_run(run, items))
        if qa_samples is not None:
            chat.expect(PAIR_ROLE, len(read_samples(qa_samples)), *PAIR_TOKENS)
        ESTIMATE.write(run.stores.catalog, chat.estimate)
        return chat.estimate


async def _dry_run(run: IngestRun, items: Sequence[SourceItem]) -> None:
    kept = await find_classes(items, run.dispatcher, run.workers, run.stores, silent)
    if kept:
        run.dispatcher.setup = with_classes(run.dispatcher.setup, [one.name for one in kept.classes])
    changed = {item.source.uri for item in items}
    profiles = [*read_profiles([entry for entry in run.searchable() if entry.uri not in changed], run.stores)]
    pending = list(items)
    while pending:
        done = await asyncio.gather(*(_dry_run_of(item, run.dispatcher) for item in pending))
        profiles += [one.profile for one in done if one.profile is not None]
        pending = [item.part(member) for item, one in zip(pending, done, strict=True) for member in one.members]
    await judge_entities(profiles, run.workers, run.stores)


async def _dry_run_of(item: SourceItem, dispatcher: Dispatcher) -> DryRun:
    """The dry run of a document; empty where it cannot be compiled, for then nothing will be asked either."""
    ended = await dispatcher.do(dry_run_document, dispatcher.task(item))
    raise_what_ends_the_run(ended)
    return codec.unpack(ended.result, DryRun) if ended.result is not None else DryRun()


def dry_run_document(job: JobContext, task: DocumentTask) -> bytes:
    """The job that parses a document and does its language work; the result is a `DryRun`. Its parse alone is kept."""
    return codec.pack(asyncio.run(_document(WorkerContext(job, task))))


async def _document(context: WorkerContext) -> DryRun:
    record = parse(context)
    if record.document is None:
        return DryRun(record.members)
    setup = context.setup
    context.task = replace(context.task, setup=replace(setup, artifacts=_ReadOnly(setup.artifacts)))
    document, distillate, _ = await do_language_work(context, record, record.document)
    return DryRun(record.members, document_profile(document, distillate))


class _ReadOnly:
    """Artifacts as they are: what is put or removed goes nowhere."""

    def __init__(self, inner: ArtifactStore) -> None:
        self._inner = inner

    def get(self, stage: str, key: str) -> bytes | None:
        return self._inner.get(stage, key)

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Keep nothing."""

    def remove(self, stage: str, key: str) -> None:
        """Keep what is there."""

    def keys(self, stage: str) -> Iterator[str]:
        return self._inner.keys(stage)

    def stages(self) -> tuple[str, ...]:
        return self._inner.stages()

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        return 0
