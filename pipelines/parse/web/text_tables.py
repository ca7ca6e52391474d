"""Tables in plain text: columns aligned by blanks or separated by tabs, columns below a rule, and drawn grids."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from pipelines.core.table import Cell, begins_with_number, is_data
from pipelines.parse.lines import LABELLED
from pipelines.parse.web.text_columns import Columns, parts_of

Fields = list[str]
"""The texts of one row, "" where a column is empty."""
_LEAST_COLUMNS = 3
"""Minimum columns without a rule or a grid: two are labels and their values, which are read as lines."""
_LEAST_ROWS = 3
"""Minimum rows if some cells are empty; two complete rows are a table, such as the values of a certificate."""
_FILLED = 0.6
"""Minimum share of cells with text: the columns of a table have gaps, words that happen to be aligned mostly gaps."""
_SHIFTED = 0.5
"""Maximum share of the lines of a table of at most `_LEAST_ROWS` rows with as many parts at other places: in prose, two
lines may have as many wide gaps by chance."""
_WORDY = 0.5
"""Minimum share of cells with a letter or digit; drawings made of signs have fewer."""
_ALIKE = 2 / 3
"""Minimum share of rows that begin as the first one does, with a number or code, if that is no header (`is_data`)."""
_MOST_HEADS = 3
"""Maximum lines above the rule of a table: a header of three lines."""
_HAS_GAP = re.compile(r"\S(?:  |\t| \t)")
_RULE = re.compile(r"[-=─━_~]{3,}(?:\s[-=─━_~\s]*)?")
_RULE_PART = re.compile(r"[-=─━_~]{2,}")
_BORDER = re.compile(r"[|+│║├┤┌┐└┘╔╗╚╝╠╣┠┨╟╢][-=+:|─━┼┬┴═╬╦╩│║┤├┐┘╗╝╣╢┨\s]*")
_WALL = re.compile(r"[|│║]")
_WALLED = re.compile(r"[|│║].*[|│║]")


class TextTable(NamedTuple):
    """The cells of a table in the lines from `start` to before `end`; none if these lines only look like a table."""

    start: int
    end: int
    cells: list[Cell]


def text_tables(lines: Sequence[str]) -> Iterator[TextTable]:
    """Yield the tables in successive lines that are not empty, from the top.

    A table is one of these:
    - a grid: lines that begin and end with a vertical bar;
    - columns below a rule that is interrupted between them, with at most three lines of headers above;
    - at least three columns, separated by tabs or by gaps of two blanks at the same place in each line.

    >>> [cell.text for cell in next(text_tables(["Item   Qty   Unit", "Bolt   12    pcs"])).cells]
    ['Item', 'Qty', 'Unit', 'Bolt', '12', 'pcs']
    """
    start = 0
    while start < len(lines):
        found = _grid(lines, start) or _ruled(lines, start) or _aligned(lines, start)
        if found is not None and found.cells:
            yield found
        start = found.end if found else start + 1


def _table(start: int, end: int, rows: Sequence[Fields], headers: int | None) -> TextTable:
    """Return the table of these rows, if it is one; if `headers` is None, the first row is one unless it is data."""
    if not _is_table(rows):
        return TextTable(start, end, [])
    cells = [Cell(row, at, text) for row, fields in enumerate(rows) for at, text in enumerate(fields) if text]
    headers = _header_rows(cells) if headers is None else headers
    return TextTable(start, end, [replace(cell, header=cell.row < headers) for cell in cells])


def _header_rows(cells: Sequence[Cell]) -> int:
    """Return 1, or 0 if the first row is data: as in `is_data`, by a code or number in front, or by labels with values.

    Lines of a log begin with a time as the first one does, rows of a list with a code; a letterhead has labels.
    """
    labels = (LABELLED.match(cell.text) for cell in cells if cell.row == 0)
    labelled = any(label is not None and label.end() < len(label.string) for label in labels)
    first, *below = [_shape(cell.text) for cell in cells if cell.column == 0] or [""]
    coded = first != "" and below.count(first) >= _ALIKE * len(below)
    return 0 if is_data(cells) or labelled or coded else 1


def _shape(text: str) -> str:
    """Return "number" for a text that begins with one, "code" for another one with a digit, or ''."""
    if begins_with_number(text):
        return "number"
    return "code" if any(map(str.isdigit, text)) else ""


def _is_table(rows: Sequence[Fields]) -> bool:
    """Whether enough cells have text, and enough of those have letters or digits."""
    texts = [text for fields in rows for text in fields if text]
    places = sum(map(len, rows))
    if len(rows) < 2 or len(texts) < (places if len(rows) < _LEAST_ROWS else _FILLED * places):
        return False
    return sum(any(map(str.isalnum, text)) for text in texts) >= _WORDY * len(texts)


def _grid(lines: Sequence[str], start: int) -> TextTable | None:
    """Return the grid that begins at a line. Rows of several lines are between borders."""
    groups: list[list[Fields]] = [[]]
    end = start
    while end < len(lines):
        line = lines[end].strip()
        if _BORDER.fullmatch(line):
            groups.append([])
        elif _WALLED.fullmatch(line):
            groups[-1].append([text.strip() for text in _WALL.split(line)[1:-1]])
        else:
            break
        end += 1
    groups = [group for group in groups if group]
    widths = {len(fields) for group in groups for fields in group}
    if len(widths) != 1 or widths == {1}:
        return TextTable(start, end, []) if end > start else None
    is_bordered = len(groups) > 2 and any(len(group) > 1 for group in groups)
    if is_bordered:
        groups = [[[" ".join(filter(None, texts)) for texts in zip(*group, strict=True)]] for group in groups]
    rows = [fields for group in groups for fields in group]
    headers = len(groups[0]) if len(groups) > 1 else None
    return _table(start, end, rows, headers)


def _ruled(lines: Sequence[str], start: int) -> TextTable | None:
    """Return the table whose columns a rule shows, if the rule is at most three lines below `start`."""
    rule = next((at for at in range(start, min(len(lines), start + _MOST_HEADS + 1)) if _is_rule(lines[at])), None)
    if rule is None:
        return None
    starts = [part.start() for part in _RULE_PART.finditer(lines[rule].expandtabs())]
    above = [] if rule == start else _split_at(lines[start:rule], starts)
    if above is None:
        return None
    end, rules = rule + 1, [len(above)]
    rows = above
    while end < len(lines):
        if _RULE.fullmatch(lines[end].strip()):
            rules.append(len(rows))
        elif (fields := _split_at([lines[end]], starts)) is None:
            break
        else:
            rows += fields
        end += 1
    headers = next((count for count in rules if 0 < count < len(rows)), 0)
    return _table(start, end, [*rows[:headers], *_joined(rows[headers:])], headers)


def _is_rule(line: str) -> bool:
    return _RULE.fullmatch(line.strip()) is not None and len(_RULE_PART.findall(line)) > 1


def _split_at(lines: Sequence[str], starts: Sequence[int]) -> list[Fields] | None:
    """Return the fields of lines whose columns begin at these places, or None if a word crosses one of them."""
    rows: list[Fields] = []
    for line in map(str.expandtabs, lines):
        if any(line[at - 1 : at].strip() and line[at : at + 1].strip() for at in starts[1:]):
            return None
        bounds = [0, *starts[1:], len(line)]
        rows.append([line[left:right].strip() for left, right in pairwise(bounds)])
    return rows


def _joined(rows: Sequence[Fields]) -> list[Fields]:
    """Return the rows with lines that continue cells: their first column is empty, and so is half of the others."""
    joined: list[Fields] = []
    for fields in rows:
        filled = [text for text in fields if text]
        continues = joined and not fields[0] and 2 * len(filled) <= len(fields)
        if continues and not any(text[0].isdigit() for text in filled):
            joined[-1] = [f"{above} {text}".strip() for above, text in zip(joined[-1], fields, strict=True)]
        else:
            joined.append(fields)
    return joined


def _aligned(lines: Sequence[str], start: int) -> TextTable | None:
    """Return the table that begins at a line, of columns that are separated by tabs or gaps."""
    if not _HAS_GAP.search(lines[start]):
        return None
    first = parts_of(lines[start])
    if len(first) < _LEAST_COLUMNS:
        # The first column may have no header.
        following = parts_of(lines[start + 1]) if start + 1 < len(lines) else []
        if not (len(following) > len(first) > 1 and lines[start][:1].isspace()):
            return None
    columns = Columns(first)
    rows, end, headers = [first], start + 1, None
    while end < len(lines):
        parts = parts_of(lines[end])
        if _RULE.fullmatch(lines[end].strip()):
            headers = headers or len(rows)
        elif columns.take(parts):
            rows.append(parts)
        else:
            break
        end += 1
    few = len(rows) <= _LEAST_ROWS
    if columns.count < _LEAST_COLUMNS or (few and columns.shifted > _SHIFTED * (len(rows) - 1)):
        return None
    return _table(start, end, _joined(list(map(columns.fields, rows))), headers)
