"""The self-recall gate: an atom is kept if a search for it finds its own chunk (PIKE-RAG 5.3.1).

The search is over the chunks' own vectors and terms; atoms take no part in it. An atom that says nothing of its chunk,
or that fits any chunk as well, finds other chunks first and is quarantined.

The score of a chunk depends on the chunk and the atom alone, and is an integer. The ranks found for an atom therefore
stay valid while other documents come and go: `rank` compares only what is new, with the result of comparing all.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from pipelines.atomize.recall_index import DEPTH, AtomQuery, ChunkIndex, ChunkRank, SearchRecords, rounded, term_share
from pipelines.core.vectors import Vectors

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
    """The ids of the atoms that passed and of those quarantined."""

    passed: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """The share of all atoms that passed, 1 without atoms."""
        total = len(self.passed) + len(self.quarantined)
        return len(self.passed) / total if total else 1.0


def self_recall(documents: Mapping[str, DocumentRecords], ranks: Ranks) -> SelfRecall:
    """Return which atoms have their own chunk among the first `DEPTH` of all chunks, by the ranks of `rank`."""
    results = [
        (atom, rank.passed)
        for key, document in documents.items()
        for atom, rank in zip(document.atoms.ids, ranks[key], strict=True)
    ]
    return SelfRecall(
        tuple(atom for atom, passed in results if passed), tuple(atom for atom, passed in results if not passed)
    )


def rank(
    documents: Mapping[str, DocumentRecords],
    earlier: Ranks | None = None,
    asked: Collection[str] | None = None,
) -> dict[str, tuple[ChunkRank, ...]]:
    """Return the rank of each atom's own chunk among the chunks of all documents, see `Ranks`.

    The score of a chunk is its cosine with the atom plus the share of the atom's terms that it has. Chunks of one
    score share the better rank, so that a copy of the own chunk does not outrank it.

    Args:
        documents: atoms and chunks; they may be read when they are asked for: only the chunks, and the atoms of a
            batch, are held at a time.
        earlier: the ranks that a call for other documents returned; the same key must stand for the same records.
        asked: the documents whose atoms are ranked, None for all.
    """
    known = [key for key in earlier or () if key in documents]
    wanted = set(documents if asked is None else asked)
    ranks: dict[str, list[ChunkRank | None]] = {
        key: [_still_valid(rank, documents) for rank in (earlier or {})[key]] for key in known if key in wanted
    }
    open_ones, chunks = tuple(ranks), dict[str, SearchRecords]()
    for key in documents.keys() - set(known):
        document = documents[key]
        chunks[key] = document.chunks
        if key in wanted:
            ranks[key] = [None] * len(document.atoms.ids)
    added = ChunkIndex((key, chunks[key] if known else chunks.pop(key)) for key in documents if key in chunks)
    if len(added):
        pairs = len(added) * sum(map(_is_open, chain.from_iterable(ranks.values())))
        for some in _batches(documents, ranks, open_ones):
            chunks |= {key: document.chunks for key, document in some.items()}
            _compare(some, ranks, _is_open, added, pairs)
    unranked = sum(rank is None for found in ranks.values() for rank in found)
    if unranked:
        read = ((key, chunks[key] if key in chunks else documents[key].chunks) for key in documents)
        everything = ChunkIndex(read) if known else added
        for some in _batches(documents, ranks, [key for key in documents if None in ranks.get(key, ())]):
            _compare(some, ranks, lambda rank: rank is None, everything, unranked * len(everything))
    return {key: tuple(filter(None, ranks[key])) for key in documents if key in ranks}


def _is_open(rank: ChunkRank | None) -> bool:
    """Whether an added chunk can change what is known of an atom."""
    return rank is not None and not rank.truncated


def _batches(
    documents: Mapping[str, DocumentRecords], ranks: Mapping[str, Sequence[object]], keys: Sequence[str]
) -> Iterator[dict[str, DocumentRecords]]:
    """Yield the documents of these keys in batches with about `_BATCH` atoms each."""
    some: dict[str, DocumentRecords] = {}
    atoms = 0
    for key in keys:
        some[key] = documents[key]
        atoms += len(ranks[key])
        if atoms >= _BATCH:
            yield some
            some, atoms = {}, 0
    yield some


def _compare(
    documents: Mapping[str, DocumentRecords],
    ranks: dict[str, list[ChunkRank | None]],
    is_asked: Callable[[ChunkRank | None], bool],
    index: ChunkIndex,
    pairs: int,
) -> None:
    """Bring those ranks of the atoms of some documents that are asked about up to the chunks of an index."""
    asked = [
        (key, row, query)
        for key, document in documents.items()
        for row, query in _queries(document, ranks[key], is_asked, None if index.is_indexed(pairs) else index)
    ]
    index.rank([query for _, _, query in asked], pairs)
    for key, row, query in asked:
        ranks[key][row] = query.rank


def _queries(
    document: DocumentRecords,
    ranks: Sequence[ChunkRank | None],
    is_asked: Callable[[ChunkRank | None], bool],
    index: ChunkIndex | None,
) -> Iterator[tuple[int, AtomQuery]]:
    """Yield the number of each atom that is asked about, and the atom as a query.

    Where nothing is known of it, its rank has the score of its own chunk alone. Where something is, it is left out if
    no chunk of an `index` can change that.
    """
    vectors = rounded(document.atoms.vectors)
    known = [(row, rank) for row, rank in enumerate(ranks) if rank is not None and is_asked(rank)]
    if known and index is not None:
        rows, own = [row for row, _ in known], np.array([rank.own for _, rank in known])
        reached = index.may_outrank(vectors[rows], own)
        known = [one for one, may in zip(known, reached.tolist(), strict=True) if may]
    for row, rank in known:
        yield row, AtomQuery(frozenset(document.atoms.terms[row].split()), vectors[row], rank)
    if None in ranks and is_asked(None):
        yield from _unranked(document, ranks, vectors)


def _unranked(
    document: DocumentRecords, ranks: Sequence[ChunkRank | None], vectors: Vectors
) -> Iterator[tuple[int, AtomQuery]]:
    chunks, numbers = rounded(document.chunks.vectors), {id: number for number, id in enumerate(document.chunks.ids)}
    for row, (chunk, rank) in enumerate(zip(document.atoms.chunks, ranks, strict=True)):
        if rank is None:
            terms, own = frozenset(document.atoms.terms[row].split()), numbers[chunk]
            score = int(vectors[row] @ chunks[own]) + term_share(terms, document.chunks.terms[own])
            yield row, AtomQuery(terms, vectors[row], ChunkRank(score))


def _still_valid(rank: ChunkRank, documents: Container[str]) -> ChunkRank | None:
    """Return a rank without the chunks of documents that are gone, None if too few are left to tell it."""
    if all(key in documents for key, _ in rank.above):
        return rank
    above = tuple(position for position in rank.above if position[0] in documents)
    known = not rank.truncated or len(above) >= DEPTH
    return ChunkRank(rank.own, above, rank.truncated) if known else None
