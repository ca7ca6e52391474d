"""Checks that catalog, graph, vectors, artifacts and caches are undamaged and consistent, and repairs them."""

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
    ArtifactInspection,
    Defect,
    Inconsistency,
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

_COMPARED = (StorePart.GRAPH, StorePart.VECTORS)
"""Parts that are only compared with others if no row is damaged."""
LOST = "what was read of it was damaged"
"""The reason of a document that was removed from the stores until the next ingest."""


@dataclass(frozen=True, slots=True)
class FsckReport:
    """The findings of a check, and those that `remaining` after a repair.

    `documents` is the number of documents checked, `read` how many of the `artifacts` were read.
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
    """Check that the stores of a knowledge base are undamaged and consistent, and optionally repair them.

    Args:
        kb: the folder of the knowledge base.
        settings: all settings; by default those of the knowledge base's strata.toml and the environment.
        repair: load the inconsistent documents again, and repeat the check. A document with missing or damaged
            artifacts is removed from the stores until the next ingest compiles it again, which is also a finding.
        read_data: read every artifact and every vector, instead of a sample of the artifacts.

    Raises:
        KnowledgeBaseNotFound: `kb` is not a knowledge base.
        StoreMismatch: its database cannot be opened.
        StoreLocked: another run is writing to the stores.

    Example:
        report = fsck(Path("kb"), repair=True)
        print(report.clean, report.findings)
    """
    settings = settings or load(kb).settings
    with open_stores(kb, settings) as stores, stores.embedded.exclusive():
        if not stores.embedded.is_sound():
            name = stores.folder.database.name
            detail = f"it is damaged: remove {name} and ingest the folder again; parsed documents are kept"
            return FsckReport(0, (Inconsistency(StorePart.CATALOG, Defect.CHANGED, name, detail),))
        documents = len(stores.searchable())
        inspected, findings = _check(stores, settings, read_data)
        checked = FsckReport(documents, findings, artifacts=inspected.held, read=inspected.read)
        if not repair or not findings:
            return checked
        return replace(checked, remaining=_repaired(stores, settings, read_data, findings), repaired=True)


def _repaired(
    stores: Stores, settings: Settings, read_data: bool, findings: tuple[Inconsistency, ...]
) -> tuple[Inconsistency, ...]:
    """Repair the findings, and what is only found after that, because damaged rows cannot be compared."""
    repaired: set[Inconsistency] = set()
    while any(one.place in _COMPARED and one not in repaired for one in findings) or not repaired:
        _repair(stores, settings, findings)
        repaired.update(findings)
        findings = _check(stores, settings, read_data)[1]
    return findings


def _check(stores: Stores, settings: Settings, read_data: bool) -> tuple[ArtifactInspection, tuple[Inconsistency, ...]]:
    inspected = inspect_artifacts(stores, stores.catalog.entries(), read_data)
    findings = [*inspected.findings, *_findings(stores, settings, read_data), *inspect_caches(stores.folder)]
    return inspected, tuple(sorted(set(findings)))


def _findings(stores: Stores, settings: Settings, read_data: bool) -> Iterator[Inconsistency]:
    entries = stores.catalog.entries()
    yield from (
        Inconsistency(StorePart.CATALOG, Defect.CHANGED, one.uri, "ingest the folder again")
        for one in entries
        if one.reason in (DAMAGED, LOST)
    )
    damaged = stores.embedded.damaged_owners()
    yield from (
        Inconsistency(StorePart.GRAPH, Defect.CHANGED, owner, "its rows differ from what was written")
        for owner in damaged
    )
    yield from check_artifacts(entries, {stage: tuple(stores.artifacts.keys(stage)) for stage in COMPILED})
    if damaged:
        return  # damaged rows cannot be compared
    yield from _graph_findings(stores, settings, entries)
    yield from _vector_findings(stores, entries, read_data)
    if not stores.catalog.fact(LINKED_FACT):
        yield Inconsistency(StorePart.CATALOG, Defect.CHANGED, CORPUS_OWNER, "the links are older than the documents")


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
        properties, id = node.properties, f"atom/{node.id}"
        if properties.get(CONFIRMED) and not properties.get("quarantined") and node.owner in wanted:
            # It comes from an answer that a user confirmed, so no artifact has it.
            wanted[node.owner] = {**wanted[node.owner], id: held.get(node.owner, {}).get(id, 0)}
    shown = {owner: set(sums) for owner, sums in held.items() if owner not in unknown}
    yield from check_vectors(entries, {owner: set(sums) for owner, sums in wanted.items()}, shown)
    if read_data:
        yield from check_records({owner: wanted[owner] for owner in wanted if owner != CORPUS_OWNER}, held)


def _wanted(stores: Stores) -> tuple[Sums, set[str]]:
    """Return the expected records by owner: those of the artifacts that are not quarantined, and those of the corpus.

    Also returns the documents whose records are unknown, because their artifact is missing or damaged.
    """
    quarantined = {node.id for node in stores.graph.nodes([NodeKind.ATOM]) if node.properties.get("quarantined")}
    wanted: Sums = {}
    unknown: set[str] = set()
    for entry in stores.searchable():
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
            stores.graph.remove(finding.subject)  # loading alone would skip its rows, whose hashes are unchanged
        elif (
            finding.fault is Defect.ORPHAN
            and finding.subject != CORPUS_OWNER
            and finding.place is not StorePart.ARTIFACTS
        ):
            stores.graph.remove(finding.subject)
            stores.vectors.write([finding.subject], EmbeddedRecords())
    _drop_artifacts(stores, findings)
    whole = stores.searchable()
    for entry in whole:
        stores.catalog.record(entry.unloaded())
    loader = Loader(stores, silent)
    linking = link_corpus(whole, stores, settings)
    stores.catalog.set_fact(LINKED_FACT, "")
    loader.load(whole, linking)
    loader.finish(linking)
    loader.update_vector_indexes()
    loader.end()
    project(stores, settings, silent)


def _clear_vectors(stores: Stores) -> None:
    """Delete the damaged tables of vectors, and their recorded versions, so that they are not missed."""
    stores.vectors.close()
    TABLE_VERSIONS.forget(stores.catalog)
    shutil.rmtree(stores.folder.vectors / vectors_name(stores.embedder.info), ignore_errors=True)


def _drop_artifacts(stores: Stores, findings: Sequence[Inconsistency]) -> None:
    """Remove damaged artifacts, and remove their documents from the stores until the next ingest compiles them again.

    The same holds for documents with a missing artifact that the sample did not contain. For a damaged picture or part
    of a container, the parse of its document is removed too, because only parsing restores it.
    """
    entries = {entry.uri: entry for entry in stores.catalog.entries()}
    found = [finding for finding in findings if finding.place is StorePart.ARTIFACTS]
    for finding in found:
        stage, _, key = finding.subject.partition("/")
        stores.artifacts.remove(stage, key)
        if stage in ("picture", "member") and finding.detail in entries:
            stores.artifacts.remove("parse", entries[finding.detail].artifacts.get("parse", "none"))
    marked = {finding.detail for finding in found if finding.subject.partition("/")[0] != MENTIONS}
    marked |= {entry.uri for entry in stores.searchable() if is_lost(entry, stores.artifacts)}
    for entry in (entries[uri] for uri in sorted(marked & entries.keys())):
        stores.vectors.write([entry.document], EmbeddedRecords())
        stores.graph.remove(entry.document)
        stores.catalog.record(replace(entry, status=Status.FAILED, reason=LOST, artifacts={}))


def _drop_caches(stores: Stores, findings: Sequence[Inconsistency]) -> None:
    folder = stores.folder
    for finding in findings:
        if finding.place is not StorePart.CACHES:
            continue
        path = folder.root / finding.subject
        if path not in (folder.replies, folder.embeddings):
            shutil.rmtree(path.parent)
        elif not is_sound(path):
            remove_file(path)
        else:
            store = ReplyStore(path)
            for key in store.damaged():
                store.get(key)
            store.close()
