"""Headings of a PDF and their levels: bookmarks know best, then numbering, then style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipelines.core.document import BlockKind
from pipelines.parse.lines import BULLET, DOTS, Line, TextStyle
from pipelines.parse.outline import number_depth, section_number
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.page import Bookmark

_LONGEST = 180
"""Characters of a heading: two lines of 90. Longer ones are text in large type. 126 to 252 do the same to the PDFs with
truth (../shared/data/pdf and documents/pdf)."""
_LARGER = 1.12
"""Of the body's size: from 9 to 10 points (1.11) is a step within text, from 8 to 9 (1.125) one to a heading. 1.6 costs
headings of the PDFs with truth."""
_SMALLEST, _SMALLEST_NUMBERED = 0.93, 0.85
"""Of the body's size, how small a heading may be: 10 in 10.5 points (.95), as Word's deepest levels are, not 9 in 10
(.90), which are notes; with a number and its own weight or font, 9 in 10.5."""
_LETTERS = re.compile(r"[^\W\d_]")
_BRACKETED = re.compile(r"[\[<{].*[\]>}]")
_SENTENCE_END = (".", ";", ",", "。", "；", "，")
_DEEP_NUMBER = re.compile(r"(?:\d{1,2}\.){1,6}\d{1,2}\.?\s+\S|[A-Z]\.\d{1,2}(?:\.\d{1,2})*\s+\S")
_LISTED = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s")
_KEY = re.compile(r"[\W_]+")


def title_key(text: str) -> str:
    """Return a title as bookmarks and pages can be compared: letters and digits only."""
    return _KEY.sub("", text.casefold())


@dataclass(frozen=True, slots=True)
class Outline:
    """The bookmarks by page and key; a bookmark speaks for its page and its neighbours."""

    levels: dict[tuple[int, str], int] = field(default_factory=dict)

    @staticmethod
    def of(bookmarks: Sequence[Bookmark]) -> Outline:
        levels: dict[tuple[int, str], int] = {}
        for bookmark in bookmarks:
            levels.setdefault((bookmark.page, title_key(bookmark.title)), bookmark.level)
        return Outline(levels)

    def level(self, page: int, text: str) -> int:
        """Return the level of the bookmark that `text` is the target of, 0 where there is none."""
        key = title_key(text)
        bare = title_key(text[len(section_number(text)) :]) if section_number(text) else key
        for near in (page, page - 1, page + 1):
            for wanted in (key, bare):
                if wanted and (near, wanted) in self.levels:
                    return self.levels[near, wanted]
        return 0


def is_heading(lines: Sequence[Line], text: str, body: TextStyle, alone: bool) -> bool:
    """Return whether a paragraph of the text layer is set as a heading.

    `alone` says that it does not stand in a row with other text. It must be short, have letters, and stand out by
    size, by weight or font, by capitals, or by a number of its own.
    """
    if not alone or not _title_like(lines, text):
        return False
    style = lines[0].style
    stands_out = _stands_out(style, body)
    bullet = BULLET.match(text) is not None and not section_number(text)
    if style.size >= _LARGER * body.size:
        return not bullet or stands_out
    # Half a point in 12 (1.04): an item is in the size of the text, to the rounding of sizes. Less and more cost
    # headings of the PDFs with truth.
    if bullet and not (style.size > 1.04 * body.size and stands_out):
        return False
    least = _SMALLEST_NUMBERED if stands_out and _DEEP_NUMBER.match(text) else _SMALLEST
    return style.size >= least * body.size and _short(lines, text) and _marked(text, style, body, stands_out)


def _title_like(lines: Sequence[Line], text: str) -> bool:
    """Whether a paragraph can be a heading at all, by its words."""
    # In large type a long title takes three lines.
    if not 2 <= len(text) <= _LONGEST or len(lines) > 3 or any(line.style.mono for line in lines):
        return False
    if _LETTERS.search(text) is None or DOTS.search(text) or _BRACKETED.fullmatch(text):
        return False
    return not text.endswith(_SENTENCE_END)


def _short(lines: Sequence[Line], text: str) -> bool:
    # What stands out by weight alone is a sentence from some 16 words on, two lines of text.
    return len(lines) <= 2 and len(text.split()) <= 16


def _marked(text: str, style: TextStyle, body: TextStyle, stands_out: bool) -> bool:
    """Whether a paragraph in about the body's size is marked out by weight, font, capitals or a number with dots."""
    capitals = in_capitals(text)
    if _DEEP_NUMBER.match(text):
        return stands_out or capitals or (style.size > body.size and text[-1].isalnum())
    return (stands_out or capitals) and (text[0] not in "([" or style.size > body.size)


def is_doubtful(heading: PageItem, body: TextStyle, outline: Outline) -> bool:
    """Whether neither a bookmark, nor a number, nor larger type says that a heading by its look is one."""
    told = outline.level(heading.page, heading.text) > 0 or is_numbered(heading.text)
    return not told and not is_larger(heading.style, body)


def is_larger(style: TextStyle, body: TextStyle) -> bool:
    """Whether a style is so much larger than the running text's that nothing but titles are set in it."""
    return style.size >= _LARGER * body.size


