"""Reading a graph store into an atlas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import EdgeKind, Node, NodeKind
from pipelines.lang.terms import terms
from pipelines.retrieve.index import Atlas, Numbers, Rows
from pipelines.retrieve.names import calling_terms, name_key, runs, title_keys
from pipelines.store.graph import GraphStore

INSIDE = 0.5
"""What a name inside a longer one weighs against one that stands alone."""


def survey(graph: GraphStore) -> Atlas:
    """Return the atlas of all that `graph` holds; equal graphs give equal atlases, whatever the store."""
    documents = list(graph.nodes((NodeKind.DOCUMENT,)))
    chunks = list(graph.nodes((NodeKind.CHUNK,)))
    entities = list(graph.nodes((NodeKind.ENTITY,)))
    tags = list(graph.nodes((NodeKind.TAG,)))
    document_number, chunk_number, entity_number, tag_number = (
        _numbers(nodes) for nodes in (documents, chunks, entities, tags)
    )
    owner = np.array([document_number[chunk.owner] for chunk in chunks], dtype=np.int32)
    position = np.array([chunk.properties["position"] for chunk in chunks], dtype=np.int32)
    page = np.array([chunk.properties.get("page", 0) for chunk in chunks], dtype=np.int32)
    titles = [str(document.properties.get("title", "")) for document in documents]
    counts, vocabulary = _count_terms(chunks, titles, owner)
    called = _called(documents, vocabulary)
    name_terms = _name_terms(entities, vocabulary)
    postings = counts.turned(len(vocabulary))
    named = _named(entities)
    title_map = _multimap((key, i) for i, title in enumerate(titles) for key in title_keys(title))
    mentions = _mentions(graph, chunk_number, entity_number, entities, named)
    mentioned = mentions.turned(len(entities))
    tag_rows = Rows.of_pairs(_weighted(graph, EdgeKind.HAS_TAG, chunk_number, tag_number), len(chunks))
    return Atlas(
        summarized=any(_says_more(chunk) for chunk in chunks),
        chunks=tuple(chunk_number),
        documents=tuple(document_number),
        uris=tuple(str(document.properties.get("uri", "")) for document in documents),
        titles_of=tuple(titles),
        media_types=tuple(str(document.properties.get("media_type", "")) for document in documents),
        dates=tuple(_date(document) for document in documents),
        superseded=_superseded(graph, document_number),
        document_of=owner,
        position=position,
        page=page,
        lengths=np.array([counts.values_of(i).sum() for i in range(len(chunks))], dtype=np.float32),
        entities=tuple(entity_number),
        entity_names=tuple(str(entity.properties.get("name", "")) for entity in entities),
        tag_ids=tuple(tag_number),
        tag_names=tuple(str(tag.properties.get("name", "")) for tag in tags),
        tag_aliases=tuple("\n".join(_aliases(tag)) for tag in tags),
        mentions=mentions,
        mentioned=mentioned,
        related=Rows.of_pairs(_both_ways(_pairs(graph, EdgeKind.RELATED, entity_number, entity_number)), len(entities)),
        references=_references(graph, chunk_number, document_number),
        tags=tag_rows,
        tagged=tag_rows.turned(len(tags)),
        neighbours=Rows.of_pairs(_both_ways(_pairs(graph, EdgeKind.NEXT, chunk_number, chunk_number)), len(chunks)),
        chunks_of=Rows.of_pairs(((int(d), c, 1.0) for c, d in enumerate(owner)), len(documents)),
        headed=_headed(mentioned, owner, named, title_map),
        terms=counts,
        postings=postings,
        spread=_spread(name_terms, mentioned, postings),
        name_terms=name_terms,
        callers=called.turned(len(vocabulary)),
        vocabulary=vocabulary,
        named=named,
        titles=title_map,
    )


def _numbers(nodes: Sequence[Node]) -> dict[str, int]:
    return {node.id: number for number, node in enumerate(nodes)}


def _count_terms(chunks: Sequence[Node], titles: Sequence[str], owner: np.ndarray) -> tuple[Rows, dict[str, int]]:
    vocabulary: dict[str, int] = {}
    starts = np.zeros(len(chunks) + 1, dtype=np.int64)
    columns: list[int] = []
    values: list[int] = []
    for number, chunk in enumerate(chunks):
        counted = Counter(terms(_text(chunk, titles[owner[number]])))
        found = sorted((vocabulary.setdefault(term, len(vocabulary)), count) for term, count in counted.items())
        columns.extend(term for term, _ in found)
        values.extend(count for _, count in found)
        starts[number + 1] = len(columns)
    return Rows(starts, np.array(columns, dtype=np.int32), np.array(values, dtype=np.float32)), vocabulary


def _says_more(chunk: Node) -> bool:
    """Whether a chunk has a summary in words that are not its own: one that was written, not quoted."""
    summary = str(chunk.properties.get("summary", ""))
    return bool(summary) and not set(terms(summary)) <= set(terms(_text(chunk, str(chunk.properties.get("title", "")))))


def _text(chunk: Node, title: str) -> str:
    """What a chunk is found by: its own text under its title and headings."""
    path = chunk.properties.get("heading_path", ())
    headings = [part for part in (path if isinstance(path, tuple) else ()) if part != title]
    return "\n".join((title, *headings, str(chunk.properties.get("context", "")), str(chunk.properties["text"])))


def _named(entities: Sequence[Node]) -> dict[str, tuple[int, ...]]:
    def pairs() -> Iterator[tuple[str, int]]:
        for number, entity in enumerate(entities):
            for name in (str(entity.properties.get("name", "")), *_aliases(entity)):
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


def _mentions(
    graph: GraphStore,
    chunks: Mapping[str, int],
    entities: Mapping[str, int],
    nodes: Sequence[Node],
    named: Mapping[str, tuple[int, ...]],
) -> Rows:
    inside = [_inside(str(node.properties.get("name", "")), number, named) for number, node in enumerate(nodes)]

    def pairs() -> Iterator[tuple[int, int, float]]:
        for chunk, entity, _ in _pairs(graph, EdgeKind.MENTIONS, chunks, entities):
            yield chunk, entity, 1.0
            for other in inside[entity]:
                yield chunk, other, INSIDE

    return Rows.of_pairs(pairs(), len(chunks))


def _inside(name: str, number: int, named: Mapping[str, tuple[int, ...]]) -> list[int]:
    """The entities whose names are part of this one's ("Mississippi" in "History of Mississippi")."""
    whole = name_key(name)
    found = {other for _, _, key in runs(whole) if key != whole for other in named.get(key, ())}
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


