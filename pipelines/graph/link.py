"""Linking the corpus: references between documents, entities that are one, the vocabulary of tags (design 4)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.core.failures import each
from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity, Tag, TagClass
from pipelines.graph.card import DocumentCard
from pipelines.graph.entities import Profile, most_common, profiles
from pipelines.graph.library import Library
from pipelines.graph.mentions import Hit, Names, Passage
from pipelines.graph.properties import Properties, short
from pipelines.graph.references import Link, common_names, document_links
from pipelines.graph.resolve import Decide, Embed, Merge, resolve
from pipelines.graph.revisions import same_content, supersedes
from pipelines.graph.scan import find_names
from pipelines.graph.settings import GraphSettings
from pipelines.store.artifact import ArtifactStore


@dataclass(frozen=True, slots=True)
class Linked:
    """What the corpus as a whole holds.

    `subgraph` has the owner `CORPUS_OWNER`. `merged` leads from an entity's own id to that of the one that stands for
    it (`redirect` applies it to a document's subgraph). `unresolved` are the links that lead nowhere. `tags` and
    `entities` are for the vector index, in order of id.
    """

    subgraph: Subgraph
    merges: tuple[Merge, ...] = ()
    unresolved: tuple[Link, ...] = ()
    tags: tuple[Tag, ...] = ()
    entities: tuple[Entity, ...] = ()
    merged: Mapping[str, str] = field(default_factory=dict)


TextOf = Callable[[str], Sequence[Passage]]
"""The chunks of a document, by its id, with their places in its text."""


def link(
    cards: Iterable[DocumentCard],
    text_of: TextOf,
    settings: GraphSettings = GraphSettings(),
    embed: Embed | None = None,
    *,
    decide: Decide | None = None,
    cache: ArtifactStore | None = None,
) -> Linked:
    """Return what links the documents of `cards`: a pure function of the cards, their texts and the settings.

    `embed` gives names to unit vectors, for finding entities alike; without it they are found by their names alone.
    `decide` judges what the rules leave open. With a `cache`, `text_of` is asked only for documents whose text was
    not yet searched for the present set of names (stage "mentions", key the document's id without its prefix).

    Raises `DocumentsFailed` where names, mentions or references of some documents cannot be had.
    """
    ordered = sorted(cards, key=lambda card: card.document)
    library = Library(ordered)
    links = _links(ordered, library, text_of, settings, cache)
    known = profiles(ordered)
    merges = resolve(known, settings, embed, decide)
    tags = _tags(ordered)
    entities, nodes = _entities(known, merges)
    unresolved = tuple(one for one in links if not one.target)
    nodes += [*_unresolved(unresolved), *_tag_nodes(tags, ordered), *_class_nodes(tags)]
    edges = [*_edges(links), *_document_edges(ordered, links), *_class_edges(tags)]
    unique = {edge.id: edge for edge in reversed(edges)}
    return Linked(
        Subgraph(CORPUS_OWNER, tuple(nodes), tuple(unique.values())),
        merges,
        unresolved,
        tags,
        entities,
        {merge.merged: merge.into for merge in merges},
    )


def unlinked(cards: Iterable[DocumentCard]) -> Linked:
    """Return what documents bear where nothing links them: their tags and entities, each by itself."""
    ordered = sorted(cards, key=lambda card: card.document)
    tags, known = _tags(ordered), profiles(ordered)
    entities, nodes = _entities(known, ())
    nodes += [*_tag_nodes(tags, ordered), *_class_nodes(tags)]
    return Linked(Subgraph(CORPUS_OWNER, tuple(nodes), tuple(_class_edges(tags))), tags=tags, entities=entities)


def touched(cards: Iterable[DocumentCard], before: Mapping[str, str], after: Mapping[str, str]) -> set[str]:
    """Return the ids of the documents whose subgraph another `merged` changes."""
    moved = {id for id in before.keys() | after.keys() if before.get(id) != after.get(id)}
    return {card.document for card in cards if any(entity.id in moved for entity in card.entities)} if moved else set()


def _links(
    cards: Sequence[DocumentCard],
    library: Library,
    text_of: TextOf,
    settings: GraphSettings,
    cache: ArtifactStore | None,
) -> list[Link]:
    hits: dict[str, Sequence[Hit]] = {}
    if settings.mentions:
        names = Names(library.names)
        found_names = each("mentions", cards, _document, lambda card: find_names(card, names, text_of, cache))
        hits = {card.document: found for card, found in zip(cards, found_names, strict=True)}
    common = common_names(hits.values(), len(cards), settings)
    links = each(
        "references", cards, _document, lambda card: document_links(card, hits.get(card.document, ()), library, common)
    )
    return [one for of_document in links for one in of_document]


def _document(card: DocumentCard) -> str:
    return card.document


def _edges(links: Iterable[Link]) -> Iterator[Edge]:
    for one in links:
        key = f"{one.kind.value}:{one.start}:{one.end}"
        target = one.target or one.unresolved_id
        yield Edge(one.source, EdgeKind.REFERENCES, target, CORPUS_OWNER, key, one.properties())


def _document_edges(cards: Sequence[DocumentCard], links: Iterable[Link]) -> Iterator[Edge]:
    for one in links:
        if one.takes_place and one.target:
            newer, older = (one.source, one.target) if one.takes_place > 0 else (one.target, one.source)
            told = one.properties() | {"how": "stated"}
            yield Edge(newer, EdgeKind.SUPERSEDES, older, CORPUS_OWNER, "", told)
    yield from supersedes(cards)
    yield from same_content(cards)


def _unresolved(links: Iterable[Link]) -> Iterator[Node]:
    groups: dict[str, list[Link]] = {}
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


def _tags(cards: Iterable[DocumentCard]) -> tuple[Tag, ...]:
    texts: dict[str, Counter[str]] = {}
    classes: dict[str, Counter[str]] = {}
    for card in cards:
        for tag in card.tags:
            texts.setdefault(tag.id, Counter())[tag.text] += tag.count
            classes.setdefault(tag.id, Counter())
            if tag.tag_class:
                classes[tag.id][tag.tag_class] += tag.count
    return tuple(_tag(id, texts[id], classes[id]) for id in sorted(texts))


def _tag(id: str, texts: Counter[str], classes: Counter[str]) -> Tag:
    text = most_common(texts)
    return Tag(id, text, most_common(classes), tuple(sorted(set(texts) - {text})))


def _tag_nodes(tags: Iterable[Tag], cards: Iterable[DocumentCard]) -> Iterator[Node]:
    chunks: Counter[str] = Counter()
    documents: Counter[str] = Counter()
    for card in cards:
        documents.update({one.id for one in card.tags})
        for one in card.tags:
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


def _class_edges(tags: Iterable[Tag]) -> Iterator[Edge]:
    for tag in tags:
        if tag.tag_class:
            told: Properties = {"evidence": tag.tag_class}
            yield Edge(tag.id, EdgeKind.IN_CLASS, TagClass.make_id(tag.tag_class), CORPUS_OWNER, "", told)


def _entities(known: Sequence[Profile], merges: Sequence[Merge]) -> tuple[tuple[Entity, ...], list[Node]]:
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


def _entity(profile: Profile, others: Sequence[Profile], merges: Sequence[Merge]) -> tuple[Entity, Properties]:
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
