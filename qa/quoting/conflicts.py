"""Sources that give different values for what is asked, and values that one of them warns against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

from pipelines.lang.quantities import Kind, in_row, quantities
from pipelines.lang.word_lists import cue
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.searches import Lexicon
from qa.quoting.evidence_score import ABOVE, ScoredUnit, score_units
from qa.quoting.question_terms import QuestionTerms, languages_of, read_question
from qa.quoting.quote_text import quote_text

_NEAR = 0.8
"""Share of the best unit's coverage from which another speaks of the same, and of its score from which it may take the
best one's place: as `select_units` has it for units that are quoted together."""
_BEHIND = 1e-3


def demote_warned(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return units with those that give nothing but values warned against behind the best that gives another value.

    All stay where they are where the question is itself about what is not so or no longer so, and where no unit nearly
    as good as the best gives another value: the warning is then the best that the documents have.
    """
    most = max((item.coverage for item in scored), default=0.0)
    about = [item for item in scored if item.gives and item.coverage >= _NEAR * most]
    warned = {value for item in about if _warns(item) for value in told_values(question, item)}
    if not warned or any(cue(name, question.language).search(question.text) for name in ("warns", "revisions")):
        return list(scored)
    bad = {id(item) for item in about if set(told_values(question, item)) <= warned}
    floor = _NEAR * scored[0].score
    sound = next((item for item in about if id(item) not in bad and item.score >= floor), None)
    if sound is None:
        return list(scored)
    limit = sound.score - _BEHIND
    moved = [replace(item, score=min(item.score, limit)) if id(item) in bad else item for item in scored]
    return sorted(moved, key=lambda item: -item.score)


def told_values(question: QuestionTerms, item: ScoredUnit) -> Iterator[tuple[Kind, str, float]]:
    """Yield the values of a unit that are asked for and not named by the question: kind, unit of measure, figure.

    Each once: a merged cell of a row stands under several columns.
    """
    unit, language = item.unit, item.unit.hit.chunk.language
    found = in_row(unit.fields, language) if unit.fields else quantities(unit.text, language)
    yield from dict.fromkeys(
        (value.kind, "".join(filter(str.isalnum, value.unit)), value.figure)
        for value in found
        if value.kind in question.wants and value.figure is not None and value.text not in question.text
    )


def _warns(item: ScoredUnit) -> bool:
    return cue("warns", item.unit.hit.chunk.language).search(item.unit.text) is not None


_ALIKE = 0.85
"""Share of the best unit's score, and of its coverage of the question, from which another speaks of the same."""
_COMPARED = 8
"""Units that are looked at: the best."""


def disagreements(question: str, hits: Sequence[Hit], lexicon: Lexicon) -> tuple[str, ...]:
    """Return a line for each pair of sources among `hits` that give different values for what is asked."""
    asked = read_question(question, lexicon, languages_of(hits))
    return conflict_lines(asked, conflicting_pairs(asked, score_units(asked, hits, lexicon)))


def conflict_lines(question: QuestionTerms, pairs: Sequence[tuple[ScoredUnit, ScoredUnit]]) -> tuple[str, ...]:
    """Return each pair as a line that names both sources and what they say."""
    return tuple(
        " - but ".join(f"{one.unit.hit.uri} says: {quote_text(one.unit, question)}" for one in pair) for pair in pairs
    )


def conflicting_pairs(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[tuple[ScoredUnit, ScoredUnit]]:
    """Return the best unit that gives a value, with each of another document that answers as well and gives another.

    Values are compared where both units give exactly one of a kind that is asked for, in the same unit of measure.
    """
    if not scored or not question.wants:
        return []
    score, coverage = _ALIKE * scored[0].score, _ALIKE * scored[0].coverage
    close = [item for item in scored[:_COMPARED] if item.gives and item.score >= score and item.coverage >= coverage]
    return [(close[0], other) for other in close[1:] if _disagree(question, close[0], other)]


def _disagree(question: QuestionTerms, one: ScoredUnit, other: ScoredUnit) -> bool:
    if one.unit.hit.document == other.unit.hit.document or _subject(one) != _subject(other):
        return False
    values = [*told_values(question, one)], [*told_values(question, other)]
    if any(len(given) != 1 for given in values):
        return False
    (*measure, figure), (*other_measure, other_figure) = values[0][0], values[1][0]
    return measure == other_measure and not isclose(figure, other_figure, abs_tol=1e-9)


def _subject(item: ScoredUnit) -> frozenset[str]:
    """The terms of the question that a unit is about: itself, or by its headings."""
    return frozenset(term for term, cover in item.covers.items() if cover >= ABOVE)
