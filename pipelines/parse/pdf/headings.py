"""Headings of a PDF and their levels: from bookmarks, else from numbering, else from style."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from pipelines.core.document import BlockKind
from pipelines.parse.compose import CONTENTS
from pipelines.parse.lines import BULLET, DOTS, Line, TextStyle
from pipelines.parse.outline import number_depth, section_number
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.page import Bookmark

_LONGEST = 180
"""Maximum characters of a heading: two lines of 90. Longer ones are text in large type. 126 to 252 have the same result
for the annotated PDFs (../shared/data/pdf and documents/pdf)."""
_LARGER = 1.12
"""Minimum ratio to the body's size of larger type: 10 to 9 points (1.11) occurs within text, 9 to 8 (1.125) is a
heading. With 1.6, headings of the annotated PDFs are lost."""
_SMALLEST, _SMALLEST_NUMBERED = 0.93, 0.85
"""Minimum ratio of a heading's size to the body's: 10 to 10.5 points (0.95), as in Word's deepest levels, but not 9 to
10 (0.90), as in notes; with a number and another weight or font, 9 to 10.5."""
_LETTERS = re.compile(r"[^\W\d_]")
_BRACKETED = re.compile(r"[\[<{].*[\]>}]")
_SENTENCE_END = (".", ";", ",", "。", "；", "，")
_DOTTED_NUMBER = re.compile(r"(?:\d{1,2}\.){1,6}\d{1,2}\.?\s+\S|[A-Z]\.\d{1,2}(?:\.\d{1,2})*\s+\S")
_COVER_WORDS = 200
"""Maximum words of a cover, half a page of text. By it 15 of 95 PDFs of Debian packages get a title, by eye all of
them theirs."""
_LISTED = re.compile(r"\(?(?:\d{1,2}|[a-z])[.)]\s")
_KEY = re.compile(r"[\W_]+")


def title_key(text: str) -> str:
    """Return the letters and digits of a title in lower case, for comparing bookmarks with text."""
    return _KEY.sub("", text.casefold())


@dataclass(frozen=True, slots=True)
class Outline:
    """The levels of the bookmarks by page and title key; a bookmark also applies to the pages before and after."""

    levels: dict[tuple[int, str], int] = field(default_factory=dict)

    @staticmethod
    def of(bookmarks: Sequence[Bookmark]) -> Outline:
        levels: dict[tuple[int, str], int] = {}
        for bookmark in bookmarks:
            levels.setdefault((bookmark.page, title_key(bookmark.title)), bookmark.level)
        return Outline(levels)

    def level(self, page: int, text: str) -> int:
        """Return the level of the bookmark whose title is `text`, with or without its number; 0 if there is none."""
        key = title_key(text)
        bare = title_key(text[len(section_number(text)) :]) if section_number(text) else key
        for near in (page, page - 1, page + 1):
            for wanted in (key, bare):
                if wanted and (near, wanted) in self.levels:
                    return self.levels[near, wanted]
        return 0


def is_heading(lines: Sequence[Line], text: str, body: TextStyle, alone: bool) -> bool:
    """Whether a paragraph of the text layer looks like a heading.

    It must be short, have letters, and stand out by size, weight, font, capitals or a number. `alone` says that no
    other text is beside it.
    """
    if not alone or not _can_be_heading(lines, text):
        return False
    style = lines[0].style
    stands_out = _stands_out(style, body)
    bullet = BULLET.match(text) is not None and not section_number(text)
    if style.size >= _LARGER * body.size:
        return not bullet or stands_out
    # Half a point in 12 (1.04): an item has the size of the text, except for rounding. With a lower or higher ratio,
    # headings of the annotated PDFs are lost.
    if bullet and not (style.size > 1.04 * body.size and stands_out):
        return False
    least = _SMALLEST_NUMBERED if stands_out and _DOTTED_NUMBER.match(text) else _SMALLEST
    return style.size >= least * body.size and _is_short(lines, text) and _is_emphasized(text, style, body, stands_out)


def _can_be_heading(lines: Sequence[Line], text: str) -> bool:
    """Whether a paragraph can be a heading by its length and words."""
    # A long title in large type takes three lines.
    return len(lines) <= 3 and not any(line.style.mono for line in lines) and can_be_title(text)


def can_be_title(text: str) -> bool:
    """Whether a text can be a title: it is short, has letters, no leader and no brackets around, and is no sentence."""
    if not 2 <= len(text) <= _LONGEST:
        return False
    if _LETTERS.search(text) is None or DOTS.search(text) or _BRACKETED.fullmatch(text):
        return False
    return not text.endswith(_SENTENCE_END)


def _is_short(lines: Sequence[Line], text: str) -> bool:
    # More than 16 words, two lines, are a sentence if they only stand out by weight.
    return len(lines) <= 2 and len(text.split()) <= 16


def _is_emphasized(text: str, style: TextStyle, body: TextStyle, stands_out: bool) -> bool:
    """Whether a paragraph in about the body's size stands out by weight, font, capitals or a dotted number."""
    capitals = in_capitals(text)
    if _DOTTED_NUMBER.match(text):
        return stands_out or capitals or (style.size > body.size and text[-1].isalnum())
    return (stands_out or capitals) and (text[0] not in "([" or style.size > body.size)


