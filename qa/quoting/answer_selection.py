"""Which few sentences are quoted: the best one, and those that cover terms of the question that it does not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pipelines.core.ids import normalize
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import asks_no_value
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS
from qa.quoting.evidence_score import OWN, ScoredUnit
from qa.quoting.lists import not_complete
from qa.quoting.question_terms import QuestionTerms

_GAIN = 0.1
"""Share of the question's weight that a further sentence must add to be chosen."""
_FLOOR = 0.55
"""Share of the best sentence's score below which none is added."""
_NEEDED = 0.2
"""Share of the question's weight that a unit must add to be quoted."""
_NEAR_BEST = 0.8
"""Share of the best unit's score that it must have."""
_VALUE_NEAR, _OTHERS_NEAR = 0.97, 0.6
"""Share of the best score from which a unit that gives a value, a reason or a formal value goes before others."""
_FORMAL = frozenset({Kind.MONEY, Kind.PHONE, Kind.MAIL})
"""Kinds of values whose form alone tells them: a question for one is answered by nothing else."""
_SERIES = 6
"""Sentences quoted for a question that asks for several things; more are told by number."""
_GATHERED = "The list may not be complete: it is gathered from single sentences."


def select_units(question: QuestionTerms, scored: Sequence[ScoredUnit], limit: int) -> list[ScoredUnit]:
    """Return up to `limit` units, the best first; each further one covers terms that those before it do not."""
    if not scored:
        return []
    chosen = [_first(question, scored)]
    while len(chosen) < limit:
        covered = combined_cover(chosen)
        rest = [item for item in scored if item.score >= _FLOOR * scored[0].score and _is_new(item, chosen)]
        gains = [(gain(question, covered, item.covers), item) for item in rest]
        useful = [(added + item.score / 4, item) for added, item in gains if added >= _GAIN]
        if not useful:
            break
        chosen.append(max(useful, key=lambda pair: pair[0])[1])
    return chosen


def _first(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """The best unit, or one nearly as good that gives a value of the kind asked for where the best gives none.

    A reason has to stand in the same document, a price has to be that of the part that the question names by its code.
    """
    best, reason, formal = scored[0], Kind.REASON in question.wants, question.wants <= _FORMAL
    near = (_OTHERS_NEAR if reason or formal else _VALUE_NEAR) * best.score
    giving = _giving_of_the_named(question, scored) if formal else scored
    close = (item for item in giving if item.gives and item.score >= near)
    return next((item for item in close if not reason or item.unit.hit.document == best.unit.hit.document), best)


def _giving_of_the_named(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """The units that give a value, of the things that the question names by codes with letters, if some unit has one.

    Those that speak of most of them: of "P-1107 for the K65-200" both, of "P-1107 or P-1108" either.
    """
    codes = [code for code in question.codes if any(map(str.isalpha, code))]
    named = {id(item): sum(item.covers.get(code, 0.0) >= OWN for code in codes) for item in scored}
    giving = [item for item in scored if item.gives]
    most = max((named[id(item)] for item in giving), default=0)
    return [item for item in giving if named[id(item)] == most] if most or not any(named.values()) else []


def lacks_formal_value(question: QuestionTerms, quoted: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]) -> bool:
    """Whether a price, a phone number or a mail address is asked for and none is quoted: the answer has to be one.

    Of a part that the question names by its code it has to be that part's.
    """
    if not question.wants or not question.wants <= _FORMAL or asks_no_value(question.text, question.language):
        return False
    quotes = {(item.unit.hit.document, item.unit.span) for item in quoted}
    return quotes.isdisjoint((one.unit.hit.document, one.unit.span) for one in _giving_of_the_named(question, scored))


def select_quotes(
    question: QuestionTerms, chosen: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]
) -> list[ScoredUnit]:
    """Return those of the chosen units that are quoted: the best, and those that add much.

    A question that asks for several things ("summarise", "which checks") has the best sentences of one document
    instead, in their order.
    """
    if not chosen:
        return []
    if question.several and not chosen[0].unit.header:
        return _series(chosen[0], scored)[0]
    kept = [chosen[0]]
    for item in chosen[1:]:
        covered = combined_cover(kept)
        adds = gain(question, covered, item.covers) >= _NEEDED and item.score >= _NEAR_BEST * chosen[0].score
        if (adds or _names_another(question, covered, item)) and not item.unit.label:
            kept.append(item)
    return [*kept, *_other_sides(question, kept, scored)]


def _other_sides(
    question: QuestionTerms, kept: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]
) -> Iterator[ScoredUnit]:
    """Yield for each side of a comparison that the units kept leave out the best one that speaks of it.

    It goes before others where it is of the same table: two rows are compared by the same columns.
    """
    for side in question.sides:
        if any(item.covers.get(side, 0.0) >= OWN for item in kept):
            continue
        speak = [
            item
            for item in scored
            if item.covers.get(side, 0.0) >= OWN and item.score >= _FLOOR * kept[0].score and not item.unit.label
        ]
        alike = (item for item in speak if item.unit.table and item.unit.table == kept[0].unit.table)
        if found := next(alike, next(iter(speak), None)):
            yield found


def _names_another(question: QuestionTerms, covered: Mapping[str, float], item: ScoredUnit) -> bool:
    """Whether a unit speaks of a thing named by its code of which none so far does: the other side of a comparison."""
    return any(item.covers.get(code, 0.0) >= OWN > covered.get(code, 0.0) for code in question.codes)


def incomplete(question: QuestionTerms, chosen: Sequence[ScoredUnit], scored: Sequence[ScoredUnit]) -> tuple[str, ...]:
    """Return what is to be said of several things quoted that are no whole list: that there is, or may be, more."""
    if not question.several or not chosen or chosen[0].unit.header:
        return ()
    left = len(_series(chosen[0], scored)[1])
    return (not_complete(left),) if left else (_GATHERED,) * question.lists


def _series(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> tuple[list[ScoredUnit], list[ScoredUnit]]:
    """The sentences of the best one's document that are nearly as good; and those too many."""
    own = (item for item in scored if item.unit.hit.document == best.unit.hit.document and not item.unit.label)
    found = [item for item in own if item.score >= _NEAR_BEST * best.score and len(item.unit.own) >= MIN_SENTENCE_TERMS]
    return sorted(found[:_SERIES], key=lambda item: item.unit.span) or [best], found[_SERIES:]


def combined_cover(items: Sequence[ScoredUnit]) -> dict[str, float]:
    """Return for each term the best cover that any of the units gives."""
    covered: dict[str, float] = {}
    for item in items:
        for term, cover in item.covers.items():
            covered[term] = max(cover, covered.get(term, 0.0))
    return covered


def gain(question: QuestionTerms, covered: Mapping[str, float], covers: Mapping[str, float]) -> float:
    """Return the share of the question's weight that `covers` adds to what is `covered`."""
    added = sum(question.weights[term] * max(0.0, cover - covered.get(term, 0.0)) for term, cover in covers.items())
    return added / (question.total or 1.0)


def _is_new(item: ScoredUnit, chosen: Sequence[ScoredUnit]) -> bool:
    text = normalize(item.unit.text)
    return all(
        text != normalize(other.unit.text)
        and not (item.unit.hit.document == other.unit.hit.document and item.unit.span.overlaps(other.unit.span))
        for other in chosen
    )
