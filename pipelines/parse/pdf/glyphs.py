"""The characters of a line with their positions: doubled ones left out, and blanks where there is a gap."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from pipelines.lang.characters import CJK_CHARACTER, MARK_CHARACTER, OF_INDIA
from pipelines.parse.lines import Rect

_ZERO_WIDTH = 0.01
"""Points: the width of a character without width in a cluster, which is 0 except for rounding."""
BESIDE_CJK = 0.3
"""Maximum gap in type sizes between a Chinese or Korean letter and a Latin one that is no blank: Word and LibreOffice
leave a quarter and a fifth of an em."""
_OF_INDIA = re.compile(f"[{OF_INDIA}]")
_UNPRINTED = frozenset(("Mn", "Mc", "Cf", "Zs", "Cc"))
"""Unicode categories of vowel signs, of joiners and of blanks."""
_WORD_GAP = 0.33
"""Minimum gap between words without a blank character, in type sizes: blanks are a quarter to a third of an em."""


class Glyph(NamedTuple):
    """A character, or a cluster of a letter and its marks, with its span of the library."""

    text: str
    rect: Rect
    span: Any

    @property
    def is_wide(self) -> bool:
        return self.rect.width >= _ZERO_WIDTH

    @property
    def is_print(self) -> bool:
        """Whether its rectangle is that of what is printed."""
        return self.is_wide and unicodedata.category(self.text[0]) not in _UNPRINTED


def glyphs_of(spans: Iterable[Any]) -> list[Glyph]:
    """Return the characters of a line in the order of the file, without those that are none of the text.

    A font draws some letters of India in two parts, each of which is the letter in the files of some programs. The
    library makes a blank of the gap that word processors leave between a Chinese or Korean letter and a Latin one.
    """
    found: list[Glyph] = []
    made = False
    for c, own in ((c, span) for span in spans for c in span["chars"]):
        glyph = Glyph(c["c"], Rect._make(c["bbox"]), own)
        if made and _is_beside_cjk(found[-2:], glyph):
            found.pop()
        if not (found and _OF_INDIA.match(glyph.text) and _repeats(found[-1], glyph)):
            found.append(glyph)
        made = bool(c.get("synthetic")) and glyph.text == " "
    return found


def _is_beside_cjk(before: Sequence[Glyph], after: Glyph) -> bool:
    """Whether the last of two characters is a narrow blank between a Chinese or Korean letter and another one."""
    if len(before) < 2 or before[1].rect.width > BESIDE_CJK * after.span["size"]:
        return False
    return bool(CJK_CHARACTER.match(before[0].text)) != bool(CJK_CHARACTER.match(after.text))


def _repeats(before: Glyph, glyph: Glyph) -> bool:
    """Whether a character is the one before it, at the same place, or the same vowel sign: no letter has it twice."""
    same_place = not glyph.is_wide and before.rect == glyph.rect
    return before.text == glyph.text and (same_place or MARK_CHARACTER.match(glyph.text) is not None)


def gaps_between(glyphs: Sequence[Glyph]) -> Iterator[tuple[int, Glyph]]:
    """Yield (index of the next character, blank) for each gap between words of characters in the order of the line.

    How far a cluster extends is not known, so there is no gap behind one.
    """
    for number, (before, after) in enumerate(pairwise(glyphs), start=1):
        left, right = sorted((before, after), key=lambda glyph: glyph.rect.left)
        wide = right.rect.left - left.rect.right > _WORD_GAP * after.span["size"]
        if wide and before.is_print and after.is_print:
            yield number, Glyph(" ", after.rect._replace(left=left.rect.right, right=right.rect.left), after.span)
