"""The self-recall gate: an atom is worth keeping if, asked as a query, it brings its own chunk back (PIKE-RAG 5.3.1).

The atom itself takes no part in the search, nor does any other: it is the chunks' own vectors and words that have to
answer. An atom that is about nothing in its chunk, or that fits any chunk as well, finds others first.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.lexical import Bm25
from pipelines.core.vectors import Vectors
from pipelines.store.vector import Embedded

DEPTH = 5
_CELLS = 1 << 24
"""Scores held at a time: 64 MiB of them."""


@dataclass(frozen=True, slots=True)
class SelfRecall:
    """Which atoms passed, which are quarantined, and the share that passed by owner (the document's id)."""

    passed: tuple[str, ...] = ()
    quarantined: tuple[str, ...] = ()
    shares: dict[str, float] = field(default_factory=dict)

    @property
    def share(self) -> float:
        """The share of all atoms that passed, 1 where there are none."""
        total = len(self.passed) + len(self.quarantined)
        return len(self.passed) / total if total else 1.0


def self_recall(atoms: Embedded, chunks: Embedded, depth: int = DEPTH) -> SelfRecall:
    """Return which atoms find their own chunk among the first `depth` of all chunks.

    `atoms` and `chunks` are their records with their vectors, of the whole knowledge base; each atom's `chunk` is the
    id of one of the chunks. Chunks are ranked by cosine and BM25, each brought to 0 to 1 for a query, added up;
    chunks that score alike share the better rank, so a copy of a chunk does not shut it out.
    """
    places = {record.id: place for place, record in enumerate(chunks.records)}
    own = np.array([places[record.chunk] for record in atoms.records], dtype=np.intp)
    ranks = _ranks(atoms, chunks, own)
    passed = [record for record, rank in zip(atoms.records, ranks, strict=True) if rank < depth]
    failed = [record for record, rank in zip(atoms.records, ranks, strict=True) if rank >= depth]
    counts = Counter(record.owner for record in atoms.records)
    good = Counter(record.owner for record in passed)
    return SelfRecall(
        tuple(record.id for record in passed),
        tuple(record.id for record in failed),
        {owner: good[owner] / count for owner, count in sorted(counts.items())},
    )


def _ranks(atoms: Embedded, chunks: Embedded, own: NDArray[np.intp]) -> list[int]:
    """Return for each atom how many chunks score higher than its own."""
    lexical = Bm25([record.text for record in chunks.records])
    step = max(1, _CELLS // max(1, len(chunks.records)))
    ranks: list[int] = []
    for start in range(0, len(own), step):
        block = slice(start, start + step)
        dense = atoms.vectors[block] @ chunks.vectors.T
        # Row by row from here: a row fits into a processor's cache, the block does not.
        for row, record, mine in zip(dense, atoms.records[block], own[block], strict=True):
            score = _scaled(row)
            score += _scaled(lexical.scores(record.text))
            ranks.append(int(np.count_nonzero(score > score[mine])))
    return ranks


def _scaled(scores: Vectors) -> Vectors:
    """Bring scores to 0 to 1, in place; equal ones to 0."""
    scores -= scores.min()
    highest = float(scores.max())
    if highest > 0:
        scores *= 1 / highest
    return scores
