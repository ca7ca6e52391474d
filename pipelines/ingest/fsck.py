"""Check that catalog, graph, vectors, artifacts and caches are whole and agree, and repair of what does not."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.core.errors import StoreError
from pipelines.core.graph import CORPUS_OWNER, NodeKind
from pipelines.core.outcome import Status
from pipelines.core.sqlite_file import is_sound, remove_file
from pipelines.graph.mentions import STAGE as MENTIONS
from pipelines.ingest.corpus import link_corpus
from pipelines.ingest.embedding import read_records
from pipelines.ingest.feedback import CONFIRMED
from pipelines.ingest.integrity import (
    Defect,
    Inconsistency,
    Inspected,
    StorePart,
    Sums,
    check_artifacts,
    check_copy,
    check_ends,
    check_graph,
    check_records,
    check_vectors,
    held_sums,
    inspect_artifacts,
    inspect_caches,
    is_lost,
    sums_of,
)
from pipelines.ingest.keys import COMPILED
from pipelines.ingest.load import Loader, project
from pipelines.ingest.report import silent
from pipelines.llm.cache import ReplyStore
from pipelines.resources import Stores, open_graph, open_stores, vectors_name
from pipelines.settings import Settings, load
from pipelines.store.catalog import DAMAGED, Entry
from pipelines.store.facts import LINKED_FACT, TABLE_VERSIONS
from pipelines.store.graph import recount
from pipelines.store.vector import EmbeddedRecords

LOST = "what was read of it was damaged"
"""The reason of a document that is out of the stores until the next ingest."""


@dataclass(frozen=True, slots=True)
class FsckReport:
    """What a check found, and after a repair what is left of it.

    `documents` is the number looked at, `read` how many of the `artifacts` were read to the end.
    """

    documents: int
    findings: tuple[Inconsistency, ...] = ()
    remaining: tuple[Inconsistency, ...] = ()
    repaired: bool = False
    artifacts: int = 0
    read: int = 0

    @property
    def clean(self) -> bool:
        return not (self.remaining if self.repaired else self.findings)


def fsck(kb: Path, settings: Settings | None = None, repair: bool = False, read_data: bool = False) -> FsckReport:
    """Check that the stores of a knowledge base are whole and agree with one another, and repair them.

    Args:
        kb: the folder of the knowledge base.
        settings: all settings; without them those of the knowledge base's strata.toml and the environment.
        repair: load anew what does not agree, and check once more. A document whose artifacts are gone or damaged
            leaves the stores until the next ingest makes it anew, which is a finding of its own.
        read_data: read every artifact and every vector, where otherwise a sample of the artifacts is read.

    Raises:
        KnowledgeBaseNotFound: there is none at `kb`.
        StoreMismatch: its database cannot be opened at all.
        StoreLocked: another run writes the stores.

    Example:
        report = fsck(Path("kb"), repair=True)
        print(report.clean, report.findings)
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        if not stores.embedded.is_sound():
            name = stores.folder.database.name
            detail = f"it is damaged: remove {name} and ingest the folder again, what was read is kept beside it"
            return FsckReport(0, (Inconsistency(StorePart.CATALOG, Defect.CHANGED, name, detail),))
        documents = len(_searchable(stores))
        inspected, findings = _look(stores, settings, read_data)
        checked = FsckReport(documents, findings, artifacts=inspected.held, read=inspected.read)
        if not repair or not findings:
            return checked
        _repair(stores, settings, findings)
        return replace(checked, remaining=_look(stores, settings, read_data)[1], repaired=True)


def _look(stores: Stores, settings: Settings, read_data: bool) -> tuple[Inspected, tuple[Inconsistency, ...]]:
    inspected = inspect_artifacts(stores, stores.catalog.entries(), read_data)
    findings = [*inspected.findings, *_findings(stores, settings, read_data), *inspect_caches(stores.folder)]
    return inspected, tuple(sorted(set(findings)))


def _findings(stores: Stores, settings: Settings, read_data: bool) -> Iterator[Inconsistency]:
    entries = stores.catalog.entries()
    yield from (
        Inconsistency(StorePart.CATALOG, Defect.CHANGED, one.uri, "ingest the folder again")
        for one in entries
        if _unread(one)
    )
    damaged = stores.embedded.damaged_owners()
    yield from (
        Inconsistency(StorePart.GRAPH, Defect.CHANGED, owner, "its rows are not what was written") for owner in damaged
    )
    yield from check_artifacts(entries, {stage: tuple(stores.artifacts.keys(stage)) for stage in COMPILED})
    if damaged:
        return  # what cannot be read cannot be compared
    yield from _graph_findings(stores, settings, entries)
    yield from _vector_findings(stores, entries, read_data)
    if not stores.catalog.fact(LINKED_FACT):
        yield Inconsistency(StorePart.CATALOG, Defect.CHANGED, CORPUS_OWNER, "the links are behind the documents")


def _graph_findings(stores: Stores, settings: Settings, entries: Sequence[Entry]) -> Iterator[Inconsistency]:
    graph = stores.graph
    yield from check_graph(entries, graph.owners(), recount(graph))
    nodes = {node.id for node in graph.nodes()}
    yield from check_ends(nodes, ((edge.source, edge.target) for edge in graph.edges()))
    for name in settings.store.graph_copies:
        with open_graph(name, settings, stores.folder.root) as copy:
            yield from check_copy(graph.owners(), copy.owners(), recount(copy))


