"""Consistency of headings within a document: if the layout model and the look of lines disagree, the style decides."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from pipelines.core.document import BlockKind
from pipelines.core.table import Cell
from pipelines.lang.characters import right_to_left
from pipelines.lang.word_lists import any_of
from pipelines.parse.lines import TextStyle
from pipelines.parse.pdf.headings import (
    Outline,
    can_be_title,
    in_capitals,
    is_body_style,
    is_larger,
    is_numbered,
    title_key,
)
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.page import RegionKind

_HEADING_REGIONS = (RegionKind.HEADING, RegionKind.TITLE)
_NOTICE = re.compile(rf"{any_of('notice')}\s*[:：]?", re.IGNORECASE)
_ENTRY = re.compile(r"(.*\S)\s+(?:\d{1,4}|[ivxlc]{1,6})")
"""A line of a table of contents: a title and a page number."""
_TITLE = 1.6
"""Minimum size of a title in sizes of the body, whatever its weight: 1.7 in LaTeX, 2 in HTML."""
EDGE_STEP = 3.0
"""Points to which left edges are rounded: less than the padding of a box, more than the variation of an edge."""
_MARGIN_SHARE = 0.25
"""Minimum share of a document's running text at a left edge that is a margin: pages have at most three columns."""
_EDGE_SHARE = 0.1
"""Minimum share of a document's running text at a left edge from which a deeper indentation is intentional."""
LEAST_INDENT, MOST_INDENT = 1.5, 10.0
"""Minimum and maximum indentation in ems of the explanation below a term: HTML and LaTeX have 2.5 to 4; further right
is another column."""


def consistent(items: Sequence[PageItem], outline: Outline, body: TextStyle) -> list[PageItem]:
    """Return the items with headings changed to paragraphs if the layout model rejects most headings in their style.

    "Note" and "Warning", code, text in the style of the body, titles of tables, terms with indented explanations, and
    titles of boxes away from the margins become paragraphs too. A heading with a bookmark is always kept. On pages that
    the model has not processed, the look of a line counts. `benchmarks/pdf_pages.py` scores the result.

    Paragraphs in a style of headings become headings if they are numbered or in larger type.
    """
    votes = _votes(items, body)
    items = [_promoted(item, votes, body) for item in items]
    votes, margins, notices = _votes(items, body), _Margins.of(items), _styles_of_notices(items)
    after = {id(item): below for item, below in pairwise(items)}
    titles = _titles_of_tables(items, body)
    kept = {
        id(item)
        for item in items
        if outline.level(item.page, item.text)
        or (
            _has_majority(item, votes)
            and (item.style not in titles or is_numbered(item.text))
            and item.style not in notices
            and _stands_apart(item, body, margins, after.get(id(item)))
        )
    }
    return [
        replace(item, kind=BlockKind.PARAGRAPH) if item.kind is BlockKind.HEADING and id(item) not in kept else item
        for item in items
    ]


def _promoted(item: PageItem, votes: Mapping[TextStyle, Counter[bool]], body: TextStyle) -> PageItem:
    found = votes.get(item.style, Counter())
    plain = item.kind is BlockKind.PARAGRAPH and not is_body_style(item.style, body) and can_be_title(item.text)
    if plain and found[True] > found[False] and (is_numbered(item.text) or is_larger(item.style, body)):
        return replace(item, kind=BlockKind.HEADING)
    return item


def _styles_of_notices(items: Sequence[PageItem]) -> set[TextStyle]:
    """Return the styles of headings that are only used for "Note", "Warning" and the like."""
    notices: dict[TextStyle, set[bool]] = {}
    for item in items:
        if item.kind is BlockKind.HEADING:
            notices.setdefault(item.style, set()).add(_NOTICE.fullmatch(item.text) is not None)
    return {style for style, found in notices.items() if found == {True}}


def _titles_of_tables(items: Sequence[PageItem], body: TextStyle) -> set[TextStyle]:
    """Return the styles, neither bold nor large, whose headings are all directly above tables."""
    above: dict[TextStyle, set[bool]] = {}
    for item, below in pairwise(items):
        if item.kind is BlockKind.HEADING and not (item.style.bold or is_larger(item.style, body)):
            above.setdefault(item.style, set()).add(below.kind is BlockKind.TABLE)
    return {style for style, tables in above.items() if tables == {True}}


