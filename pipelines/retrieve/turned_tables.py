"""Tables with a thing in each column and a property in each row, read with a row for each thing.

They are told by the forms of their cells, in any language: a row of prices has digits throughout, and a column has a
name, a price and a date. In a table with a thing in each row it is the other way round.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from statistics import mean

from pipelines.core.provenance import Span
from pipelines.retrieve.labels import form_of, likeness_of_forms
from pipelines.retrieve.table_rows import RULE, EvidenceLine, cells_of

_FEWEST_THINGS = 3
"""Minimum things in columns; two, such as "Typical" and "Maximum", may be values of the property in the row."""
_MOST_PROPERTIES = 8
"""Maximum rows of properties: where there are more, one is easier to find by its own row."""
_MARGIN = 0.1
"""Minimum by which cells are more alike in rows than in columns: of 16 tables of benchmarks/forms and record_layouts,
those with a thing in each row have 0 at most, the others 0.13 at least."""


def with_turned_tables(pieces: Sequence[EvidenceLine]) -> list[EvidenceLine]:
    """Return the units of a chunk, with a row for each column of a table that has things in its columns."""
    found: list[EvidenceLine] = []
    for table, group in groupby(pieces, lambda piece: piece.table if piece.fields else ""):
        rows = list(group)
        turned = table and found and _has_things_in_columns(found[-1], rows)
        found += _things(found[-1], rows) if turned else rows
    return found


def _has_things_in_columns(header: EvidenceLine, rows: Sequence[EvidenceLine]) -> bool:
    names = cells_of(header.text)
    if not (header.is_row and header.label and len(names) > _FEWEST_THINGS and 1 < len(rows) <= _MOST_PROPERTIES):
        return False
    same_names = all([name for name, _ in row.fields] == names for row in rows)
    properties = [row.fields[0][1] for row in rows]
    if not (all(names) and same_names and all(properties)) or any(any(form_of(name)) for name in properties):
        return False
    cells = [[cell for _, cell in row.fields[1:]] for row in rows]
    return mean(map(likeness_of_forms, cells)) > _MARGIN + mean(map(likeness_of_forms, zip(*cells, strict=True)))


def _things(header: EvidenceLine, rows: Sequence[EvidenceLine]) -> Iterator[EvidenceLine]:
    """Yield a row for each column but the first; its span is that of the thing's name in the header."""
    first, *names = cells_of(header.text)
    labels = (first, *(row.fields[0][1] for row in rows))
    end = 0
    for place, name in enumerate(names, 1):
        start = header.text.index(name, max(end, len(first)))
        end = start + len(name)
        cells = (name, *(row.fields[place][1] for row in rows))
        yield EvidenceLine(
            Span(start, end).shifted(header.span.start),
            RULE.join(cells),
            RULE.join(labels),
            rows[0].heading,
            fields=tuple(zip(labels, cells, strict=True)),
            group=rows[0].group,
            table=rows[0].table,
        )