def _vector_findings(stores: Stores, entries: Sequence[Entry], read_data: bool) -> Iterator[Inconsistency]:
    try:
        held = held_sums(stores)
    except StoreError as error:
        yield Inconsistency(StorePart.VECTORS, Defect.CHANGED, vectors_name(stores.embedder.info), error.message)
        return
    wanted, unknown = _wanted(stores)
    for node in stores.graph.nodes([NodeKind.ATOM]):
        told, id = node.properties, f"atom/{node.id}"
        if told.get(CONFIRMED) and not told.get("quarantined") and node.owner in wanted:
            # Said by a person: no artifact has it.
            wanted[node.owner] = {**wanted[node.owner], id: held.get(node.owner, {}).get(id, 0)}
    shown = {owner: set(sums) for owner, sums in held.items() if owner not in unknown}
    yield from check_vectors(entries, {owner: set(sums) for owner, sums in wanted.items()}, shown)
    if read_data:
        yield from check_records({owner: wanted[owner] for owner in wanted if owner != CORPUS_OWNER}, held)


def _wanted(stores: Stores) -> tuple[Sums, set[str]]:
    """Records by owner as they should be: those of the artifacts, less what is quarantined, and the corpus's.

    Also the documents of which that cannot be said, because their artifact is gone or damaged.
    """
    quarantined = {node.id for node in stores.graph.nodes([NodeKind.ATOM]) if node.properties.get("quarantined")}
    wanted: Sums = {}
    unknown: set[str] = set()
    for entry in _searchable(stores):
        data = stores.artifacts.get("embed", entry.artifacts.get("embed", "none"))
        if data is None:
            unknown.add(entry.document)
            continue
        sums = sums_of(read_records(data)).get(entry.document, {})
        wanted[entry.document] = {id: sum for id, sum in sums.items() if id.removeprefix("atom/") not in quarantined}
    shared = stores.graph.nodes([NodeKind.TAG, NodeKind.ENTITY])
    wanted[CORPUS_OWNER] = {f"{node.kind.value.lower()}/{node.id}": 0 for node in shared}
    return wanted, unknown


def _repair(stores: Stores, settings: Settings, findings: Sequence[Inconsistency]) -> None:
    _drop_caches(stores, findings)
    if any(one.place is StorePart.VECTORS and one.subject == vectors_name(stores.embedder.info) for one in findings):
        _clear_vectors(stores)
    for finding in findings:
        if finding.place is StorePart.GRAPH and finding.fault is Defect.CHANGED:
            stores.graph.remove(finding.subject)  # the hashes of its rows say that they are as they should be
        elif (
            finding.fault is Defect.ORPHAN
            and finding.subject != CORPUS_OWNER
            and finding.place is not StorePart.ARTIFACTS
        ):
            stores.graph.remove(finding.subject)
            stores.vectors.write([finding.subject], EmbeddedRecords())
    _drop_artifacts(stores, findings)
    whole = _searchable(stores)
    for entry in whole:
        stores.catalog.record(entry.unloaded())
    loader = Loader(stores, silent)
    linking = link_corpus(whole, stores, settings)
    stores.catalog.set_fact(LINKED_FACT, "")
    loader.load(whole, linking)
    loader.finish(linking)
    loader.end()
    project(stores, settings, silent)


def _clear_vectors(stores: Stores) -> None:
    """Delete the tables of vectors, which are damaged, and no longer miss them."""
    stores.vectors.close()
    TABLE_VERSIONS.forget(stores.catalog)
    shutil.rmtree(stores.folder.vectors / vectors_name(stores.embedder.info), ignore_errors=True)


def _drop_artifacts(stores: Stores, findings: Sequence[Inconsistency]) -> None:
    """Remove what is damaged, and take the documents that it was made of out until the next ingest makes them anew.

    Those too of which an artifact is gone that was not read before. Where a picture or a part of a container is
    damaged, it comes back only with the document's parse.
    """
    entries = {entry.uri: entry for entry in stores.catalog.entries()}
    found = [finding for finding in findings if finding.place is StorePart.ARTIFACTS]
    for finding in found:
        stage, _, key = finding.subject.partition("/")
        stores.artifacts.remove(stage, key)
        if stage in ("picture", "member") and finding.detail in entries:
            stores.artifacts.remove("parse", entries[finding.detail].artifacts.get("parse", "none"))
    marked = {finding.detail for finding in found if finding.subject.partition("/")[0] != MENTIONS}
    marked |= {entry.uri for entry in _searchable(stores) if is_lost(entry, stores.artifacts)}
    for entry in (entries[uri] for uri in sorted(marked & entries.keys())):
        stores.vectors.write([entry.document], EmbeddedRecords())
        stores.graph.remove(entry.document)
        stores.catalog.record(replace(entry, status=Status.FAILED, reason=LOST, artifacts={}))


def _drop_caches(stores: Stores, findings: Sequence[Inconsistency]) -> None:
    places = stores.folder
    for finding in findings:
        if finding.place is not StorePart.CACHES:
            continue
        path = places.root / finding.subject
        if path not in (places.replies, places.embeddings):
            shutil.rmtree(path.parent)
        elif not is_sound(path):
            remove_file(path)
        else:
            store = ReplyStore(path)
            for key in store.damaged():
                store.get(key)
            store.close()


def _unread(entry: Entry) -> bool:
    return entry.reason in (DAMAGED, LOST)


def _searchable(stores: Stores) -> list[Entry]:
    return [entry for entry in stores.catalog.entries() if entry.status.searchable]
