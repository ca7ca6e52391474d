"""The steps of a run in order. They are executed directly here, or as Prefect tasks by `flows`."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from enum import StrEnum
from functools import partial
from typing import Protocol

from pipelines.core.outcome import Failure
from pipelines.ingest.report import Report
from pipelines.ingest.run import IngestRun
from pipelines.ingest.task import SourceItem


class RunStep(StrEnum):
    """A step over all documents."""

    CLASSES = "tag classes"
    JUDGE = "judge entities"
    GATE = "gate"
    LINK = "link"
    REMOVE = "remove"
    VECTORS = "load vectors"
    GRAPH = "load graph"
    LINKS = "load links"
    INDEX = "index"
    ERASE = "erase"
    PROJECT = "project"
    LEARN = "learn pairs"


Work = Callable[[], Awaitable[Sequence[Failure]]]
"""The work of a step: returns its failures, and may be called again after an error."""


class Steps(Protocol):
    """Executes the steps of a run."""

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        """Compile documents concurrently, and return the documents inside them."""
        ...

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        """Execute a step; `subject` describes the documents that it is about, empty for all."""
        ...

    def writing(self) -> AbstractAsyncContextManager[None]:
        """Return the context manager in which steps write to the stores."""
        ...


class PlainSteps:
    """Executes the steps directly."""

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        inside = await asyncio.gather(*map(run.compile, items))
        return [member for members in inside for member in members]

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        await work()

    def writing(self) -> AbstractAsyncContextManager[None]:
        return nullcontext()


PLAIN = PlainSteps()


async def execute(run: IngestRun, items: Sequence[SourceItem], steps: Steps = PLAIN) -> Report:
    """Execute all steps of a run, first for the documents concurrently, then for the whole corpus.

    Args:
        run: a run of `open_run`, after `prepare`.
        items: the result of `prepare`.
        steps: how the steps are executed.
    """
    if run.asks_model:
        await _take(run, steps, RunStep.CLASSES, lambda: run.choose_classes(items))
    await compile_all(run, items, steps)
    if run.asks_model:
        await _take(run, steps, RunStep.JUDGE, run.judge)
    await _link(run, steps)
    async with steps.writing():
        await _write(run, steps)
        await _take(run, steps, RunStep.INDEX, run.corpus.index)
        await _take(run, steps, RunStep.ERASE, run.corpus.erase)
        if run.projects:
            await _take(run, steps, RunStep.PROJECT, run.corpus.project)
    if run.learns:
        await _take(run, steps, RunStep.LEARN, run.learn)
    report = run.report()
    run.record(report)
    return report


async def compile_all(run: IngestRun, items: Sequence[SourceItem], steps: Steps = PLAIN) -> None:
    """Compile the items of a run, then the documents inside them, and so on."""
    pending = items
    if pending:
        await run.fetch_model()
    with run.timed("documents"):
        while pending:
            pending = await steps.compile(run, pending)
    await asyncio.to_thread(run.dispatcher.rest)  # the following steps need the memory of the processes


async def _link(run: IngestRun, steps: Steps) -> None:
    if not run.corpus.is_linked():
        await _take(run, steps, RunStep.GATE, run.corpus.gate)
        await _take(run, steps, RunStep.LINK, run.corpus.link)


async def _write(run: IngestRun, steps: Steps) -> None:
    corpus = run.corpus
    await _take(run, steps, RunStep.REMOVE, corpus.remove)
    await _load(run, steps)
    if corpus.to_relink:
        await _take(run, steps, RunStep.LINK, corpus.relink)
        await _load(run, steps)
    await _take(run, steps, RunStep.LINKS, corpus.finish)


async def _load(run: IngestRun, steps: Steps) -> None:
    corpus = run.corpus
    for part in corpus.parts():
        subject = f"{len(part)} documents"
        await _take(run, steps, RunStep.VECTORS, partial(corpus.write_vectors, part), subject)
        await _take(run, steps, RunStep.GRAPH, partial(corpus.write_graph, part), subject)


async def _take(run: IngestRun, steps: Steps, step: RunStep, work: Work, subject: str = "") -> None:
    with run.timed(step.value):
        await steps.take(step, work, subject)
