"""Tables of AsciiDoc as HTML: cells separated by bars with optional specifiers, or comma-separated values."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

_CELL = re.compile(
    r"(?<!\S)(?:(?P<columns>\d{1,3})?(?:\.(?P<rows>\d{1,3}))?(?P<operator>[+*]))?"
    r"[<^>]?(?:\.[<^>])?(?P<style>[aehlmdsv])?(?P<bar>[|!])"
)
_BAR = re.compile(r"(?<!\\)[|!]")
_COLUMN = re.compile(r"(?:(?P<times>\d{1,3})\*)?[^a-z]*+(?P<style>[aehlmdsv])?")
_COLS = re.compile(r"cols\s*+=\s*+(?:\"([^\"]*+)\"|([^,\s]++))")
_SEPARATOR = re.compile(r"separator\s*+=\s*+\"?([^\"\s])")
_FORMAT = re.compile(r"format\s*+=\s*+\"?(psv|csv|dsv|tsv)")
_SEPARATORS = {"csv": ",", "dsv": ":", "tsv": "\t"}


@dataclass(frozen=True, slots=True)
class _Cell:
    """A cell as written: its text, column and row span, and one-letter style."""

    text: str
    columns: int = 1
    rows: int = 1
    style: str = ""


def table_html(lines: list[str], delimiter: str, style: str, caption: str, to_html: Callable[[str, bool], str]) -> str:
    """Return the table of `lines`.

    Args:
        lines: the lines between the delimiters of the table.
        delimiter: the first character of these delimiters, which separates cells.
        style: its attributes, as written in brackets.
        caption: its title.
        to_html: converts the text of a cell, which has blocks if the second argument is True.
    """
    found = _FORMAT.search(style)
    delimiter = _SEPARATORS.get(found[1], delimiter) if found else delimiter
    separator = _SEPARATOR.search(style)
    delimiter = separator[1] if separator else delimiter
    styles = _column_styles(style)
    if delimiter in "|!":
        cells = list(_cells(lines, delimiter))
        first = next((line for line in lines if line and not _is_comment(line)), "")
        width = len(styles) or sum(cell.columns for cell in _cells([first], delimiter)) or 1
    else:
        rows = _values(lines, delimiter)
        cells = [_Cell(text.strip()) for row in rows for text in row]
        width = len(styles) or max(map(len, rows[:1]), default=1)
    has_header = _has_header(lines, style)
    title = f"<caption>{to_html(caption, False)}</caption>" if caption else ""
    return f"<table>{title}{''.join(_rows(cells, width, styles, has_header, to_html))}</table>"


def _has_header(lines: list[str], style: str) -> bool:
    """Whether the first row is a header: by option, or because an empty line follows the first line."""
    if "header" in style:
        return "noheader" not in style
    return len(lines) > 2 and bool(lines[0]) and not lines[1] and "options" not in style and "%" not in style


def _column_styles(style: str) -> list[str]:
    """Return the style of each column according to `cols`; empty if it is not given."""
    found = _COLS.search(style)
    columns = re.split("[,;]", (found[1] or found[2] or "").strip()) if found else []
    styles: list[str] = []
    for one in columns if columns != [""] else []:
        column = _COLUMN.match(one.strip())
        times, name = (int(column["times"] or 1), column["style"] or "") if column else (1, "")
        styles += [name] * times
    return styles


def _values(lines: Iterable[str], delimiter: str) -> list[list[str]]:
    filled = [line for line in lines if line]
    try:
        return list(csv.reader(filled, delimiter=delimiter))
    except csv.Error:
        return [line.split(delimiter) for line in filled]


def _is_comment(line: str) -> bool:
    return line.startswith("//") and not line.startswith("///")


def _cells(lines: Iterable[str], delimiter: str) -> Iterator[_Cell]:
    """Yield the cells; a cell's text ends before the next bar and that bar's specifier.

    Text above the first bar is a cell too: its bar was forgotten.
    """
    text = "\n".join(lines)
    bars = [bar for bar in _BAR.finditer(text) if bar[0] == delimiter]
    specifiers = {found.end(): found for found in _CELL.finditer(text)}
    starts = [specifiers[bar.end()].start() if bar.end() in specifiers else bar.start() for bar in bars]
    ends = [*starts, len(text)]
    before = "\n".join(line for line in text[: ends[0]].splitlines() if not _is_comment(line)).strip()
    if before:
        yield _Cell(before)
    for bar, end in zip(bars, ends[1:], strict=True):
        content = text[bar.end() : max(end, bar.end())].strip().replace(f"\\{delimiter}", delimiter)
        specifier = specifiers.get(bar.end())
        if specifier is None:
            yield _Cell(content)
            continue
        columns, rows = int(specifier["columns"] or 1), int(specifier["rows"] or 1)
        if specifier["operator"] == "*":
            yield from [_Cell(content, style=specifier["style"] or "")] * columns
        else:
            yield _Cell(content, columns, rows, specifier["style"] or "")


def _rows(
    cells: list[_Cell], width: int, styles: list[str], has_header: bool, to_html: Callable[[str, bool], str]
) -> Iterator[str]:
    """Yield the rows: a row ends when its cells, and those that extend into it from above, fill the width."""
    starts: Counter[int] = Counter()
    """By row, the change in the number of columns that cells from above occupy."""
    row, above, taken, written = 0, 0, 0, list[str]()
    for cell in cells:
        style = cell.style or (styles[taken] if taken < len(styles) else "")
        tag = "th" if style == "h" or (has_header and row == 0) else "td"
        spans = "".join(
            f' {name}="{span}"' for name, span in (("colspan", cell.columns), ("rowspan", cell.rows)) if span > 1
        )
        written.append(f"<{tag}{spans}>{to_html(cell.text, style == 'a' and tag == 'td')}</{tag}>")
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
