"""Lists of definitions: options, parameters or signals, each a term on a line of its own above an indented text."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, starmap

from pipelines.core.document import BlockKind
from pipelines.parse.pdf.consistency import EDGE_STEP, LEAST_INDENT, MOST_INDENT
from pipelines.parse.pdf.items import PageItem

_LINE = 1.6
"""Maximum height in ems of one line."""
_GAP = 1.0
"""Maximum distance in ems between a term and the text below it."""
_LONGEST = 80
"""Maximum characters of a term: a line."""
_ENTRIES = 3
"""Minimum terms at one left edge with the same indentation of their texts: one may be a quotation or an example. Of 109
PDFs, three of which led to the rule, nine have such lists, and by eye nothing else was taken for one."""
_SENTENCE_END = (".", "!", "?", ";", ":", ",", "。", "！", "？", "；", "：", "，")
_TEXT = (BlockKind.PARAGRAPH, BlockKind.CODE)
_Edges = tuple[int, int]
"""The left edges of a term and of the text below it, rounded."""


def with_definitions(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with terms as list items, and the indented texts below each as items one level deeper.

    Thus a description is read, searched and quoted with its term, as that of a definition list in HTML is.
    """
    edges = [*starmap(_edges, pairwise(items)), None]
    counts = Counter(filter(None, edges))
    found: list[PageItem] = []
    term: PageItem | None = None
    for item, own in zip(items, edges, strict=False):  # one more than no items
        if own is not None and counts[own] >= _ENTRIES:
            term = item
            found.append(replace(item, kind=BlockKind.LIST_ITEM, level=1))
        elif term is not None and item.kind in _TEXT and _is_indented(item, term):
            found.append(replace(item, kind=BlockKind.LIST_ITEM, level=2) if item.kind is not BlockKind.CODE else item)
        else:
            term = None
            found.append(item)
    return found


def _edges(term: PageItem, text: PageItem) -> _Edges | None:
    """Return the left edges of a term and of the text below it, or None if they are not such a pair."""
    size = term.style.size
    one_line = term.kind in _TEXT and term.rect.height <= _LINE * size and "\n" not in term.text
    if not one_line or len(term.text) > _LONGEST or term.text.rstrip().endswith(_SENTENCE_END):
        return None
    below = text.kind is BlockKind.PARAGRAPH and text.page == term.page and _is_indented(text, term)
    near = -_GAP / 2 * size <= text.rect.top - term.rect.bottom <= _GAP * size
    return (round(term.rect.left / EDGE_STEP), round(text.rect.left / EDGE_STEP)) if below and near else None


def _is_indented(text: PageItem, term: PageItem) -> bool:
    return LEAST_INDENT <= (text.rect.left - term.rect.left) / (term.style.size or 1) <= MOST_INDENT
