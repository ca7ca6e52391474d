"""Items of lists: whether a unit is one, those around a unit, and the one at the place that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.ordinals import LAST, item_asked
from pipelines.retrieve.evidence import EvidenceUnit
from qa.quoting.evidence_score import OWN, ScoredUnit
from qa.quoting.question_terms import QuestionTerms, terms_at

_MARK = re.compile(r"\s*(?:[-–•●○▪◦·*]|\(?(\d{1,3})[.)])\s")
"""The mark of a list item, if the text contains it, with its number."""
_BLANK = "\n\n"
COLONS = (":", "：")
_SEARCHED = 5
"""Number of best units in whose chunks a list is searched for the item at a place."""


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


def items_around(best: ScoredUnit, others: Sequence[ScoredUnit]) -> tuple[list[ScoredUnit], bool]:
    """Return the list items around a unit, or behind it if it introduces a list, and whether another text follows.

    Without one, the list may continue in the next passage. `others` are the units of its chunk, in any order.
    """
    own = [item for item in others if item.unit.hit.chunk.id == best.unit.hit.chunk.id]
    own.sort(key=lambda item: item.unit.span)
    place = next((place for place, item in enumerate(own) if item.unit.span == best.unit.span), len(own))
    opens = not is_item(best.unit)
    first = last = place + opens
    while last < len(own) and is_item(own[last].unit):
        last += 1
    while first and not opens and is_item(own[first - 1].unit):
        first -= 1
    return own[first:last], last < len(own)


def item_at(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> tuple[ScoredUnit, int] | None:
    """Return the item of a list at the place that a question asks for ("the third step"), and the number of items.

    The list is the first one in the chunks of the best units. None if the question asks for no place, if no list has
    it, or if a unit has all of the question's words, since it tells the step itself.
    """
    place, start, end = item_asked(question.text, question.language)
    if not place or any(min(item.covers.values(), default=OWN) >= OWN for item in scored[:_SEARCHED]):
        return None
    said = dict.fromkeys(terms_at(question, start, end), OWN)
    for best in scored[:_SEARCHED]:
        items = _list_below(best, scored)
        numbers = [_number(item, index) for index, item in enumerate(items, 1)]
        if place in numbers or (place == LAST and items):
            item = items[numbers.index(place) if place in numbers else -1]
            covers = {term: max(cover, best.covers[term]) for term, cover in item.covers.items()} | said
            covered = sum(question.weights[term] * cover for term, cover in covers.items())
            return replace(item, covers=covers, coverage=covered / (question.total or 1.0)), len(items)
    return None


def _list_below(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the items around a unit, or the next ones behind it in its chunk."""
    behind = [
        item
        for item in scored
        if item.unit.hit.chunk.id == best.unit.hit.chunk.id and item.unit.span >= best.unit.span and is_item(item.unit)
    ]
    first = min(behind, key=lambda item: item.unit.span, default=None)
    items = items_around(first, scored)[0] if first else []
    return items if len(items) > 1 else []


def _number(item: ScoredUnit, index: int) -> int:
    """Return the number of an item, as its mark has it, else its place in the list."""
    mark = _MARK.match(item.unit.text)
    return int(mark.group(1)) if mark and mark.group(1) else index
