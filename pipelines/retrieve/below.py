"""What is below a unit of evidence that does not answer itself: a heading, an error code, the name of a fault."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.retrieve.entries import COLONS, ITEM_MARK
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.list_items import is_item, item_number, items_around
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.tables import in_reading_order
from pipelines.retrieve.term_cover import ABOVE, OWN

_REPEATED = 0.75
"""Minimum share of the words of a unit that only repeats the question: "The pump runs but delivers no water"."""
_SAID = 2
"""Maximum units quoted of what is said of one that repeats the question: the cause of a fault, and the remedy."""
_NEAR = 0.8
"""Minimum score of a heading that is preferred to the best unit, as a share of its score."""


def steps_behind(head: ScoredUnit, others: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the first numbered list behind a unit in its document, from its first step on; none without one."""
    own = in_reading_order(item for item in others if item.unit.hit.document == head.unit.hit.document)
    behind = (item for item in own if item.unit.span > head.unit.span and item_number(item.unit) == 1)
    return next((items_around(item, others)[0] for item in behind), [])


def repeats(question: QuestionTerms, item: ScoredUnit) -> bool:
    """Whether at least three of four words of a unit, without its mark and label, are in the question."""
    mark = ITEM_MARK.match(item.unit.text)
    text = item.unit.labelled[1] if item.unit.labelled else item.unit.text[mark.end() if mark else 0 :]
    own = frozenset(terms(text, item.language))
    return bool(own) and len(own & question.forms(item.language)) >= _REPEATED * len(own)


def said_of(question: QuestionTerms, head: ScoredUnit, behind: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return what is said of a unit that only repeats words of the question, such as an error code or a fault.

    `behind` are the units behind it in its chunk. What is said is the rows below it, the deeper items of its list, or
    those without a number, the rest of its paragraph, or else the next units. Empty for a unit that says more, and if
    another one has what is asked for: "colour: RAL 5010" beside "name: Pump HX 20".
    """
    unit, number = head.unit, item_number(head.unit)
    lacking = [term for term in question.focus if head.covers[term] < OWN]
    told = any(item.covers[term] >= OWN for item in behind if not item.unit.label for term in lacking)
    if told or not repeats(question, head) or unit.text.endswith(COLONS):
        return []
    if unit.is_row:
        return list(takewhile(lambda item: item.unit.is_row and not item.unit.label, behind)) if unit.label else []
    texts = list(takewhile(lambda item: not (item.unit.label or item.unit.is_row), behind))
    if unit.depth or number:
        deeper = takewhile(lambda item: item.unit.depth > unit.depth or (number and not item_number(item.unit)), texts)
        return list(deeper) or texts[:1]
    text, start = unit.hit.chunk.text, unit.hit.chunk.provenance.span.start
    line = text.find("\n", unit.span.end - start) + start
    rest = [item for item in texts if item.unit.span.end <= line]
    return (rest or texts or (list(behind) if unit.label else []))[:_SAID]


def head_of(question: QuestionTerms, best: ScoredUnit, own: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the heading above the best unit if what is below answers as a whole, else the unit.

    The heading names most of the question, or most of what the question has in common with it and the list item; or it
    names all of a question for no value, in which the item has only a part of it.
    """
    above = [item for item in own if item.unit.label and item.unit.span < best.unit.span][-1:]
    alike = is_item(best.unit) and not question.forms(best.language) & best.unit.own
    if best.unit.label or not above or _is_label_of(above[0], best):
        return best
    covers = above[0].covers
    least = ABOVE if OWN in covers.values() else OWN  # of the words in the heading, others may be in those above it
    named = question.share({term: OWN for term, cover in covers.items() if cover >= least})
    if best.unit.depth and not question.wants and named >= 1 and min(best.covers.values()) < OWN:
        return above[0]
    if not (alike or cue("how", question.language).search(question.text)):
        return best
    return above[0] if 2 * named >= (best.coverage if alike else 1.0) else best


def _is_label_of(above: ScoredUnit, item: ScoredUnit) -> bool:
    """Whether an item of a list is the label of the deeper one below it, which is quoted with it."""
    return bool(above.unit.depth and item.unit.group) and above.unit.text.startswith(item.unit.group)


def heading_asked(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> ScoredUnit | None:
    """Return the heading of what is asked for if the best unit lacks it, None for a question without a term.

    "Revision B, 2025" has most words of "What changed in revision B?", but the text below "Changes" is the answer, and
    that of "How do I mix Bondix 210?" is below "How to mix Bondix 210", although a row has the name.
    """
    best, near = scored[0], _NEAR * scored[0].score
    if not best.covers:
        return None
    headings = [item for item in scored if item.unit.label and not item.unit.is_row and item.score >= near]
    headings = [item for item in headings if not (item.unit.depth and item.unit.text.endswith(COLONS))]
    how = not question.wants and cue("how", question.language).search(question.text)
    if how and min(best.covers.values()) < ABOVE:
        return next((item for item in headings if min(item.covers.values()) >= ABOVE), None)
    if best.gives or not question.focus or max(best.covers[term] for term in question.focus) >= ABOVE:
        return None
    own = (item for item in headings if item.unit.hit.document == best.unit.hit.document)
    return next((item for item in own if min(item.covers[term] for term in question.focus) >= OWN), None)
