"""The distiller that needs no model: it quotes and recognizes, and never invents."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from pipelines.atomize.content import Content, Sentence
from pipelines.atomize.distiller import Distilled
from pipelines.atomize.keyphrases import Named, key_phrases
from pipelines.atomize.names import Name, find_names
from pipelines.atomize.settings import AtomizeSettings
from pipelines.atomize.statements import statements
from pipelines.core.knowledge import ChunkTag, Entity, Mention, Relation, Row, Tag
from pipelines.core.provenance import Span

CO_OCCURRENCE = "co-occurrence"
"""Type and origin of a relation that says no more than that two entities stand in one sentence."""

_CHARACTERS_PER_TAG = 80


class ExtractiveDistiller:
    """Statements are sentences, tags key phrases, entities names by their form, relations their co-occurrence."""

    def __init__(self, settings: AtomizeSettings) -> None:
        self._settings = settings

    async def distil(self, content: Content) -> Distilled:
        return self.extract(content)

    def extract(self, content: Content) -> Distilled:
        settings = self._settings
        named = NamedChunk.of(content)
        return Distilled(
            atoms=tuple(statements(content, settings.max_statements)) if settings.statements else (),
            tags=tuple(named.tags(settings.max_tags)) if settings.tags else (),
            entities=named.entities() if settings.entities else (),
            mentions=named.mentions() if settings.entities else (),
            relations=named.relations(settings.max_relations) if settings.entities else (),
            rows=tuple(rows(content)) if settings.rows else (),
        )


def rows(content: Content) -> list[Row]:
    """Return the table rows that stand in a chunk, as typed fields under their columns' names."""
    chunk = content.chunk.id
    return [
        Row(
            Row.make_id(chunk, place.grid.id, place.number),
            chunk,
            place.grid.id,
            fields,
            content.layout.provenance(place.span),
        )
        for place in content.rows
        if (fields := place.grid.fields(place.number))
    ]


def _names(content: Content, sentence: Sentence) -> list[Name]:
    """Return the names in a sentence; in a heading, where capitals mean little, only those that tell by their form."""
    names = find_names(sentence.text, content.names, content.document.title)
    return [name for name in names if name.type or not sentence.heading]


class NamedChunk:
    """The names of a chunk, sentence by sentence, with their spans in the document."""

    def __init__(self, content: Content, found: Sequence[tuple[Sentence, list[Name]]]) -> None:
        self._content = content
        self._found = found

    @staticmethod
    def of(content: Content) -> NamedChunk:
        return NamedChunk(content, [(sentence, _names(content, sentence)) for sentence in content.sentences])

    def tags(self, limit: int) -> list[ChunkTag]:
        """Return the names and key phrases of the chunk as its tags, by weight; a short chunk has fewer."""
        content = self._content
        sentences = [Named(sentence.text, [name.span for name in names]) for sentence, names in self._found]
        fitting = min(limit, 2 + len(content.chunk.text) // _CHARACTERS_PER_TAG)
        phrases = key_phrases(sentences, (part for part, _ in content.path), fitting, content.terms)
        return [ChunkTag(content.chunk.id, Tag.make_id(p.text), p.text, p.weight) for p in phrases]

    def entities(self) -> tuple[Entity, ...]:
        found: dict[str, Entity] = {}
        for name in self._names():
            aliases = (name.alias,) if name.alias else ()
            made = Entity(Entity.make_id(name.surface), " ".join(name.surface.split()), name.type, aliases)
            known = found.setdefault(made.id, made)
            if made.aliases and not known.aliases:
                found[made.id] = made
        return tuple(found.values())

    def mentions(self) -> tuple[Mention, ...]:
        """Return the first mention of each entity."""
        found: dict[str, Mention] = {}
        for sentence, names in self._found:
            for name in names:
                entity = Entity.make_id(name.surface)
                if entity not in found:
                    place = self._content.layout.provenance(_within(sentence, name.span))
                    found[entity] = Mention(self._content.chunk.id, entity, name.surface, place)
        return tuple(found.values())

    def relations(self, limit: int) -> tuple[Relation, ...]:
        """Return pairs of entities that stand in one sentence, nearest pairs first, at most `limit`."""
        found: dict[str, Relation] = {}
        for sentence, names in self._found:
            ids = list(dict.fromkeys(Entity.make_id(name.surface) for name in names))
            for head, tail in sorted(combinations(ids, 2), key=lambda pair: ids.index(pair[1]) - ids.index(pair[0])):
                if len(found) == limit:
                    return tuple(found.values())
                relation = self._relation(head, tail, sentence)
                found.setdefault(relation.id, relation)
        return tuple(found.values())

    def _relation(self, head: str, tail: str, sentence: Sentence) -> Relation:
        head, tail = sorted((head, tail))
        chunk = self._content.chunk.id
        place = self._content.layout.provenance(sentence.span)
        name = Relation.make_id(chunk, head, CO_OCCURRENCE, tail)
        return Relation(name, chunk, head, CO_OCCURRENCE, tail, place, CO_OCCURRENCE)

    def _names(self) -> Iterator[Name]:
        for _, names in self._found:
            yield from names


def _within(sentence: Sentence, span: Span) -> Span:
    return span.shifted(sentence.span.start)
