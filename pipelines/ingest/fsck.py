"""Proof that catalog, graph, vectors and artifacts agree, in both directions, and the mending of what does not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.core.graph import CORPUS_OWNER, NodeKind
from pipelines.ingest.corpus import LINKED_FACT, link_corpus
from pipelines.ingest.keys import COMPILED
from pipelines.ingest.load import Loader
from pipelines.ingest.progress import silent
from pipelines.ingest.records import read_records
from pipelines.resources import Stores, open_neo4j, open_stores
from pipelines.settings import Settings, load
from pipelines.store.catalog import Entry
from pipelines.store.check import (
    Fault,
    Finding,
    Place,
    check_artifacts,
    check_copy,
    check_ends,
    check_graph,
    check_vectors,
)
from pipelines.store.digest import recount
from pipelines.store.sync import sync
from pipelines.store.vector import Embedded


@dataclass(frozen=True, slots=True)
class Checked:
    """What was found, and after a repair what is left of it; `documents` is the number looked at."""

    documents: int
    findings: tuple[Finding, ...] = ()
    remaining: tuple[Finding, ...] = ()
    repaired: bool = False

    @property
    def clean(self) -> bool:
        return not (self.remaining if self.repaired else self.findings)


def fsck(kb: Path, settings: Settings | None = None, repair: bool = False) -> Checked:
    """Compare the stores of a knowledge base; with `repair`, load anew what does not agree and look once more.

    What is mended without the folder is mended at once; a document whose artifacts are gone is marked, and the next
    ingest makes it anew. Raises `KnowledgeBaseNotFound`.
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        documents = len(_searchable(stores))
        findings = tuple(sorted(_findings(stores, settings)))
        if not repair or not findings:
            return Checked(documents, findings)
        _repair(stores, settings, findings)
        return Checked(documents, findings, tuple(sorted(_findings(stores, settings))), repaired=True)


def _findings(stores: Stores, settings: Settings) -> Iterator[Finding]:
    entries = stores.catalog.entries()
    graph = stores.graph
    yield from check_graph(entries, graph.owners(), recount(graph))
    nodes = {node.id for node in graph.nodes()}
    yield from check_ends(nodes, ((edge.source, edge.target) for edge in graph.edges()))
    yield from check_artifacts(entries, {stage: tuple(stores.artifacts.keys(stage)) for stage in COMPILED})
    yield from check_vectors(entries, _wanted(stores), _held(stores))
    if not stores.catalog.fact(LINKED_FACT):
        yield Finding(Place.CATALOG, Fault.CHANGED, CORPUS_OWNER, "the links are behind the documents")
    if settings.store.neo4j_uri:
        with open_neo4j(settings, stores.places.root) as neo4j:
            yield from check_copy(graph.owners(), neo4j.owners(), recount(neo4j))


def _wanted(stores: Stores) -> dict[str, set[str]]:
    """Ids of records by owner as they should be: those of the artifacts, less what is quarantined, and the corpus's."""
    quarantined = {node.id for node in stores.graph.nodes([NodeKind.ATOM]) if node.properties.get("quarantined")}
    wanted: dict[str, set[str]] = {}
    for entry in _searchable(stores):
        data = stores.artifacts.get("embed", entry.artifacts.get("embed", "none"))
        if data is not None:
            records = read_records(data).records
            wanted[entry.document] = {f"{record.kind}/{record.id}" for record in records} - {
                f"atom/{atom}" for atom in quarantined
            }
    shared = stores.graph.nodes([NodeKind.TAG, NodeKind.ENTITY])
    wanted[CORPUS_OWNER] = {f"{node.kind.value.lower()}/{node.id}" for node in shared}
    return wanted


def _held(stores: Stores) -> dict[str, set[str]]:
    held: dict[str, set[str]] = {}
    for batch in stores.vectors.records():
        for record in batch.records:
            held.setdefault(record.owner, set()).add(f"{record.kind}/{record.id}")
    return held


def _repair(stores: Stores, settings: Settings, findings: Sequence[Finding]) -> None:
    for finding in findings:
        if finding.fault is Fault.ORPHAN and finding.subject != CORPUS_OWNER and finding.place is not Place.ARTIFACTS:
            stores.graph.remove(finding.subject)
            stores.vectors.write([finding.subject], Embedded())
    broken = {finding.detail for finding in findings if finding.place is Place.ARTIFACTS}
    for entry in stores.catalog.entries():
        if entry.uri in broken:
            stores.catalog.record(replace(entry, artifacts={}))
    whole = [entry for entry in _searchable(stores) if entry.uri not in broken and entry.artifacts]
    for entry in whole:
        without_load = {stage: key for stage, key in entry.artifacts.items() if stage != "load"}
        stores.catalog.record(replace(entry, artifacts=without_load))
    loader = Loader(stores, silent)
    linking = link_corpus(whole, stores, settings)
    stores.catalog.set_fact(LINKED_FACT, "")
    loader.load(whole, linking)
    loader.finish(linking)
    if settings.store.neo4j_uri:
        with open_neo4j(settings, stores.places.root) as neo4j:
            sync(stores.graph, neo4j)


def _searchable(stores: Stores) -> list[Entry]:
    return [entry for entry in stores.catalog.entries() if entry.status.searchable]
