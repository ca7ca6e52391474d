"""Sources that give different values for what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import isclose

from pipelines.lang.quantities import Kind, in_row, quantities
from pipelines.retrieve.hit import Hit
from qa.ports import Lexicon
from qa.quoting.evidence import tell
from qa.quoting.question import QuestionTerms, read_question
from qa.quoting.weigh import ABOVE, Weighed, weigh

_ALIKE = 0.85
"""Share of the best unit's score from which another speaks of the same."""
_ABOUT = 0.6
"""From which coverage on a unit speaks of what is asked."""
_COMPARED = 8
"""Units that are looked at: the best."""


def disagreements(question: str, hits: Sequence[Hit], lexicon: Lexicon) -> tuple[str, ...]:
    """Return a line for each pair of sources among `hits` that give different values for what is asked."""
    asked = read_question(question, lexicon)
    return told(asked, rivals(asked, weigh(asked, hits, lexicon)))


def told(question: QuestionTerms, pairs: Sequence[tuple[Weighed, Weighed]]) -> tuple[str, ...]:
    """Return each pair as a line that names both sources and what they say."""
    return tuple(
        " - but ".join(f"{one.unit.hit.uri} says: {tell(one.unit, question)}" for one in pair) for pair in pairs
    )


def rivals(question: QuestionTerms, weighed: Sequence[Weighed]) -> list[tuple[Weighed, Weighed]]:
    """Return the best unit that gives a value, with each of another document that answers as well and gives another.

    Values are compared where both units give exactly one of a kind that is asked for, in the same unit of measure.
    """
    if not weighed or not question.wants:
        return []
    floor = _ALIKE * weighed[0].score
    close = [item for item in weighed[:_COMPARED] if item.gives and item.score >= floor and item.coverage >= _ABOUT]
    return [(close[0], other) for other in close[1:] if _disagree(question, close[0], other)]


def _disagree(question: QuestionTerms, one: Weighed, other: Weighed) -> bool:
    if one.unit.hit.document == other.unit.hit.document or _subject(one) != _subject(other):
        return False
    values = [*_asked(question, one)], [*_asked(question, other)]
    if any(len(given) != 1 for given in values):
        return False
    (measure, figure), (other_measure, other_figure) = values[0][0], values[1][0]
    return measure == other_measure and not isclose(figure, other_figure, abs_tol=1e-9)


def _subject(item: Weighed) -> frozenset[str]:
    """The terms of the question that a unit is about: itself, or by its headings."""
    return frozenset(term for term, cover in item.covers.items() if cover >= ABOVE)


def _asked(question: QuestionTerms, item: Weighed) -> Iterator[tuple[tuple[Kind, str], float]]:
    """The values of a unit that the question asks for, by kind and unit of measure; not those that it names itself."""
    unit = item.unit
    for value in in_row(unit.header, unit.text) if unit.header else quantities(unit.text):
        if value.kind in question.wants and value.figure is not None and value.text not in question.text:
            yield (value.kind, value.unit), value.figure
