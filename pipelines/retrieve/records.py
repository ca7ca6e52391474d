"""Records: blocks of short lines in the same form, such as cards, contacts or entries of a log, read as table rows.

A record stands between two headings, blank lines or list marks, or begins with the same label as the one before. The
records of a run have the same labels ("Due: 15 June"), or as many lines, with digits and addresses in the same ones. A
column has the name of its label, of the words that its lines begin with ("Article B-6204"), or of a line that stands
above each of them ("Weight" above "61 kg").
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.retrieve.entries import COLONS, HEADING_LENGTH, ITEM_MARK
from pipelines.retrieve.hit import ListItem
from pipelines.retrieve.labels import LABELLED_LINE, form_of
from pipelines.retrieve.table_rows import RULE, EvidenceLine, Fields
from pipelines.retrieve.unit_spans import BLANK

_LONGEST = 2 * HEADING_LENGTH
"""Maximum characters of a line of a record: a label and a short sentence."""
_MOST_LINES = 12
"""Maximum lines of a record; the forms of a single thing have more."""
_FEWEST = 3
"""Minimum records without two labels in common, and minimum lines of records without labels."""
_IN_TWO = (re.compile(r"(.+?) ?[(（]([^()（）]+)[)）]"), re.compile(r"(.+?) [-–—] (.+)"))
"""First lines of two parts: "Version 2.1 (20 October 2024)", "[2.1] - 20 October 2024"."""


class _Line(NamedTuple):
    """A line of a chunk: its first and last unit, its text without a mark, and its label, or "", with what is behind.

    `text` is empty if the line cannot be one of a record.
    """

    first: int
    last: int
    text: str
    label: str = ""
    value: str = ""


_Record = Sequence[_Line]


def with_records(
    pieces: Sequence[EvidenceLine], chunk: Chunk, places: Iterable[int], items: Sequence[ListItem]
) -> list[EvidenceLine]:
    """Return the units of a chunk, with those of each record joined to a table row.

    Args:
        pieces: the units of the chunk in order.
        chunk: the chunk.
        places: where sections begin in the document.
        items: the list items of the chunk.
    """
    lines = list(_lines(pieces, chunk.text))
    if len(lines) < 2 * 2:
        return list(pieces)
    start = chunk.provenance.span.start
    ways = (
        _cut(lines, [_holds(pieces, line, [place - start for place in places]) for line in lines]),
        _cut(lines, _below_blanks(pieces, lines, chunk.text)),
        _cut(lines, _at_items(pieces, lines, items, start)),
        _cut(lines, _at_first_label(lines)),
        _below_labels(lines),
        _between_tabs(pieces, lines, chunk.text),
    )
    runs = max((list(_runs(way)) for way in ways), key=lambda found: sum(map(len, found)))
    return _joined(pieces, runs, chunk)


def _lines(pieces: Sequence[EvidenceLine], text: str) -> Iterator[_Line]:
    """Yield the lines of a chunk, each with all its sentences."""
    first = 0
    for place in range(1, len(pieces) + 1):
        if place < len(pieces) and "\n" not in text[pieces[place - 1].span.end : pieces[place].span.start]:
            continue
        line = " ".join(text[pieces[first].span.start : pieces[place - 1].span.end].split())
        mark = ITEM_MARK.match(line)
        listed = mark and (mark[1] is None or pieces[first].depth)  # "9. April" is no item
        line = line[mark.end() if mark and listed else 0 :]
        plain = not pieces[first].is_row and len(line) <= _LONGEST
        label = LABELLED_LINE.match(line) if plain else None
        parts = (label["label"], line[label.end() :]) if label else ("", line)
        yield _Line(first, place - 1, line if plain else "", *parts)
        first = place


def _cut(lines: Sequence[_Line], opens: Sequence[bool]) -> list[_Record]:
    starts = [place for place, opened in enumerate(opens) if opened]
    return [lines[start:end] for start, end in pairwise([*starts, len(lines)])]


def _holds(pieces: Sequence[EvidenceLine], line: _Line, places: Iterable[int]) -> bool:
    return any(pieces[line.first].span.start <= place < pieces[line.last].span.end for place in places)


def _below_blanks(pieces: Sequence[EvidenceLine], lines: Sequence[_Line], text: str) -> list[bool]:
    between = (text[pieces[one.last].span.end : pieces[two.first].span.start] for one, two in pairwise(lines))
    return [True, *(BLANK in gap.replace(" ", "") for gap in between)]


def _at_items(
    pieces: Sequence[EvidenceLine], lines: Sequence[_Line], items: Sequence[ListItem], start: int
) -> list[bool]:
    """Return whether each line opens an item of a list, not one inside another, or is the first one behind the list."""
    top = min((item.depth for item in items), default=0)
    begins = {item.span.start - start for item in items if item.depth == top}
    listed = [pieces[line.first].depth > 0 for line in lines]
    behind = [False, *(before and not one for before, one in pairwise(listed))]
    return [pieces[line.first].span.start in begins or out for line, out in zip(lines, behind, strict=True)]


def _at_first_label(lines: Sequence[_Line]) -> list[bool]:
    """Return whether each line has the first label that comes again, or is the line without a label above it.

    None has if some records have such a line above, and others have not.
    """
    counts = Counter(line.label for line in lines if line.label)
    label = next((line.label for line in lines if counts[line.label] > 1), "")
    at = [place for place, line in enumerate(lines) if label and line.label == label]
    headed = [place > 0 and not lines[place - 1].label for place in at]
    begins = {place - all(headed) for place in at if all(headed) or not any(headed[1:])}
    return [place in begins for place in range(len(lines))]


def _below_labels(lines: Sequence[_Line]) -> list[_Record]:
    """Return the records in which every other line is a label that each of them has: "Weight" above "61 kg"."""
    counts = Counter(line.text for line in lines if line.text)
    again = next((line.text for line in lines if counts[line.text] >= _FEWEST), "")
    blocks = _cut(lines, [bool(again) and line.text == again for line in lines])
    labels = _shared([[line.text for line in block[::2]] for block in blocks[:2]])
    return [
        [_Line(name.first, cell.last, cell.text, name.text.rstrip("".join(COLONS)), cell.text) for name, cell in pairs]
        for block in blocks
        if (pairs := list(zip(block[::2], block[1::2], strict=False))[: len(labels)])
        and [name.text for name, _ in pairs] == labels
    ]


def _between_tabs(pieces: Sequence[EvidenceLine], lines: Sequence[_Line], text: str) -> list[_Record]:
    """Return the lines of cells between tabs as records; the first of them has the labels, unless it has a digit."""
    names: list[str] = []
    found: list[_Record] = []
    for line in lines:
        written = text[pieces[line.first].span.start : pieces[line.last].span.end]
        cells = [" ".join(cell.split()) for cell in written.split("\t")] if line.text else []
        if len(cells) < 2 or not all(cells):
            names = []
        elif len(cells) != len(names):
            names = cells if not any(map(any, map(form_of, cells))) else [""] * len(cells)
        if cells != names:
            found.append(
                [_Line(line.first, line.last, *one) for one in zip(cells, names, cells, strict=True)]
                if names
                else [line]
            )
    return found


def _runs(records: Sequence[_Record]) -> Iterator[list[_Record]]:
    """Yield the runs of records in succession that have the same form."""
    run: list[_Record] = []
    for record in records:
        if run and not _are_alike(run[-1], record):
            yield from _valid(run)
            run = []
        run.append(record)
    yield from _valid(run)


def _valid(run: list[_Record]) -> Iterator[list[_Record]]:
    if len(run) > 1 and (len(run) >= _FEWEST or len(_labels(run[0]) & _labels(run[1])) > 1):
        yield run


def _labels(record: _Record) -> frozenset[str]:
    return frozenset(line.label for line in record if line.label)


def _are_alike(one: _Record, other: _Record) -> bool:
    """Whether two records have labels in common, none of them twice, or lines alike behind the first one.

    Those have the same forms, or begin with the same words.
    """
    if not all(1 < len(record) <= _MOST_LINES and all(line.text for line in record) for record in (one, other)):
        return False
    if any(len(_labels(record)) < sum(bool(line.label) for line in record) for record in (one, other)):
        return False
    shared = len(_labels(one) & _labels(other))
    if shared:
        return shared > 1 or not (one[0].label or other[0].label)
    if len(one) != len(other) or len(one) < _FEWEST or any(line.label for line in (*one, *other)):
        return False
    forms = [form_of(line.text) for line in one[1:]]
    same_forms = any(map(any, forms)) and forms == [form_of(line.text) for line in other[1:]]
    return same_forms or _opening_words(one) == _opening_words(other)


def _opening_words(record: _Record) -> list[str]:
    return [line.text.split()[0] for line in record[1:]]


def _joined(pieces: Sequence[EvidenceLine], runs: Sequence[Sequence[_Record]], chunk: Chunk) -> list[EvidenceLine]:
    """Return the units with those of the records replaced by rows."""
    found: list[EvidenceLine] = []
    done = 0
    for number, run in enumerate(runs):
        first = run[0][0].first
        found += pieces[done:first]
        above = pieces[first].heading if not pieces[first].label else pieces[first - 1].heading if first else ""
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


def _fields(run: Sequence[_Record]) -> list[Fields]:
    """Return the cells of each record, with the names of their columns."""
    if len({tuple(line.label for line in record) for record in run}) > 1:
        return _by_label(run)
    heads, *others = zip(*run, strict=True)
    columns = [*_head_columns(heads), *map(_column, others)]
    return [tuple(fields) for fields in zip(*columns, strict=True)]


def _head_columns(heads: Sequence[_Line]) -> list[list[tuple[str, str]]]:
    """Return the cells of the first lines; what is in brackets, or behind a dash, has a column if all have one."""
    if heads[0].label:
        return [_column(heads)]
    for pattern in _IN_TWO:
        parts = [pattern.fullmatch(line.text) for line in heads]
        if all(parts):
            whole = [line._replace(text=one[1]) for line, one in zip(heads, parts, strict=True) if one]
            return [_head(whole), [("", one[2]) for one in parts if one]]
    return [_head(heads)]


def _head(heads: Sequence[_Line]) -> list[tuple[str, str]]:
    """Return the cells of the first lines; the words that all begin with name them, and stay: "Version 2.1"."""
    return [(name, line.text) for (name, _), line in zip(_column(heads), heads, strict=True)]


def _column(lines: Sequence[_Line]) -> list[tuple[str, str]]:
    """Return the cells of the lines of a column, with their label, or the words that all of them begin with."""
    if lines[0].label:
        return [(line.label, line.value) for line in lines]
    words = [line.text.split() for line in lines]
    count = len(list(takewhile(str.isalpha, (word.rstrip(".") for word in _shared(words)))))
    count = count if all(len(some) > count for some in words) else 0
    return [(" ".join(words[0][:count]), " ".join(some[count:])) for some in words]


def _by_label(run: Sequence[_Record]) -> list[Fields]:
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


def _shared(texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the texts with which all sequences begin."""
    return [same[0] for same in takewhile(lambda same: len(set(same)) == 1, zip(*texts, strict=False))]
