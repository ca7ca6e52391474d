"""Reads a graph store into an `Index`."""

from __future__ import annotations

import sys
from array import array
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.tags import tag_form
from pipelines.core.document import document_date
from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.lang.terms import terms
from pipelines.retrieve.index import (
    INNER_NAME,
    Index,
    Numbers,
    SparseRows,
    document_words,
    name_key,
    title_keys,
    word_ngrams,
)
from pipelines.store.graph import GraphStore


def build_index(graph: GraphStore) -> Index:
    """Return the index of all that `graph` holds; equal graphs give equal indexes, whatever the store."""
    documents = list(graph.nodes((NodeKind.DOCUMENT,)))
    entities, tags = _Named.of(graph.nodes((NodeKind.ENTITY,))), _Named.of(graph.nodes((NodeKind.TAG,)))
    document_number, entity_number, tag_number = (
        _numbers(document.id for document in documents),
        entities.numbers,
        tags.numbers,
    )
    titles = [str(document.properties.get("title", "")) for document in documents]
    chunks = _Chunks(graph.nodes((NodeKind.CHUNK,)), document_number, titles)
    chunk_number, owner, vocabulary = chunks.numbers, np.array(chunks.owners, dtype=np.int32), chunks.vocabulary
    chunk_terms = chunks.terms()
    document_terms = _document_terms(documents, vocabulary)
    languages, language_of = _languages(chunks.languages)
    entities_by_name = _entities_by_name(entities)
    documents_by_title = _multimap(
        (key, number)
        for number, (title, document) in enumerate(zip(titles, documents, strict=True))
        for key in title_keys(title, _language(document))
    )
    chunk_entities = _chunk_entities(graph, chunk_number, entities, entities_by_name)
    entity_chunks = chunk_entities.transposed(len(entity_number))
    name_terms = _name_terms(entities.names, vocabulary, _languages_of_names(entity_chunks, languages, language_of))
    postings = chunk_terms.transposed(len(vocabulary))
    tag_weights = SparseRows.from_pairs(_weighted(graph, EdgeKind.HAS_TAG, chunk_number, tag_number), len(owner))
    related = _both_directions(_pairs(graph, EdgeKind.RELATED, entity_number, entity_number))
    neighbours = _both_directions(_pairs(graph, EdgeKind.NEXT, chunk_number, chunk_number))
    return Index(
        has_summaries=chunks.has_summaries,
        chunks=tuple(chunk_number),
        documents=tuple(document_number),
        uris=tuple(str(document.properties.get("uri", "")) for document in documents),
        titles=tuple(titles),
        media_types=tuple(str(document.properties.get("media_type", "")) for document in documents),
        dates=tuple(document_date(_metadata(document)) for document in documents),
        superseded_by=_superseded_by(graph, document_number),
        document_of=owner,
        pages=np.array(chunks.pages, dtype=np.int32),
        languages=languages,
        language_of=language_of,
        lengths=np.array([chunk_terms.values_of(i).sum() for i in range(chunk_terms.size)], dtype=np.float32),
        entities=tuple(entity_number),
        entity_names=tuple(entities.names),
        tag_ids=tuple(tag_number),
        tag_names=tuple(tags.names),
        tag_aliases=tuple(map("\n".join, tags.aliases)),
        chunk_entities=chunk_entities,
        entity_chunks=entity_chunks,
        related_entities=SparseRows.from_pairs(related, len(entity_number)),
        chunk_references=_references(graph, chunk_number, document_number),
        tag_chunks=tag_weights.transposed(len(tag_number)),
        chunk_neighbours=SparseRows.from_pairs(neighbours, len(owner)),
        document_chunks=SparseRows.from_pairs(((int(d), c, 1.0) for c, d in enumerate(owner)), len(documents)),
        named_in_title=_named_in_title(entity_chunks, owner, entities_by_name, documents_by_title),
        postings=postings,
        name_frequency=_name_frequency(name_terms, entity_chunks, postings),
        name_terms=name_terms,
        term_documents=document_terms.transposed(len(vocabulary)),
        vocabulary=vocabulary,
        entities_by_name=entities_by_name,
        documents_by_title=documents_by_title,
        tags_by_form=_multimap(
            (tag_form(spelling), number)
            for number, (name, aliases) in enumerate(zip(tags.names, tags.aliases, strict=True))
            for spelling in (*aliases, name)
        ),
    )


def _numbers(ids: Iterable[str]) -> dict[str, int]:
    return {id: number for number, id in enumerate(ids)}


@dataclass(frozen=True, slots=True)
class _Named:
    """What the index holds of entities or tags, gathered from their nodes one by one."""

    numbers: dict[str, int]
    names: list[str]
    aliases: list[tuple[str, ...]]

    @classmethod
    def of(cls, nodes: Iterable[Node]) -> _Named:
        found = cls({}, [], [])
        for node in nodes:
            found.numbers[node.id] = len(found.numbers)
            found.names.append(str(node.properties.get("name", "")))
            found.aliases.append(_aliases(node))
        return found


