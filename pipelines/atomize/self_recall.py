"""The self-recall gate: an atom is kept if a search for it finds its own chunk (PIKE-RAG 5.3.1).

The search is over the chunks' own vectors and terms; atoms take no part in it. An atom that says nothing of its chunk,
or that fits any chunk as well, finds other chunks first and is quarantined.

The score of a chunk depends on the chunk and the atom alone, and is an integer. The ranks found for an atom therefore
stay valid while other documents come and go: `rank` compares only what is new, with the result of comparing all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from pipelines.atomize.recall_index import DEPTH, AtomQuery, ChunkIndex, ChunkRank, SearchRecords, rounded, term_share

__all__ = ["DEPTH", "ChunkRank", "DocumentRecords", "SearchRecords", "SelfRecall", "rank", "self_recall"]

_BATCH = 4096
"""Atoms that are ranked together, so that matrices stay small."""


@dataclass(frozen=True, slots=True)
class DocumentRecords:
    """The atoms and chunks of a document; an atom's `chunk` is the id of one of the chunks."""

    atoms: SearchRecords
    chunks: SearchRecords


Ranks = Mapping[str, Sequence[ChunkRank]]
"""The rank of the own chunk of each atom, by document key, in the order of the document's atoms."""


@dataclass(frozen=True, slots=True)
class SelfRecall:
    """The ids of the atoms that passed and of those quarantined, and the share that passed by document id."""

    passed: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of all atoms that passed, 1 without atoms."""
        total = len(self.passed) + len(self.quarantined)
        return len(self.passed) / total if total else 1.0


def self_recall(documents: Mapping[str, DocumentRecords], ranks: Ranks) -> SelfRecall:
    """Return which atoms have their own chunk among the first `DEPTH` of all chunks, by the ranks of `rank`."""
    results = [
        (record, rank.passed)
        for key, document in documents.items()
        for record, rank in zip(document.atoms.embedded.records, ranks[key], strict=True)
    ]
    counts = Counter(record.owner for record, _ in results)
    good = Counter(record.owner for record, passed in results if passed)
    return SelfRecall(
        tuple(record.id for record, passed in results if passed),
        tuple(record.id for record, passed in results if not passed),
        {owner: good[owner] / count for owner, count in sorted(counts.items())},
    )


def rank(documents: Mapping[str, DocumentRecords], earlier: Ranks | None = None) -> dict[str, tuple[ChunkRank, ...]]:
    """Return the rank of each atom's own chunk among the chunks of all documents, see `Ranks`.

    The score of a chunk is its cosine with the atom plus the share of the atom's terms that it has. Chunks of one
    score share the better rank, so that a copy of the own chunk does not outrank it. `earlier` are the ranks that a
    call for other documents returned; the same key must stand for the same records.
    """
    known = {key: ranks for key, ranks in (earlier or {}).items() if key in documents}
    new = {key: document for key, document in documents.items() if key not in known}
    valid = {key: [_still_valid(rank, documents) for rank in ranks] for key, ranks in known.items()}
    valid |= {key: [None] * len(document.atoms.terms) for key, document in new.items()}
    everything, added = _index(documents), _index(new)
    to_all = sum(one is None for ranks in valid.values() for one in ranks)
    to_added = sum(one is not None and not one.truncated for ranks in valid.values() for one in ranks)
    found: dict[str, tuple[ChunkRank, ...]] = {}
    for keys in _batches(documents):
        queries = {key: _queries(documents[key], valid[key]) for key in keys}
        pairs = [pair for key in keys for pair in zip(queries[key], valid[key], strict=True)]
        everything.rank([query for query, before in pairs if before is None], to_all * len(everything))
        added.rank(
            [query for query, before in pairs if before is not None and not before.truncated], to_added * len(added)
        )
        found |= {key: tuple(query.rank for query in of_document) for key, of_document in queries.items()}
    return found


def _batches(documents: Mapping[str, DocumentRecords]) -> Iterator[list[str]]:
    """Yield the keys of documents in batches with about `_BATCH` atoms each."""
    keys: list[str] = []
    atoms = 0
    for key, document in documents.items():
        keys.append(key)
        atoms += len(document.atoms.terms)
        if atoms >= _BATCH:
            yield keys
            keys, atoms = [], 0
    yield keys


def _index(documents: Mapping[str, DocumentRecords]) -> ChunkIndex:
    return ChunkIndex({key: document.chunks for key, document in documents.items()})


def _queries(document: DocumentRecords, ranks: Sequence[ChunkRank | None]) -> list[AtomQuery]:
    """Return the atoms of a document as queries, with the rank that is known or else with their own score only."""
    vectors, chunks = rounded(document.atoms.embedded.vectors), rounded(document.chunks.embedded.vectors)
    numbers = {record.id: number for number, record in enumerate(document.chunks.embedded.records)}
    found: list[AtomQuery] = []
    for row, (record, rank) in enumerate(zip(document.atoms.embedded.records, ranks, strict=True)):
        terms = frozenset(document.atoms.terms[row].split())
        own = numbers[record.chunk]
        score = int(vectors[row] @ chunks[own]) + term_share(terms, document.chunks.terms[own]) if rank is None else 0
        found.append(AtomQuery(terms, vectors[row], rank or ChunkRank(score)))
    return found


def _still_valid(rank: ChunkRank, documents: Container[str]) -> ChunkRank | None:
    """Return a rank without the chunks of documents that are gone, None if too few are left to tell it."""
    if all(key in documents for key, _ in rank.above):
        return rank
    above = tuple(position for position in rank.above if position[0] in documents)
    known = not rank.truncated or len(above) >= DEPTH
    return ChunkRank(rank.own, above, rank.truncated) if known else None
