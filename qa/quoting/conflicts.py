"""Sources that give different values for what is asked."""

from __future__ import annotations

from collections.abc import Sequence
from math import isclose

from pipelines.retrieve.hit import Hit
from qa.ports import Lexicon
from qa.quoting.question import QuestionTerms, languages_of, read_question
from qa.quoting.tell import tell
from qa.quoting.warned import told_values
from qa.quoting.weigh import ABOVE, Weighed, weigh

_ALIKE = 0.85
"""Share of the best unit's score, and of its coverage of the question, from which another speaks of the same."""
_COMPARED = 8
"""Units that are looked at: the best."""


def disagreements(question: str, hits: Sequence[Hit], lexicon: Lexicon) -> tuple[str, ...]:
    """Return a line for each pair of sources among `hits` that give different values for what is asked."""
    asked = read_question(question, lexicon, languages_of(hits))
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
    score, coverage = _ALIKE * weighed[0].score, _ALIKE * weighed[0].coverage
    close = [item for item in weighed[:_COMPARED] if item.gives and item.score >= score and item.coverage >= coverage]
    return [(close[0], other) for other in close[1:] if _disagree(question, close[0], other)]


def _disagree(question: QuestionTerms, one: Weighed, other: Weighed) -> bool:
    if one.unit.hit.document == other.unit.hit.document or _subject(one) != _subject(other):
        return False
    values = [*told_values(question, one)], [*told_values(question, other)]
    if any(len(given) != 1 for given in values):
        return False
    (*measure, figure), (*other_measure, other_figure) = values[0][0], values[1][0]
    return measure == other_measure and not isclose(figure, other_figure, abs_tol=1e-9)


def _subject(item: Weighed) -> frozenset[str]:
    """The terms of the question that a unit is about: itself, or by its headings."""
    return frozenset(term for term, cover in item.covers.items() if cover >= ABOVE)
