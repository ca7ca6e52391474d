"""Captions: which texts are captions, and which table or figure each belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.core.document import BlockKind
from pipelines.lang.word_lists import any_of
from pipelines.parse.lines import DOTS

_LABEL = r"(?:[A-Z][.\-])?\d{1,3}(?:[.\-]\d{1,3}){0,3}[a-z]?"
_CAPTION = re.compile(
    rf"[\[<(【]?\s*{any_of('table', 'figure', 'picture', 'example')}\s*{_LABEL}\s?[\]>)】]?"
    r"(?:\s*[.:：|–—]|\s+[-–—]\s|\s+[^\W\d_]|\s*$)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(rf"\S+\s*[\d.\-]+[a-z]?\s+{any_of('shows')}\b", re.IGNORECASE)
_LONGEST = 600
"""Maximum characters of a caption: a paragraph of eight lines of 75."""
_TABLE = re.compile(rf"[\s\[<(【]*{any_of('table')}\s*[\dA-Z一二三四五六七八九十]", re.IGNORECASE)
_FIGURE = re.compile(rf"[\s\[<(【]*{any_of('figure', 'picture')}\s*[\dA-Z一二三四五六七八九十]", re.IGNORECASE)
_OF_TABLE = re.compile(rf"[\[<]?\s*{any_of('table')}\s*[\dA-Z]{{1,4}}\b", re.IGNORECASE)


def is_caption(text: str) -> bool:
    """Whether an unmarked paragraph is worded as a caption, and not as a sentence about a figure ("Figure 3 shows")."""
    return len(text) <= _LONGEST and _CAPTION.match(text) is not None and not _SENTENCE.match(text)


def is_table_caption(line: str) -> bool:
    """Whether a line starts like a table caption and is not an entry in a list of tables."""
    return _OF_TABLE.match(line) is not None and not DOTS.search(line)


def caption_subject(text: str) -> BlockKind | None:
    """Return TABLE or FIGURE if the caption's first word names one of them, else None."""
    if _TABLE.match(text):
        return BlockKind.TABLE
    return BlockKind.FIGURE if _FIGURE.match(text) else None


def match_captions(kinds: Sequence[BlockKind], texts: Sequence[str]) -> dict[int, int]:
    """Return a map from the position of each caption to that of its table or figure.

    A caption belongs to the nearest table or figure within two blocks that its first word allows and that has no
    caption yet. At equal distance, a table is expected below its caption and a figure above.
    """
    owners: dict[int, int] = {}
    taken: set[int] = set()
    for position, kind in enumerate(kinds):
        if kind is not BlockKind.CAPTION:
            continue
        owner = _nearest(position, kinds, caption_subject(texts[position]), taken)
        if owner is not None:
            owners[position] = owner
            taken.add(owner)
    return owners


def _nearest(position: int, kinds: Sequence[BlockKind], subject: BlockKind | None, taken: set[int]) -> int | None:
    wanted = (BlockKind.TABLE, BlockKind.FIGURE) if subject is None else (subject,)
    first = 1 if subject is BlockKind.TABLE else -1
    for step in (first, -first, 2 * first, -2 * first):
        other = position + step
        if 0 <= other < len(kinds) and kinds[other] in wanted and other not in taken:
            return other
    return None