class _Chunks:
    """What the index holds of chunks, gathered from their nodes one by one: only one text is in memory at a time."""

    def __init__(self, nodes: Iterable[Node], documents: Mapping[str, int], titles: Sequence[str]) -> None:
        self.numbers: dict[str, int] = {}
        self.owners = array("i")
        self.pages = array("i")
        self.languages: list[str] = []
        self.vocabulary: dict[str, int] = {}
        self.has_summaries = False
        self._ends = array("q", [0])
        self._columns = array("i")
        self._values = array("f")
        for node in nodes:
            self._add(node, documents[node.owner], titles[documents[node.owner]])

    def _add(self, node: Node, owner: int, title: str) -> None:
        self.numbers[node.id] = len(self.numbers)
        self.owners.append(owner)
        page = node.properties.get("page", 0)
        self.pages.append(page if isinstance(page, int) else 0)
        self.languages.append(sys.intern(_language(node)))
        counted = Counter(terms(_searched_text(node, title), _language(node)))
        found = sorted((self.vocabulary.setdefault(term, len(self.vocabulary)), n) for term, n in counted.items())
        self._columns.extend(term for term, _ in found)
        self._values.extend(count for _, count in found)
        self._ends.append(len(self._columns))
        self.has_summaries = self.has_summaries or _is_rewritten(node, counted)

    def terms(self) -> SparseRows:
        """Return how often each chunk holds each term."""
        return SparseRows(
            np.array(self._ends, dtype=np.int64),
            np.array(self._columns, dtype=np.int32),
            np.array(self._values, dtype=np.float32),
        )


def _language(node: Node) -> str:
    return str(node.properties.get("language", ""))


def _languages(of_chunks: Sequence[str]) -> tuple[tuple[str, ...], Numbers]:
    """The languages of the chunks, the commonest first, and the place of each chunk's among them."""
    counts = Counter(of_chunks)
    languages = tuple(sorted(counts, key=lambda language: (-counts[language], language)))
    return languages, np.array([languages.index(language) for language in of_chunks], dtype=np.int32)


def _is_rewritten(chunk: Node, own: Collection[str]) -> bool:
    """Whether a chunk's summary has words that the chunk, whose terms are `own`, has not: was written."""
    summary = str(chunk.properties.get("summary", ""))
    if summary in str(chunk.properties["text"]):
        return False
    return any(term not in own for term in terms(summary, _language(chunk)))


def _searched_text(chunk: Node, title: str) -> str:
    """A chunk's own text under its document's title and its headings."""
    path = chunk.properties.get("heading_path", ())
    headings = [part for part in (path if isinstance(path, tuple) else ()) if part != title]
    return "\n".join((title, *headings, str(chunk.properties.get("context", "")), str(chunk.properties["text"])))


def _entities_by_name(entities: _Named) -> dict[str, tuple[int, ...]]:
    def pairs() -> Iterator[tuple[str, int]]:
        for number, (own, aliases) in enumerate(zip(entities.names, entities.aliases, strict=True)):
            for name in (own, *aliases):
                if key := name_key(name):
                    yield key, number

    return _multimap(pairs())


def _aliases(node: Node) -> tuple[str, ...]:
    aliases = node.properties.get("aliases", ())
    return tuple(map(str, aliases)) if isinstance(aliases, tuple) else ()


def _multimap(pairs: Iterable[tuple[str, int]]) -> dict[str, tuple[int, ...]]:
    found: dict[str, dict[int, None]] = {}
    for key, number in pairs:
        found.setdefault(key, {})[number] = None
    return {key: tuple(numbers) for key, numbers in found.items()}


def _chunk_entities(
    graph: GraphStore,
    chunks: Mapping[str, int],
    entities: _Named,
    by_name: Mapping[str, tuple[int, ...]],
) -> SparseRows:
    inner = [_inner_names(name, number, by_name) for number, name in enumerate(entities.names)]

    def pairs() -> Iterator[tuple[int, int, float]]:
        for chunk, entity, _ in _pairs(graph, EdgeKind.MENTIONS, chunks, entities.numbers):
            yield chunk, entity, 1.0
            for other in inner[entity]:
                yield chunk, other, INNER_NAME

    return SparseRows.from_pairs(pairs(), len(chunks))


def _inner_names(name: str, number: int, by_name: Mapping[str, tuple[int, ...]]) -> list[int]:
    """The entities whose names are part of this one's ("Mississippi" in "History of Mississippi")."""
    whole = name_key(name)
    found = {other for _, _, key in word_ngrams(whole) if key != whole for other in by_name.get(key, ())}
    return sorted(found - {number})


