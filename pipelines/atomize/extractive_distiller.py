"""The extractive distiller: knowledge quoted from a chunk by rules, without a language model."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

from pipelines.atomize.atomic_statements import row_questions, statements
from pipelines.atomize.distiller import ChunkContent, ChunkDistillate, Sentence
from pipelines.atomize.keyphrases import NamedSentence, key_phrases
from pipelines.atomize.name_recognition import RecognizedName, find_names
from pipelines.atomize.settings import AtomizeSettings
from pipelines.core.knowledge import Atom, ChunkTag, Entity, Mention, Relation, Row, Tag

CO_OCCURRENCE = "co-occurrence"
"""Type and origin of a relation whose only evidence is that two entities occur in one sentence."""

_CHARACTERS_PER_TAG = 80
"""A chunk has two tags, plus one for this number of characters: about one per sentence."""


class ExtractiveDistiller:
    """Distils deterministically, without a model.

    Atoms are the chunk's sentences, table rows and figures as statements, and a templated question for each value of a
    row; tags are key phrases; entities are names recognized by their form; relations are co-occurrences of entities in
    a sentence.
    """

    def __init__(self, settings: AtomizeSettings) -> None:
        self._settings = settings

    async def distil(self, content: ChunkContent) -> ChunkDistillate:
        return self.extract(content)

    def extract(self, content: ChunkContent) -> ChunkDistillate:
        """Return what `distil` returns, without a coroutine."""
        settings = self._settings
        named = _ChunkNames(content)
        return ChunkDistillate(
            atoms=tuple(self._atoms(content)),
            tags=tuple(named.tags(settings.max_tags)) if settings.tags else (),
            entities=named.entities() if settings.entities else (),
            mentions=named.mentions() if settings.entities else (),
            relations=named.relations(settings.max_relations) if settings.entities else (),
            rows=tuple(rows(content)) if settings.rows else (),
        )

    def _atoms(self, content: ChunkContent) -> Iterator[Atom]:
        if self._settings.statements:
            yield from statements(content, self._settings.max_statements)
        if self._settings.row_questions:
            yield from row_questions(content)


def rows(content: ChunkContent) -> list[Row]:
    """Return the table rows of a chunk as typed fields with column names; empty rows are omitted."""
    chunk = content.chunk.id
    return [
        Row(
            Row.make_id(chunk, row.table.id, row.number),
            chunk,
            row.table.id,
            fields,
            content.block_index.provenance(row.span),
        )
        for row in content.rows
        if (fields := row.table.fields(row.number))
    ]


def _names(content: ChunkContent, sentence: Sentence) -> list[RecognizedName]:
    """Return the names in a sentence; in a heading, where any word may be capitalized, those with a type only."""
    names = find_names(sentence.text, content.names, content.document.title, content.chunk.language)
    return [name for name in names if name.type or not sentence.heading]


class _ChunkNames:
    """The names of a chunk by sentence, and the tags, entities, mentions and relations that follow from them."""

    def __init__(self, content: ChunkContent) -> None:
        self._content = content
        self._found = [(sentence, _names(content, sentence)) for sentence in content.sentences]

    def tags(self, limit: int) -> list[ChunkTag]:
        """Return the heaviest names and key phrases as tags, at most `limit` and fewer for a short chunk."""
        content = self._content
        sentences = [NamedSentence(sentence.text, [name.span for name in names]) for sentence, names in self._found]
        fitting = min(limit, 2 + len(content.chunk.text) // _CHARACTERS_PER_TAG)
        headings = [part for part, _ in content.path]
        phrases = key_phrases(sentences, headings, fitting, content.terms, content.chunk.language)
        return [ChunkTag(content.chunk.id, Tag.make_id(p.text), p.text, p.weight) for p in phrases]

    def entities(self) -> tuple[Entity, ...]:
        """Return each entity once, with its first abbreviation in the chunk as an alias."""
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
                    provenance = self._content.block_index.provenance(name.span.shifted(sentence.span.start))
                    found[entity] = Mention(self._content.chunk.id, entity, name.surface, provenance)
        return tuple(found.values())

    def relations(self, limit: int) -> tuple[Relation, ...]:
        """Return pairs of entities of one sentence, nearest pairs first, at most `limit`."""
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
        evidence = self._content.block_index.provenance(sentence.span)
        id = Relation.make_id(chunk, head, CO_OCCURRENCE, tail)
        return Relation(id, chunk, head, CO_OCCURRENCE, tail, evidence, CO_OCCURRENCE)

    def _names(self) -> Iterator[RecognizedName]:
        for _, names in self._found:
            yield from names
