"""The estimate of an ingest: its run up to linking, with a chat that counts and stores that keep nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.atomize.tag_pairs import read_samples
from pipelines.atomize.tag_pairs_model import ROLE as PAIR_ROLE
from pipelines.core import codec
from pipelines.core.work.job import JobContext
from pipelines.graph.card import DocumentCard, card
from pipelines.ingest.bench import Bench
from pipelines.ingest.build import open_run
from pipelines.ingest.classes import find_classes, with_classes
from pipelines.ingest.compile import Item, Tools, blame_nobody, member_item
from pipelines.ingest.corpus import read_cards
from pipelines.ingest.judged import judge_entities
from pipelines.ingest.progress import Progress, silent
from pipelines.ingest.reading import read
from pipelines.ingest.report import ESTIMATE_FACT
from pipelines.ingest.run import Run
from pipelines.ingest.stages import do_language_work
from pipelines.ingest.task import Task
from pipelines.llm.estimate import DryRunChat, Estimate
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, Member

PAIR_TOKENS = (200, 40)
"""Tokens of a request for the tags that the words of a question lead to, and of its reply: what it will show is not
known before the documents are distilled."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """What a dry run made of a document: the documents inside it, and its card, None where it is none itself."""

    members: tuple[Member, ...] = ()
    card: DocumentCard | None = None


def estimate_ingest(
    folder: Path, kb: Path, settings: Settings, progress: Progress = silent, qa_samples: Path | None = None
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
        run.stores.catalog.set_fact(ESTIMATE_FACT, codec.encode(chat.estimate).decode())
        return chat.estimate


async def _dry_run(run: Run, items: Sequence[Item]) -> None:
    kept = await find_classes(items, run.tools, run.workers, run.stores, silent)
    tools = with_classes(run.tools, [one.name for one in kept.classes]) if kept else run.tools
    changed = {item.source.uri for item in items}
    cards = [*read_cards([entry for entry in run.searchable() if entry.uri not in changed], run.stores)]
    pending = list(items)
    while pending:
        done = await asyncio.gather(*(_dry_run_of(item, tools) for item in pending))
        cards += [one.card for one in done if one.card is not None]
        pending = [member_item(item, member) for item, one in zip(pending, done, strict=True) for member in one.members]
    await judge_entities(cards, run.workers, run.stores)


async def _dry_run_of(item: Item, tools: Tools) -> DryRun:
    """The dry run of a document; empty where it cannot be compiled, for then nothing will be asked either."""
    ended = await tools.workers.do(dry_run_document, tools.task(item))
    blame_nobody(ended)
    return codec.unpack(ended.result, DryRun) if ended.result is not None else DryRun()


def dry_run_document(desk: JobContext, task: Task) -> bytes:
    """The job that parses a document and does its language work; the result is a `DryRun`. Its parse alone is kept."""
    return codec.pack(asyncio.run(_document(Bench.of(desk, task))))


async def _document(bench: Bench) -> DryRun:
    record = read(bench)
    means = bench.means
    bench.task = replace(bench.task, means=replace(means, artifacts=_ReadOnly(means.artifacts)))
    described, distillate = await do_language_work(bench, record)
    document = described.record.document
    return DryRun(record.members, card(document, distillate) if document and distillate else None)


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
