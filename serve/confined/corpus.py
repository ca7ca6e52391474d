"""Corpus-level nodes and edges, recomputed from some documents: tags, entities, classes, references."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace

from pipelines.atomize.tag_classes import classify
from pipelines.core.document import ReferenceKind
from pipelines.core.errors import StoreError
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, PropertyValue, Subgraph
from pipelines.core.ids import content_id, normalize
from pipelines.core.knowledge import TagClass
from pipelines.graph.document_names import fold_name
from pipelines.graph.document_profile import DocumentProfile, ProfileEntity, ProfileTag
from pipelines.graph.entities import most_common
from pipelines.graph.link import unlinked
from pipelines.graph.node_properties import short
from pipelines.llm.embedders import default_embedder
from pipelines.store.artifact import ArtifactStore, read_value
from pipelines.store.catalog import Entry
from pipelines.store.graph import GraphStore
from serve.views import text

_UNTOLD = (ReferenceKind.MENTION.value, ReferenceKind.CROSS_REFERENCE.value)
"""Kinds of references that are hidden if unresolved: they would reveal whether a document of that name exists."""
_OF_TARGET = ("candidates", "target_section", "target_chunk", "how")
"""Properties of a reference's edge that describe the target document."""
_BETWEEN = (EdgeKind.SUPERSEDES, EdgeKind.SAME_CONTENT)


def corpus_of(graph: GraphStore, artifacts: ArtifactStore, entries: Sequence[Entry]) -> Subgraph:
    """Return the subgraph of `CORPUS_OWNER` as it would be if there were only these documents.

    Tags and entities keep their ids; their names, spellings, types and counts are recomputed.
    """
    documents = {entry.document for entry in entries}
    own = unlinked(_classed([_profile(entry, graph, artifacts) for entry in entries])).subgraph
    references, missing = _references(graph, documents)
    between = graph.edges(_BETWEEN, sources=documents, targets=documents, owner=CORPUS_OWNER)
    edges = sorted((*own.edges, *references, *between), key=in_order)
    nodes = sorted((*own.nodes, *missing), key=lambda node: node.id)
    return Subgraph(CORPUS_OWNER, tuple(nodes), tuple(edges))


def in_order(edge: Edge) -> tuple[str, str, str, str]:
    """Return the sort key of edges in a graph store."""
    return edge.source, edge.kind, edge.target, edge.key


def _profile(entry: Entry, graph: GraphStore, artifacts: ArtifactStore) -> DocumentProfile:
    """Return a document's profile, with the ids of its tags and entities in the graph."""
    try:
        known = read_value(artifacts, entry, "card", DocumentProfile) if "card" in entry.artifacts else None
    except StoreError:
        known = None
    known = known or DocumentProfile(entry.document, entry.uri, entry.digest, "", entry.title)
    edges = list(graph.edges((EdgeKind.MENTIONS, EdgeKind.HAS_TAG), owner=entry.document))
    tags = tuple(_tags(known.tags, [edge for edge in edges if edge.kind is EdgeKind.HAS_TAG]))
    entities = tuple(_entities(known.entities, [edge for edge in edges if edge.kind is EdgeKind.MENTIONS]))
    return replace(known, tags=tags, entities=entities)


def _tags(known: Iterable[ProfileTag], edges: Iterable[Edge]) -> Iterator[ProfileTag]:
    classes = {normalize(tag.text): tag.tag_class for tag in known}
    for (id, form), count in Counter((edge.target, text(edge, "evidence")) for edge in edges).items():
        yield ProfileTag(id, form, classes.get(normalize(form), ""), count)


def _entities(known: Iterable[ProfileEntity], edges: Iterable[Edge]) -> Iterator[ProfileEntity]:
    """Yield the entities as the document names them; if it only mentions one, the mentioned form is the name."""
    surfaces: dict[str, Counter[str]] = {}
    for edge in edges:
        surfaces.setdefault(edge.target, Counter())[text(edge, "surface")] += 1
    by_name = {normalize(name): id for id, names in surfaces.items() for name in names}
    met = set()
    for one in known:
        spelled = (by_name.get(normalize(name)) for name in (one.name, *one.aliases))
        id = one.id if one.id in surfaces else next(filter(None, spelled), None)
        if id is not None:
            met.add(id)
            yield replace(one, id=id)
    for id, names in surfaces.items():
        if id not in met:
            yield ProfileEntity(id, most_common(names), "", (), names.total())


def _classed(profiles: Sequence[DocumentProfile]) -> list[DocumentProfile]:
    """Return the profiles with a class for each tag: that of a model in these documents, else its kind by form."""
    tags = [tag for profile in profiles for tag in profile.tags]
    known = [TagClass(TagClass.make_id(name), name) for name in sorted({tag.tag_class for tag in tags} - {""})]
    found = classify(sorted({tag.text for tag in tags if not tag.tag_class}), known, default_embedder())
    return [
        replace(one, tags=tuple(replace(tag, tag_class=tag.tag_class or found[tag.text]) for tag in one.tags))
        for one in profiles
    ]


def _references(graph: GraphStore, documents: Collection[str]) -> tuple[list[Edge], list[Node]]:
    """Return the references between these documents, and their other references as unresolved ones with their nodes."""
    groups: dict[tuple[str, str], list[Edge]] = {}
    for edge in graph.edges((EdgeKind.REFERENCES,), sources=documents, owner=CORPUS_OWNER):
        groups.setdefault((edge.source, edge.key), []).append(edge)
    found: list[Edge] = []
    open_: list[Edge] = []
    for group in groups.values():
        seen = [edge for edge in group if edge.target in documents]
        found += [_shared(edge, len(seen)) for edge in seen]
        if not seen and text(group[0], "kind") not in _UNTOLD:
            open_.append(_made_unresolved(group[0]))
    return [*found, *open_], list(_unresolved(open_))


def _shared(edge: Edge, candidates: int) -> Edge:
    visible = {name: value for name, value in edge.properties.items() if name != "candidates"}
    return replace(edge, properties=visible | ({"candidates": candidates} if candidates > 1 else {}))


def _made_unresolved(edge: Edge) -> Edge:
    visible = {name: value for name, value in edge.properties.items() if name not in _OF_TARGET}
    return replace(edge, target=content_id("unresolved", fold_name(text(edge, "wanted"))), properties=visible)


def _unresolved(edges: Iterable[Edge]) -> Iterator[Node]:
    groups: dict[str, list[Edge]] = {}
    for edge in edges:
        groups.setdefault(edge.target, []).append(edge)
    for id, group in groups.items():
        wanted = text(group[0], "wanted")
        properties: dict[str, PropertyValue] = {
            "name": short(wanted),
            "wanted": wanted,
            "reason": "not among the documents that this key can see",
            "kinds": tuple(sorted({text(edge, "kind") for edge in group})),
            "references": len(group),
        }
        yield Node(id, NodeKind.UNRESOLVED, CORPUS_OWNER, properties)
