"""Fields on two lines: a label above its value, as on web pages and slides ("Weight" above "61 kg").

They are recognized by their form, in any language: blocks of two short lines; labels that end with a colon; or short
lines in turn, of which every second one has a digit more often than not, and the others have none. The lines of an
address or a list do not take turns so.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from pipelines.retrieve.table_rows import EvidenceLine

_LONGEST = 80
"""Maximum characters of a label and of a value: a line."""
_FEWEST = 3
"""Minimum fields in turn; two may be the lines of an address."""
_BLANK = "\n\n"
_COLONS = (":", "：")
_ENDINGS = (".", "!", "?", ";", ",", "。", "！", "？", "；", "，")

_Run = list[int]
"""The indices of short lines in succession."""


def field_pairs(pieces: Sequence[EvidenceLine], text: str, headings: Sequence[bool]) -> dict[int, int]:
    """Return the index of the label of each value among the `pieces` of a chunk's `text`.

    Args:
        pieces: the units of the chunk, in order.
        text: its text.
        headings: whether each unit is known to be a heading of the document.
    """
    pairs: dict[int, int] = {}
    for run in _runs(pieces, text, headings):
        pairs.update(_with_colons(run, pieces) or _in_blocks(run, pieces, text) or _in_turn(run, pieces))
    return pairs


def _runs(pieces: Sequence[EvidenceLine], text: str, headings: Sequence[bool]) -> Iterator[_Run]:
    """Yield the runs of short lines between headings, sentences, rows and list items."""
    for short, group in groupby(
        range(len(pieces)), lambda index: not headings[index] and _is_short(pieces[index], text)
    ):
        if short:
            yield list(group)


def _is_short(piece: EvidenceLine, text: str) -> bool:
    start = text.rfind("\n", 0, piece.span.start) + 1
    whole = not text[start : piece.span.start].strip() and text[piece.span.end :].lstrip(" ")[:1] in ("", "\n")
    plain = not (piece.is_row or piece.depth or "\n" in piece.text)
    return whole and plain and len(piece.text) <= _LONGEST and not piece.text.rstrip().endswith(_ENDINGS)


def _with_colons(run: _Run, pieces: Sequence[EvidenceLine]) -> dict[int, int]:
    """Return the pairs of a run in which every second line, and no other, ends with a colon."""
    ends = [pieces[index].text.rstrip().endswith(_COLONS) for index in run]
    first = next((place for place, one in enumerate(ends) if one), len(run))
    labels, values = run[first::2], run[first + 1 :: 2]
    in_turn = all(ends[first::2]) and not any(ends[first + 1 :: 2])
    return dict(zip(values, labels, strict=False)) if in_turn and len(values) > 1 else {}


def _in_blocks(run: _Run, pieces: Sequence[EvidenceLine], text: str) -> dict[int, int]:
    """Return the pairs of a run of blocks of two lines each, of which the first has no digit."""
    blocks: list[_Run] = []
    for index in run:
        apart = not blocks or _BLANK in text[pieces[index - 1].span.end : pieces[index].span.start].replace(" ", "")
        if apart:
            blocks.append([])
        blocks[-1].append(index)
    twos = [block for block in blocks if len(block) == 2 and not _has_digit(pieces[block[0]])]
    return {value: label for label, value in twos} if len(twos) > 1 and 2 * len(twos) > len(blocks) else {}


def _in_turn(run: _Run, pieces: Sequence[EvidenceLine]) -> dict[int, int]:
    """Return the pairs of a run in which labels and values take turns, from its first or second line on."""
    for first in (0, 1):
        labels, values = run[first::2], run[first + 1 :: 2]
        figures = sum(_has_digit(pieces[index]) for index in values)
        if (
            len(values) >= _FEWEST
            and 2 * figures >= len(values)
            and not any(_has_digit(pieces[index]) for index in labels)
        ):
            return dict(zip(values, labels, strict=False))
    return {}


def _has_digit(piece: EvidenceLine) -> bool:
    return any(map(str.isdigit, piece.text))
