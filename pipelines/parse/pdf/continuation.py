"""Paragraphs that go on in the next column or on the next page: their parts are joined, so that no sentence is cut."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import replace

from pipelines.core.document import BlockKind
from pipelines.lang.identify import detect_language
from pipelines.lang.profile import profile
from pipelines.lang.sentences import is_complete
from pipelines.parse.lines import HYPHENS, RUNNING, join_lines
from pipelines.parse.pdf.items import PageItem

_TEXT = (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM)
_FLOATING = (BlockKind.FOOTNOTE, BlockKind.FIGURE, BlockKind.CAPTION, BlockKind.TABLE)
"""What may be between the parts: at the end of a column or page, or at the beginning of the next one."""
_COMMAS = (",", "，", "、", "،")
_INTRODUCES = (":", "：")
_LINE = 80
"""Characters of a line of running text."""
_MARKER = re.compile(r"\w{1,3}[.)]\s")
"""The mark of a list item ("a) ")."""
_SAME_SIZE = 0.5
"""Maximum difference in points between the sizes of two parts: sizes are rounded to halves."""


def with_whole_paragraphs(items: Sequence[PageItem], vocabulary: Container[str]) -> list[PageItem]:
    """Return the items with the parts of a paragraph joined, across columns and pages.

    The first part is running text that does not end a sentence, and the second begins with a small letter, or behind
    a comma, a function word or a divided word, or with a noun where nouns have a capital. `vocabulary` has the
    document's words in lower case, see `join_lines`.

    In 64 files, 119 texts were so joined; of 81 looked at, one was a list, which led to the rule about entries.
    """
    found: list[PageItem] = []
    open_text: int | None = None
    for item in items:
        above = found[open_text] if open_text is not None else None
        if above is not None and open_text is not None and _goes_on(above, item):
            found[open_text] = _joined(above, item, vocabulary)
            continue
        if item.kind not in _FLOATING:
            open_text = len(found) if item.kind in _TEXT else None
        found.append(item)
    return found


def _goes_on(above: PageItem, below: PageItem) -> bool:
    """Whether a text is the rest of the paragraph `above`."""
    if below.kind is not BlockKind.PARAGRAPH or len(below.boxes) != 1 or len(above.boxes) != len(above.breaks) + 1:
        return False
    alike = abs(above.style.size - below.style.size) <= _SAME_SIZE and above.style.mono == below.style.mono
    one, other = above.text.rstrip().rpartition("\n")[2], below.text.lstrip()  # the last line that the author broke
    running = len(one) >= RUNNING and (len(other) >= RUNNING or is_complete(other))
    return alike and running and _is_next(above, below) and _is_cut(one, other)


def _is_next(above: PageItem, below: PageItem) -> bool:
    """Whether a text is on the page after that of the last part above, or beside and above it in another column."""
    last, first = above.boxes[-1], below.boxes[0]
    beside = first.left >= last.right or first.right <= last.left
    return first.page == last.page + 1 or (first.page == last.page and beside and first.top < last.top)


def _is_cut(above: str, below: str) -> bool:
    """Whether a sentence goes on between two texts."""
    entries = _MARKER.match(below) or above.split(None, 1)[0] == below.split(None, 1)[0]  # "bit 3 ...", "bit 4 ..."
    if is_complete(above) or above.endswith(_INTRODUCES) or entries:
        return False
    divided = above[-1] in HYPHENS and above[-2].isalnum()
    return below[:1].islower() or divided or above.endswith(_COMMAS) or _needs_noun(above, below)


def _needs_noun(above: str, below: str) -> bool:
    """Whether a text of more than a line ends with a word such as "by", and a name follows, not "The" or "When".

    Where all nouns have a capital, one may follow any word in small letters.
    """
    last, first = above.rsplit(None, 1)[-1], below.split(None, 1)[0]
    if len(above) < _LINE or not last.islower():
        return False
    language = profile(detect_language(above))
    opens = first.lower() in language.function_words
    return not opens and (last in language.stop_words or (language.noun_capitals and first.isalpha()))


def _joined(above: PageItem, below: PageItem, vocabulary: Container[str]) -> PageItem:
    text = join_lines([above.text, below.text], vocabulary)
    return replace(
        above,
        text=text,
        boxes=above.boxes + below.boxes,
        breaks=(*above.breaks, len(text) - len(below.text.strip())),
        pointers=above.pointers + below.pointers,
        confidence=min(above.confidence, below.confidence),
    )
