"""Headings of one document look alike: where the layout model and the look of a line disagree, its style decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pipelines.core.document import BlockKind
from pipelines.core.table import Cell
from pipelines.lang.characters import right_to_left
from pipelines.lang.word_lists import any_of
from pipelines.parse.lines import TextStyle
from pipelines.parse.pdf.headings import Outline, in_capitals, is_larger, is_numbered, like_body, title_key
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.page import RegionKind

_MODEL = (RegionKind.HEADING, RegionKind.TITLE)
_NOTICE = re.compile(rf"{any_of('notice')}\s*[:：]?", re.IGNORECASE)
_ENTRY = re.compile(r"(.*\S)\s+(?:\d{1,4}|[ivxlc]{1,6})")
"""A line of a table of contents: what it leads to, and its page."""
_STEP = 3.0
"""Points in which left edges are counted: the padding of a box is more, the scatter of an edge is less."""
_MARGIN = 0.25
"""Share of a document's running text that begins at an edge which is a margin: a page has three columns at most."""
_USED = 0.1
"""Share from which text begins at an edge at all, so that what is set in from it is set in on purpose."""
_TERM, _FURTHEST = 1.5, 10.0
"""Ems by which what explains a term is set in: HTML and LaTeX have 2.5 to 4; further on is another column."""


def consistent(items: Sequence[PageItem], outline: Outline, body: TextStyle) -> list[PageItem]:
    """Return the items with those headings alone that the layout model sees, or that are set as most of those.

    No headings are "Note" and "Warning", code, text in the body's own style, titles of tables, terms with what explains
    them set in below, and titles of boxes that stand apart from the margins. A bookmark has the last word, and larger
    type is no term. Where the model looked at no page, the look of the lines is all there is. benchmarks/pdf_pages.py
    scores it.
    """
    votes, margins = _votes(items), _Margins.of(items)
    after = {id(item): below for item, below in pairwise(items)}
    titles = _titles_of_tables(items, body)
    kept = {
        id(item)
        for item in items
        if outline.level(item.page, item.text)
        or (
            _is_voted(item, votes)
            and (item.style not in titles or is_numbered(item.text))
            and _is_set_apart(item, body, margins, after.get(id(item)))
        )
    }
    return [
        replace(item, kind=BlockKind.PARAGRAPH) if item.kind is BlockKind.HEADING and id(item) not in kept else item
        for item in items
    ]


def _titles_of_tables(items: Sequence[PageItem], body: TextStyle) -> set[TextStyle]:
    """Return the light styles, no larger than the text, in which headings stand above tables alone."""
    above: dict[TextStyle, set[bool]] = {}
    for item, below in pairwise(items):
        if item.kind is BlockKind.HEADING and not (item.style.bold or is_larger(item.style, body)):
            above.setdefault(item.style, set()).add(below.kind is BlockKind.TABLE)
    return {style for style, tables in above.items() if tables == {True}}


