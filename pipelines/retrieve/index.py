"""The graph as retrieval walks it: nodes by number, edges as compressed rows, in memory once for each open store."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.int32]
Weights = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Rows:
    """Compressed rows: row i has `columns[starts[i]:starts[i + 1]]`, ascending, with `values` beside them."""

    starts: NDArray[np.int64]
    columns: Numbers
    values: Weights

    @property
    def size(self) -> int:
        return len(self.starts) - 1

    def of(self, row: int) -> Numbers:
        return self.columns[self.starts[row] : self.starts[row + 1]]

    def values_of(self, row: int) -> Weights:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def counts(self) -> Numbers:
        """Return how many columns each row has."""
        return np.diff(self.starts).astype(np.int32)

    def gather(self, rows: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return for all entries of `rows`, one row after the other, which of `rows` and which place they are."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) - before[owner] + self.starts[rows][owner]
        return owner, places

    def turned(self, columns: int) -> Rows:
        """Return the same entries by column; there are `columns` of them."""
        order = np.argsort(self.columns, kind="stable")
        rows = np.repeat(np.arange(self.size, dtype=np.int32), self.counts())[order]
        starts = np.zeros(columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.columns, minlength=columns), out=starts[1:])
        return Rows(starts, rows, self.values[order])

    @staticmethod
    def of_pairs(pairs: Mapping[tuple[int, int], float] | Iterable[tuple[int, int, float]], rows: int) -> Rows:
        """Return the rows of (row, column) to value; of a repeated pair the highest value counts."""
        items = ((r, c, v) for (r, c), v in pairs.items()) if isinstance(pairs, Mapping) else pairs
        flat = np.array(list(items), dtype=np.float64).reshape(-1, 3)
        flat = flat[np.lexsort((-flat[:, 2], flat[:, 1], flat[:, 0]))]
        first = np.ones(len(flat), dtype=bool)
        first[1:] = (flat[1:, :2] != flat[:-1, :2]).any(axis=1)
        flat = flat[first]
        starts = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(flat[:, 0].astype(np.int64), minlength=rows), out=starts[1:])
        return Rows(starts, flat[:, 1].astype(np.int32), flat[:, 2].astype(np.float32))


@dataclass(frozen=True)
class Atlas:
    """Chunks, documents, entities, tags and terms by number, each in order of id, and what joins them.

    Of chunks: `document_of` and `position`, the `page` where each begins (0: none), `lengths` in terms; `terms` counts
    a chunk's terms, `postings` is the same by term. `mentions` leads to the entities that a chunk names, those inside
    a longer name with less weight, `mentioned` back; `headed` says of each entry of `mentioned` whether the chunk's
    document bears the entity's name. `references` leads to the documents that a chunk points at, `neighbours` to the
    chunks before and behind, `tags` to its tags, `tagged` back. `superseded` has for each document the newest
    that takes its place, or -1.

    Of entities: `spread` tells in how many chunks the name stands, `name_terms` its terms, `related` leads to those
    that a relation joins with it. Of terms: `callers` leads to the documents that a reader may call by them. `named`
    leads from a name as folded by `name_key` to entities, `titles` to documents. `summarized` says whether there are
    summaries that tell in other words what their chunks do. `tag_aliases` are the other spellings of each tag, one to a
    line.
    """

    summarized: bool
    chunks: Sequence[str]
    documents: Sequence[str]
    uris: Sequence[str]
    titles_of: Sequence[str]
    media_types: Sequence[str]
    dates: Sequence[str]
    superseded: Numbers
    document_of: Numbers
    position: Numbers
    page: Numbers
    lengths: Weights
    entities: Sequence[str]
    entity_names: Sequence[str]
    tag_ids: Sequence[str]
    tag_names: Sequence[str]
    tag_aliases: Sequence[str]
    mentions: Rows
    mentioned: Rows
    related: Rows
    references: Rows
    tags: Rows
    tagged: Rows
    neighbours: Rows
    chunks_of: Rows
    headed: NDArray[np.bool_]
    terms: Rows
    postings: Rows
    spread: Numbers
    name_terms: Rows
    callers: Rows
    vocabulary: Mapping[str, int]
    named: Mapping[str, tuple[int, ...]]
    titles: Mapping[str, tuple[int, ...]]

    @cached_property
    def referred(self) -> Numbers:
        """How many chunks refer to each document."""
        return np.bincount(self.references.columns, minlength=len(self.documents)).astype(np.int32)

    @cached_property
    def tag_spellings(self) -> tuple[tuple[str, ...], ...]:
        """Each tag's name and its other spellings."""
        return tuple(
            (name, *aliases.splitlines()) for name, aliases in zip(self.tag_names, self.tag_aliases, strict=True)
        )

    @property
    def size(self) -> int:
        """The number of chunks."""
        return len(self.chunks)

    def number_of(self, chunk: str) -> int | None:
        """Return the number of a chunk, None for one that is not here."""
        return _place(self.chunks, chunk)

    def document_number(self, document: str) -> int:
        """Return the number of a document. Raises KeyError."""
        number = _place(self.documents, document)
        if number is None:
            raise KeyError(document)
        return number


def _place(ids: Sequence[str], id: str) -> int | None:
    place = bisect_left(ids, id)
    return place if place < len(ids) and ids[place] == id else None
