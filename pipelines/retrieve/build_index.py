"""Builds an `Index` from a graph store, incrementally: unchanged parts are copied from the previous index.

Only changed documents are read, analyzed and sorted; everything else is copied as arrays with new numbers. Numbers are
positions in sorted ids, terms or keys, so the result is independent of which parts were copied.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.tags import tag_form
from pipelines.core.document import document_date
from pipelines.core.graph import Node, NodeKind
from pipelines.lang.terms import terms
from pipelines.retrieve import entity_fields
from pipelines.retrieve.chunk_table import language_of
from pipelines.retrieve.entity_fields import EntityFields, new_names
from pipelines.retrieve.hit import text_of, texts_of
from pipelines.retrieve.index import NO_INDEX, Index, document_words, title_keys
from pipelines.retrieve.read_graph import EdgeTable, ForeignEdge, NamedTable, TermsOf, read_documents
from pipelines.retrieve.renumbering import (
    Pairs,
    Renumbering,
    backwards,
    renumbered,
    still_used,
    updated_keys,
    updated_mapping,
    updated_rows,
)
from pipelines.retrieve.sparse_rows import Entries, Numbers, SparseRows, rows_of
from pipelines.retrieve.strings import SortedMap, Strings
from pipelines.store.graph import GraphStore


def build_index(graph: GraphStore, before: Index | None = None, chunk_terms: TermsOf | None = None) -> Index:
    """Return the index of `graph`; equal graphs give equal indexes, whatever the store.

    Args:
        graph: the graph to index.
        before: an earlier index of the same graph, from which unchanged documents are copied.
        chunk_terms: reads the terms of chunks; those that it does not give are computed.
    """
    digests = dict(sorted(graph.owners().items()))
    try:
        return _IndexBuilder(graph, digests, before or NO_INDEX, chunk_terms).index()
    except ForeignEdge:
        return _IndexBuilder(graph, digests, NO_INDEX).index()


class _IndexBuilder:
    """Builds an index from the previous one (`old`) and the changes in the graph."""

    def __init__(
        self, graph: GraphStore, digests: Mapping[str, str], old: Index, chunk_terms: TermsOf | None = None
    ) -> None:
        known = dict(zip(old.owners, old.digests, strict=True))
        changed = {owner for owner in {**known, **digests} if known.get(owner) != digests.get(owner)}
        owners = sorted(changed & digests.keys()) if known else None
        self._old, self._owner_digests = old, digests
        self._read, self._chunk_table = read_documents(graph, owners, chunk_terms)
        kept = np.array([document not in changed for document in old.documents], dtype=bool)
        self._documents = Renumbering.between(old.documents, kept, [node.id for node in self._read])
        self._chunks = Renumbering.between(old.chunks, kept[old.document_of], self._chunk_table.ids)
        self._entities = NamedTable.of(graph, NodeKind.ENTITY, old.entities, old.entity_hashes)
        self._tags = NamedTable.of(graph, NodeKind.TAG, old.tag_ids, old.tag_hashes)
        self._edges = self._read_edges(graph, owners)
        self._entity_fields = EntityFields(old, self._entities, self._edges, self._chunks, self._documents)

    def _read_edges(self, graph: GraphStore, owners: list[str] | None) -> EdgeTable:
        table = self._chunk_table
        edges = EdgeTable(
            chunks=_numbers(self._chunk_ids),
            documents=_numbers(self._document_ids),
            entities=_lookup(self._entities.ids, owners),
            tags=_lookup(self._tags.ids, owners),
            owner_of=dict(zip(table.ids, table.owners, strict=True)),
        )
        edges.read(graph, owners)
        return edges

    def index(self) -> Index:
        """Return the index; its parts may be computed in any order."""
        owners = Strings.of(self._owner_digests)
        incomplete = self._edges.incomplete | set(self._with_dangling_edges())
        digests = Strings.of("" if owner in incomplete else digest for owner, digest in self._owner_digests.items())
        parts = self._of_documents() | self._of_chunks() | self._of_tags() | self._of_terms()
        return Index(owners=owners, digests=digests, **parts, **self._entity_fields.parts())

    # --- documents ---

    @cached_property
    def _document_ids(self) -> Strings:
        return self._documents.strings(self._old.documents, (node.id for node in self._read))

    def _of_documents(self) -> dict[str, Any]:
        old, texts = self._old, self._documents.strings
        size = len(self._document_ids)
        keys, documents = self._titles
        return {
            "documents": self._document_ids,
            "uris": texts(old.uris, (text_of(node, "uri") for node in self._read)),
            "titles": texts(old.titles, (text_of(node, "title") for node in self._read)),
            "media_types": texts(old.media_types, (text_of(node, "media_type") for node in self._read)),
            "dates": texts(old.dates, (document_date(_metadata(node)) for node in self._read)),
            "superseded_by": self._edges.superseded_by(size),
            "document_chunks": rows_of(Entries.of(enumerate(self._document_of)).transposed(), size),
            "title_keys": keys,
            "title_documents": documents,
        }

    @cached_property
    def _titles(self) -> tuple[Strings, SparseRows]:
        pairs = [
            (key, number)
            for number, node in self._new_documents()
            for key in title_keys(text_of(node, "title"), language_of(node))
        ]
        return updated_mapping(self._old.title_keys, self._old.title_documents, self._documents.of_old, pairs)

    def _new_documents(self) -> Iterator[tuple[int, Node]]:
        return zip(self._documents.of_new.tolist(), self._read, strict=True)

    # --- chunks ---

    @cached_property
    def _chunk_ids(self) -> Strings:
        return self._chunks.strings(self._old.chunks, self._chunk_table.ids)

    @cached_property
    def _document_of(self) -> Numbers:
        number = _numbers(self._document_ids)
        new = np.array([number[owner] for owner in self._chunk_table.owners], dtype=np.int32)
        return self._chunks.table(self._documents.of_old[self._old.document_of], new)

    def _of_chunks(self) -> dict[str, Any]:
        old, new, table, edges = self._old, self._chunk_table, self._chunks.table, self._edges
        size = len(self._chunk_ids)
        following = Entries.flat(edges.following)
        references = Entries.flat(edges.references, edges.reference_weights)
        chunks = self._chunks.of_old
        return {
            "chunks": self._chunk_ids,
            "document_of": self._document_of,
            "pages": table(old.pages, np.array(new.pages, dtype=np.int32)),
            "language_names": Strings.of(self._languages[0]),
            "language_of": self._languages[1],
            "rewritten": table(old.rewritten, np.array(new.rewritten, dtype=bool)),
            "chunk_neighbours": renumbered(
                old.chunk_neighbours, chunks, chunks, size, following + following.transposed()
            ),
            "chunk_references": rows_of(references, size),
        }

    @cached_property
    def _languages(self) -> tuple[tuple[str, ...], Numbers]:
        """The languages of the chunks, the most frequent first, and the index of each chunk's language."""
        met = _numbers(dict.fromkeys((*self._old.languages, *self._chunk_table.languages)))
        new = np.array([met[language] for language in self._chunk_table.languages], dtype=np.int32)
        place = self._chunks.table(self._old.language_of, new)
        counts = np.bincount(place, minlength=len(met)).tolist()
        languages = tuple(sorted((one for one in met if counts[met[one]]), key=lambda one: (-counts[met[one]], one)))
        ranks = _numbers(languages)
        return languages, np.array([ranks.get(one, -1) for one in met], dtype=np.int32)[place]

    # --- tags ---

    def _of_tags(self) -> dict[str, Any]:
        old, tags, edges = self._old, self._tags, self._edges
        forms, form_tags = updated_mapping(old.tag_forms, old.form_tags, tags.contents.of_old, self._form_pairs())
        weights = Entries.flat(edges.tagged, edges.tag_weights)
        return {
            "tag_ids": tags.ids,
            "tag_names": tags.contents.strings(old.tag_names, tags.names),
            "tag_aliases": tags.contents.strings(old.tag_aliases, map("\n".join, tags.aliases)),
            "tag_hashes": tags.hashes,
            "tag_chunks": renumbered(old.tag_chunks, tags.numbers.of_old, self._chunks.of_old, len(tags.ids), weights),
            "tag_forms": forms,
            "form_tags": form_tags,
        }

    def _form_pairs(self) -> Pairs:
        return [
            (tag_form(spelling), number)
            for number, own, aliases in new_names(self._tags)
            for spelling in (*aliases, own)
        ]

    # --- terms ---

    @cached_property
    def _languages_of_names(self) -> Numbers:
        return entity_fields.languages_of_names(self._entity_fields.chunks, self._languages[1])

    @cached_property
    def _reread_names(self) -> tuple[NDArray[np.bool_], Numbers]:
        """A mask of the old entities whose name terms are kept, and the numbers of the entities to analyze again.

        A name is analyzed in the language of the first chunk that mentions it, which may have changed.
        """
        old, contents, ranks = self._old, self._entities.contents, _numbers(self._languages[0])
        before = entity_fields.languages_of_names(old.entity_chunks, old.language_of)
        rank = np.array([ranks.get(language, -1) for language in old.languages], dtype=np.int32)
        kept = contents.of_old >= 0
        kept[kept] = rank[before[kept]] == self._languages_of_names[contents.of_old[kept]] if len(rank) else False
        others = np.ones(len(self._entities.ids), dtype=bool)
        others[contents.of_old[kept]] = False
        return kept, np.flatnonzero(others).astype(np.int32)

    @cached_property
    def _name_term_pairs(self) -> list[tuple[str, int]]:
        languages, names = self._languages[0], self._entity_fields.names
        return [
            (term, number)
            for number in self._reread_names[1].tolist()
            for term in terms(names[number], languages[self._languages_of_names[number]] if languages else "")
        ]

    @cached_property
    def _document_term_pairs(self) -> Pairs:
        """The terms that readers may use for each new document."""
        return [
            (term, number)
            for number, node in self._new_documents()
            for term in document_words(
                text_of(node, "title"), text_of(node, "uri"), text_of(node, "media_type"), language_of(node)
            )
        ]

    @cached_property
    def _terms(self) -> tuple[Renumbering, Strings]:
        old, kept_names = self._old, self._reread_names[0]
        used = still_used(old.postings, self._chunks.of_old)
        used |= still_used(old.term_documents, self._documents.of_old)
        used[old.name_terms.columns[kept_names[old.name_terms.rows()]]] = True
        new_terms = {term for term, _ in (*self._name_term_pairs, *self._document_term_pairs)}
        return updated_keys(old.terms, used, new_terms | self._chunk_table.terms.keys())

    @cached_property
    def _postings(self) -> SparseRows:
        numbers, words = self._terms
        new = self._chunk_table.postings()
        place = self._chunk_table.by_number(words.places(self._chunk_table.terms))
        added = Entries(place[new.rows], self._chunks.of_new[new.columns], new.values)
        return renumbered(self._old.postings, numbers.of_old, self._chunks.of_old, len(words), added)

    @cached_property
    def _name_terms(self) -> SparseRows:
        numbers, words = self._terms
        kept, _ = self._reread_names
        rows = np.where(kept, self._entities.contents.of_old, -1).astype(np.int32)
        pairs = self._name_term_pairs
        places = words.places([term for term, _ in pairs]).tolist()
        added = Entries.of((number, place) for (_, number), place in zip(pairs, places, strict=True))
        return renumbered(self._old.name_terms, rows, numbers.of_old, len(self._entities.ids), added)

    def _of_terms(self) -> dict[str, Any]:
        numbers, words = self._terms
        columns, pairs = self._documents.of_old, self._document_term_pairs
        postings, chunks, entities = self._postings, len(self._chunk_ids), self._entity_fields
        return {
            "named_in_title": entities.named_in_title(self._titles, self._document_of),
            "name_terms": self._name_terms,
            "name_frequency": entity_fields.name_frequency(self._name_terms, entities.chunks, postings),
            "terms": words,
            "backwards": backwards(self._old.backwards, numbers, words),
            "postings": postings,
            "lengths": np.bincount(postings.columns, postings.values, chunks).astype(np.float32),
            "term_documents": updated_rows(words, self._old.term_documents, numbers, columns, pairs),
        }

    # --- documents to read again next time ---

    def _with_dangling_edges(self) -> Iterator[str]:
        """Yield the copied documents that point to removed entities or tags, which may come back."""
        old, tagged, tag = self._old, self._old.tag_chunks, self._tags.numbers.of_old
        mentioning, relating = self._entity_fields.dangling()
        by_chunk = np.concatenate((mentioning, tagged.columns[tag[tagged.rows()] < 0]))
        documents = np.concatenate((old.document_of[by_chunk], relating))
        kept = self._documents.of_old >= 0
        return (old.documents[number] for number in np.unique(documents[documents >= 0]).tolist() if kept[number])


def _numbers(ids: Iterable[str]) -> dict[str, int]:
    return {id: number for number, id in enumerate(ids)}


def _lookup(ids: Strings, owners: list[str] | None) -> Mapping[str, int]:
    """Return a mapping from ids to numbers: a dictionary if all edges are read, else a binary search."""
    return _numbers(ids) if owners is None else SortedMap(ids, int)


def _metadata(document: Node) -> dict[str, str]:
    """Return a document's metadata, stored in its node as lines "name: value"."""
    return dict(line.partition(": ")[::2] for line in texts_of(document, "metadata"))
