"""Tables of AsciiDoc as HTML: cells behind bars, with what stands before the bar, or values behind commas."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_CELL = re.compile(
    r"(?<!\S)(?:(?P<columns>\d{1,3})?(?:\.(?P<rows>\d{1,3}))?(?P<how>[+*]))?"
    r"[<^>]?(?:\.[<^>])?(?P<style>[aehlmdsv])?(?P<bar>[|!])"
)
_BAR = re.compile(r"(?<!\\)[|!]")
_COLUMN = re.compile(r"(?:(?P<times>\d{1,3})\*)?[^a-z]*+(?P<style>[aehlmdsv])?")
_COLS = re.compile(r"cols\s*+=\s*+(?:\"([^\"]*+)\"|([^,\s]++))")
_SEPARATOR = re.compile(r"separator\s*+=\s*+\"?([^\"\s])")
_FORMAT = re.compile(r"format\s*+=\s*+\"?(psv|csv|dsv|tsv)")
_SIGNS = {"csv": ",", "dsv": ":", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell as written: its text, how many columns and rows it takes, its style by one letter."""

    text: str
    columns: int = 1
    rows: int = 1
    style: str = ""


def table_html(lines: list[str], sign: str, style: str, caption: str, shown: Callable[[str, bool], str]) -> str:
    """Return the table of `lines`.

    Args:
        lines: what stands between the marks of the table.
        sign: the first character of these marks, which parts its cells.
        style: its attributes, as written between brackets.
        caption: its title.
        shown: gives the HTML of a cell's text, which may hold blocks.
    """
    found = _FORMAT.search(style)
    sign = _SIGNS.get(found[1], sign) if found else sign
    separator = _SEPARATOR.search(style)
    sign = separator[1] if separator else sign
    styles = _column_styles(style)
    if sign in "|!":
        cells = list(_cells(lines, sign))
        first = next((line for line in lines if line), "")
        width = len(styles) or sum(cell.columns for cell in _cells([first], sign)) or 1
    else:
        rows = _values(lines, sign)
        cells = [_Cell(text.strip()) for row in rows for text in row]
        width = len(styles) or max(map(len, rows[:1]), default=1)
    headed = _is_headed(lines, style)
    named = f"<caption>{shown(caption, False)}</caption>" if caption else ""
    return f"<table>{named}{''.join(_rows(cells, width, styles, headed, shown))}</table>"


def _is_headed(lines: list[str], style: str) -> bool:
    """Whether the first row is a header: as told, or in the first line with an empty one below (but for a list)."""
    if "header" in style:
        return "noheader" not in style
    return len(lines) > 2 and bool(lines[0]) and not lines[1] and "options" not in style and "%" not in style


def _column_styles(style: str) -> list[str]:
    """Return the style of each column, as `cols` tells them; none where it does not."""
    found = _COLS.search(style)
    told = re.split("[,;]", (found[1] or found[2] or "").strip()) if found else []
    styles: list[str] = []
    for one in told if told != [""] else []:
        column = _COLUMN.match(one.strip())
        times, named = (int(column["times"] or 1), column["style"] or "") if column else (1, "")
        styles += [named] * times
    return styles


def _values(lines: Iterable[str], sign: str) -> list[list[str]]:
    filled = [line for line in lines if line]
    try:
        return list(csv.reader(filled, delimiter=sign))
    except csv.Error:
        return [line.split(sign) for line in filled]


def _cells(lines: Iterable[str], sign: str) -> Iterator[_Cell]:
    """Yield the cells; a text begins behind its bar and ends before the next, with what stands before that one."""
    text = "\n".join(lines)
    bars = [bar for bar in _BAR.finditer(text) if bar[0] == sign]
    heads = {found.end(): found for found in _CELL.finditer(text)}
    ends = [heads[bar.end()].start() if bar.end() in heads else bar.start() for bar in bars[1:]] + [len(text)]
    for bar, end in zip(bars, ends, strict=True):
        content = text[bar.end() : max(end, bar.end())].strip().replace(f"\\{sign}", sign)
        head = heads.get(bar.end())
        if head is None:
            yield _Cell(content)
            continue
        columns, rows = int(head["columns"] or 1), int(head["rows"] or 1)
        if head["how"] == "*":
            yield from [_Cell(content, style=head["style"] or "")] * columns
        else:
            yield _Cell(content, columns, rows, head["style"] or "")


def _rows(
    cells: list[_Cell], width: int, styles: list[str], headed: bool, shown: Callable[[str, bool], str]
) -> Iterator[str]:
    """Yield the rows: one ends where its cells, and those that reach into it from above, fill the width."""
    starts: Counter[int] = Counter()
    """By row, how many columns more than in the row before are taken from above."""
    row, above, taken, written = 0, 0, 0, list[str]()
    for cell in cells:
        style = cell.style or (styles[taken] if taken < len(styles) else "")
        tag = "th" if style == "h" or (headed and row == 0) else "td"
        spans = "".join(
            f' {name}="{span}"' for name, span in (("colspan", cell.columns), ("rowspan", cell.rows)) if span > 1
        )
        written.append(f"<{tag}{spans}>{shown(cell.text, style == 'a' and tag == 'td')}</{tag}>")
        taken += cell.columns
        starts[row + 1] += cell.columns
        starts[row + cell.rows] -= cell.columns
        while taken >= width and (written or above):
            yield f"<tr>{''.join(written)}</tr>"
            row, written = row + 1, []
            above += starts.pop(row, 0)
            taken = above
    if written:
        yield f"<tr>{''.join(written)}</tr>"
