"""The build of a knowledge base: `build`, and what is opened for a run.

A run goes through the files of this room in this order:

    build -> steps -> run
                     what is put together for a run; its steps, plainly or as a flow's tasks; its report
    sources          a copy of what lies elsewhere than in a folder
    scan -> plan     the files of the folder; which of them are to be compiled
    compile -> dispatch -> stages (parse_stage, embedding)
                     each document, in worker processes: parse, chunk, atomize, embed
    corpus_work -> corpus (gate, vocabulary)
                     the links between all documents
    load -> erase    graph, vectors and catalog; what no document has any more
    pipelines.retrieve  the index of the graph, kept for the first question
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pipelines.core.errors import SettingsError, SourceError
from pipelines.core.settings_section import names_code
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.cluster import Cluster, ClusterPool
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.report import Progress, Report, silent
from pipelines.ingest.run import IngestRun
from pipelines.ingest.scan import within
from pipelines.ingest.sources.locations import fetched, local_folder
from pipelines.ingest.stages import preload
from pipelines.ingest.steps import execute
from pipelines.ingest.task import ModelWork, WorkerSetup, without_keys
from pipelines.ingest.vocabulary import Lessons
from pipelines.ingest.workers import Workers, makers_of, open_counting_workers, open_workers
from pipelines.llm.budget import Budget
from pipelines.llm.ledger import Ledger
from pipelines.parse.limits import job_limits
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings, load
from pipelines.store.facts import state
from pipelines.store.folder import KnowledgeBaseFolder

AHEAD = 3
"""Documents in work for each place where one can be compiled on other machines: one is compiled there, the others are
on their way, so that none waits for the coordinator."""

_M_ARENA_MAX = -8
"""The number of this option of `mallopt` in glibc's malloc.h."""
ARENAS = 2
"""Pools of memory that the threads of a run share. With one for each thread, what LanceDB frees stays with the thread:
to make the index of the vectors of 800 pages of linux-doc took 346 MiB and not 277, in as many processor seconds."""


def build(
    folder: Path | str,
    kb: Path | str,
    settings: Settings | None = None,
    *,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
    cluster: str = "",
) -> Report:
    """Bring a knowledge base up to a folder: new and changed documents are compiled, those that are gone removed.

    Args:
        folder: the folder with the documents; nothing is written there. As a text also another place of documents, as
            "s3://bucket/manuals" (docs/howto/sources.md).
        kb: the folder of the knowledge base, which is made where there is none.
        settings: all settings; without them those of the knowledge base's strata.toml and the environment.
        progress: is called with every event of the run.
        budget: what the calls of a language model may cost; a run that reaches it stops, and the next goes on.
        qa_samples: a JSON Lines file of question-answer samples, from which pairs of words and tags are learned.
        cluster: the address of a Dask scheduler ("tcp://HOST:8786") or a Ray cluster ("ray://HOST:10001"), whose
            workers compile the documents (docs/howto/many-machines.md).

    Returns:
        How the run ended. A document that fails is counted there with its reason, and not raised.

    Raises:
        FolderNotFound: there is no such folder.
        SourceError: the folder has no documents, or is the knowledge base itself; another place cannot be read.
        StoreError: the stores cannot be written; `StoreLocked` where another run writes them.
        SettingsError: a setting cannot be, or what it names is not installed.

    Example:
        report = build("documents", "kb")
        print(report.documents, report.failures)
    """
    with open_run(folder, Path(kb), settings, progress, budget, qa_samples, cluster=cluster) as run:
        return asyncio.run(execute(run, run.prepare()))


