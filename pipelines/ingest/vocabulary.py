"""The corpus tag collection: every tag once, under one spelling, with a class (PIKE-RAG 5.2.2, figure 7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from pipelines.atomize.tag_classes import ClusterClasses, TagClassifier, sample_of
from pipelines.atomize.tags import collect_tags
from pipelines.core.knowledge import ChunkTag, Tag, TagClass
from pipelines.graph.card import CardTag, DocumentCard
from pipelines.llm.embedder import Embedder

_LONGEST_SHORT_FORM = 8


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
