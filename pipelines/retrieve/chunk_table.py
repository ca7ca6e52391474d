"""The chunks of an index and their terms, collected from the graph or, where they are stored, from the vectors."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import Node
from pipelines.lang.terms import terms
from pipelines.retrieve.hit import text_of, texts_of
from pipelines.retrieve.sparse_rows import Entries, Numbers


@dataclass(slots=True)
class ChunkTable:
    """The chunk fields of the index, collected from one node at a time to save memory.

    The terms of a chunk can be given before its node (`add_terms`); else they are computed from the node.
    """

    ids: list[str] = field(default_factory=list)
    owners: list[str] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    languages: list[str] = field(default_factory=list)
    rewritten: list[bool] = field(default_factory=list)
    terms: dict[str, int] = field(default_factory=dict)
    """The terms with local numbers, in the order of their first occurrence."""
    _counted: array[int] = field(default_factory=lambda: array("i"))
    """For each chunk, the number of the list with its terms."""
    _early: dict[str, int] = field(default_factory=dict)
    """The numbers of the lists of chunks whose nodes are still to come."""
    _ends: array[int] = field(default_factory=lambda: array("q", [0]))
    _rows: array[int] = field(default_factory=lambda: array("i"))
    _counts: array[float] = field(default_factory=lambda: array("f"))

    def add_terms(self, id: str, found: str) -> None:
        """Add the terms of a chunk, separated by blanks, before its node."""
        self._early[id] = self._count(found.split())

    def add(self, chunk: Node, title: str) -> None:
        """Add a chunk of the document with this title."""
        # The record of a chunk without a language has that of its document: its terms may be others.
        own = self._early.pop(chunk.id, None) if language_of(chunk) else None
        if own is None:
            own = self._count(terms(_searched_text(chunk, title), language_of(chunk)))
        page = chunk.properties.get("page", 0)
        self._counted.append(own)
        self.ids.append(chunk.id)
        self.owners.append(chunk.owner)
        self.pages.append(page if isinstance(page, int) else 0)
        self.languages.append(language_of(chunk))
        self.rewritten.append(self._is_rewritten(chunk, own))

    def in_order(self) -> ChunkTable:
        """Return the table sorted by id, with the terms of its chunks alone."""
        order = sorted(range(len(self.ids)), key=self.ids.__getitem__)
        sorted_table = ChunkTable(
            ids=[self.ids[place] for place in order],
            owners=[self.owners[place] for place in order],
            pages=[self.pages[place] for place in order],
            languages=[self.languages[place] for place in order],
            rewritten=[self.rewritten[place] for place in order],
            terms=self.terms,
            _counted=array("i", [self._counted[place] for place in order]),
            _ends=self._ends,
            _rows=self._rows,
            _counts=self._counts,
        )
        if self._early:
            used = np.unique(sorted_table.postings().rows)
            known = list(self.terms)
            sorted_table.terms = {known[number]: number for number in used.tolist()}
        return sorted_table

    def postings(self) -> Entries:
        """Return the frequency of each term in each chunk: terms by their numbers, chunks by their places."""
        rows, counts = np.frombuffer(self._rows, dtype=np.int32), np.frombuffer(self._counts, dtype=np.float32)
        lists = np.full(len(self._ends) - 1, -1, dtype=np.int32)
        lists[np.frombuffer(self._counted, dtype=np.int32)] = np.arange(len(self._counted), dtype=np.int32)
        columns: Numbers = np.repeat(lists, np.diff(np.frombuffer(self._ends, dtype=np.int64)))
        kept = columns >= 0
        return Entries(rows, columns, counts) if kept.all() else Entries(rows[kept], columns[kept], counts[kept])

    def by_number(self, places: NDArray[np.int32]) -> Numbers:
        """Return places, one for each of `terms` in their order, in the order of the terms' numbers.

        Numbers that are not in `terms` have -1.
        """
        found = np.full(max(self.terms.values(), default=-1) + 1, -1, dtype=np.int32)
        found[list(self.terms.values())] = places
        return found

    def _count(self, found: Iterable[str]) -> int:
        """Add a list of terms, and return its number."""
        counted = Counter(found)
        self._rows.extend([self.terms.setdefault(term, len(self.terms)) for term in counted])
        self._counts.extend(counted.values())
        self._ends.append(len(self._rows))
        return len(self._ends) - 2

    def _is_rewritten(self, chunk: Node, own: int) -> bool:
        """Whether a chunk's summary has terms that are not in its list of terms."""
        summary = text_of(chunk, "summary")
        if summary in str(chunk.properties["text"]):
            return False
        held = set(self._rows[self._ends[own] : self._ends[own + 1]])
        return any(self.terms.get(term, -1) not in held for term in terms(summary, language_of(chunk)))


def language_of(node: Node) -> str:
    return text_of(node, "language")


def _searched_text(chunk: Node, title: str) -> str:
    """Return a chunk's text after its document's title, headings and context, as in its record in the vectors."""
    headings = " > ".join((title, *(part for part in texts_of(chunk, "heading_path") if part != title)))
    return "\n".join(filter(None, (headings, text_of(chunk, "context"), str(chunk.properties["text"]))))
