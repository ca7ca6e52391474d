"""Which table or figure a caption belongs to."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pipelines.core.document import BlockKind

_TABLE = re.compile(
    r"[\s\[<(【]*(?:table|tab\.|tabelle|tabla|tableau|表|표)\s*[\dA-Z一二三四五六七八九十]", re.IGNORECASE
)
_FIGURE = re.compile(
    r"[\s\[<(【]*(?:figure|fig\.?|abbildung|abb\.|bild|figura|image|picture|photo|chart|diagram|exhibit|图|圖|그림)"
    r"\s*[\dA-Z一二三四五六七八九十]",
    re.IGNORECASE,
)


def caption_subject(text: str) -> BlockKind | None:
    """Return TABLE or FIGURE where a caption's first word says which it is of, else None."""
    if _TABLE.match(text):
        return BlockKind.TABLE
    return BlockKind.FIGURE if _FIGURE.match(text) else None


def match_captions(kinds: Sequence[BlockKind], texts: Sequence[str]) -> dict[int, int]:
    """Return, for the positions of captions, the positions of the tables or figures that they belong to.

    A caption belongs to the nearest one within two blocks that is of the kind its first word names and has no
    caption yet. At equal distance a table lies below its caption, a figure above.
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