def _pairs(
    graph: GraphStore, kind: EdgeKind, sources: Mapping[str, int], targets: Mapping[str, int]
) -> Iterator[tuple[int, int, float]]:
    for edge in graph.edges((kind,)):
        if edge.source in sources and edge.target in targets:
            yield sources[edge.source], targets[edge.target], 1.0


def _weighted(
    graph: GraphStore, kind: EdgeKind, sources: Mapping[str, int], targets: Mapping[str, int]
) -> Iterator[tuple[int, int, float]]:
    for edge in graph.edges((kind,)):
        if edge.source in sources and edge.target in targets:
            weight = edge.properties.get("weight", 1.0)
            yield sources[edge.source], targets[edge.target], float(weight) if isinstance(weight, float | int) else 1.0


def _both_directions(pairs: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    for one, two, weight in pairs:
        yield one, two, weight
        yield two, one, weight


def _references(graph: GraphStore, chunks: Mapping[str, int], documents: Mapping[str, int]) -> SparseRows:
    """The documents that each chunk refers to; a reference that fits several documents is shared among them."""

    def pairs() -> Iterator[tuple[int, int, float]]:
        for edge in graph.edges((EdgeKind.REFERENCES,)):
            source = chunks.get(str(edge.properties.get("chunk", "")))
            if source is not None and edge.target in documents:
                candidates = edge.properties.get("candidates", 1)
                yield source, documents[edge.target], 1.0 / int(candidates) if isinstance(candidates, int) else 1.0

    return SparseRows.from_pairs(pairs(), len(chunks))


def _superseded_by(graph: GraphStore, documents: Mapping[str, int]) -> Numbers:
    """The end of each document's chain of SUPERSEDES; a cycle is followed once."""
    newer = {older: newer for newer, older, _ in _pairs(graph, EdgeKind.SUPERSEDES, documents, documents)}
    found = np.full(len(documents), -1, dtype=np.int32)
    for document in newer:
        last, passed = document, {document}
        while last in newer and newer[last] not in passed:
            last = newer[last]
            passed.add(last)
        found[document] = last if last != document else -1
    return found


def _named_in_title(
    entity_chunks: SparseRows,
    owner: Numbers,
    by_name: Mapping[str, tuple[int, ...]],
    by_title: Mapping[str, tuple[int, ...]],
) -> NDArray[np.bool_]:
    found = np.zeros(len(entity_chunks.columns), dtype=bool)
    for key, documents in by_title.items():
        for entity in by_name.get(key, ()):
            entries = slice(entity_chunks.starts[entity], entity_chunks.starts[entity + 1])
            found[entries] |= np.isin(owner[entity_chunks.columns[entries]], documents)
    return found


def _languages_of_names(entity_chunks: SparseRows, languages: Sequence[str], language_of: Numbers) -> list[str]:
    """The language of the first chunk that mentions each name; of one that none mentions, the corpus's own."""
    first = [entity_chunks.columns_of(entity)[:1] for entity in range(entity_chunks.size)]
    main = languages[0] if languages else ""
    return [languages[int(language_of[chunk[0]])] if len(chunk) else main for chunk in first]


def _name_terms(names: Sequence[str], vocabulary: dict[str, int], languages: Sequence[str]) -> SparseRows:
    def pairs() -> Iterator[tuple[int, int, float]]:
        for number, name in enumerate(names):
            for term in terms(name, languages[number]):
                yield number, vocabulary.setdefault(term, len(vocabulary)), 1.0

    return SparseRows.from_pairs(pairs(), len(names))


def _name_frequency(name_terms: SparseRows, entity_chunks: SparseRows, postings: SparseRows) -> Numbers:
    """In how many chunks each name stands; a name of a single word also where it was not recognized as a name."""
    single = np.flatnonzero(name_terms.counts() == 1)
    found = entity_chunks.counts().copy()
    found[single] = np.maximum(found[single], postings.counts()[name_terms.columns[name_terms.starts[single]]])
    return found


def _document_terms(documents: Sequence[Node], vocabulary: dict[str, int]) -> SparseRows:
    """The terms by which a reader may call each document."""

    def pairs() -> Iterator[tuple[int, int, float]]:
        for number, document in enumerate(documents):
            title, uri, kind = (str(document.properties.get(name, "")) for name in ("title", "uri", "media_type"))
            for term in document_words(title, uri, kind, _language(document)):
                yield number, vocabulary.setdefault(term, len(vocabulary)), 1.0

    return SparseRows.from_pairs(pairs(), len(documents))


def _metadata(document: Node) -> dict[str, str]:
    """A document's metadata, which its node keeps as lines of "name: value"."""
    lines = document.properties.get("metadata", ())
    pairs = (line.partition(": ")[::2] for line in (lines if isinstance(lines, tuple) else ()))
    return dict(pairs)