@contextmanager
def open_run(
    folder: Path | str,
    kb: Path,
    settings: Settings | None = None,
    progress: Progress = silent,
    budget: Budget = Budget(),
    qa_samples: Path | None = None,
    dry_run: bool = False,
    cluster: str = "",
) -> Iterator[IngestRun]:
    """Open all that a run takes, with the knowledge base locked against other writers.

    With `dry_run` the workers' chat, where a model is configured, is a `DryRunChat`. With `cluster`, the
    address of a scheduler, documents are compiled by its workers; with a model by them as far as no model is asked.
    """
    _share_memory()
    here = local_folder(folder)
    kb = kb.absolute() if cluster else kb  # on another machine the place where a run was started says nothing
    settings = settings or load(kb).settings
    ledger = Ledger(settings.llm.prices)
    before = _inside(kb)
    if here is not None:
        _refuse_itself(here, kb)
    with (
        ExitStack() as at_last,
        open_stores(kb, settings, create=True) as stores,
        stores.embedded.exclusive(),
        (
            open_counting_workers(settings, stores.folder)
            if dry_run
            else open_workers(settings, stores.folder, budget, ledger)
        ) as workers,
        _pool(settings, settings.ingest.workers) if not cluster else _many(settings, cluster, kb, here) as pool,
        _pool(settings, settings.ingest.documents_at_once) as model_pool,
    ):
        try:
            origin = fetched(folder, stores.folder, settings.ingest, progress)
        except BaseException:
            if not state(stores.catalog).begun:
                at_last.callback(_remove_made, stores.folder, before)
            raise
        setup = _setup(settings, stores, workers, within(origin.folder, settings.ingest))
        if isinstance(pool, ClusterPool):
            settings = _filling(settings, pool, setup)
        dispatcher = Dispatcher(setup, pool, model_pool, workers.chat, stores.embedder)
        lessons = Lessons(qa_samples, workers.pairing()) if qa_samples else None
        yield IngestRun(origin, settings, stores, dispatcher, workers, ledger, progress, lessons)


def _inside(folder: Path) -> frozenset[Path] | None:
    return frozenset(folder.iterdir()) if folder.is_dir() else None


def _remove_made(kb: KnowledgeBaseFolder, before: frozenset[Path] | None) -> None:
    """Remove the knowledge base that was made for a place of which nothing came; the next run goes on with copies."""
    if any(path.is_file() for path in kb.sources.rglob("*")):
        return
    for path in _inside(kb.root) or ():
        if path not in (before or ()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if before is None:
        kb.root.rmdir()


def _pool(settings: Settings, workers: int) -> WorkerPool:
    return WorkerPool(job_limits(settings.parse.limits), workers, preload=preload)


def _many(settings: Settings, address: str, kb: Path, folder: Path | None) -> ClusterPool:
    """Who compiles on other machines, all of which must see the knowledge base and the folder."""
    seen = [kb, *([folder.absolute()] if folder else ())]
    return ClusterPool(_cluster(address), job_limits(settings.parse.limits), seen)


def _cluster(address: str) -> Cluster:
    if address.startswith("ray://"):
        from pipelines.ingest.ray_cluster import RayCluster

        return RayCluster(address)
    from pipelines.ingest.dask_cluster import DaskCluster

    return DaskCluster(address)


def _filling(settings: Settings, pool: ClusterPool, setup: WorkerSetup) -> Settings:
    """The settings with as many documents in work as keep all machines busy.

    Raises `SettingsError` where an embedder is asked through the run's own process, which other machines cannot do.
    """
    if setup.embedder is None and setup.model is None:
        raise SettingsError(
            f"the embedder {settings.embed.name} is asked by one process", hint="on many machines take another one"
        )
    busy = max(settings.ingest.documents_at_once, AHEAD * pool.places)
    ingest = settings.ingest.model_copy(update={"workers": pool.places, "documents_at_once": busy})
    return settings.model_copy(update={"ingest": ingest})


def _setup(settings: Settings, stores: Stores, workers: Workers, root: Path | None) -> WorkerSetup:
    """What documents are compiled with; an embedder behind an endpoint, or of the user's own, stays here."""
    info = stores.embedder.info
    if own := names_code(settings.embed.name):
        plain = without_keys(settings)
    else:
        chosen = {"name": info.name, "model": info.model, "dimension": info.dimension}
        plain = without_keys(settings.model_copy(update={"embed": settings.embed.model_copy(update=chosen)}))
    local = None if own or info.name == "openai" else plain.embed
    makers, vectors = makers_of(settings, stores), stores.folder.embeddings
    model = ModelWork(stores.folder.prompts) if workers.chat is not None else None
    return WorkerSetup(plain, stores.artifacts, makers, local, vectors, info.dimension, model, within=root)


def _share_memory() -> None:
    """Have the threads of this process share pools of memory, where its C library is glibc."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def _refuse_itself(folder: Path, kb: Path) -> None:
    """A knowledge base may lie in its folder and its folder in it, but neither be the other nor among its stores."""
    inner, outer, places = folder.resolve(), kb.resolve(), KnowledgeBaseFolder(kb.resolve())
    if inner == outer or any(inner.is_relative_to(place) for place in (places.artifacts, places.vectors)):
        raise SourceError(f"{folder} is the knowledge base itself", hint="give it a folder of its own with --kb")
