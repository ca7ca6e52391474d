"""The corpus tag collection: every tag once, under one spelling, with a class (PIKE-RAG 5.2.2, figure 7)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.atomize.tag_classes import KINDS, sample_of
from pipelines.atomize.tag_classes_cluster import ClusterClasses, TagClassifier
from pipelines.atomize.tags import collect_tags
from pipelines.core import codec
from pipelines.core.ids import digest
from pipelines.core.knowledge import ChunkTag, Tag, TagClass
from pipelines.graph.card import CardTag, DocumentCard
from pipelines.llm.embedder import Embedder
from pipelines.store.catalog import Catalog

CLASSES_FACT = "tag classes"
"""The fact under which the catalog keeps the classes by which a model tags."""
_LONGEST_SHORT_FORM = 8
"""Characters of an abbreviation at most; a longer alias is another name, with tags of its own."""


@dataclass(frozen=True, slots=True)
class KeptClasses:
    """The classes of the corpus's tags, and the model and prompt that induced them.

    `names` is the digest of the names of all that were induced: it is part of the keys of what was distilled by them,
    which stays as it is when one of the classes goes.
    """

    maker: str
    classes: tuple[TagClass, ...]
    names: str = ""


def kept_classes(catalog: Catalog, maker: str) -> KeptClasses | None:
    """Return the classes that `maker` induced for this knowledge base, None where it did not yet."""
    fact = catalog.fact(CLASSES_FACT)
    kept = codec.decode(fact, KeptClasses) if fact else None
    return kept if kept is not None and maker and kept.maker == maker else None


def keep_classes(catalog: Catalog, kept: KeptClasses) -> None:
    catalog.set_fact(CLASSES_FACT, codec.encode(kept).decode())


def drop_classes(catalog: Catalog, borne: Collection[str]) -> None:
    """Forget the induced classes that no tag is in any more; `borne` are the ids of those that some tag is in."""
    fact = catalog.fact(CLASSES_FACT)
    if not fact:
        return
    kept = codec.decode(fact, KeptClasses)
    left = tuple(one for one in kept.classes if one.id in borne or one.name in KINDS)
    if left != kept.classes:
        keep_classes(catalog, KeptClasses(kept.maker, left, names_digest(kept)))


def names_digest(kept: KeptClasses) -> str:
    """Return the digest of the names of all classes that were induced, those that went since included."""
    return kept.names or digest(" ".join(one.name for one in kept.classes).encode())[:16]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """The cards of a corpus with their tags as the collection has them.

    `merged` leads from the id of a tag as chunks bear it to the id of the one that stands for it.
    """

    cards: tuple[DocumentCard, ...]
    merged: Mapping[str, str] = field(default_factory=dict)


def vocabulary(cards: Sequence[DocumentCard], classes: Sequence[TagClass], embedder: Embedder) -> Vocabulary:
    """Return the cards with spellings of one term merged, and every tag in a class that has none and fits one.

    Without `classes` these are found by clustering the corpus's tags.
    """
    borne = list(_borne(cards))
    collection = collect_tags(borne, _short_forms(cards))
    known = classes or ClusterClasses(embedder).classes(sample_of(borne))
    unclassed = [tag.text for tag in collection.tags if not tag.tag_class]
    found = dict(zip(unclassed, TagClassifier(known, embedder).classes_of(unclassed), strict=True))
    tags = {tag.id: replace(tag, tag_class=tag.tag_class or found[tag.text]) for tag in collection.tags}
    return Vocabulary(tuple(_collected(card, tags, collection.merged) for card in cards), collection.merged)


def _borne(cards: Sequence[DocumentCard]) -> Iterator[ChunkTag]:
    for card in cards:
        for tag in card.tags:
            yield from (ChunkTag(card.document, tag.id, tag.text, 1.0, tag.tag_class) for _ in range(tag.count))


def _short_forms(cards: Sequence[DocumentCard]) -> Iterator[tuple[str, str]]:
    """Yield each name with its abbreviation, as documents introduce them."""
    for card in cards:
        for entity in card.entities:
            yield from ((entity.name, alias) for alias in entity.aliases if len(alias) <= _LONGEST_SHORT_FORM)


def _collected(card: DocumentCard, tags: Mapping[str, Tag], merged: Mapping[str, str]) -> DocumentCard:
    return replace(card, tags=tuple(_stands_for(tag, tags[merged.get(tag.id, tag.id)]) for tag in card.tags))


def _stands_for(borne: CardTag, tag: Tag) -> CardTag:
    return CardTag(tag.id, borne.text, tag.tag_class, borne.count)