def is_doubtful(heading: PageItem, body: TextStyle, outline: Outline) -> bool:
    """Whether a heading recognized by its look has no bookmark, no dotted number and no larger type."""
    known_otherwise = outline.level(heading.page, heading.text) > 0 or is_numbered(heading.text)
    return not known_otherwise and not is_larger(heading.style, body)


def is_larger(style: TextStyle, body: TextStyle) -> bool:
    """Whether a style is so much larger than the body's that it is only used for headings."""
    return style.size >= _LARGER * body.size


def is_numbered(text: str) -> bool:
    """Whether a text begins with the number of a subsection ("4.2 Tests")."""
    return _DOTTED_NUMBER.match(text) is not None


def in_capitals(text: str) -> bool:
    """Whether a text is at least two words in capitals; a single one is a code or a term."""
    # Two words of three letters: shorter ones are a code or a unit ("DC IN"); 4 to 8 have the same result.
    return text.isupper() and " " in text and len(text) > 6 and 2 * len(_LETTERS.findall(text)) > len(text)


def is_body_style(style: TextStyle, body: TextStyle) -> bool:
    """Whether a style is that of the body."""
    # Sizes are rounded to half points; a difference of one step is ignored. 0.4 to 0.8 have the same result.
    return abs(style.size - body.size) < 0.6 and not _stands_out(style, body) and not style.italic


def _stands_out(style: TextStyle, body: TextStyle) -> bool:
    """Whether the type is bold and the body's is not, or of another family and not smaller."""
    return (style.bold and not body.bold) or (
        _family(style.font) != _family(body.font) and bool(body.font) and style.size >= body.size and not style.italic
    )


def _family(font: str) -> str:
    return re.split(r"[-,]|(?<=[a-z])(?=Bold|Italic|Regular|Roman|Medium|Light)", font)[0].casefold()


def with_title(items: Sequence[PageItem], body: TextStyle) -> list[PageItem]:
    """Return the items with the document's title recognized among the headings.

    It is the heading in the largest type, on the first two pages, at least a third larger than the body; no heading
    with another text has that size. On a cover, where the chapters of a book are as large, it is the largest heading,
    with the subtitle below it.
    """
    largest = _largest([item for item in items if item.kind is BlockKind.HEADING])
    alone = bool(largest) and largest[0].page <= 2 and len({item.text for item in largest}) == 1
    found = largest[:1] if alone else _titles_of_cover(items)
    # A cover may precede the page with the title. Titles are a third larger: 13 points for a body of 10, 16 for 12.
    # With 1.8, levels of the annotated PDFs are wrong.
    if not found or found[0].style.size < 1.3 * body.size:
        return list(items)
    titles = {id(item) for item in found}
    return [replace(item, kind=BlockKind.TITLE) if id(item) in titles else item for item in items]


def _largest(headings: Sequence[PageItem]) -> list[PageItem]:
    """Return the headings in the largest type."""
    largest = max((item.style.size for item in headings), default=0.0)
    # One step of half a point; 0.4 to 0.8 have the same result.
    return [item for item in headings if item.style.size > largest - 0.6]