def without_contents(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with tables of contents, recognized as headings or tables, changed to list items.

    More than half of their lines are the text of a heading on a later page, followed by a page number.
    """
    last: dict[str, int] = {}
    for item in items:
        if item.kind is BlockKind.HEADING:
            last[title_key(item.text)] = item.page
    found: list[PageItem] = []
    for item in items:
        lines = _rows(item) if item.kind is BlockKind.TABLE else [item] if item.kind is BlockKind.HEADING else []
        entries = [_ENTRY.fullmatch(line.text) for line in lines]
        matching = sum(last.get(title_key(entry[1]), 0) > item.page for entry in entries if entry)
        contents = 2 * matching > len(lines)
        found += [replace(line, kind=BlockKind.LIST_ITEM, level=1) for line in lines] if contents else [item]
    return found


def _rows(table: PageItem) -> list[PageItem]:
    """Return the rows of a table as items with the text of their cells."""
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


def _votes(items: Sequence[PageItem], body: TextStyle) -> dict[TextStyle, Counter[bool]]:
    """Return for each style how many of its headings the model confirms and rejects.

    A heading on a page that the model has not processed was certain, and counts as confirmed; so does larger type in a
    region that the model takes for a table, which it is not, and larger bold type, or that of a title, in one that it
    takes for text: of bitmap fonts the weight is not known.
    """
    votes: dict[TextStyle, Counter[bool]] = {}
    for item in items:
        if item.kind is BlockKind.HEADING:
            larger = is_larger(item.style, body)
            no_table = item.region is RegionKind.TABLE and larger
            stands_out = item.style.bold or item.style.size >= _TITLE * body.size
            no_text = item.region is RegionKind.TEXT and larger and stands_out
            confirmed = item.region is None or item.region in _HEADING_REGIONS or no_table or no_text
            votes.setdefault(item.style, Counter())[confirmed] += 1
    return votes


def _has_majority(item: PageItem, votes: dict[TextStyle, Counter[bool]]) -> bool:
    found = votes.get(item.style, Counter())
    return found[True] >= found[False] or (item.region is not None and is_numbered(item.text))


def _stands_apart(item: PageItem, body: TextStyle, margins: _Margins, below: PageItem | None) -> bool:
    """Whether a heading differs by style or position from code, running text, terms and titles of boxes."""
    if item.boxed and margins.boxed_styles.get(item.style, False) and not is_numbered(item.text):
        return False
    if is_larger(item.style, body) or _NOTICE.fullmatch(item.text):
        return is_larger(item.style, body)
    if (item.style.mono and not body.mono) or (is_body_style(item.style, body) and not in_capitals(item.text)):
        return is_numbered(item.text)
    return is_numbered(item.text) or not (margins.is_boxed(item) or margins.is_term(item, below))


@dataclass(frozen=True, slots=True)
class _Margins:
    """Margins: left edges of much running text (`edges`) and of some (`used`).

    For the styles of headings, whether any heading is at a margin, and whether most are in boxes.
    """

    edges: frozenset[int]
    used: frozenset[int]
    at_margin_styles: dict[TextStyle, bool]
    boxed_styles: dict[TextStyle, bool]

    @staticmethod
    def of(items: Sequence[PageItem]) -> _Margins:
        lefts: Counter[int] = Counter()
        for item in items:
            if item.kind is BlockKind.PARAGRAPH:
                lefts[round(_start(item) / EDGE_STEP)] += len(item.text)
        edges, used = (
            frozenset(left for left, count in lefts.items() if count >= share * lefts.total())
            for share in (_MARGIN_SHARE, _EDGE_SHARE)
        )
        found = _Margins(edges, used, {}, {})
        votes: dict[TextStyle, Counter[bool]] = {}
        boxes: dict[TextStyle, Counter[bool]] = {}
        for item in items:
            if item.kind is BlockKind.HEADING:
                votes.setdefault(item.style, Counter())[found.at_margin(_start(item))] += 1
                boxes.setdefault(item.style, Counter())[item.boxed] += 1
        at_margin_styles = {style: count[True] > 0 for style, count in votes.items()}
        return _Margins(
            edges, used, at_margin_styles, {style: count[True] > count[False] for style, count in boxes.items()}
        )

    def at_margin(self, left: float) -> bool:
        return _is_near(left, self.edges)

    def is_boxed(self, item: PageItem) -> bool:
        """Whether a heading is indented although others in its style are not; False if there are no margins."""
        return bool(self.edges) and self.at_margin_styles.get(item.style, False) and not self.at_margin(_start(item))

    def is_term(self, item: PageItem, below: PageItem | None) -> bool:
        """Whether a heading is a term: the paragraph below is indented, deeper than running text."""
        if below is None or below.kind is not BlockKind.PARAGRAPH or below.page != item.page:
            return False
        deeper = _start(below) - _start(item)
        on_purpose = not self.at_margin(_start(below)) or _is_near(_start(item), self.used)
        return LEAST_INDENT * item.style.size < deeper < MOST_INDENT * item.style.size and on_purpose


def _start(item: PageItem) -> float:
    """Return the position in points at which an item's lines start; it rises in reading direction."""
    return -item.rect.right if right_to_left(item.text) else item.rect.left


def _is_near(left: float, edges: frozenset[int]) -> bool:
    return any(abs(round(left / EDGE_STEP) - edge) <= 1 for edge in edges)
