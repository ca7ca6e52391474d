"""Whether a unit of evidence is an item of a list, and its number."""

from __future__ import annotations

import re
from itertools import pairwise

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.retrieve.evidence import EvidenceUnit

_MARK = re.compile(r"\s*(?:[-–•●○▪◦·*]|\(?(\d{1,3})[.)])\s")
"""The mark of a list item, if the text contains it, with its number."""
_BLANK = "\n\n"
COLONS = (":", "：")


def is_item(unit: EvidenceUnit) -> bool:
    """Whether a unit is a list item: it begins with a mark, or no line of its block does and the block is not a wrapped
    paragraph, since the first word of a next line would have fitted."""
    if unit.is_row or unit.label or unit.text.endswith(COLONS):
        return False
    text, place = unit.hit.chunk.text, unit.span.start - unit.hit.chunk.provenance.span.start
    lines = f"{text[:place].rpartition(_BLANK)[2]}{text[place:].partition(_BLANK)[0]}".strip().split("\n")
    if any(_MARK.match(line) for line in lines):
        return _MARK.match(unit.text) is not None
    width = max(map(len, lines))
    return any(len(line) + 1 + len(_first_word(after)) <= width for line, after in pairwise(lines))


def _first_word(line: str) -> str:
    """Return the first word of a line; in scripts without blanks, where lines break anywhere, two characters."""
    word = line.partition(" ")[0]
    return word[:2] if UNSPACED_CHARACTER.match(word) else word


def item_number(unit: EvidenceUnit) -> int:
    """Return the number of a list item, as its mark has it; 0 without one."""
    mark = _MARK.match(unit.text)
    return int(mark.group(1) or 0) if mark else 0