def without_contents(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items without the headings and tables that are a table of contents; its lines are list items.

    These are the words of a heading on a later page, with the number of a page behind them: so is most of such a table.
    """
    last: dict[str, int] = {}
    for item in items:
        if item.kind is BlockKind.HEADING:
            last[title_key(item.text)] = item.page
    found: list[PageItem] = []
    for item in items:
        lines = _rows(item) if item.kind is BlockKind.TABLE else [item] if item.kind is BlockKind.HEADING else []
        entries = [_ENTRY.fullmatch(line.text) for line in lines]
        led = sum(last.get(title_key(entry[1]), 0) > item.page for entry in entries if entry)
        contents = 2 * led > len(lines)
        found += [replace(line, kind=BlockKind.LIST_ITEM, level=1) for line in lines] if contents else [item]
    return found


def _rows(table: PageItem) -> list[PageItem]:
    """Return the rows of a table as items, each with its cells' text."""
    rows: dict[int, list[Cell]] = {}
    for cell in table.cells:
        if cell.text:
            rows.setdefault(cell.row, []).append(cell)
    return [
        replace(
            table,
            text=" ".join(cell.text for cell in cells),
            cells=(),
            parts=(0,),
            boxes=tuple(box for cell in cells for box in cell.boxes),
            pointers=table.pointers if not number else (),
        )
        for number, cells in enumerate(rows.values())
    ]


def _votes(items: Sequence[PageItem]) -> dict[TextStyle, Counter[bool]]:
    """Return for each style of headings how often it is one, and how often not, by the model's word.

    Where the model did not look, the look of a heading left no doubt, and counts as much.
    """
    votes: dict[TextStyle, Counter[bool]] = {}
    for item in items:
        if item.kind is BlockKind.HEADING:
            votes.setdefault(item.style, Counter())[item.seen is None or item.seen in _MODEL] += 1
    return votes


def _is_voted(item: PageItem, votes: dict[TextStyle, Counter[bool]]) -> bool:
    found = votes.get(item.style, Counter())
    return found[True] >= found[False] or (item.seen is not None and is_numbered(item.text))


def _is_set_apart(item: PageItem, body: TextStyle, margins: _Margins, below: PageItem | None) -> bool:
    """Whether a heading differs from code, running text, terms and titles of boxes, by its type or its place."""
    if item.boxed and margins.boxed.get(item.style, False) and not is_numbered(item.text):
        return False
    if is_larger(item.style, body) or _NOTICE.fullmatch(item.text):
        return not _NOTICE.fullmatch(item.text)
    if (item.style.mono and not body.mono) or (like_body(item.style, body) and not in_capitals(item.text)):
        return is_numbered(item.text)
    return is_numbered(item.text) or not (margins.is_boxed(item) or margins.is_term(item, below))


@dataclass(frozen=True, slots=True)
class _Margins:
    """The left edges of the running text, and for each style of headings whether some stand at them, most in boxes."""

    edges: frozenset[int]
    used: frozenset[int]
    usual: dict[TextStyle, bool]
    boxed: dict[TextStyle, bool]

    @staticmethod
    def of(items: Sequence[PageItem]) -> _Margins:
        lefts: Counter[int] = Counter()
        for item in items:
            if item.kind is BlockKind.PARAGRAPH:
                lefts[round(_begin(item) / _STEP)] += len(item.text)
        edges, used = (
            frozenset(left for left, count in lefts.items() if count >= share * lefts.total())
            for share in (_MARGIN, _USED)
        )
        found = _Margins(edges, used, {}, {})
        votes: dict[TextStyle, Counter[bool]] = {}
        boxes: dict[TextStyle, Counter[bool]] = {}
        for item in items:
            if item.kind is BlockKind.HEADING:
                votes.setdefault(item.style, Counter())[found.at_margin(_begin(item))] += 1
                boxes.setdefault(item.style, Counter())[item.boxed] += 1
        usual = {style: count[True] > 0 for style, count in votes.items()}
        return _Margins(edges, used, usual, {style: count[True] > count[False] for style, count in boxes.items()})

    def at_margin(self, left: float) -> bool:
        return _is_near(left, self.edges)

    def is_boxed(self, item: PageItem) -> bool:
        """Whether a heading is set in, though others of its style are not; without any margin nothing is."""
        return bool(self.edges) and self.usual.get(item.style, False) and not self.at_margin(_begin(item))

    def is_term(self, item: PageItem, below: PageItem | None) -> bool:
        """Whether the paragraph below is set in, deeper than the running text is."""
        if below is None or below.kind is not BlockKind.PARAGRAPH or below.page != item.page:
            return False
        deeper = _begin(below) - _begin(item)
        on_purpose = not self.at_margin(_begin(below)) or _is_near(_begin(item), self.used)
        return _TERM * item.style.size < deeper < _FURTHEST * item.style.size and on_purpose


def _begin(item: PageItem) -> float:
    """Return where the lines of an item begin, in points inward from an edge of the page."""
    return -item.rect.right if right_to_left(item.text) else item.rect.left


def _is_near(left: float, edges: frozenset[int]) -> bool:
    return any(abs(round(left / _STEP) - edge) <= 1 for edge in edges)
