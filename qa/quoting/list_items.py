"""The item of a list at the place that a question asks for, or behind the one that it names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pipelines.lang.ordinals import LAST, item_asked
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.list_items import item_number, items_around, list_below
from pipelines.retrieve.question_terms import QuestionTerms, terms_at
from pipelines.retrieve.term_cover import OWN
from qa.quoting.quotes import Quotes, quote_units

_SEARCHED = 5
"""Number of best units in whose chunks a list is searched for the item at a place."""


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
        items = list_below(best, scored)
        numbers = [item_number(item.unit) or index for index, item in enumerate(items, 1)]
        if place in numbers or (place == LAST and items):
            item = items[numbers.index(place) if place in numbers else -1]
            covers = {term: max(cover, best.covers[term]) for term, cover in item.covers.items()} | said
            item = replace(item, covers=covers, coverage=question.share(covers))
            return replace(quote_units(question, [item]), compared=f"{len(items)} values of the list")
    return None


def item_after(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> Quotes | None:
    """Return the numbered item that is the best unit and the next one, for a question about what is done after it."""
    if question.wants or not scored or not cue("follows", question.language).search(question.text):
        return None
    items, _ = items_around(scored[0], scored)
    place = next((place for place, item in enumerate(items) if item.unit.span == scored[0].unit.span), len(items))
    if not item_number(scored[0].unit) or place + 1 >= len(items):
        return None
    return quote_units(question, items[place : place + 2])
