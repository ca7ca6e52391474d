"""Linking the corpus: references between documents, merged entities, the vocabulary of tags (design, section 4)."""

from __future__ import annotations

import posixpath
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from pipelines.core.failures import each
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity, Tag, TagClass
from pipelines.graph.document_index import DocumentIndex
from pipelines.graph.document_links import DocumentLink, common_names, document_links
from pipelines.graph.document_names import fold_name, is_weak, number_key, revision_order, without_revision
from pipelines.graph.document_profile import DocumentProfile
from pipelines.graph.entities import EntityProfile, entity_profiles, most_common
from pipelines.graph.mentions import ChunkText, NameMatcher, NameMention, find_mentions
from pipelines.graph.node_properties import Properties, short
from pipelines.graph.resolve import Decide, Embed, Merge, resolve
from pipelines.graph.settings import GraphSettings
from pipelines.graph.split import Divided, Split, divide
from pipelines.store.artifact import ArtifactStore


@dataclass(frozen=True, slots=True)
class Linked:
    """What the corpus as a whole holds.

    `subgraph` has the owner `CORPUS_OWNER`. `merged` leads from an entity's own id to that of the one that stands for
    it; `split` has, by a document's id, the entities that are others there. `unresolved` are the links that lead
    nowhere. `tags` and `entities` are for the vector index, in order of id.
    """

    subgraph: Subgraph
    merges: tuple[Merge, ...] = ()
    unresolved: tuple[DocumentLink, ...] = ()
    tags: tuple[Tag, ...] = ()
    entities: tuple[Entity, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)
    split: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def stands_for(self, document: str) -> Mapping[str, str]:
        """Return what `redirect` applies to a document's subgraph: from each id to the one that stands for it there."""
        here = {id: self.merged.get(other, other) for id, other in self.split.get(document, {}).items()}
        return {**self.merged, **here} if here else self.merged


TextOf = Callable[[str], Sequence[ChunkText]]
"""The chunks of a document, by its id, with their places in its text."""


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
    """Return what links documents: a pure function of their profiles, their texts and the settings.

    Args:
        profiles: those of all documents of the corpus; their order does not matter.
        text_of: gives the chunks of a document by its id. With a `cache` it is asked only for documents that were
            not yet searched for the present set of names.
        settings: the section `[graph]`.
        embed: names to unit vectors, to find entities with similar names; without it they are found by rules alone.
        decide: judges pairs of entities that no rule decides.
        cache: where the mentions found in each document are kept (stage "mentions", the key is the document's id
            without its prefix), and the nearest names of each name (stage "near").
        splits: entities that are others in some documents, whatever rules and models say.

    Raises:
        DocumentsFailed: names, mentions or references of some documents cannot be had.

    Example:
        linked = link([document_profile(document, distillate)], chunks_of)
        subgraph = redirect(build_graph(document, distillate), linked.stands_for(document.id))
    """
    ordered = sorted(profiles, key=lambda profile: profile.document)
    index = DocumentIndex(ordered)
    links = _links(ordered, index, text_of, settings, cache)
    known, merges, divided = _resolved(ordered, settings, embed, decide, splits, cache)
    tags = _tags(ordered)
    entities, nodes = _entities(known, merges)
    unresolved = tuple(one for one in links if not one.target)
    nodes += [*_unresolved(unresolved), *_tag_nodes(tags, ordered), *_class_nodes(tags)]
    edges = [*_edges(links), *_document_edges(ordered, links), *_class_edges(tags)]
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
    """The entities and what is merged of them, after what is split: that is said of what was merged without it."""
    known = entity_profiles(profiles)
    merges = resolve(known, settings, embed, decide, cache)
    divided = divide(profiles, splits, known, {merge.merged: merge.into for merge in merges})
    if divided.moved:
        known = entity_profiles(divided.profiles)
        settings = settings.model_copy(update={"keep_apart": (*settings.keep_apart, *divided.apart)})
        merges = resolve(known, settings, embed, decide, cache)
    return known, merges, divided


def unlinked(profiles: Iterable[DocumentProfile]) -> Linked:
    """Return what a corpus holds without links: the tags and entities of its documents, none merged."""
    ordered = sorted(profiles, key=lambda profile: profile.document)
    tags, known = _tags(ordered), entity_profiles(ordered)
    entities, nodes = _entities(known, ())
    nodes += [*_tag_nodes(tags, ordered), *_class_nodes(tags)]
    return Linked(Subgraph(CORPUS_OWNER, tuple(nodes), tuple(_class_edges(tags))), tags=tags, entities=entities)


def _links(
    profiles: Sequence[DocumentProfile],
    index: DocumentIndex,
    text_of: TextOf,
    settings: GraphSettings,
    cache: ArtifactStore | None,
) -> list[DocumentLink]:
    hits: dict[str, Sequence[NameMention]] = {}
    if settings.mentions:
        names = NameMatcher(index.names)
        found_names = each(
            "mentions", profiles, _document, lambda profile: find_mentions(profile, names, text_of, cache)
        )
        hits = {profile.document: found for profile, found in zip(profiles, found_names, strict=True)}
    common = common_names(hits.values(), len(profiles), settings)
    links = each(
        "references",
        profiles,
        _document,
        lambda profile: document_links(profile, hits.get(profile.document, ()), index, common),
    )
    return [one for of_document in links for one in of_document]


def _document(profile: DocumentProfile) -> str:
    return profile.document


