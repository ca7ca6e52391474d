"""Whether catalog, graph, vectors and artifacts agree, in both directions: functions of values, which open nothing."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass
from enum import StrEnum

from pipelines.core.graph import CORPUS_OWNER
from pipelines.store.catalog import Entry


class StorePart(StrEnum):
    """A part of a knowledge base that is compared."""

    CATALOG = "catalog"
    GRAPH = "graph"
    VECTORS = "vectors"
    ARTIFACTS = "artifacts"
    CACHES = "caches"


class Defect(StrEnum):
    MISSING = "missing"
    """The catalog lists it, the store does not hold it."""
    ORPHAN = "orphan"
    """The store holds it, the catalog does not list it."""
    CHANGED = "changed"
    """The store holds something else than was written, or an earlier version of it."""


@dataclass(frozen=True, slots=True, order=True)
class Inconsistency:
    """Something about which two stores disagree: `subject` is an owner, a node, or stage and key of an artifact."""

    place: StorePart
    fault: Defect
    subject: str
    detail: str = ""


def check_graph(
    entries: Iterable[Entry], recorded: Mapping[str, str], actual: Mapping[str, str]
) -> Iterator[Inconsistency]:
    """Yield where the catalog and the graph disagree.

    `recorded` are the digests that the store notes (`owners()`), `actual` those of what it holds (`recount()`).
    """
    wanted = {entry.document: entry.uri for entry in entries if entry.status.searchable}
    for document, uri in sorted(wanted.items()):
        if document not in recorded and document not in actual:
            yield Inconsistency(StorePart.GRAPH, Defect.MISSING, document, uri)
    for owner in sorted(recorded.keys() | actual.keys()):
        if owner not in wanted and owner != CORPUS_OWNER:
            yield Inconsistency(StorePart.GRAPH, Defect.ORPHAN, owner)
        elif recorded.get(owner) != actual.get(owner):
            yield Inconsistency(
                StorePart.GRAPH, Defect.CHANGED, owner, "its nodes and edges are not those that were written"
            )


def check_ends(nodes: Set[str], ends: Iterable[tuple[str, str]]) -> Iterator[Inconsistency]:
    """Yield edges that lead nowhere: `ends` are the ids at both ends of all edges, `nodes` all that there are."""
    for source, target in ends:
        for end in (source, target):
            if end not in nodes:
                yield Inconsistency(
                    StorePart.GRAPH, Defect.MISSING, end, f"an edge between {source} and {target} needs it"
                )


def check_copy(
    source: Mapping[str, str], target: Mapping[str, str], actual: Mapping[str, str]
) -> Iterator[Inconsistency]:
    """Yield where a second graph store is not the first: `owners()` of both, and `recount()` of the second."""
    for owner in sorted(source.keys() | target.keys() | actual.keys()):
        if owner not in source:
            yield Inconsistency(StorePart.GRAPH, Defect.ORPHAN, owner, "in the copy alone")
        elif owner not in target:
            yield Inconsistency(StorePart.GRAPH, Defect.MISSING, owner, "not in the copy")
        elif not source[owner] == target[owner] == actual.get(owner):
            yield Inconsistency(StorePart.GRAPH, Defect.CHANGED, owner, "the copy differs")


def check_vectors(
    entries: Iterable[Entry], wanted: Mapping[str, Set[str]], held: Mapping[str, Set[str]]
) -> Iterator[Inconsistency]:
    """Yield where vectors are missing or left over: ids of records by owner, as they should be and as they are."""
    known = {entry.document for entry in entries if entry.status.searchable} | {CORPUS_OWNER}
    for owner in sorted(wanted.keys() | held.keys()):
        should, are = wanted.get(owner, set()), held.get(owner, set())
        if owner not in known:
            yield Inconsistency(StorePart.VECTORS, Defect.ORPHAN, owner, f"{len(are)} records")
            continue
        if missing := should - are:
            yield Inconsistency(StorePart.VECTORS, Defect.MISSING, owner, f"{len(missing)} records")
        if surplus := are - should:
            yield Inconsistency(StorePart.VECTORS, Defect.ORPHAN, owner, f"{len(surplus)} records")


def check_records(
    wanted: Mapping[str, Mapping[str, int]], held: Mapping[str, Mapping[str, int]]
) -> Iterator[Inconsistency]:
    """Yield whose records are not what was written: checksums by id, by owner; those on one side alone do not count."""
    for owner in sorted(wanted.keys() & held.keys()):
        should, are = wanted[owner], held[owner]
        if changed := [id for id in should.keys() & are.keys() if should[id] != are[id]]:
            yield Inconsistency(StorePart.VECTORS, Defect.CHANGED, owner, f"{len(changed)} records")


def check_artifacts(entries: Iterable[Entry], held: Mapping[str, Collection[str]]) -> Iterator[Inconsistency]:
    """Yield artifacts that the catalog lists and that are missing; `held` are the keys of each stage.

    Only stages that `held` names are checked. Artifacts beyond those are no fault: they save work when a file
    goes back to what it was.
    """
    keys = {stage: frozenset(found) for stage, found in held.items()}
    for entry in entries:
        for stage, key in sorted(entry.artifacts.items()):
            if entry.status.searchable and stage in keys and key not in keys[stage]:
                yield Inconsistency(StorePart.ARTIFACTS, Defect.MISSING, f"{stage}/{key}", entry.uri)
