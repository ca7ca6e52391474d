"""What belongs to a unit of evidence in its text: the items of its list, the next sentence, the heading above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from pipelines.core.provenance import Span
from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.ordinals import LAST, item_asked
from pipelines.lang.questions import asks_no_value
from pipelines.lang.terms import stop_words
from pipelines.lang.word_lists import cue
from pipelines.retrieve.entries import COLONS, ITEM_MARK, SENTENCE_ENDS
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms, terms_at
from pipelines.retrieve.tables import in_reading_order
from pipelines.retrieve.term_cover import OWN

_BLANK = "\n\n"
_SEARCHED = 5
"""Number of best units in whose chunks a list is searched for the item at a place."""
_TOGETHER = 250
"""Maximum characters of two sentences that are quoted together. Of 464 questions, the best sentence answers 305, with
the next one 311, with all the others of its paragraph up to this length 312; with 400 it is the same."""
_LACKS = 0.2
"""Minimum share of the question's weight that a sentence lacks to be quoted with the next one."""


def is_item(unit: EvidenceUnit) -> bool:
    """Whether a unit is in a list item.

    The document has one there; or it begins with a mark; or no line of its block does and the block is not a wrapped
    paragraph, since each line is a sentence, or the first word of a next line would have fitted.
    """
    if unit.is_row or unit.label or unit.text.endswith(COLONS):
        return False
    if unit.depth:
        return True
    text, place = unit.hit.chunk.text, unit.span.start - unit.hit.chunk.provenance.span.start
    lines = f"{text[:place].rpartition(_BLANK)[2]}{text[place:].partition(_BLANK)[0]}".strip().split("\n")
    if any(ITEM_MARK.match(line) for line in lines):
        return ITEM_MARK.match(unit.text) is not None
    if len(lines) > 1 and all(line.rstrip().endswith(SENTENCE_ENDS) for line in lines):
        return True
    width = max(map(len, lines))
    return any(len(line) + 1 + len(_first_word(after)) <= width for line, after in pairwise(lines))


def _first_word(line: str) -> str:
    """Return the first word of a line; in scripts without blanks, where lines break anywhere, two characters."""
    word = line.partition(" ")[0]
    return word[:2] if UNSPACED_CHARACTER.match(word) else word


def item_number(unit: EvidenceUnit) -> int:
    """Return the number of a list item, as its mark has it; 0 without one."""
    mark = ITEM_MARK.match(unit.text)
    return int(mark.group(1) or 0) if mark else 0


def _in_list(unit: EvidenceUnit) -> bool:
    """Whether a unit is in a list item, such as one that introduces deeper ones."""
    return is_item(unit) or (unit.depth > 0 and not unit.is_row)


def items_around(best: ScoredUnit, others: Sequence[ScoredUnit]) -> tuple[list[ScoredUnit], bool]:
    """Return the list items around a unit, or behind it if it introduces a list, and whether another text follows.

    Without one, the list may continue in the next passage. `others` are units of its chunk and of others, in any order.
    """
    own = in_reading_order(item for item in others if item.unit.hit.chunk.id == best.unit.hit.chunk.id)
    place = next((place for place, item in enumerate(own) if item.unit.span == best.unit.span), len(own))
    opens = not is_item(best.unit)
    first = last = place + opens
    while last < len(own) and _in_list(own[last].unit):
        last += 1
    while first and not opens and _in_list(own[first - 1].unit):
        first -= 1
    return own[first:last], last < len(own)


