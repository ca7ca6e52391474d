"""Characters of a line that is written from the right, as they are read, whichever way round the file has them.

A PDF tells where each glyph stands, and libraries guess the order: with Latin words and numbers in a line they guess
wrong. From the places the order follows by the rules of Unicode's bidirectional algorithm (UAX 9), read backwards.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pipelines.lang.characters import RIGHT_TO_LEFT, right_to_left
from pipelines.parse.lines import Rect

_NO_WIDTH = 0.01
"""Points: a character of a cluster has no width, but for rounding."""
_AT = 0.1
"""Points between edges that are one; glyphs are a point wide at least."""
_LETTER = 0.15
"""Of the type's size, the width of alef, the narrowest letter, at least; glyphs of one word stand closer."""
_BETWEEN_DIGITS = re.compile(r"[.,:/\u00a0]")
"""Separators that stay within a number from the right too (UAX 9, W4)."""


@dataclass(frozen=True, slots=True)
class Glyph:
    """A character, or a cluster of a letter and its marks, with the span of the library that it stands in."""

    text: str
    rect: Rect
    span: Any


def glyphs_of(spans: Sequence[Any]) -> list[Glyph]:
    """Return the characters of a line in reading order: as they come, or by their places in a script from the right."""
    found = [Glyph(c["c"], Rect(*c["bbox"]), span) for span in spans for c in span["chars"]]
    return in_reading_order(found) if right_to_left("".join(glyph.text for glyph in found)) else found


def in_reading_order(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters of a line written from the right in the order in which they are read."""
    visual = _with_twice(sorted(_clusters(glyphs), key=lambda glyph: (-glyph.rect.right, -glyph.rect.left)))
    ordered: list[Glyph] = []
    number = 0
    while number < len(visual):
        end = _run_from_left(visual, number)
        ordered += reversed(visual[number:end]) if end > number else [visual[number]]
        number = max(end, number + 1)
    return ordered


def _with_twice(visual: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters with the letter before a ligature that ends with the same one.

    The library takes the second for the first printed again ("alef, lam-alef"), and leaves its place empty.
    """
    found: list[Glyph] = []
    for number, glyph in enumerate(visual):
        right = visual[number - 1].rect.left if number else glyph.rect.right
        if len(glyph.text) > 1 and glyph.text.isalpha() and right - glyph.rect.right > _LETTER * glyph.span["size"]:
            found.append(
                replace(glyph, text=glyph.text[-1], rect=glyph.rect._replace(left=glyph.rect.right, right=right))
            )
        found.append(glyph)
    return found


def _run_from_left(visual: Sequence[Glyph], start: int) -> int:
    """Return where the Latin words or the number end that begin at `start`, seen from the right; `start` for none."""
    if not _from_left(visual[start].text):
        return start
    end, latin = start, False
    for number in range(start, len(visual)):
        text = visual[number].text
        if RIGHT_TO_LEFT.search(text):
            break
        if _from_left(text):
            between = "".join(glyph.text for glyph in visual[end:number])
            latin = latin or text.isalpha()
            word = all(_from_left(glyph.text) for glyph in visual[end:number])
            if not (word or latin or _BETWEEN_DIGITS.fullmatch(between)):
                break
            end = number + 1
    return end


def _from_left(text: str) -> bool:
    """Whether a character is a letter or digit that is written from the left."""
    return text[:1].isalnum() and not RIGHT_TO_LEFT.match(text)


def _clusters(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return characters with those of no width joined to the glyph that they stand for a part of.

    Of a ligature all letters but one have no width and come before it. Of a letter with marks none has, and a blank
    that nobody wrote is given their width.
    """
    found: list[Glyph] = []
    thin: list[Glyph] = []
    for glyph in glyphs:
        if glyph.rect.width < _NO_WIDTH and RIGHT_TO_LEFT.match(glyph.text):
            thin.append(glyph)
            continue
        marked = _marked(thin)
        if thin and marked:
            _add_marked(found, thin)
        ligature = "" if marked else "".join(part.text for part in reversed(thin))
        found.append(replace(glyph, text=glyph.text + ligature))
        thin = []
    if thin:
        _add_marked(found, thin)
    return found


def _marked(thin: Sequence[Glyph]) -> bool:
    return any(unicodedata.combining(glyph.text) for glyph in thin)


def _add_marked(found: list[Glyph], thin: Sequence[Glyph]) -> None:
    """Add a letter with its marks, in place of the blank that was made of its width."""
    rect = thin[0].rect
    if found and found[-1].text.isspace() and abs(found[-1].rect.left - rect.left) < _AT:
        rect = found.pop().rect
    letters = [glyph.text for glyph in thin if not unicodedata.combining(glyph.text)]
    marks = [glyph.text for glyph in reversed(thin) if unicodedata.combining(glyph.text)]
    text = "".join([*reversed(letters), *marks])
    if not letters and found and abs(found[-1].rect.left - rect.left) < _AT:
        found[-1] = replace(found[-1], text=found[-1].text + text)
    else:
        found.append(replace(thin[0], text=text, rect=rect))
