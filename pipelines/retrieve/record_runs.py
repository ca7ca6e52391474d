"""Records in a chunk: blocks of short lines in the same form, such as cards, contacts or entries of a log.

A record stands between two headings, blank lines or list marks, or begins with the same label as the one before, or is
a line of cells between tabs. The records of a run have the same labels ("Due: 15 June"), or as many lines, with digits
and addresses in the same ones. A label may also be the line above its value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise, takewhile
from typing import NamedTuple

from pipelines.core.document import Chunk
from pipelines.core.provenance import Span
from pipelines.lang.names import names_person
from pipelines.retrieve.entries import HEADING_LENGTH, ITEM_MARK
from pipelines.retrieve.hit import ListItem
from pipelines.retrieve.labels import LABELLED_LINE, begins_within, form_of, is_below_blank, is_name
from pipelines.retrieve.table_rows import EvidenceLine

_LONGEST = 2 * HEADING_LENGTH
"""Maximum characters of a line of a record: a label and a short sentence."""
_MOST_LINES = 12
"""Maximum lines of a record; the forms of a single thing have more."""
_FEWEST = 3
"""Minimum records without two labels in common and without headings, and minimum lines of records without labels."""


class RecordLine(NamedTuple):
    """A line of a chunk: its first and last unit, its text without a mark, and its label, or "", with what is behind.

    `text` is empty if the line cannot be one of a record.
    """

    first: int
    last: int
    text: str
    label: str = ""
    value: str = ""


Record = Sequence[RecordLine]


def runs_of_records(
    pieces: Sequence[EvidenceLine], chunk: Chunk, places: Iterable[int], items: Sequence[ListItem]
) -> list[list[Record]]:
    """Return the runs of records in a chunk, by the way of cutting its lines that gives most records.

    Args:
        pieces: the units of the chunk in order.
        chunk: the chunk.
        places: where sections begin in the document.
        items: the list items of the chunk.
    """
    lines = list(lines_of(pieces, chunk.text))
    start = chunk.provenance.span.start
    whole = [Span(pieces[line.first].span.start, pieces[line.last].span.end) for line in lines]
    headed = [begins_within(span, places, start) for span in whole]
    ways = (
        cut_at(lines, paragraph_starts(pieces, lines, chunk.text)),
        cut_at(lines, _at_items(pieces, lines, items, start)),
        _by_first_label(lines, headed),
        _below_labels(lines),
        _between_tabs(pieces, lines, chunk),
        cut_at(lines, _in_cycles(lines)),
    )
    found = [list(_runs(cut_at(lines, headed), 2)), *(list(_runs(way, _FEWEST)) for way in ways)]
    return max(found, key=lambda runs: sum(map(len, runs)))


def lines_of(pieces: Sequence[EvidenceLine], text: str) -> Iterator[RecordLine]:
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
        yield RecordLine(first, place - 1, line if plain else "", *parts)
        first = place


def cut_at(lines: Sequence[RecordLine], opens: Sequence[bool]) -> list[Record]:
    """Return the lines cut before each one that opens a part; those before the first part are left out."""
    starts = [place for place, opened in enumerate(opens) if opened]
    return [lines[start:end] for start, end in pairwise([*starts, len(lines)])]


def paragraph_starts(pieces: Sequence[EvidenceLine], lines: Sequence[RecordLine], text: str) -> list[bool]:
    """Return whether each line is the first one of a chunk or below an empty line."""
    firsts = [line.first for line in lines]
    return [first == 0 or is_below_blank(pieces[first - 1], pieces[first], text) for first in firsts]


def _at_items(
    pieces: Sequence[EvidenceLine], lines: Sequence[RecordLine], items: Sequence[ListItem], start: int
) -> list[bool]:
    """Return whether each line opens an item of a list, not one inside another, or is the first one behind the list."""
    top = min((item.depth for item in items), default=0)
    begins = {item.span.start - start for item in items if item.depth == top}
    listed = [pieces[line.first].depth > 0 for line in lines]
    behind = [False, *(before and not one for before, one in pairwise(listed))]
    return [pieces[line.first].span.start in begins or out for line, out in zip(lines, behind, strict=True)]


def _by_first_label(lines: Sequence[RecordLine], headed: Sequence[bool]) -> list[Record]:
    """Return the lines cut before each one with the first label that comes again; headings are inside no record."""
    opens = _at_first_label(lines)
    inside = [heading and not opened for heading, opened in zip(headed, opens, strict=True)]
    return cut_at([line._replace(text="") if cut else line for line, cut in zip(lines, inside, strict=True)], opens)


def _at_first_label(lines: Sequence[RecordLine]) -> list[bool]:
    """Return whether each line has the first label that comes again, or is the line without a label above it.

    None has if some records have such a line above, and others have not.
    """
    counts = Counter(line.label for line in lines if line.label)
    label = next((line.label for line in lines if counts[line.label] > 1), "")
    at = [place for place, line in enumerate(lines) if label and line.label == label]
    headed = [place > 0 and not lines[place - 1].label for place in at]
    begins = {place - all(headed) for place in at if all(headed) or not any(headed[1:])}
    return [place in begins for place in range(len(lines))]


def _below_labels(lines: Sequence[RecordLine]) -> list[Record]:
    """Return the records in which every other line is a label that each of them has: "Weight" above "61 kg"."""
    counts = Counter(line.text for line in lines if line.text)
    again = next((line.text for line in lines if counts[line.text] >= _FEWEST), "")
    blocks = cut_at(lines, [bool(again) and line.text == again for line in lines])
    labels = shared_beginning([[line.text for line in block[::2]] for block in blocks[:2]])
    pairs = [list(zip(block[::2], block[1::2], strict=False))[: len(labels)] for block in blocks]
    return [
        [RecordLine(name.first, cell.last, cell.text, name.text.rstrip(":："), cell.text) for name, cell in some]
        for some in pairs
        if some and [name.text for name, _ in some] == labels
    ]


def _between_tabs(pieces: Sequence[EvidenceLine], lines: Sequence[RecordLine], chunk: Chunk) -> list[Record]:
    """Return the lines of cells between tabs as records.

    The first of them has the labels, unless it has a digit, an address or the name of a person.
    """
    names: list[str] = []
    found: list[Record] = []
    for line in lines:
        written = chunk.text[pieces[line.first].span.start : pieces[line.last].span.end]
        cells = [" ".join(cell.split()) for cell in written.split("\t")] if line.text else []
        if len(cells) < 2 or not all(cells):
            names = []
        elif len(cells) != len(names):
            row = any(any(form_of(cell)) or names_person(cell, chunk.language) for cell in cells)
            names = [""] * len(cells) if row else cells
        if cells != names:
            parts = zip(cells, names, cells, strict=True) if names else ()
            found.append([RecordLine(line.first, line.last, *part) for part in parts] or [line])
    return found


def _in_cycles(lines: Sequence[RecordLine]) -> list[bool]:
    """Return whether each line begins a record of lines in turn that have the same forms: a name, a number, an address.

    A title may be above the first one.
    """
    for first in (0, 1):
        forms = [form_of(line.text) for line in lines[first:]]
        for period in range(_FEWEST, min(_MOST_LINES, len(forms) // _FEWEST) + 1):
            again = len(set(forms)) > 1 and all(form == forms[place % period] for place, form in enumerate(forms))
            if again and all(is_name(line.text) for line in lines[first::period]):
                return [place >= first and (place - first) % period == 0 for place in range(len(lines))]
    return [False] * len(lines)


def _runs(records: Sequence[Record], fewest: int) -> Iterator[list[Record]]:
    """Yield the runs of records in succession that have the same form, `fewest` or two with two labels in common."""
    run: list[Record] = []
    for record in records:
        if run and not _are_alike(run[-1], record):
            yield from _valid(run, fewest)
            run = []
        run.append(record)
    yield from _valid(run, fewest)


def _valid(run: list[Record], fewest: int) -> Iterator[list[Record]]:
    if len(run) > 1 and (len(run) >= fewest or len(_labels(run[0]) & _labels(run[1])) > 1):
        yield run


def _labels(record: Record) -> frozenset[str]:
    return frozenset(line.label for line in record if line.label)


def _are_alike(one: Record, other: Record) -> bool:
    """Whether two records have labels in common, none of them twice, or lines alike behind the first one.

    Those are as many, and have digits and addresses in the same places, or begin with the same words.
    """
    if not all(1 < len(record) <= _MOST_LINES and all(line.text for line in record) for record in (one, other)):
        return False
    if any(len(_labels(record)) < sum(bool(line.label) for line in record) for record in (one, other)):
        return False
    if shared := len(_labels(one) & _labels(other)):
        # "Attendant" is in the definitions and among the responsibilities.
        most = 2 * shared > min(len(_labels(one)), len(_labels(other)))
        same_end = _ends_with_name(one) == _ends_with_name(other)
        return most and same_end and (shared > 1 or not (one[0].label or other[0].label))
    if len(one) != len(other) or len(one) < _FEWEST or any(line.label for line in (*one, *other)):
        return False
    forms = [form_of(line.text) for line in one[1:]]
    same_forms = any(map(any, forms)) and forms == [form_of(line.text) for line in other[1:]]
    return same_forms or _opening_words(one) == _opening_words(other)


def _ends_with_name(record: Record) -> bool:
    """Whether the last line may name the next record: it has no label, and the first one has."""
    return bool(record[0].label) and not record[-1].label


def _opening_words(record: Record) -> list[str]:
    return [line.text.split()[0] for line in record[1:]]


def shared_beginning(texts: Sequence[Sequence[str]]) -> list[str]:
    """Return the texts with which all sequences begin."""
    return [same[0] for same in takewhile(lambda same: len(set(same)) == 1, zip(*texts, strict=False))]
