"""What an ingest would do: an estimate of its language work, and a diff of the knowledge base."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.atomize.tag_pairs import ROLE as PAIR_ROLE
from pipelines.atomize.tag_pairs import read_samples
from pipelines.core import codec
from pipelines.core.concurrent import run_to_end
from pipelines.core.errors import KnowledgeBaseNotFound
from pipelines.core.graph import CORPUS_OWNER, Subgraph
from pipelines.core.work.job import JobContext
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.document_profile import DocumentProfile, document_profile
from pipelines.ingest.build import open_run
from pipelines.ingest.compile import raise_what_ends_the_run
from pipelines.ingest.corpus import judge_entities, link_corpus, read_profiles
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.parse_stage import parse
from pipelines.ingest.report import Progress, silent
from pipelines.ingest.run import ESTIMATE, IngestRun
from pipelines.ingest.stages import do_language_work
from pipelines.ingest.steps import compile_all
from pipelines.ingest.task import DocumentTask, SourceItem
from pipelines.ingest.vocabulary import find_classes, with_classes
from pipelines.ingest.worker_context import WorkerContext
from pipelines.llm.budget import DryRunChat, Estimate
from pipelines.resources import Stores
from pipelines.settings import Settings, load
from pipelines.store.artifact import ArtifactStore, Member, read_distillate, read_document
from pipelines.store.catalog import Entry
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.graph import subgraph_of

PAIR_TOKENS = (200, 40)
"""Assumed tokens of a request to pair a question's terms with tags, and of its reply: the tags that it will list are
not known before the documents are distilled."""


@dataclass(frozen=True, slots=True)
class DryRun:
    """The dry run of a file: the documents inside it, and its profile, or None if it is not a document."""

    members: tuple[Member, ...] = ()
    profile: DocumentProfile | None = None


def estimate_ingest(folder: Path | str, kb: Path, settings: Settings, qa_samples: Path | None = None) -> Estimate:
    """Estimate the model calls of an ingest of `folder` with a dry run, which calls no model and keeps its parses.

    Cached replies are used. Otherwise the run continues as if the call had failed: the chunks and entities found
    without a model are about as many. Each sample of a question with its answer is one call. The estimate is empty if
    no model is configured. Raises the errors of `build`.
    """
    with open_run(folder, kb, settings, dry_run=True) as run:
        items = run.prepare(begins=False)
        chat = run.workers.chat
        if not isinstance(chat, DryRunChat):
            return Estimate()
        run_to_end(lambda: _dry_run(run, items))
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
    await judge_entities(profiles, run.workers, replace(run.stores, artifacts=_ReadOnly(run.stores.artifacts)))


async def _dry_run_of(item: SourceItem, dispatcher: Dispatcher) -> DryRun:
    """Return the dry run of a file; empty if it cannot be compiled, because then it needs no calls either."""
    ended = await dispatcher.run(dry_run_document, dispatcher.task(item))
    raise_what_ends_the_run(ended)
    return codec.unpack(ended.result, DryRun) if ended.result is not None else DryRun()


def dry_run_document(job: JobContext, task: DocumentTask) -> bytes:
    """Parse a document, do its language work, and return a packed `DryRun`: the function of a job. Stores the parse."""
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
    """An artifact store that ignores writes."""

    def __init__(self, inner: ArtifactStore) -> None:
        self._inner = inner

    def get(self, stage: str, key: str) -> bytes | None:
        return self._inner.get(stage, key)

    def put(self, stage: str, key: str, data: bytes) -> None:
        """Do nothing."""

    def remove(self, stage: str, key: str) -> None:
        """Do nothing."""

    def keys(self, stage: str) -> Iterator[str]:
        return self._inner.keys(stage)

    def stages(self) -> tuple[str, ...]:
        return self._inner.stages()

    def sweep(self, wanted: Callable[[str, str], bool]) -> int:
        return 0


@dataclass(frozen=True, slots=True)
class FolderDiff:
    """What a build would change: documents by URI, and counts of nodes and edges by kind.

    `renamed` has pairs of an old and a new URI with the same bytes. `coming` and `going` count the nodes and edges to
    be added and removed, such as `{"Chunk": 3, "REFERENCES": 1}`.
    """

    added: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()
    renamed: tuple[tuple[str, str], ...] = ()
    coming: dict[str, int] = field(default_factory=dict)
    going: dict[str, int] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        return not (self.added or self.changed or self.removed or self.renamed)


def diff(folder: Path | str, kb: Path, settings: Settings | None = None, progress: Progress = silent) -> FolderDiff:
    """Return what `build` would change in a knowledge base, without changing it.

    New documents are compiled and their artifacts stored, which a later build reuses.

    Args:
        folder: the folder with the documents, or the address of another source.
        kb: the folder of the knowledge base.
        settings: all settings; by default those of the knowledge base's strata.toml and the environment.
        progress: called with every event of the compilation.

    Raises:
        KnowledgeBaseNotFound: `kb` is not a knowledge base.
        StrataError: as `build`.

    Example:
        changes = diff(Path("documents"), Path("kb"))
        print(changes.added, changes.removed, changes.coming)
    """
    if not KnowledgeBaseFolder(kb).exists:
        raise KnowledgeBaseNotFound(str(kb))
    settings = settings or load(kb).settings
    with open_run(folder, kb, settings, progress) as run:
        items = run.prepare(begins=False)
        run_to_end(lambda: compile_all(run, items))
        return _diff(run, settings)


def _diff(run: IngestRun, settings: Settings) -> FolderDiff:
    stores = run.stores
    before = {entry.uri: entry for entry in stores.searchable()}
    after = {entry.uri: entry for entry in run.searchable()}
    linking = link_corpus(tuple(after.values()), stores, settings)
    after = {uri: entry for uri, entry in after.items() if entry.document not in linking.failed}
    changed = [uri for uri in after if uri in before and after[uri].document != before[uri].document]
    remade = [
        uri for uri in after if uri in before and after[uri].unloaded().artifacts != before[uri].unloaded().artifacts
    ]
    added, removed = sorted(after.keys() - before.keys()), sorted(before.keys() - after.keys())
    renamed = _renamed([before[uri] for uri in removed], [after[uri] for uri in added])
    touched = {*changed, *remade}
    old = _ids([_subgraph(stores, before[uri], {}) for uri in sorted({*touched, *removed})])
    old |= _ids([subgraph_of(stores.graph, CORPUS_OWNER)])
    new = _ids(
        [
            _subgraph(stores, after[uri], linking.linked.replacements(after[uri].document))
            for uri in sorted({*touched, *added})
        ]
    )
    new |= _ids([linking.linked.subgraph])
    return FolderDiff(
        tuple(uri for uri in added if uri not in dict(renamed).values()),
        tuple(sorted(changed)),
        tuple(uri for uri in removed if uri not in dict(renamed)),
        renamed,
        _counts(new - old),
        _counts(old - new),
    )


def _renamed(removed: Iterable[Entry], added: Iterable[Entry]) -> tuple[tuple[str, str], ...]:
    """Return pairs of an old and a new URI with the same bytes; each URI is in at most one pair."""
    by_digest: dict[str, list[str]] = {}
    for entry in added:
        by_digest.setdefault(entry.digest, []).append(entry.uri)
    return tuple((entry.uri, by_digest[entry.digest].pop(0)) for entry in removed if by_digest.get(entry.digest))


def _subgraph(stores: Stores, entry: Entry, merged: Mapping[str, str]) -> Subgraph:
    document, distillate = read_document(stores.artifacts, entry), read_distillate(stores.artifacts, entry)
    return redirect(build_graph(document, distillate), merged)


def _ids(subgraphs: Sequence[Subgraph]) -> set[tuple[str, str]]:
    nodes = {(node.kind.value, node.id) for subgraph in subgraphs for node in subgraph.nodes}
    return nodes | {(edge.kind.value, edge.id) for subgraph in subgraphs for edge in subgraph.edges}


def _counts(ids: Iterable[tuple[str, str]]) -> dict[str, int]:
    return dict(sorted(Counter(kind for kind, _ in ids).items()))