def _edges(links: Iterable[DocumentLink]) -> Iterator[Edge]:
    for one in links:
        key = f"{one.kind.value}:{one.start}:{one.end}"
        target = one.target or one.unresolved_id
        yield Edge(one.source, EdgeKind.REFERENCES, target, CORPUS_OWNER, key, one.properties())


def _document_edges(profiles: Sequence[DocumentProfile], links: Iterable[DocumentLink]) -> Iterator[Edge]:
    for one in links:
        if one.takes_place and one.target:
            newer, older = (one.source, one.target) if one.takes_place > 0 else (one.target, one.source)
            told = one.properties() | {"how": "stated"}
            yield Edge(newer, EdgeKind.SUPERSEDES, older, CORPUS_OWNER, "", told)
    yield from supersedes(profiles)
    yield from same_content(profiles)


def _unresolved(links: Iterable[DocumentLink]) -> Iterator[Node]:
    groups: dict[str, list[DocumentLink]] = {}
    for one in links:
        groups.setdefault(one.unresolved_id, []).append(one)
    for id, group in sorted(groups.items()):
        told: Properties = {
            "name": short(group[0].wanted),
            "wanted": group[0].wanted,
            "reason": group[0].reason,
            "kinds": tuple(sorted({one.kind.value for one in group})),
            "references": len(group),
        }
        yield Node(id, NodeKind.UNRESOLVED, CORPUS_OWNER, told)


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
        told: Properties = {"name": tag.text, "chunks": chunks[tag.id], "documents": documents[tag.id]}
        if tag.tag_class:
            told["tag_class"] = tag.tag_class
        if tag.aliases:
            told["aliases"] = tag.aliases
        yield Node(tag.id, NodeKind.TAG, CORPUS_OWNER, told)


def _class_nodes(tags: Iterable[Tag]) -> Iterator[Node]:
    counts = Counter(tag.tag_class for tag in tags if tag.tag_class)
    nodes = {TagClass.make_id(name): (name, count) for name, count in sorted(counts.items(), reverse=True)}
    for id, (name, count) in sorted(nodes.items()):
        yield Node(id, NodeKind.TAG_CLASS, CORPUS_OWNER, {"name": name, "tags": count})


def _class_edges(tags: Sequence[Tag]) -> Iterator[Edge]:
    ids = {name: TagClass.make_id(name) for name in {tag.tag_class for tag in tags if tag.tag_class}}
    for tag in tags:
        if tag.tag_class:
            told: Properties = {"evidence": tag.tag_class}
            yield Edge(tag.id, EdgeKind.IN_CLASS, ids[tag.tag_class], CORPUS_OWNER, "", told)


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
            entity, told = _entity(profile, [by_id[merge.merged] for merge in merged], merged)
            entities.append(entity)
            nodes.append(Node(entity.id, NodeKind.ENTITY, CORPUS_OWNER, told))
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
    told: Properties = {
        "name": profile.name,
        "mentions": sum(one.mentions for one in group),
        "documents": len({document for one in group for document in one.documents}),
    }
    if entity.type:
        told["type"] = entity.type
    if entity.aliases:
        told["aliases"] = entity.aliases
    if merges:
        told["merges"] = tuple(f"{one.merged_name} ({one.rule}, {one.score:.2f})" for one in merges)
    return entity, told


def same_content(profiles: Iterable[DocumentProfile]) -> Iterator[Edge]:
    """Yield SAME_CONTENT from the first (by URI) of the documents with the same bytes or words to the others."""
    groups: dict[str, list[DocumentProfile]] = {}
    for profile in sorted(profiles, key=lambda profile: profile.uri):
        groups.setdefault(profile.text_digest or profile.digest, []).append(profile)
    for first, *others in groups.values():
        for other in others:
            same = "bytes" if other.digest == first.digest else "words"
            told = {"evidence": f"the same {same}: {first.uri} and {other.uri}", "same": same}
            yield Edge(first.document, EdgeKind.SAME_CONTENT, other.document, CORPUS_OWNER, "", told)


def supersedes(profiles: Iterable[DocumentProfile]) -> Iterator[Edge]:
    """Yield SUPERSEDES from each revision of a document to the one before it."""
    groups: dict[str, list[DocumentProfile]] = {}
    for profile in sorted(profiles, key=lambda profile: profile.uri):
        if revision_order(profile.revision) and (key := _work(profile)):
            groups.setdefault(key, []).append(profile)
    for group in groups.values():
        revisions: dict[tuple[int, ...], DocumentProfile] = {}
        for profile in group:
            revisions.setdefault(revision_order(profile.revision), profile)
        for older, newer in pairwise(revisions[order] for order in sorted(revisions)):
            told = {"evidence": f"revision {newer.revision} after {older.revision}", "how": "revision"}
            yield Edge(newer.document, EdgeKind.SUPERSEDES, older.document, CORPUS_OWNER, "", told)


def _work(profile: DocumentProfile) -> str:
    """What all revisions of a document share: number and title, or a title that is not weak, or the file's name."""
    title = fold_name(without_revision(profile.title))
    if profile.numbers:
        return f"{number_key(profile.numbers[0])} {title}"
    if title and not is_weak(title):
        return title
    stem = re.sub(r"[_-]+", " ", posixpath.splitext(profile.file_name)[0])
    folder = posixpath.dirname(profile.uri)
    return f"{folder}/{fold_name(without_revision(stem))}" if without_revision(stem) else ""