def _titles_of_cover(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the largest heading of the cover, and the next item if it is as large; empty without a cover.

    The cover is the first page with text, if it has few words.
    """
    page = next((item.page for item in items if item.text), 0)
    cover = [item for item in items if item.page == page]
    if sum(len(item.text.split()) for item in cover) > _COVER_WORDS:
        return []
    titles = _largest([item for item in cover if item.kind is BlockKind.HEADING and _may_name(item.text)])
    if not titles:
        return []
    first = next(at for at, item in enumerate(cover) if item is titles[0])
    return [titles[0], *(item for item in cover[first + 1 : first + 2] if item in titles)]


def _may_name(text: str) -> bool:
    """Whether a heading may be that of a whole document: it has no number, and is not "Contents"."""
    return not section_number(text) and not CONTENTS.fullmatch(text)


def without_lists(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with numbered headings changed to list items if they are lists.

    Such are at least three in a row, and one in the style of a neighbouring list item, as in lists of LibreOffice
    (text_document_01.odt.pdf of the annotated documents, whose headings score 0.83 otherwise).
    """
    runs: list[list[int]] = [[]]
    for position, item in enumerate(items):
        if item.kind is BlockKind.HEADING and _LISTED.match(item.text):
            if runs[-1] and runs[-1][-1] != position - 1:
                runs.append([])
            runs[-1].append(position)
    listed = {position for run in runs if len(run) > 2 for position in run}
    for position in (*range(len(items)), *reversed(range(len(items)))):
        if any(_is_set_like_item(items, position, beside, listed) for beside in (position - 1, position + 1)):
            listed.add(position)
    return [
        replace(item, kind=BlockKind.LIST_ITEM, level=1) if position in listed else item
        for position, item in enumerate(items)
    ]


def _is_set_like_item(items: Sequence[PageItem], position: int, beside: int, listed: set[int]) -> bool:
    item, other = items[position], items[beside] if 0 <= beside < len(items) else None
    if other is None or item.kind is not BlockKind.HEADING or not _LISTED.match(item.text):
        return False
    return (other.kind is BlockKind.LIST_ITEM or beside in listed) and other.style == item.style


def with_levels(items: Sequence[PageItem], outline: Outline) -> list[PageItem]:
    """Return the items with the levels of all headings.

    The level is that of a heading's bookmark, else the depth of its number. Other headings are ranked by style: larger
    before smaller, bold before light; a style that is also used by numbered or bookmarked headings has their level.
    """
    headings = [item for item in items if item.kind is BlockKind.HEADING]
    known = {id(item): _known_level(item, outline) for item in headings}
    ranks = _style_levels(headings, known)
    return [
        replace(item, level=known[id(item)] or ranks[_style_key(item.style)])
        if item.kind is BlockKind.HEADING
        else item
        for item in items
    ]


def _known_level(item: PageItem, outline: Outline) -> int:
    if level := outline.level(item.page, item.text):
        return level
    number = section_number(item.text)
    if not number or outline.levels:
        return 0
    return number_depth(number) if number[0].isdigit() and "." in number else 0


_StyleKey = tuple[float, bool, bool]


def _style_key(style: TextStyle) -> _StyleKey:
    return style.size, style.bold, style.italic


def _style_levels(headings: Sequence[PageItem], known: dict[int, int]) -> dict[_StyleKey, int]:
    votes: dict[_StyleKey, Counter[int]] = {}
    for item in headings:
        votes.setdefault(_style_key(item.style), Counter())
        if known[id(item)]:
            votes[_style_key(item.style)][known[id(item)]] += 1
    levels: dict[_StyleKey, int] = {}
    above = 0
    for key in sorted(votes, key=lambda key: (-key[0], not key[1], key[2])):
        known_otherwise = votes[key].most_common(1)
        levels[key] = known_otherwise[0][0] if known_otherwise else above + 1
        # HTML and Markdown have six levels: lower ranks are the sixth.
        above = min(5, max(above, levels[key]))
    return levels