def _both_ways(pairs: Iterable[tuple[int, int, float]]) -> Iterator[tuple[int, int, float]]:
    for one, two, weight in pairs:
        yield one, two, weight
        yield two, one, weight


def _references(graph: GraphStore, chunks: Mapping[str, int], documents: Mapping[str, int]) -> Rows:
    def pairs() -> Iterator[tuple[int, int, float]]:
        for edge in graph.edges((EdgeKind.REFERENCES,)):
            source = chunks.get(str(edge.properties.get("chunk", "")))
            if source is not None and edge.target in documents:
                candidates = edge.properties.get("candidates", 1)
                yield source, documents[edge.target], 1.0 / int(candidates) if isinstance(candidates, int) else 1.0

    return Rows.of_pairs(pairs(), len(chunks))


def _superseded(graph: GraphStore, documents: Mapping[str, int]) -> Numbers:
    newer = {older: newer for newer, older, _ in _pairs(graph, EdgeKind.SUPERSEDES, documents, documents)}
    found = np.full(len(documents), -1, dtype=np.int32)
    for document in newer:
        last, passed = document, {document}
        while last in newer and newer[last] not in passed:
            last = newer[last]
            passed.add(last)
        found[document] = last if last != document else -1
    return found


def _headed(
    mentioned: Rows, owner: Numbers, named: Mapping[str, tuple[int, ...]], titles: Mapping[str, tuple[int, ...]]
) -> NDArray[np.bool_]:
    """Which entries of `mentioned` are of a chunk whose document has the entity's name."""
    found = np.zeros(len(mentioned.columns), dtype=bool)
    for key, documents in titles.items():
        for entity in named.get(key, ()):
            entries = slice(mentioned.starts[entity], mentioned.starts[entity + 1])
            found[entries] |= np.isin(owner[mentioned.columns[entries]], documents)
    return found


def _name_terms(entities: Sequence[Node], vocabulary: dict[str, int]) -> Rows:
    def pairs() -> Iterator[tuple[int, int, float]]:
        for number, entity in enumerate(entities):
            for term in terms(str(entity.properties.get("name", ""))):
                yield number, vocabulary.setdefault(term, len(vocabulary)), 1.0

    return Rows.of_pairs(pairs(), len(entities))


def _spread(name_terms: Rows, mentioned: Rows, postings: Rows) -> Numbers:
    """In how many chunks each entity's name stands: a single word also where it is not taken for a name."""
    single = np.flatnonzero(name_terms.counts() == 1)
    found = mentioned.counts().copy()
    found[single] = np.maximum(found[single], postings.counts()[name_terms.columns[name_terms.starts[single]]])
    return found


def _called(documents: Sequence[Node], vocabulary: dict[str, int]) -> Rows:
    """The terms by which a reader may call each document."""

    def pairs() -> Iterator[tuple[int, int, float]]:
        for number, document in enumerate(documents):
            told = document.properties
            for term in calling_terms(
                str(told.get("title", "")), str(told.get("uri", "")), str(told.get("media_type", ""))
            ):
                yield number, vocabulary.setdefault(term, len(vocabulary)), 1.0

    return Rows.of_pairs(pairs(), len(documents))


def _date(document: Node) -> str:
    known = document.properties.get("metadata", ())
    told = dict(pair.partition(": ")[::2] for pair in (known if isinstance(known, tuple) else ()))
    return next((told[name] for name in ("date", "modified", "created") if told.get(name)), "")
