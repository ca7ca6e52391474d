"""The plain build of a knowledge base: the same steps that the Prefect flow wraps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from pipelines.core.errors import FolderNotFound, SourceError
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.ahead import Workers
from pipelines.ingest.compile import Item, Tools
from pipelines.ingest.language import Language, makers_of, open_language
from pipelines.ingest.progress import Progress, silent
from pipelines.ingest.report import Report
from pipelines.ingest.run import Run
from pipelines.ingest.scan import within
from pipelines.ingest.tagging import Lessons
from pipelines.ingest.task import Means, without_keys
from pipelines.llm.budget import Budget
from pipelines.parse.limits import allowance
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings, load
from pipelines.store.folder import KnowledgeBaseFolder

P = ParamSpec("P")
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Steps:
    """The steps of a run. Prefect's tasks take the place of the plain ones."""

    compile: Callable[[Run, Item], Awaitable[Sequence[Item]]]
    link: Callable[[Run], Awaitable[None]]
    load: Callable[[Run], Awaitable[None]]


async def _compile(run: Run, item: Item) -> Sequence[Item]:
    return await run.compile(item)


async def _link(run: Run) -> None:
    run.link()


async def _load(run: Run) -> None:
    run.load()


PLAIN = Steps(_compile, _link, _load)


def build(
    folder: Path | str,
    kb: Path | str,
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
) -> Report:
    """Bring the knowledge base at `kb` up to `folder`, and return how it went; `kb` is made where there is none.

    A document that fails is counted in the report, not raised. Raises `SourceError` for a folder that is missing or
    has no documents, `StoreError` where the stores cannot be written, `SettingsError`.
    """
    with open_run(Path(folder), Path(kb), settings, progress, budget, qa_samples) as run:
        return asyncio.run(execute(run, run.prepare()))


async def execute(run: Run, items: Sequence[Item], steps: Steps = PLAIN) -> Report:
    """Take a prepared run through its steps: documents side by side, then the corpus as a whole."""
    await run.settle(items)
    await compile_all(run, items, steps)
    await run.judge()
    await steps.link(run)
    await steps.load(run)
    await run.learn()
    return run.report()


async def compile_all(run: Run, items: Sequence[Item], steps: Steps = PLAIN) -> None:
    """Compile the items of a run, then the documents inside them, and so on."""
    pending = list(items)
    if pending:
        await run.fetch_model()
    while pending:
        inside = await asyncio.gather(*(steps.compile(run, item) for item in pending))
        pending = [member for members in inside for member in members]


@contextmanager
def open_run(
    folder: Path,
    kb: Path,
    settings: Settings | None = None,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
) -> Iterator[Run]:
    """Open all that a run takes, with the knowledge base locked against other writers."""
    if not folder.is_dir():
        raise FolderNotFound(str(folder))
    settings = settings or load(kb).settings
    _refuse_itself(folder, kb)
    with (
        open_stores(kb, settings, create=True) as stores,
        stores.embedded.exclusive(),
        open_language(settings, stores.folder, budget) as language,
        _pool(settings, settings.ingest.workers) as pool,
        _pool(settings, settings.ingest.documents_at_once) as speakers,
    ):
        workers = Workers(pool, speakers, language.chat, stores.embedder)
        tools = Tools(settings, _means(settings, stores, language, within(folder, settings.ingest)), workers)
        lessons = Lessons(qa_samples, language.pairing) if qa_samples else None
        yield Run(folder, settings, stores, tools, language, progress, lessons)


def _pool(settings: Settings, workers: int) -> WorkerPool:
    return WorkerPool(allowance(settings.parse.limits), workers)


def _means(settings: Settings, stores: Stores, language: Language, root: Path | None) -> Means:
    """What the workers make documents with; an embedder behind an endpoint stays here."""
    info = stores.embedder.info
    chosen = settings.embed.model_copy(update={"name": info.name, "model": info.model, "dimension": info.dimension})
    plain = without_keys(settings.model_copy(update={"embed": chosen}))
    local = None if info.name == "openai" else plain.embed
    makers, vectors = makers_of(settings, stores), stores.folder.embeddings
    return Means(plain, stores.artifacts, makers, local, vectors, info.dimension, language.model, within=root)


def _refuse_itself(folder: Path, kb: Path) -> None:
    """A knowledge base may lie in its folder and its folder in it, but neither be the other nor among its stores."""
    inner, outer, places = folder.resolve(), kb.resolve(), KnowledgeBaseFolder(kb.resolve())
    if inner == outer or any(inner.is_relative_to(place) for place in (places.artifacts, places.vectors)):
        raise SourceError(f"{folder} is the knowledge base itself", hint="give it a folder of its own with --kb")
