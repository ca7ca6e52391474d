"""Templated questions: one for each value of a table that its row and its column name (PIKE-RAG 5.3.1, keyless).

"Pump data > Table 1: Head, K65-200?" asks in no language what the cell of that row and column says: a question in any
language has these names, and few other words that count. The atoms are marked as templated.

They are made where `atomize.row_questions` says so. Of 15 questions for cells of `examples/documents` and `industrial`
a search of four atoms finds the row for 14 with them and for 12 without. Retrieval over all layers, which reads rows
as statements, finds as much with them as without, and of the 30 quoted answers of `industrial` two are worse.
"""

from __future__ import annotations

from collections.abc import Iterator

from pipelines.atomize.atomic_statements import row_lead
from pipelines.atomize.distiller import ChunkContent, ChunkRow
from pipelines.core.knowledge import Atom, AtomKind

_FEWEST_VALUES = 2
"""Values of a row from which on each has a question: of a single one the row itself says no more."""
_LONGEST_NAME = 80
"""Characters of a row's or column's name at most: what is longer is a text and names nothing."""


def row_questions(content: ChunkContent) -> list[Atom]:
    """Return a question for each value of the chunk's table rows, each text once."""
    atoms = (atom for row in content.rows for atom in _questions(content, row))
    return list({atom.id: atom for atom in atoms}.values())


def _questions(content: ChunkContent, row: ChunkRow) -> Iterator[Atom]:
    key, *values = row.table.fields(row.number) or (None,)
    if key is None or key.name != row.table.names[0] or key.type == "number" or len(key.value) > _LONGEST_NAME:
        return
    named = [value for value in values if value.name and value.name != key.name and len(value.name) <= _LONGEST_NAME]
    if len(named) < _FEWEST_VALUES:
        return
    lead = row_lead(content, row, key.value)
    for value in named:
        text = f"{lead}: {value.name}, {key.value}?" if lead else f"{value.name}, {key.value}?"
        id = Atom.make_id(content.chunk.id, AtomKind.QUESTION, text)
        place = content.block_index.provenance(row.span)
        yield Atom(id, content.chunk.id, AtomKind.QUESTION, text, place, templated=True)
