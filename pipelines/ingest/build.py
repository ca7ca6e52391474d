"""The build of a knowledge base: `build`, and `open_run`, which opens the stores and processes of a run.

A run uses the modules of this package in this order:

    build -> steps -> run
                     opening a run; its steps, executed directly or as tasks of a flow; its report
    sources          local copies of documents that are not in a local folder
    scan -> plan     the files of the folder, and which of them to compile
    compile -> dispatch -> stages (parse_stage, embedding)
                     each document, in worker processes: parse, chunk, atomize, embed
    corpus_work -> corpus (gate, vocabulary)
                     the links between all documents
    load -> erase    writing graph, vectors and catalog; erasing data of removed documents
    pipelines.retrieve  the index of the graph, stored for the first question
"""

from __future__ import annotations

import contextlib
import ctypes
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from pipelines.core.concurrent import run_to_end
from pipelines.core.errors import SettingsError, SourceError
from pipelines.core.settings_section import names_code
from pipelines.core.work.pool import WorkerPool
from pipelines.ingest.cluster import Cluster, ClusterPool
from pipelines.ingest.dispatch import Dispatcher, preload
from pipelines.ingest.report import Progress, Report, silent
from pipelines.ingest.run import IngestRun
from pipelines.ingest.scan import within
from pipelines.ingest.sources.locations import fetched, local_folder
from pipelines.ingest.steps import execute
from pipelines.ingest.task import ModelWork, WorkerSetup, without_keys
from pipelines.ingest.vocabulary import Lessons
from pipelines.ingest.workers import Workers, makers_of, open_workers
from pipelines.llm.budget import Budget
from pipelines.llm.ledger import Ledger
from pipelines.parse.limits import job_limits
from pipelines.resources import Stores, open_stores
from pipelines.settings import Settings, load
from pipelines.store.facts import state
from pipelines.store.folder import KnowledgeBaseFolder

AHEAD = 3
"""Documents dispatched for each place of a cluster: one is being compiled, the others are in transit, so that no worker
waits for the coordinator."""

_M_ARENA_MAX = -8
"""The number of this `mallopt` option in glibc's malloc.h."""
ARENAS = 2
"""malloc arenas shared by the threads of a run. With one per thread, memory that LanceDB frees stays with its thread:
indexing the vectors of 800 pages of linux-doc took 346 MiB instead of 277, in the same CPU time."""


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
    """Update a knowledge base from a folder: compile new and changed documents, and remove those that no longer exist.

    Args:
        folder: the folder with the documents, which is only read; or the location of another source, such as
            "s3://bucket/manuals" (docs/howto/sources.md).
        kb: the folder of the knowledge base; it is created if missing.
        settings: all settings; by default those of the knowledge base's strata.toml and the environment.
        progress: called with every event of the run.
        budget: the limits of model calls; a run that exceeds them stops, and the next one continues.
        qa_samples: a JSON Lines file of question-answer samples, from which tag pairs are learned.
        cluster: the address of a Dask scheduler ("tcp://HOST:8786") or a Ray cluster ("ray://HOST:10001"), whose
            workers compile the documents (docs/howto/many-machines.md).

    Returns:
        The report of the run. Documents that fail are listed there with the reason, and raise no error.

    Raises:
        FolderNotFound: the folder does not exist.
        SourceError: the folder has no documents, or is the knowledge base itself; or another source cannot be read.
        StoreError: the stores cannot be written; `StoreLocked` if another run is writing to them.
        SettingsError: a setting is invalid, or names something that is not installed.

    Example:
        report = build("documents", "kb")
        print(report.documents, report.failures)
    """
    with open_run(folder, Path(kb), settings, progress, budget, qa_samples, cluster=cluster) as run:
        items = run.prepare()
        return run_to_end(lambda: execute(run, items))


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
    """Open the stores and processes of a run, with the knowledge base locked against other writers.

    With `dry_run`, the workers' chat is a `DryRunChat` if a model is configured. With `cluster`, the address of a
    scheduler, its workers compile the documents; if a model is configured, only the stages that do not ask it.
    """
    _limit_arenas()
    here = local_folder(folder)
    settings = settings or load(kb).settings
    ledger = Ledger(settings.llm.prices)
    before = _contents(kb)
    if here is not None:
        _refuse_itself(here, kb)
    with (
        ExitStack() as at_last,
        open_stores(kb, settings, create=True) as stores,
        stores.embedded.exclusive(),
        open_workers(settings, stores.folder, budget, ledger, dry_run) as workers,
        _pool(settings, settings.ingest.workers) if not cluster else _cluster_pool(settings, cluster, kb, here) as pool,
        _pool(settings, settings.ingest.documents_at_once) as model_pool,
    ):
        try:
            origin = fetched(folder, stores.folder, settings.ingest, progress)
        except BaseException:
            if not state(stores.catalog).begun:
                at_last.callback(_remove_created, stores.folder, before)
            raise
        setup = _setup(settings, stores, workers, within(origin.folder, settings.ingest))
        if isinstance(pool, ClusterPool):
            settings = _for_cluster(settings, pool, setup)
        dispatcher = Dispatcher(setup, pool, model_pool, workers.chat, stores.embedder)
        lessons = Lessons(qa_samples, workers.pairing()) if qa_samples else None
        yield IngestRun(origin, settings, stores, dispatcher, workers, ledger, progress, lessons)