def list_below(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the items around a unit, or the next ones behind it in its chunk."""
    own = (item for item in scored if item.unit.hit.chunk.id == best.unit.hit.chunk.id and is_item(item.unit))
    behind = in_reading_order(item for item in own if item.unit.span >= best.unit.span)
    items = items_around(behind[0], scored)[0] if behind else []
    return items if len(items) > 1 else []


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
        items = list_below(best, scored)
        numbers = [item_number(item.unit) or index for index, item in enumerate(items, 1)]
        if place in numbers or (place == LAST and items):
            item = items[numbers.index(place) if place in numbers else -1]
            covers = {term: max(cover, best.covers[term]) for term, cover in item.covers.items()} | said
            return replace(item, covers=covers, coverage=question.share(covers)), len(items)
    return None


def items_after(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the numbered item that is the best unit and the next one, for a question about what is done after it."""
    if question.wants or not scored or not cue("follows", question.language).search(question.text):
        return []
    items, _ = items_around(scored[0], scored)
    place = next((place for place, item in enumerate(items) if item.unit.span == scored[0].unit.span), len(items))
    return items[place : place + 2] if item_number(scored[0].unit) and place + 1 < len(items) else []


def with_introduced(units: Sequence[ScoredUnit], others: Sequence[ScoredUnit], most: int) -> list[ScoredUnit]:
    """Return the units, each that ends with a colon with what it introduces: up to `most` list items, or the next unit.

    `others` are units of their chunks and of others, in any order.
    """
    found: list[ScoredUnit] = []
    for item in units:
        listed = items_around(item, others)[0] or next_unit(item, others) if item.unit.text.endswith(COLONS) else []
        below = [one for one in listed[:most] if not one.unit.label and one not in units]
        found += [one for one in (item, *below) if one not in found]
    return found


def introduced(below: list[ScoredUnit]) -> list[ScoredUnit]:
    """Return the first of the units below a colon; if it ends with a colon too, with what it introduces."""
    opening = len(list(takewhile(lambda item: item.unit.text.endswith(COLONS), below)))
    items = list(takewhile(lambda item: item.unit.is_row or is_item(item.unit), below[opening:]))
    return below[: opening + max(1, len(items))]


def next_unit(item: ScoredUnit, others: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the unit behind a unit in its chunk, if there is one."""
    own = in_reading_order(one for one in others if one.unit.hit.chunk.id == item.unit.hit.chunk.id)
    return [one for one in own if one.unit.span.start >= item.unit.span.end][:1]


def with_rest(question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return a sentence with the next one if it may not tell all: it has no value that is asked for, lacks much of what
    the passages say, mostly repeats the question, or does not tell what something is for."""
    lacking = {term: 1.0 for term, cover in best.covers.items() if cover < OWN and term not in question.unknown}
    value = question.wants and not asks_no_value(question.text, question.language)
    entry = bool(best.unit.group) and not best.unit.is_row  # the description of a term
    own = best.unit.own - stop_words(best.language)
    repeats = not (question.wants or question.focus) and 2 * len(own & question.forms(best.language)) >= len(own)
    purpose = cue("purpose", question.language).search(question.text)
    untold = entry or repeats or (not best.gives and (value or purpose))
    how = not value and cue("how", question.language).search(question.text)
    if not (untold or how) and question.share(lacking) < _LACKS:
        return best
    joined = _with_next_sentence(best, scored)
    while how and joined is not best:  # what is done goes on to the end of its paragraph
        best, joined = joined, _with_next_sentence(joined, scored)
    return joined


def _with_next_sentence(item: ScoredUnit, others: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return a sentence as one unit with the next one of its paragraph, if there is one and both are short.

    "It is opened only for draining." behind "Valve V-17 must be closed." tells what the valve is for.
    """
    chunk, unit = item.unit.hit.chunk, item.unit
    for after in next_unit(item, others) if not (unit.is_row or unit.label) else ():
        whole, start = Span(unit.span.start, after.unit.span.end), chunk.provenance.span.start
        text = whole.shifted(-start).slice(chunk.text)
        if "\n" in text[len(unit.text) :] or len(text) > _TOGETHER:
            break
        joined = replace(unit, span=whole, text=text, own=unit.own | after.unit.own)
        covers = {term: max(cover, after.covers[term]) for term, cover in item.covers.items()}
        return replace(item, unit=joined, covers=covers)
    return item
