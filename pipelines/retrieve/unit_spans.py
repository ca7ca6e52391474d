"""Splits a text into the units of evidence: sentences, list items and table rows."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from pipelines.core.provenance import Span
from pipelines.lang.characters import SMALL
from pipelines.lang.sentences import sentences
from pipelines.retrieve.table_rows import is_row

_BREAKS = re.compile(r"\n\s*+")
BLANK = "\n\n"
_SMALL = re.compile(rf"[{SMALL}](?!\S{{0,60}}@)")
"""Start of a continuation line: in a wrapped paragraph, a line in lower case continues the previous one; no address."""
LEADING = re.compile(r"(?:\.[^\S\n]?){5}|…{2}")
"""Dot leaders between a title and its page in a table of contents, or between a label and its value."""
_PAGE = re.compile(r"\d{1,4}|[ivxlcIVXLC]{1,7}")
_OPENING = re.compile(r"(?:[^\W\d]+\s+)?\d+(?:\.\d+)*\.")

_COMMENT = re.compile(r"\[author: [^\n]{1,400}?\](?= )")
"""What is told of a comment before its text: who wrote it, when, and on which words (`parse.office.docx.reader`)."""


def unit_spans(text: str) -> Iterator[Span]:
    """Yield the spans of the sentences, list items and table rows of a text; a row with a full stop stays whole."""
    start = 0
    for end in [*_line_ends(text), len(text)]:
        line = text[start:end]
        if told := _COMMENT.match(line.lstrip()):
            lead = start + len(line) - len(line.lstrip())
            start = lead + told.end()
            yield Span(lead, start)
            line = text[start:end]
        if is_row(line) or LEADING.search(line):
            lead = len(line) - len(line.lstrip())
            yield Span(start + lead, start + len(line.rstrip()))
        else:
            yield from (span.shifted(start) for span in _with_numbering(sentences(line), line))
        start = end


def is_comment(line: str) -> bool:
    """Whether a line is what is told of a comment before its text."""
    return _COMMENT.match(f"{line} ") is not None


def is_contents(line: str) -> bool:
    """Whether a line is an entry of a table of contents: dot leaders, and a page or nothing behind them."""
    end = max((match.end() for match in LEADING.finditer(line)), default=-1)
    behind = line[end:].strip(".… \t") if end >= 0 else "no page"
    return not behind or _PAGE.fullmatch(behind) is not None


def _line_ends(text: str) -> Iterator[int]:
    wrapped: dict[int, bool] = {}
    for breaks in _BREAKS.finditer(text):
        places = [place for place in range(*breaks.span()) if text[place] == "\n"]
        start = text.rfind(BLANK, 0, breaks.start()) + 1
        if len(places) == 1 and start not in wrapped:
            wrapped[start] = _is_wrapped(text[start:].strip().partition(BLANK)[0].split("\n"))
        continued = len(places) == 1 and wrapped[start] and _SMALL.match(text, breaks.end())
        if not continued or _touches_row(text, places[0]):
            yield from places


def _is_wrapped(lines: Sequence[str]) -> bool:
    """Whether the lines of a paragraph break only where the next word would not fit, unlike those of a list or table.

    Rows directly below a line of text are ignored; they are never continued.
    """
    width = max(map(len, lines))
    return all(
        len(line) + 1 + len(after.split(maxsplit=1)[0]) > width
        for line, after in pairwise(lines)
        if _SMALL.match(after) and not is_row(after)
    )


def _touches_row(text: str, place: int) -> bool:
    """Whether the line before or after the line break at `place` is a table row."""
    end = text.find("\n", place + 1)
    lines = text[text.rfind("\n", 0, place) + 1 : end if end >= 0 else len(text)].split("\n")
    return any(map(is_row, lines))


def _with_numbering(spans: list[Span], line: str) -> list[Span]:
    """Return the sentences with a leading number joined to its text: "Table 1." to the caption, "4." to the heading."""
    if len(spans) > 1 and _OPENING.fullmatch(spans[0].slice(line)):
        return [Span(spans[0].start, spans[1].end), *spans[2:]]
    return spans
