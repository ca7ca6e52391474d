"""Sources with different values for a question, and values that a source warns against."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isclose

from pipelines.lang.quantities import Kind, in_row, quantities
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence_score import ScoredUnit, score_units
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.question_reading import languages_of, read_question
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.quote_text import quote_text
from pipelines.retrieve.searches import Lexicon
from pipelines.retrieve.term_cover import ABOVE

_NEAR = 0.8
"""Minimum coverage of a unit about the same thing, and minimum score of a replacement, relative to the best unit; as in
`select_quotes` for units that are quoted together."""
_BEHIND = 1e-3
"""Difference in score by which a unit is put after another."""


def demote_warned(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the units, with those that have only values that are warned against after the best one with another value.

    The order is unchanged if the question itself is about warnings or revisions, or if no unit nearly as good as the
    best has another value: the warning is then the best answer.
    """
    most = max((item.coverage for item in scored), default=0.0)
    about = [item for item in scored if item.gives and item.coverage >= _NEAR * most]
    warning = [item for item in about if cue("warns", item.language).search(item.unit.text)]
    warned = {value for item in warning for value in _values(question, item)}
    if not warned or any(cue(name, question.language).search(question.text) for name in ("warns", "revisions")):
        return list(scored)
    bad = {id(item) for item in about if set(_values(question, item)) <= warned}
    floor = _NEAR * scored[0].score
    sound = next((item for item in about if id(item) not in bad and item.score >= floor), None)
    if sound is None:
        return list(scored)
    limit = sound.score - _BEHIND
    moved = [replace(item, score=min(item.score, limit)) if id(item) in bad else item for item in scored]
    return sorted(moved, key=lambda item: -item.score)


def _values(question: QuestionTerms, item: ScoredUnit) -> Iterator[tuple[Kind, str, float]]:
    """Yield the values of a unit that are asked for and not in the question, each once: (kind, unit, number)."""
    unit, language = item.unit, item.language
    found = in_row(unit.fields, language) if unit.fields else quantities(unit.text, language)
    yield from dict.fromkeys(
        (value.kind, "".join(filter(str.isalnum, value.unit)), value.figure)
        for value in found
        if value.kind in question.wants and value.figure is not None and value.text not in question.text
    )


_ALIKE = 0.85
"""Minimum score and coverage of a unit about the same thing, relative to the best unit."""
_COMPARED = 8
"""Number of best units that are compared."""


def disagreements(question: str, hits: Sequence[Hit], lexicon: Lexicon) -> tuple[str, ...]:
    """Return a line for each pair of sources among `hits` with different values for the question."""
    asked = read_question(question, lexicon, languages_of(hits))
    return conflict_lines(asked, conflicting_pairs(asked, score_units(asked, hits, lexicon)))


def conflict_lines(question: QuestionTerms, pairs: Sequence[tuple[ScoredUnit, ScoredUnit]]) -> tuple[str, ...]:
    """Return each pair as a line with both sources and their quotes."""
    return tuple(
        " - but ".join(f"{one.unit.hit.uri} says: {quote_text(one.unit, question)}" for one in pair) for pair in pairs
    )


def conflicting_pairs(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[tuple[ScoredUnit, ScoredUnit]]:
    """Return the best unit with a value, paired with each similarly good unit of another document with another value.

    Values are compared if both units have exactly one of the kinds asked for, in the same unit of measure.
    """
    if not scored or not question.wants:
        return []
    score, coverage = _ALIKE * scored[0].score, _ALIKE * scored[0].coverage
    close = [item for item in scored[:_COMPARED] if item.gives and item.score >= score and item.coverage >= coverage]
    return [(close[0], other) for other in close[1:] if _disagree(question, close[0], other)]


def _disagree(question: QuestionTerms, one: ScoredUnit, other: ScoredUnit) -> bool:
    """Whether two units have different values; that of a superseded document is an old one, and no contradiction."""
    hits = one.unit.hit, other.unit.hit
    if (
        hits[0].document == hits[1].document
        or any(hit.superseded_by for hit in hits)
        or _subject(one) != _subject(other)
    ):
        return False
    values = [*_values(question, one)], [*_values(question, other)]
    if any(len(given) != 1 for given in values):
        return False
    (*measure, figure), (*other_measure, other_figure) = values[0][0], values[1][0]
    return measure == other_measure and not isclose(figure, other_figure, abs_tol=1e-9)


def _subject(item: ScoredUnit) -> frozenset[str]:
    """Return the terms of the question in a unit or its headings."""
    return frozenset(term for term, cover in item.covers.items() if cover >= ABOVE)
