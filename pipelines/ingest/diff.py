"""What an ingest would add, change and remove, without writing it to the stores."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pipelines.core.errors import KnowledgeBaseNotFound
from pipelines.core.graph import CORPUS_OWNER, Subgraph
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.ingest.build import open_run
from pipelines.ingest.corpus import link_corpus
from pipelines.ingest.report import Progress, silent
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import compile_all
from pipelines.resources import Stores
from pipelines.settings import Settings, load
from pipelines.store.artifact import read_distillate, read_document
from pipelines.store.catalog import Entry
from pipelines.store.folder import KnowledgeBaseFolder
from pipelines.store.sync import subgraph_of


@dataclass(frozen=True, slots=True)
class FolderDiff:
    """What a build would change: documents by URI, and counts of nodes and edges by kind.

    `renamed` are pairs of an old and a new URI with the same bytes. `coming` and `going` count nodes and edges:
    `{"Chunk": 3, "REFERENCES": 1}`.
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

    New documents are compiled and their artifacts kept, so that a build afterwards finds that done.

    Args:
        folder: the folder with the documents, or another place of them.
        kb: the folder of the knowledge base.
        settings: all settings; without them those of the knowledge base's strata.toml and the environment.
        progress: is called with every event of the compilation.

    Raises:
        KnowledgeBaseNotFound: there is none at `kb`.
        StrataError: whatever `build` raises.

    Example:
        changes = diff(Path("documents"), Path("kb"))
        print(changes.added, changes.removed, changes.coming)
    """
    if not KnowledgeBaseFolder(kb).exists:
        raise KnowledgeBaseNotFound(str(kb))
    settings = settings or load(kb).settings
    with open_run(folder, kb, settings, progress) as run:
        asyncio.run(compile_all(run, run.prepare()))
        return _diff(run, settings)


def _diff(run: IngestRun, settings: Settings) -> FolderDiff:
    stores = run.stores
    before = {entry.uri: entry for entry in stores.catalog.entries() if entry.status.searchable}
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
            _subgraph(stores, after[uri], linking.linked.stands_for(after[uri].document))
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
    """Pairs of an old and a new URI with the same bytes, each used once."""
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
