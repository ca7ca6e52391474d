"""Sentences as spans: their texts and the gaps between them, joined, are the text."""

from __future__ import annotations

import re

from pipelines.core.provenance import Span

# A sentence ends at .!? with white space behind it, at the full-width marks, and at a blank line or a line of its own.
_END = re.compile(
    r"[.!?…]+[\"'”’)\]]*(?=\s)|[。！？；]+[”’）」』]*|\n\s*\n|\n(?=\s*(?:[-*•–·]|\d+[.)])\s)|\n(?=[^\n]* \| )"
)
_ABBREVIATION = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|vs|cf|no|nos|fig|figs|eq|sec|ch|approx|dr|mr|mrs|ms|prof|st|inc|ltd|co|jr|sr|al|rev|vol|pp"
    r"|p|ca|max|min|bzw|z\.b|d\.h|nr|abb)|\b[A-Z])\.$",
    re.IGNORECASE,
)
# A unit behind a figure does end one: "75 N·m.", "3.4 m.", "5 min."
_UNIT = re.compile(r"(?:\d\s?|[·/°])(?:[A-Z]|min)\.$", re.IGNORECASE)
# What begins a title, an entry or a caption: "4." of "4. REPAIR", "Table 1." of "Table 1. Torques".
_LABEL = re.compile(
    r"(?:(?:table|figure|fig\.?|chart|diagram|listing|section|chapter|step|appendix|annex|note|tabelle|abbildung|bild"
    r"|abschnitt|kapitel|schritt|anhang|tableau|tabla|figura)\s+)?"
    r"[(\[]?(?:\d{1,3}(?:[.\-–]\d{1,3}){0,4}[a-z]?|[A-Z](?:[.\-–]\d{1,3}){0,4}|[IVXLC]{1,6})\.",
    re.IGNORECASE,
)


def sentences(text: str) -> list[Span]:
    """Return the spans of the sentences of `text` in order, without the white space around them.

    Abbreviations, initials, decimal points and the numbers of titles and captions do not end a sentence; a list item
    and a table row are one each.
    """
    spans: list[Span] = []
    start = 0
    for match in _END.finditer(text):
        if match.end() <= start or _is_abbreviation(text, start, match):
            continue
        _append(spans, text, start, match.end())
        start = match.end()
    _append(spans, text, start, len(text))
    return spans


def _is_abbreviation(text: str, start: int, match: re.Match[str]) -> bool:
    if match.group() != ".":
        return False
    if _LABEL.fullmatch(text[start : match.end()].strip()) and not text[match.end() :].startswith("\n\n"):
        return True
    following = text[match.end() :].lstrip()[:1]
    last = text[max(start, match.end() - 12) : match.end()]
    if _ABBREVIATION.search(last) and not _UNIT.search(last):
        return not text[match.end() :].startswith("\n\n")
    return following.islower()


def _append(spans: list[Span], text: str, start: int, end: int) -> None:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if end > start:
        spans.append(Span(start, end))
