"""Records read as the rows of a table: cards, contacts, entries of a log.

A column has the name of its label, of the words that all its lines begin with ("Article B-6204"), or of the line that
stands above each of them ("Weight" above "61 kg").
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.retrieve.hit import ListItem
from pipelines.retrieve.record_runs import Record, RecordLine, runs_of_records, shared_beginning
from pipelines.retrieve.table_rows import RULE, EvidenceLine, Fields

_DASHES = (" - ", " – ", " — ")
_BRACKETS = (("(", ")"), ("（", "）"))


def with_records(
    pieces: Sequence[EvidenceLine], chunk: Chunk, places: Iterable[int], items: Sequence[ListItem]
) -> list[EvidenceLine]:
    """Return the units of a chunk, with those of each record joined to a table row; see `runs_of_records`."""
    return _joined(pieces, runs_of_records(pieces, chunk, places, items), chunk)


def _joined(pieces: Sequence[EvidenceLine], runs: Sequence[Sequence[Record]], chunk: Chunk) -> list[EvidenceLine]:
    """Return the units with those of the records replaced by rows."""
    found: list[EvidenceLine] = []
    done = 0
    for number, run in enumerate(runs):
        first = run[0][0].first
        found += pieces[done:first]
        above = heading_above(pieces, first)
        for record, fields in zip(run, _fields(run), strict=True):
            done = record[-1].last + 1
            names = RULE.join(name for name, _ in fields)
            found.append(
                EvidenceLine(
                    Span(pieces[record[0].first].span.start, pieces[done - 1].span.end),
                    RULE.join(cell for _, cell in fields),
                    names if any(name for name, _ in fields) else "",
                    above,
                    fields=fields,
                    table=f"{chunk.id} {number}",
                )
            )
    return [*found, *pieces[done:]]


def heading_above(pieces: Sequence[EvidenceLine], first: int) -> str:
    """Return the heading above the unit `first`, which may be a heading itself, or ""."""
    if not pieces[first].label:
        return pieces[first].heading
    return pieces[first - 1].heading if first else ""


def _fields(run: Sequence[Record]) -> list[Fields]:
    """Return the cells of each record, with the names of their columns."""
    if len({tuple(line.label for line in record) for record in run}) > 1:
        return _by_label(run)
    heads, *others = zip(*run, strict=True)
    columns = [*_head_columns(heads), *map(_column, others)]
    return [tuple(fields) for fields in zip(*columns, strict=True)]


def _head_columns(heads: Sequence[RecordLine]) -> list[list[tuple[str, str]]]:
    """Return the cells of the first lines; what is in brackets, or behind a dash, has a column if all have one."""
    if heads[0].label:
        return [_column(heads)]
    for parts in ([_before_brackets(line.text) for line in heads], [_before_dash(line.text) for line in heads]):
        if all(all(part) for part in parts):
            whole = [line._replace(text=text) for line, (text, _) in zip(heads, parts, strict=True)]
            return [_head(whole), [("", behind) for _, behind in parts]]
    return [_head(heads)]


def _before_brackets(text: str) -> tuple[str, str]:
    """Return a text such as "Version 2.1 (20 October 2024)" in two parts; one is empty for other texts."""
    for opening, closing in _BRACKETS:
        before, _, inside = text.removesuffix(closing).rpartition(opening)
        if text.endswith(closing) and closing not in inside:
            return before.rstrip(), inside
    return text, ""


def _before_dash(text: str) -> tuple[str, str]:
    """Return a text such as "[2.1] - 20 October 2024" in two parts; the second is empty for other texts."""
    before, _, behind = min((text.partition(dash) for dash in _DASHES), key=lambda parts: len(parts[0]))
    return before, behind


def _head(heads: Sequence[RecordLine]) -> list[tuple[str, str]]:
    """Return the cells of the first lines; the words that all begin with name them, and stay: "Version 2.1"."""
    return [(name, line.text) for (name, _), line in zip(_column(heads), heads, strict=True)]


def _column(lines: Sequence[RecordLine]) -> list[tuple[str, str]]:
    """Return the cells of the lines of a column, with their label, or the words that all of them begin with."""
    if lines[0].label:
        return [(line.label, line.value) for line in lines]
    words = [line.text.split() for line in lines]
    count = len(list(takewhile(str.isalpha, (word.rstrip(".") for word in shared_beginning(words)))))
    count = count if all(len(some) > count for some in words) else 0
    return [(" ".join(words[0][:count]), " ".join(some[count:])) for some in words]


def _by_label(run: Sequence[Record]) -> list[Fields]:
    """Return the cells of records of which some lack a label: what has none comes first, as one cell."""
    labels = list(dict.fromkeys(line.label for record in run for line in record if line.label))
    found = []
    for record in run:
        cells: dict[str, list[str]] = {}
        for line in record:
            cells.setdefault(line.label, []).append(line.value)
        found.append({label: "; ".join(some) for label, some in cells.items()})
    names = [*([""] if any("" in cells for cells in found) else []), *labels]
    return [tuple((name, cells.get(name, "")) for name in names) for cells in found]
