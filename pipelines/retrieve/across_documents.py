"""What several documents or sections say of one property, each of its own thing: "Rated flow" in two data sheets.

Units have the same form if only figures and the names of their things differ, or if they are rows with the same label.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from pipelines.lang.characters import fold
from pipelines.lang.magnitudes import magnitude
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.term_cover import ABOVE, OWN

_FIGURES = re.compile(r"\d[\d.,:/-]*")


def same_in_documents(question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the units of the best one's form, one for each document, that cover the question as well as it.

    Sentences have a word of the question themselves. The units are sorted by the names of their documents, without
    superseded ones. The result is empty if no other document has one.
    """
    form, found = _form(question, best), dict[str, ScoredUnit]()
    if not best.has_cells and max(best.covers.values(), default=0.0) < OWN:
        return []
    for item in (best, *scored):
        alike = item.covers == best.covers and not item.unit.label and _form(question, item) == form
        if item is best or (alike and not item.unit.hit.superseded_by):
            found.setdefault(item.unit.hit.document, item)
    return sorted(found.values(), key=lambda item: item.unit.hit.uri) if len(found) > 1 else []


def sides_in_documents(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return what two documents or sections say of the property by which a question compares two things.

    Both units are of the same form, and have different values. If the question asks which thing has more, or less, that
    thing comes first. The result is empty if there is no such pair.
    """
    if len(set(question.sides)) != 2:
        return []
    one, other = (list(_about(question, side, scored)) for side in question.sides)
    alike: dict[tuple[str, frozenset[str]], list[ScoredUnit]] = {}
    for item in other:
        alike.setdefault((_form(question, item), _own_terms(item)), []).append(item)
    pairs = ((a, b) for a in one for b in alike.get((_form(question, a), _own_terms(a)), ()) if _differ(question, a, b))
    best = max(pairs, key=lambda pair: (_told(question, pair[0]), pair[0].score + pair[1].score), default=())
    return sorted(best, key=lambda item: -_figure(question, item))


def _about(question: QuestionTerms, side: str, scored: Iterable[ScoredUnit]) -> Iterator[ScoredUnit]:
    """Yield the units about one side of a comparison alone that have another word of the question themselves."""
    others = [term for term in question.sides if term != side]
    for item in scored:
        alone = item.covers[side] >= ABOVE and all(item.covers[term] < ABOVE for term in others)
        if alone and not item.unit.label and _told(question, item):
            yield item


def _told(question: QuestionTerms, item: ScoredUnit) -> float:
    """Return the weight of the words of a question, apart from the names of the things, that a unit itself has."""
    names = question.names | question.codes
    return sum(question.weights[term] for term, cover in item.covers.items() if cover >= OWN and term not in names)


def _differ(question: QuestionTerms, one: ScoredUnit, other: ScoredUnit) -> bool:
    """Whether two units of one form are about different things, and tell different values."""
    places = {(item.unit.hit.document, item.unit.heading) for item in (one, other)}
    return len(places) > 1 and _nameless(question, one.unit.text) != _nameless(question, other.unit.text)


def _own_terms(item: ScoredUnit) -> frozenset[str]:
    return frozenset(term for term, cover in item.covers.items() if cover >= OWN and not term.isdigit())


def _form(question: QuestionTerms, item: ScoredUnit) -> str:
    """Return the label of a row with its columns, or a sentence without figures and the names in the question."""
    if item.has_cells:
        return fold("|".join((item.unit.fields[0][1], *(name for name, _ in item.unit.fields))))
    return _FIGURES.sub("#", _nameless(question, item.unit.text))


def _nameless(question: QuestionTerms, text: str) -> str:
    """Return a text folded, without the names that a question has with their numbers, and without its codes."""
    folded = fold(text)
    for name, number in question.numbered:
        folded = re.sub(rf"(?<!\w){name}[\W_]?{number}(?!\w)", "", folded)
    for code in question.codes:
        folded = folded.replace(question.words[code], "") if any(map(str.isalpha, code)) else folded
    return folded


def _figure(question: QuestionTerms, item: ScoredUnit) -> float:
    """Return a unit's value, negative if the smallest one is asked for, 0 if none is compared or it has none."""
    asked = question.comparison
    if asked is None or asked.bound:
        return 0.0
    for name, cell in item.unit.fields[1:]:
        if (value := magnitude(name, cell, item.language, asked)) is not None:
            return value.figure if asked.highest else -value.figure
    return 0.0