def is_numbered(text: str) -> bool:
    """Whether a text begins with the number of a section of a section ("4.2 Tests")."""
    return _DEEP_NUMBER.match(text) is not None


def in_capitals(text: str) -> bool:
    """Whether a text is words in capitals: one alone is a code, as terms are."""
    # Two words of three letters: fewer are a code or a unit ("DC IN"); 4 to 8 do the same.
    return text.isupper() and " " in text and len(text) > 6 and 2 * len(_LETTERS.findall(text)) > len(text)


def like_body(style: TextStyle, body: TextStyle) -> bool:
    """Whether a style is the running text's."""
    # Sizes are rounded to half points: up to one step is the same size; .4 to .8 do the same.
    return abs(style.size - body.size) < 0.6 and not _stands_out(style, body) and not style.italic


def _stands_out(style: TextStyle, body: TextStyle) -> bool:
    """Whether the type is heavier than the body's, or of another family."""
    return (style.bold and not body.bold) or (
        _family(style.font) != _family(body.font) and bool(body.font) and style.size >= body.size and not style.italic
    )


def _family(font: str) -> str:
    return re.split(r"[-,]|(?<=[a-z])(?=Bold|Italic|Regular|Roman|Medium|Light)", font)[0].casefold()


def with_title(items: Sequence[PageItem], body: TextStyle) -> list[PageItem]:
    """Return the items with the document's title told from its headings.

    It is the one in the largest type of all, on the first two pages, a third larger than the running text at least,
    and no other text is in that size.
    """
    headings = [item for item in items if item.kind is BlockKind.HEADING]
    largest = max((item.style.size for item in headings), default=0.0)
    # One step of half a point; .4 to .8 do the same.
    tops = [item for item in headings if item.style.size > largest - 0.6]
    # A cover may stand before the title's page. Type a third larger is a title's: 13 on 10 points, 16 on 12;
    # 1.8 costs levels of the PDFs with truth.
    if not tops or tops[0].page > 2 or largest < 1.3 * body.size or len({item.text for item in tops}) > 1:
        return list(items)
    return [replace(item, kind=BlockKind.TITLE) if item is tops[0] else item for item in items]


def without_lists(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with numbered headings as the list items that they are.

    Those are runs of three and more with nothing between them, and what is set as the list item beside it is: lists of
    LibreOffice, in text_document_01.odt.pdf of the documents with truth (headings .83 without).
    """
    runs: list[list[int]] = [[]]
    for position, item in enumerate(items):
        if item.kind is BlockKind.HEADING and _LISTED.match(item.text):
            if runs[-1] and runs[-1][-1] != position - 1:
                runs.append([])
            runs[-1].append(position)
    listed = {position for run in runs if len(run) > 2 for position in run}
    for position in (*range(len(items)), *reversed(range(len(items)))):
        if any(_like_item(items, position, beside, listed) for beside in (position - 1, position + 1)):
            listed.add(position)
    return [
        replace(item, kind=BlockKind.LIST_ITEM, level=1) if position in listed else item
        for position, item in enumerate(items)
    ]


def _like_item(items: Sequence[PageItem], position: int, beside: int, listed: set[int]) -> bool:
    item, other = items[position], items[beside] if 0 <= beside < len(items) else None
    if other is None or item.kind is not BlockKind.HEADING or not _LISTED.match(item.text):
        return False
    return (other.kind is BlockKind.LIST_ITEM or beside in listed) and other.style == item.style


def with_levels(items: Sequence[PageItem], outline: Outline) -> list[PageItem]:
    """Return the items with the levels of all headings.

    A bookmark's level is taken as it is. Numbered headings are as deep as their numbers. The others rank by their
    style among all headings' styles: larger before smaller, bold before light; a style that numbered or bookmarked
    headings use too has their level.
    """
    headings = [item for item in items if item.kind is BlockKind.HEADING]
    known = {id(item): _told_level(item, outline) for item in headings}
    ranks = _style_levels(headings, known)
    return [
        replace(item, level=known[id(item)] or ranks[_key(item.style)]) if item.kind is BlockKind.HEADING else item
        for item in items
    ]


def _told_level(item: PageItem, outline: Outline) -> int:
    if level := outline.level(item.page, item.text):
        return level
    number = section_number(item.text)
    if not number or outline.levels:
        return 0
    return number_depth(number) if number[0].isdigit() and "." in number else 0


_StyleKey = tuple[float, bool, bool]


def _key(style: TextStyle) -> _StyleKey:
    return style.size, style.bold, style.italic


def _style_levels(headings: Sequence[PageItem], known: dict[int, int]) -> dict[_StyleKey, int]:
    votes: dict[_StyleKey, Counter[int]] = {}
    for item in headings:
        votes.setdefault(_key(item.style), Counter())
        if known[id(item)]:
            votes[_key(item.style)][known[id(item)]] += 1
    levels: dict[_StyleKey, int] = {}
    above = 0
    for key in sorted(votes, key=lambda key: (-key[0], not key[1], key[2])):
        told = votes[key].most_common(1)
        levels[key] = told[0][0] if told else above + 1
        # HTML and Markdown have six levels: whatever ranks lower is the sixth.
        above = min(5, max(above, levels[key]))
    return levels
