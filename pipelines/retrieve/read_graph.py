"""What an index is made of, read from a graph store: whole, or of those owners alone that have changed."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import CORPUS_OWNER, Node, NodeKind
from pipelines.lang.terms import terms
from pipelines.retrieve.renumbering import Renumbering
from pipelines.retrieve.sparse_rows import Entries
from pipelines.retrieve.strings import Strings
from pipelines.store.graph import HASH_BYTES, GraphStore, node_hashes


@dataclass(slots=True)
class ChunkTable:
    """What the index holds of chunks, gathered from their nodes one by one: only one text is in memory at a time."""

    ids: list[str] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    rewritten: list[bool] = field(default_factory=list)
    terms: dict[str, int] = field(default_factory=dict)
    """The terms by the numbers that they have here, as they were met."""
    _rows: array[int] = field(default_factory=lambda: array("i"))
    _columns: array[int] = field(default_factory=lambda: array("i"))
    _counts: array[float] = field(default_factory=lambda: array("f"))

    def add(self, chunk: Node, title: str) -> None:
        counted = Counter(terms(_searched_text(chunk, title), language_of(chunk)))
        page = chunk.properties.get("page", 0)
        self._rows.extend([self.terms.setdefault(term, len(self.terms)) for term in counted])
        self._columns.extend([len(self.ids)] * len(counted))
        self._counts.extend(counted.values())
        self.ids.append(chunk.id)
        self.owners.append(chunk.owner)
        self.pages.append(page if isinstance(page, int) else 0)
        self.languages.append(language_of(chunk))
        self.rewritten.append(_is_rewritten(chunk, counted))

    def in_order(self) -> ChunkTable:
        """Return the same in order of id."""
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        rank = np.empty(len(order), dtype=np.int32)
        rank[order] = np.arange(len(order))
        return ChunkTable(
            ids=[self.ids[place] for place in order],
            owners=[self.owners[place] for place in order],
            pages=[self.pages[place] for place in order],
            languages=[self.languages[place] for place in order],
            rewritten=[self.rewritten[place] for place in order],
            terms=self.terms,
            _rows=self._rows,
            _columns=array("i", rank[np.frombuffer(self._columns, dtype=np.int32)].tobytes()),
            _counts=self._counts,
        )

    def postings(self) -> Entries:
        """Return how often each term stands in each chunk, both by the numbers that they have here."""
        return Entries(
            np.frombuffer(self._rows, dtype=np.int32),
            np.frombuffer(self._columns, dtype=np.int32),
            np.frombuffer(self._counts, dtype=np.float32),
        )


def language_of(node: Node) -> str:
    return str(node.properties.get("language", ""))


def text_of(node: Node, name: str) -> str:
    return str(node.properties.get(name, ""))


def _aliases(node: Node) -> tuple[str, ...]:
    aliases = node.properties.get("aliases", ())
    return tuple(map(str, aliases)) if isinstance(aliases, tuple) else ()


def read_documents(graph: GraphStore, owners: Collection[str] | None) -> tuple[list[Node], ChunkTable]:
    """Return the documents of `owners` (None: of all) in order of id, and their chunks."""
    documents = sorted(_nodes(graph, NodeKind.DOCUMENT, owners), key=lambda node: node.id)
    titles = {document.id: text_of(document, "title") for document in documents}
    chunks = ChunkTable()
    for chunk in _nodes(graph, NodeKind.CHUNK, owners):
        chunks.add(chunk, titles[chunk.owner])
    return documents, chunks.in_order()


def _nodes(graph: GraphStore, kind: NodeKind, owners: Collection[str] | None) -> Iterator[Node]:
    if owners is None:
        yield from graph.nodes((kind,))
    for owner in owners or ():
        if owner != CORPUS_OWNER:  # it has no documents, and many nodes to look for them among
            yield from graph.nodes((kind,), owner=owner)


@dataclass(frozen=True, slots=True)
class NamedTable:
    """All tags or entities in order of id, a hash of each, and the names of those that are new or have changed.

    `numbers` are those of the nodes; under `contents` what has changed is gone and comes again, with `names` and
    `aliases`.
    """

    ids: Strings
    hashes: NDArray[np.uint8]
    numbers: Renumbering
    contents: Renumbering
    names: list[str]
    aliases: list[tuple[str, ...]]

    @staticmethod
    def of(graph: GraphStore, kind: NodeKind, old_ids: Strings, old_hashes: NDArray[np.uint8]) -> NamedTable:
        held = node_hashes(graph, kind)
        before = dict(zip(old_ids, _split(old_hashes), strict=True))
        fresh = sorted(id for id, hash in held.items() if before.get(id) != hash)
        new = [id for id in fresh if id not in before]
        kept = old_ids.marked_without(before.keys() - held.keys())
        numbers = Renumbering.between(old_ids, kept, new)
        ids = numbers.strings(old_ids, new)
        same = kept & old_ids.marked_without(id for id in fresh if id in before)
        of_new = ids.places(fresh)
        contents = Renumbering(np.where(same, numbers.of_old, -1).astype(np.int32), of_new)
        hashes = contents.table(old_hashes, _joined([held[id] for id in fresh]))
        names, aliases = [], []
        for node in graph.nodes((kind,), fresh if before else None) if fresh else ():  # all of them, or these
            names.append(text_of(node, "name"))
            aliases.append(_aliases(node))
        return NamedTable(ids, hashes, numbers, contents, names, aliases)


def _split(hashes: NDArray[np.uint8]) -> list[bytes]:
    data = hashes.tobytes()
    return [data[start : start + HASH_BYTES] for start in range(0, len(data), HASH_BYTES)]


def _joined(hashes: Sequence[bytes]) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(hashes), dtype=np.uint8).reshape(-1, HASH_BYTES)


def _searched_text(chunk: Node, title: str) -> str:
    """A chunk's own text under its document's title and its headings."""
    path = chunk.properties.get("heading_path", ())
    headings = [part for part in (path if isinstance(path, tuple) else ()) if part != title]
    return "\n".join((title, *headings, text_of(chunk, "context"), str(chunk.properties["text"])))


def _is_rewritten(chunk: Node, own: Collection[str]) -> bool:
    """Whether a chunk's summary has words that the chunk, whose terms are `own`, has not: was written."""
    summary = text_of(chunk, "summary")
    if summary in str(chunk.properties["text"]):
        return False
    return any(term not in own for term in terms(summary, language_of(chunk)))
