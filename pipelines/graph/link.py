"""Link the corpus: references between documents, merged entities, and the tag vocabulary (design, section 4)."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity, Tag, TagClass
from pipelines.graph.corpus_links import corpus_links
from pipelines.graph.document_edges import document_edges
from pipelines.graph.document_index import DocumentIndex
from pipelines.graph.document_links import DocumentLink
from pipelines.graph.document_profile import DocumentProfile
from pipelines.graph.entities import Divided, EntityProfile, Split, divide, entity_profiles, most_common
from pipelines.graph.mentions import TextOf
from pipelines.graph.node_properties import Properties, short
from pipelines.graph.resolve import Decide, Embed, Merge, resolve
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import ArtifactStore


@dataclass(frozen=True, slots=True)
class Linked:
    """The corpus-level part of the graph.

    `subgraph` is owned by `CORPUS_OWNER`. `merged` maps the id of a merged entity to the id of the entity that replaces
    it; `split` maps a document's id to the entity ids that are replaced in that document only. `unresolved` are the
    links without a target. `tags` and `entities` are sorted by id, for the vector index.
    """

    subgraph: Subgraph
    merges: tuple[Merge, ...] = ()
    unresolved: tuple[DocumentLink, ...] = ()
    tags: tuple[Tag, ...] = ()
    entities: tuple[Entity, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    split: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def replacements(self, document: str) -> Mapping[str, str]:
        """Return the mapping from entity ids to their replacements in a document, as `redirect` expects it."""
        here = {id: self.merged.get(other, other) for id, other in self.split.get(document, {}).items()}
        return {**self.merged, **here} if here else self.merged


def link(
    profiles: Iterable[DocumentProfile],
    text_of: TextOf,
    settings: GraphSettings = GraphSettings(),
    embed: Embed | None = None,
    *,
    decide: Decide | None = None,
    cache: ArtifactStore | None = None,
    splits: Sequence[Split] = (),
) -> Linked:
    """Return the corpus-level graph: a pure function of the profiles, the texts and the settings.

    Args:
        profiles: the profiles of all documents of the corpus, in any order.
        text_of: returns the chunks of a document. With a `cache` it is called only for documents that have not yet
            been searched for the current set of names.
        settings: the section `[graph]`.
        embed: returns unit vectors for names, to find similar ones; without it only rules find equal entities.
        decide: judges pairs of entities that no rule decides.
        cache: stores the mentions found in each document (stage "mentions", keyed by the document's id without its
            prefix), the links of each document (stage "links"), and the nearest names of each name (stage "near").
        splits: user corrections: names that stand for another entity in some documents. They override rules and models.

    Raises:
        DocumentsFailed: the names, mentions or references of some documents could not be computed.

    Example:
        linked = link([document_profile(document, distillate)], chunks_of)
        subgraph = redirect(build_graph(document, distillate), linked.replacements(document.id))
    """
    ordered = sorted(profiles, key=lambda profile: profile.document)
    index = DocumentIndex(ordered)
    links = corpus_links(ordered, index, text_of, settings, cache)
    known, merges, divided = _resolved(ordered, settings, embed, decide, splits, cache)
    tags = _tags(ordered)
    entities, nodes = _entities(known, merges)
    unresolved = tuple(one for one in links if not one.target)
    nodes += [*_unresolved(unresolved), *_tag_nodes(tags, ordered), *_class_nodes(tags)]
    edges = [*_edges(links), *document_edges(ordered, links), *_class_edges(tags)]
    unique = {(edge.source, edge.kind, edge.target, edge.key): edge for edge in reversed(edges)}
    return Linked(
        Subgraph(CORPUS_OWNER, tuple(nodes), tuple(unique.values())),
        merges,
        unresolved,
        tags,
        entities,
        {merge.merged: merge.into for merge in merges},
        divided.moved,
    )


def _resolved(
    profiles: Sequence[DocumentProfile],
    settings: GraphSettings,
    embed: Embed | None,
    decide: Decide | None,
    splits: Sequence[Split],
    cache: ArtifactStore | None,
) -> tuple[list[EntityProfile], tuple[Merge, ...], Divided]:
    """Return the entities, merges and splits; splits refer to merged entities, so these are resolved first."""
    known = entity_profiles(profiles)
    merges = resolve(known, settings, embed, decide, cache)
    divided = divide(profiles, splits, known, {merge.merged: merge.into for merge in merges})
    if divided.moved:
        known = entity_profiles(divided.profiles)
        settings = settings.model_copy(update={"keep_apart": (*settings.keep_apart, *divided.apart)})
        merges = resolve(known, settings, embed, decide, cache)
    return known, merges, divided


def unlinked(profiles: Iterable[DocumentProfile]) -> Linked:
    """Return the corpus-level graph without links and merges: only the tags and entities of the documents."""
    ordered = sorted(profiles, key=lambda profile: profile.document)
    tags, known = _tags(ordered), entity_profiles(ordered)
    entities, nodes = _entities(known, ())
    nodes += [*_tag_nodes(tags, ordered), *_class_nodes(tags)]
    return Linked(Subgraph(CORPUS_OWNER, tuple(nodes), tuple(_class_edges(tags))), tags=tags, entities=entities)


def _edges(links: Iterable[DocumentLink]) -> Iterator[Edge]:
    for one in links:
        key = f"{one.kind.value}:{one.start}:{one.end}"
        target = one.target or one.unresolved_id
        yield Edge(one.source, EdgeKind.REFERENCES, target, CORPUS_OWNER, key, one.properties())


def _unresolved(links: Iterable[DocumentLink]) -> Iterator[Node]:
    groups: dict[str, list[DocumentLink]] = {}
    for one in links:
        groups.setdefault(one.unresolved_id, []).append(one)
    for id, group in sorted(groups.items()):
        properties: Properties = {
            "name": short(group[0].wanted),
            "wanted": group[0].wanted,
            "reason": group[0].reason,
            "kinds": tuple(sorted({one.kind.value for one in group})),
            "references": len(group),
        }
        yield Node(id, NodeKind.UNRESOLVED, CORPUS_OWNER, properties)


def _tags(profiles: Iterable[DocumentProfile]) -> tuple[Tag, ...]:
    texts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    classes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for profile in profiles:
        for tag in profile.tags:
            texts[tag.id][tag.text] += tag.count
            if tag.tag_class:
                classes[tag.id][tag.tag_class] += tag.count
    unclassed = Counter[str]()
    return tuple(_tag(id, texts[id], classes.get(id, unclassed)) for id in sorted(texts))


def _tag(id: str, texts: Counter[str], classes: Counter[str]) -> Tag:
    text = most_common(texts)
    return Tag(id, text, most_common(classes), tuple(sorted(set(texts) - {text})))


def _tag_nodes(tags: Iterable[Tag], profiles: Iterable[DocumentProfile]) -> Iterator[Node]:
    chunks: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for profile in profiles:
        documents.update({one.id for one in profile.tags})
        for one in profile.tags:
            chunks[one.id] += one.count
    for tag in tags:
        properties: Properties = {"name": tag.text, "chunks": chunks[tag.id], "documents": documents[tag.id]}
        if tag.tag_class:
            properties["tag_class"] = tag.tag_class
        if tag.aliases:
            properties["aliases"] = tag.aliases
        yield Node(tag.id, NodeKind.TAG, CORPUS_OWNER, properties)


def _class_nodes(tags: Iterable[Tag]) -> Iterator[Node]:
    counts = Counter(tag.tag_class for tag in tags if tag.tag_class)
    nodes = {TagClass.make_id(name): (name, count) for name, count in sorted(counts.items(), reverse=True)}
    for id, (name, count) in sorted(nodes.items()):
        yield Node(id, NodeKind.TAG_CLASS, CORPUS_OWNER, {"name": name, "tags": count})


def _class_edges(tags: Sequence[Tag]) -> Iterator[Edge]:
    ids = {name: TagClass.make_id(name) for name in {tag.tag_class for tag in tags if tag.tag_class}}
    for tag in tags:
        if tag.tag_class:
            properties: Properties = {"evidence": tag.tag_class}
            yield Edge(tag.id, EdgeKind.IN_CLASS, ids[tag.tag_class], CORPUS_OWNER, "", properties)


def _entities(known: Sequence[EntityProfile], merges: Sequence[Merge]) -> tuple[tuple[Entity, ...], list[Node]]:
    taken: dict[str, list[Merge]] = {}
    for merge in merges:
        taken.setdefault(merge.into, []).append(merge)
    by_id = {profile.id: profile for profile in known}
    gone = {merge.merged for merge in merges}
    entities: list[Entity] = []
    nodes: list[Node] = []
    for profile in known:
        if profile.id not in gone:
            merged = taken.get(profile.id, [])
            entity, properties = _entity(profile, [by_id[merge.merged] for merge in merged], merged)
            entities.append(entity)
            nodes.append(Node(entity.id, NodeKind.ENTITY, CORPUS_OWNER, properties))
    return tuple(entities), nodes


def _entity(
    profile: EntityProfile, others: Sequence[EntityProfile], merges: Sequence[Merge]
) -> tuple[Entity, Properties]:
    group = [profile, *others]
    names = {name for one in group for name in (one.name, *one.aliases)} - {profile.name}
    kinds: Counter[str] = Counter()
    for one in group:
        if one.type:
            kinds[one.type] += one.mentions
    entity = Entity(profile.id, profile.name, most_common(kinds), tuple(sorted(names)))
    properties: Properties = {
        "name": profile.name,
        "mentions": sum(one.mentions for one in group),
        "documents": len({document for one in group for document in one.documents}),
    }
    if entity.type:
        properties["type"] = entity.type
    if entity.aliases:
        properties["aliases"] = entity.aliases
    if merges:
        properties["merges"] = tuple(f"{one.merged_name} ({one.rule}, {one.score:.2f})" for one in merges)
    return entity, properties
