"""Items of lists: those around a unit, and the one at the place that a question asks for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.lang.ordinals import LAST, item_asked
from pipelines.retrieve.evidence_score import OWN, ScoredUnit
from pipelines.retrieve.list_items import is_item, item_number
from pipelines.retrieve.question_terms import QuestionTerms, terms_at
from pipelines.retrieve.tables import in_reading_order
from qa.quoting.quotes import Quotes, quote_units

_SEARCHED = 5
"""Number of best units in whose chunks a list is searched for the item at a place."""


def items_around(best: ScoredUnit, others: Sequence[ScoredUnit]) -> tuple[list[ScoredUnit], bool]:
    """Return the list items around a unit, or behind it if it introduces a list, and whether another text follows.

    Without one, the list may continue in the next passage. `others` are units of its chunk and of others, in any order.
    """
    own = in_reading_order(item for item in others if item.unit.hit.chunk.id == best.unit.hit.chunk.id)
    place = next((place for place, item in enumerate(own) if item.unit.span == best.unit.span), len(own))
    opens = not is_item(best.unit)
    first = last = place + opens
    while last < len(own) and is_item(own[last].unit):
        last += 1
    while first and not opens and is_item(own[first - 1].unit):
        first -= 1
    return own[first:last], last < len(own)


def item_at(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> Quotes | None:
    """Return the item of a list at the place that a question asks for ("the third step").

    The list is the first one in the chunks of the best units. None if the question asks for no place, if no list has
    it, or if a unit has all of the question's words, since it tells the step itself.
    """
    place, start, end = item_asked(question.text, question.language)
    if not place or any(min(item.covers.values(), default=OWN) >= OWN for item in scored[:_SEARCHED]):
        return None
    said = dict.fromkeys(terms_at(question, start, end), OWN)
    for best in scored[:_SEARCHED]:
        items = _list_below(best, scored)
        numbers = [item_number(item.unit) or index for index, item in enumerate(items, 1)]
        if place in numbers or (place == LAST and items):
            item = items[numbers.index(place) if place in numbers else -1]
            covers = {term: max(cover, best.covers[term]) for term, cover in item.covers.items()} | said
            item = replace(item, covers=covers, coverage=question.share(covers))
            return replace(quote_units(question, [item]), compared=f"{len(items)} values of the list")
    return None


def _list_below(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the items around a unit, or the next ones behind it in its chunk."""
    own = (item for item in scored if item.unit.hit.chunk.id == best.unit.hit.chunk.id and is_item(item.unit))
    behind = in_reading_order(item for item in own if item.unit.span >= best.unit.span)
    items = items_around(behind[0], scored)[0] if behind else []
    return items if len(items) > 1 else []