def _contents(folder: Path) -> frozenset[Path] | None:
    return frozenset(folder.iterdir()) if folder.is_dir() else None


def _remove_created(kb: KnowledgeBaseFolder, before: frozenset[Path] | None) -> None:
    """Remove a knowledge base created for a source that could not be read, unless some documents were copied."""
    if any(path.is_file() for path in kb.sources.rglob("*")):
        return
    for path in _contents(kb.root) or ():
        if path not in (before or ()):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    if before is None:
        kb.root.rmdir()


def _pool(settings: Settings, workers: int) -> WorkerPool:
    return WorkerPool(job_limits(settings.parse.limits), workers, preload=preload)


def _cluster_pool(settings: Settings, address: str, kb: Path, folder: Path | None) -> ClusterPool:
    """Return the pool on other machines, all of which must have access to the knowledge base and the folder."""
    shared = [kb.absolute(), *([folder.absolute()] if folder else ())]
    return ClusterPool(_cluster(address), job_limits(settings.parse.limits), shared)


def _cluster(address: str) -> Cluster:
    if address.startswith("ray://"):
        from pipelines.ingest.ray_cluster import RayCluster

        return RayCluster(address)
    from pipelines.ingest.dask_cluster import DaskCluster

    return DaskCluster(address)


def _for_cluster(settings: Settings, pool: ClusterPool, setup: WorkerSetup) -> Settings:
    """Return the settings with enough documents at once to keep all machines busy.

    Raises `SettingsError` if only the main process can ask the embedder.
    """
    if setup.embedder is None and setup.model is None:
        raise SettingsError(
            f"only the main process can use the embedder {settings.embed.name}", hint="use another one for a cluster"
        )
    busy = max(settings.ingest.documents_at_once, AHEAD * pool.places)
    ingest = settings.ingest.model_copy(update={"workers": pool.places, "documents_at_once": busy})
    return settings.model_copy(update={"ingest": ingest})


def _setup(settings: Settings, stores: Stores, workers: Workers, root: Path | None) -> WorkerSetup:
    """Return the setup of the workers; the main process runs an embedder at an endpoint, or one of the user's own."""
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


def _limit_arenas() -> None:
    """Limit the malloc arenas of this process, if its C library is glibc."""
    with contextlib.suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def _refuse_itself(folder: Path, kb: Path) -> None:
    """Raise `SourceError` if the folder is the knowledge base or inside its stores; either may contain the other."""
    inner, outer = folder.resolve(), KnowledgeBaseFolder(kb.resolve())
    if inner == outer.root or any(inner.is_relative_to(path) for path in (outer.artifacts, outer.vectors)):
        raise SourceError(f"{folder} is the knowledge base itself", hint="give it a folder of its own with --kb")
