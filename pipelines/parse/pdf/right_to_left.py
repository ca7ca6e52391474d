"""Reading order of the characters in a right-to-left line.

Libraries guess the order of glyphs, and are often wrong for lines with Latin words and numbers. Here the order follows
from the positions, by reversing the rules of Unicode's bidirectional algorithm (UAX 9).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Container, Iterable, Sequence
from typing import Any

from pipelines.lang.characters import RIGHT_TO_LEFT, right_to_left
from pipelines.lang.quantities import is_unit
from pipelines.parse.pdf.glyphs import Glyph, gaps_between, glyphs_of

_SAME_EDGE = 0.1
"""Points within which two edges are the same; glyphs are at least a point wide."""
_LEAST_LETTER = 0.15
"""Minimum width of alef, the narrowest letter, in type sizes; gaps between the glyphs of a word are narrower."""
_UNIT_BEFORE = re.compile(r"(?P<unit>[^\W\d_]{1,5})(?P<degree>°?)(?P<blank>\s?)[\d.,/]{1,12}")
_BETWEEN_DIGITS = re.compile(r"[.,:/\u00a0\u066b\u066c]")
"""Separators that belong to a number in right-to-left text too (UAX 9, W4)."""


def read_line(spans: Iterable[Any]) -> list[Glyph]:
    """Return the characters of a line in reading order, with blanks in the gaps between words.

    Those of right-to-left text are ordered by position, others as in the file.
    """
    found = glyphs_of(spans)
    if right_to_left("".join(glyph.text for glyph in found)):
        visual = sorted(found, key=lambda glyph: glyph.rect.left)
        return in_reading_order([*found, *(blank for _, blank in gaps_between(visual))])
    for number, blank in reversed([*gaps_between(found)]):
        found.insert(number, blank)
    return found


def in_reading_order(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters of a right-to-left line in reading order."""
    visual = _with_doubled_letters(sorted(_clusters(glyphs), key=lambda glyph: (-glyph.rect.right, -glyph.rect.left)))
    signs = _signs_of_numbers([glyph.text for glyph in visual])
    ordered: list[Glyph] = []
    number = 0
    while number < len(visual):
        end = _left_to_right_end(visual, number, signs)
        ordered += _number_first(visual[number:end][::-1]) if end > number else [visual[number]]
        number = max(end, number + 1)
    return ordered


def _number_first(run: list[Glyph]) -> list[Glyph]:
    """Return a left-to-right run with the unit behind its number: "85 °C" is printed as "C° 85" in these scripts."""
    written = "".join(glyph.text for glyph in run)
    found = _UNIT_BEFORE.fullmatch(written) if len(written) == len(run) else None
    if found is None or not is_unit(f"{found['degree']}{found['unit']}"):
        return run
    unit, degree, rest = found.end("unit"), found.end("degree"), found.end("blank")
    return [*run[rest:], *run[degree:rest], *run[unit:degree], *run[:unit]]


def _with_doubled_letters(visual: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters with a letter restored that precedes a ligature ending with the same letter.

    The library treats the two ("alef, lam-alef") as one letter printed twice, and leaves a gap.
    """
    found: list[Glyph] = []
    for number, glyph in enumerate(visual):
        right = visual[number - 1].rect.left if number else glyph.rect.right
        if (
            len(glyph.text) > 1
            and glyph.text.isalpha()
            and right - glyph.rect.right > _LEAST_LETTER * glyph.span["size"]
        ):
            found.append(
                glyph._replace(text=glyph.text[-1], rect=glyph.rect._replace(left=glyph.rect.right, right=right))
            )
        found.append(glyph)
    return found


def _signs_of_numbers(texts: Sequence[str]) -> set[int]:
    """Return the positions of the signs that belong to a number, as in "20%" and "±3" (UAX 9, W5).

    In Arabic text they are written like the text (W2).
    """
    kinds = [unicodedata.bidirectional(text[:1]) if text else "" for text in texts]
    if "AL" in kinds:
        return set()
    signs: set[int] = set()
    for order in (range(len(kinds)), range(len(kinds) - 1, -1, -1)):
        beside = False
        for number in order:
            beside = kinds[number] == "EN" or (beside and kinds[number] == "ET")
            if beside and kinds[number] == "ET":
                signs.add(number)
    return signs


def _left_to_right_end(visual: Sequence[Glyph], start: int, signs: Container[int]) -> int:
    """Return the end of the left-to-right run (Latin words or a number) at `start`, or `start` if there is none."""
    if not (start in signs or _is_left_to_right(visual[start].text)):
        return start
    end, latin = start, False
    for number in range(start, len(visual)):
        text = visual[number].text
        if number in signs or _is_left_to_right(text):
            between = "".join(glyph.text for glyph in visual[end:number])
            latin = latin or text.isalpha()
            word = all(_is_left_to_right(glyph.text) for glyph in visual[end:number])
            if not (word or latin or _BETWEEN_DIGITS.fullmatch(between)):
                break
            end = number + 1
        elif RIGHT_TO_LEFT.search(text) and not _BETWEEN_DIGITS.fullmatch(text):
            break
    return end


def _is_left_to_right(text: str) -> bool:
    """Whether a character is written from left to right: a letter of another script, or a digit, also an Arabic one."""
    return text[:1].isdecimal() or (text[:1].isalnum() and not RIGHT_TO_LEFT.match(text))


def _clusters(glyphs: Sequence[Glyph]) -> list[Glyph]:
    """Return the characters with those of zero width joined to their ligature or letter.

    In a ligature, all letters but one have zero width. A letter and its marks all have zero width, and the
    library inserts a blank of their width.
    """
    found: list[Glyph] = []
    zero_width: list[Glyph] = []
    for glyph in glyphs:
        if not glyph.is_wide and RIGHT_TO_LEFT.match(glyph.text):
            zero_width.append(glyph)
            continue
        marked = any(unicodedata.combining(part.text) for part in zero_width)
        if zero_width and marked:
            _add_marked(found, zero_width)
        ligature = "" if marked else "".join(part.text for part in reversed(zero_width))
        found.append(glyph._replace(text=glyph.text + ligature) if ligature else glyph)
        zero_width = []
    if zero_width:
        _add_marked(found, zero_width)
    return found


def _add_marked(found: list[Glyph], zero_width: Sequence[Glyph]) -> None:
    """Append a letter with its marks, replacing the blank inserted for it."""
    rect = zero_width[0].rect
    if found and found[-1].text.isspace() and abs(found[-1].rect.left - rect.left) < _SAME_EDGE:
        rect = found.pop().rect
    letters = [glyph.text for glyph in zero_width if not unicodedata.combining(glyph.text)]
    marks = [glyph.text for glyph in reversed(zero_width) if unicodedata.combining(glyph.text)]
    text = "".join([*reversed(letters), *marks])
    if not letters and found and abs(found[-1].rect.left - rect.left) < _SAME_EDGE:
        found[-1] = found[-1]._replace(text=found[-1].text + text)
    else:
        found.append(zero_width[0]._replace(text=text, rect=rect))
