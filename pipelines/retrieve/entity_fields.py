"""The entity fields of a new index: names, names inside other names, mentions and relations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.retrieve.index import INNER_NAME, Index, name_key, word_ngrams
from pipelines.retrieve.read_graph import EdgeTable, NamedTable
from pipelines.retrieve.renumbering import Pairs, Renumbering, renumbered, updated_mapping
from pipelines.retrieve.sparse_rows import Entries, Numbers, SparseRows, rows_of
from pipelines.retrieve.strings import SortedMap, Strings


def names_around(keys: Strings, entities_of: SparseRows, inner: set[str]) -> NDArray[np.int32]:
    """Return the entities with a key that contains one of `inner` as whole words."""
    by_word: dict[str, list[str]] = {}
    for one in inner:
        by_word.setdefault(one.partition(" ")[0], []).append(f" {one} ")
    found = [
        place
        for place, key in enumerate(keys if inner else ())
        if not by_word.keys().isdisjoint(words := key.split()) and _is_around(key, words, by_word)
    ]
    places = np.array(found, dtype=np.int32)
    return np.unique(entities_of.columns[entities_of.gather(places)[1]])


def _is_around(key: str, words: Sequence[str], by_word: Mapping[str, list[str]]) -> bool:
    padded = f" {key} "
    return any(one in padded for word in words for one in by_word.get(word, ()))


def inner_names(name: str, number: int, by_name: Mapping[str, tuple[int, ...]]) -> list[int]:
    """Return the entities whose names are part of this name ("Mississippi" in "History of Mississippi")."""
    whole = name_key(name)
    found = {other for _, _, key in word_ngrams(whole) if key != whole for other in by_name.get(key, ())}
    return sorted(found - {number})


def with_inner_names(mentions: SparseRows, inner: SparseRows) -> SparseRows:
    """Return `mentions` extended by the entities whose names are inside the mentioned ones, with less weight."""
    entry, place = inner.gather(mentions.columns)
    rows = mentions.rows()
    own = Entries(rows, mentions.columns, mentions.values)
    others = np.full(len(place), INNER_NAME, dtype=np.float32)
    return rows_of(own + Entries(rows[entry], inner.columns[place], others), mentions.size)


def own_mentions(chunk_entities: SparseRows) -> SparseRows:
    """Return the `mentions` from which `with_inner_names` made `chunk_entities`."""
    alone = chunk_entities.values > INNER_NAME
    starts = np.concatenate(([0], np.cumsum(alone)))[chunk_entities.starts]
    return SparseRows(starts, chunk_entities.columns[alone], chunk_entities.values[alone])


def languages_of_names(entity_chunks: SparseRows, language_of: Numbers) -> Numbers:
    """Return the language of the first chunk that mentions each entity, or 0 if none does."""
    found = np.zeros(entity_chunks.size, dtype=np.int32)
    mentioned = entity_chunks.counts() > 0
    found[mentioned] = language_of[entity_chunks.columns[entity_chunks.starts[:-1][mentioned]]]
    return found


def named_in_title(
    entity_chunks: SparseRows, document_of: Numbers, bearers: Entries, documents: int
) -> NDArray[np.bool_]:
    """Return for each entry of `entity_chunks` whether the title of the chunk's document is the entity's name.

    `bearers` are pairs of an entity and a document whose title is one of its names.
    """
    of_entries = entity_chunks.rows() * np.int64(documents) + document_of[entity_chunks.columns]
    return np.isin(of_entries, bearers.rows * np.int64(documents) + bearers.columns)


def name_frequency(name_terms: SparseRows, entity_chunks: SparseRows, postings: SparseRows) -> Numbers:
    """Return the number of chunks with each name; single words also count where they were not recognized as names."""
    single = np.flatnonzero(name_terms.counts() == 1)
    found = entity_chunks.counts().copy()
    found[single] = np.maximum(found[single], postings.counts()[name_terms.columns[name_terms.starts[single]]])
    return found


class EntityFields:
    """Computes the entity fields of a new index from the `old` one and from new and changed entities.

    `chunks` and `documents` are the new numbers of chunks and documents; `edges` are the edges read from the graph.
    """

    def __init__(
        self, old: Index, table: NamedTable, edges: EdgeTable, chunks: Renumbering, documents: Renumbering
    ) -> None:
        self._old, self._table, self._edges = old, table, edges
        self._chunks, self._documents = chunks, documents
        self.size = len(table.ids)

    def parts(self) -> dict[str, Any]:
        """Return the index fields that depend on entities only."""
        keys, entities = self.keyed
        return {
            "entities": self._table.ids,
            "entity_names": self.names,
            "entity_hashes": self._table.hashes,
            "entity_keys": keys,
            "key_entities": entities,
            "inner_entities": self._inner,
            "chunk_entities": self._of_chunks,
            "entity_chunks": self.chunks,
            "relations": self._relations,
            "related_entities": self._related(),
        }

    @cached_property
    def names(self) -> Strings:
        """The names of the entities."""
        return self._table.contents.strings(self._old.entity_names, self._table.names)

    @cached_property
    def _name_pairs(self) -> Pairs:
        """The keys of new names, with their entities."""
        return [
            (key, number)
            for number, own, aliases in new_names(self._table)
            for name in (own, *aliases)
            if (key := name_key(name))
        ]

    @cached_property
    def keyed(self) -> tuple[Strings, SparseRows]:
        """The sorted keys of all names, and the entities of each key."""
        old = self._old
        return updated_mapping(old.entity_keys, old.key_entities, self._table.contents.of_old, self._name_pairs)

    @cached_property
    def _inner(self) -> SparseRows:
        """For each entity, the entities whose names are part of its name."""
        old, contents, (keys, entities) = self._old, self._table.contents, self.keyed
        lost = old.key_entities.rows()[contents.of_old[old.key_entities.columns] < 0]
        changed = {old.entity_keys[place] for place in np.unique(lost)} | {key for key, _ in self._name_pairs}
        around = names_around(keys, entities, changed) if len(old.entities) else contents.of_new
        again = np.union1d(around, contents.of_new)
        rows = np.where(np.isin(contents.of_old, again), -1, contents.of_old).astype(np.int32)
        by_name = SortedMap(keys, entities.numbers_of, len(again))
        added = [
            (number, other) for number in again.tolist() for other in inner_names(self.names[number], number, by_name)
        ]
        return renumbered(old.inner_entities, rows, self._table.numbers.of_old, self.size, Entries.of(added))

    @cached_property
    def _of_chunks(self) -> SparseRows:
        own = own_mentions(self._old.chunk_entities)
        added = Entries.flat(self._edges.mentions)
        chunks = self._chunks
        mentions = renumbered(own, chunks.of_old, self._table.numbers.of_old, chunks.size, added)
        return with_inner_names(mentions, self._inner)

    @cached_property
    def chunks(self) -> SparseRows:
        """The chunks that mention each entity."""
        return self._of_chunks.transposed(self.size)

    @cached_property
    def _relations(self) -> Numbers:
        old, entity = self._old.relations, self._table.numbers.of_old
        kept = old[old[:, 0] >= 0]
        moved = np.column_stack((self._documents.of_old[kept[:, 0]], entity[kept[:, 1:]]))
        new = np.frombuffer(self._edges.relations, dtype=np.int32).reshape(-1, 3)
        return np.unique(np.concatenate((moved[(moved >= 0).all(axis=1)], new)), axis=0)

    def _related(self) -> SparseRows:
        ends = self._relations[:, 1:]
        pairs = Entries(ends[:, 0], ends[:, 1], np.ones(len(ends), dtype=np.float32))
        return rows_of(pairs + pairs.transposed(), self.size)

    def named_in_title(self, titles: tuple[Strings, SparseRows], document_of: Numbers) -> NDArray[np.bool_]:
        """Return for each entry of `chunks` whether the title of the chunk's document is the entity's name.

        `titles` are the title keys with their documents, `document_of` is the document of each chunk.
        """
        (folded, documents), (keys, entities) = titles, self.keyed
        bearers = [
            (entity, document)
            for place, title in enumerate(folded)
            if (key := keys.place(title)) >= 0
            for document in documents.numbers_of(place)
            for entity in entities.numbers_of(key)
        ]
        return named_in_title(self.chunks, document_of, Entries.of(bearers), self._documents.size)

    def dangling(self) -> tuple[Numbers, Numbers]:
        """Return the old numbers of the chunks that mention removed entities, and of documents with their relations."""
        old, entity = self._old, self._table.numbers.of_old
        mentions = own_mentions(old.chunk_entities)
        lost = (entity[old.relations[:, 1:]] < 0).any(axis=1)
        return mentions.rows()[entity[mentions.columns] < 0], old.relations[lost, 0]


def new_names(table: NamedTable) -> Iterator[tuple[int, str, tuple[str, ...]]]:
    """Yield number, name and aliases of each new or changed node."""
    return zip(table.contents.of_new.tolist(), table.names, table.aliases, strict=True)
