"""What divides the fields of a delimited file."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence

# Where two divide the rows equally well, the first: a comma is also a decimal sign and punctuation.
_DELIMITERS = ("\t", ";", "|", ",")
_HINT = re.compile(r"sep=(.)\r?\n?", re.IGNORECASE)
_SAMPLE_LINES = 300
_SAMPLE_WIDTH = 20_000
_MOST_LINES_IN_A_FIELD = 200
# The parser's own limit, which holds for the process, is far below what a cell may hold.
csv.field_size_limit(1 << 30)


def find_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that divides the most rows into one same number of fields, a comma where none does."""
    if lines and (hint := _HINT.fullmatch(lines[0])):
        return hint.group(1)
    sample = [line[:_SAMPLE_WIDTH] for line in lines[:_SAMPLE_LINES] if line.strip()]
    scores = {delimiter: _agreement(sample, delimiter) for delimiter in _DELIMITERS}
    best = max(_DELIMITERS, key=lambda delimiter: scores[delimiter])
    return best if scores[best] > 0 else ","


def read_rows(lines: Sequence[str], delimiter: str) -> Iterator[list[str]]:
    """Yield the rows that are not empty; a quotation mark that is never closed is an ordinary character.

    A first line that only names the delimiter ("sep=;") is no row.
    """
    position = 1 if lines and _HINT.fullmatch(lines[0]) else 0
    while position < len(lines):
        reader = csv.reader(_from(lines, position), delimiter=delimiter, skipinitialspace=True)
        consumed = 0
        for row in reader:
            if reader.line_num - consumed > _MOST_LINES_IN_A_FIELD:
                yield lines[position + consumed].rstrip("\n").split(delimiter)
                position += consumed + 1
                break
            consumed = reader.line_num
            if any(field.strip() for field in row):
                yield row
        else:
            return


def _from(lines: Sequence[str], position: int) -> Iterator[str]:
    for number in range(position, len(lines)):
        yield lines[number]


def _agreement(lines: Sequence[str], delimiter: str) -> float:
    """The share of rows with the commonest number of fields, 0 where that is one."""
    counts = Counter(len(row) for row in csv.reader(lines, delimiter=delimiter, skipinitialspace=True))
    divided = {fields: count for fields, count in counts.items() if fields > 1}
    return max(divided.values()) / sum(counts.values()) if divided else 0.0
