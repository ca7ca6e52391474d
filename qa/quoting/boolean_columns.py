"""Selects the rows of a table by a boolean column: its cells say yes or no, in words or signs ("Milk frother: ✓").

So do empty cells, if the question negates the name of their column ("Which line has no shift leader?"). A column is
boolean too if some of its cells have a word that the question negates ("Which pumps are not running?").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms, term_places, terms_at
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.table_series import ScoredCell, Series, asked_cells, name_terms, whole_column
from pipelines.retrieve.tables import terms_of
from pipelines.retrieve.term_cover import ABOVE
from qa.quoting.quotes import Quotes
from qa.quoting.row_selection import quote_rows


def flagged_rows(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> Quotes | None:
    """Return the rows that a question selects by a boolean column; None for other questions and tables."""
    selects = cue("selects", question.language).search(question.text) is not None
    if not (selects or question.several or question.counts):
        return None
    denial = cue("denies", question.language).search(question.text)
    said = terms_at(question, *denial.span()) if denial else frozenset[str]()
    negated = _negated(question, denial.end(), said) if denial else []
    word = next(iter(negated), "")
    for one in negated:
        if empty := _empty(question, said, one, scored, retrieval):
            return empty
    found = max(_columns(question, said, word, scored), key=lambda one: one[:3], default=None)
    if found is None or 2 * found[1] < _weight(question, question.weights.keys() - said - {word}):
        return None
    return _selection(question, found[3], retrieval, said, "" if found[0] else word, denial is not None)


def _negated(question: QuestionTerms, end: int, said: frozenset[str]) -> list[str]:
    """Return the terms that a negation ending at `end` may negate: the next one, then the last one before it."""
    places = sorted((start, term) for term, start, _ in term_places(question) if term not in said)
    behind, before = ([term for start, term in places if (start >= end) == after] for after in (True, False))
    return [*behind[:1], *before[-1:]]


def _columns(
    question: QuestionTerms, said: frozenset[str], word: str, scored: Sequence[ScoredUnit]
) -> Iterator[tuple[bool, float, bool, ScoredCell]]:
    """Yield cells behind the first one with (yes or no, weight of the question's terms in the context, sole, cell).

    They say yes or no, in a column with most of the question's terms in its name; or they have the negated `word`,
    which says nothing about single rows if it is in the headings; `sole` is false for "dry running".
    """
    for item in scored:
        cells = [ScoredCell(item, place) for place in range(len(item.unit.fields))] if item.has_cells else []
        named = [_named(question, cell) - said for cell in cells]
        most = max((_weight(question, terms) for terms in named), default=0.0)
        about = {term for term, cover in item.covers.items() if cover >= ABOVE} - said
        above, language = item.unit.above, item.language
        for cell, terms in list(zip(cells, named, strict=True))[1:]:
            if not terms <= named[0] and _weight(question, terms) >= most and _is_flag(cell):
                yield True, _weight(question, about | terms), True, cell
            elif word and _affirms(cell, word, question) and question.form(word, language) not in above:
                sole = len(terms_of([cell.text], language)) == 1
                yield False, _weight(question, about - {word}), sole, cell


def _empty(
    question: QuestionTerms, said: frozenset[str], word: str, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> Quotes | None:
    """Return the rows that have nothing in the column of the negated `word`: "Which line has no shift leader?"."""
    rows = (item for item in scored if item.has_cells)
    cells = (ScoredCell(item, place) for item in rows for place in range(1, len(item.unit.fields)))
    cell = next((one for one in cells if word in _named(question, one)), None)
    if cell is None:
        return None
    column = whole_column(Series.of_column([cell.item], cell.place), question, retrieval)
    chosen = [one for one in column if not any(map(str.isalnum, one.text))]
    if not chosen or len(chosen) == len(column):
        return None
    series = Series.of_column([one.item for one in column], cell.place)
    return quote_rows(question, series, chosen, said | _named(question, cell), len(column), "have none as well")


def _weight(question: QuestionTerms, terms: Collection[str]) -> float:
    return sum(question.weights[term] for term in terms)


def _selection(
    question: QuestionTerms, cell: ScoredCell, retrieval: Retrieval, said: frozenset[str], word: str, denied: bool
) -> Quotes | None:
    """Return the rows of a cell's column with yes, or with a `word`; if `denied`, the others.

    None if these are no rows, or for a word all, and if another cell than those with yes and no is filled.
    """
    series = Series.of_column([cell.item], cell.place)
    said |= {word} if word else _named(question, cell)
    cells = [one for one in whole_column(series, question, retrieval) if one.text.strip() or not word]
    if not word and not all(_is_flag(one) or not one.text.strip() for one in cells):
        return None
    if not word:
        cells = asked_cells(question, replace(series, cells=tuple(cells)), said)
    has = [_affirms(one, word, question) if word else _is(one, "yes") for one in cells]
    chosen = sorted((one for one, yes in zip(cells, has, strict=True) if yes is not denied), key=lambda one: one.key)
    if not chosen or (word and len(chosen) == len(cells)):
        return None
    alike = "lack it as well" if denied else "have it as well"
    return quote_rows(question, series, chosen, said & question.weights.keys(), len(cells), alike)


def _named(question: QuestionTerms, cell: ScoredCell) -> frozenset[str]:
    """Return the terms of the question in the name of a cell's column."""
    names = name_terms(cell.column, cell.item.language)
    return frozenset(term for term in question.weights if question.form(term, cell.item.language) in names)


def _is_flag(cell: ScoredCell) -> bool:
    return _is(cell, "yes") or _is(cell, "no")


def _is(cell: ScoredCell, answer: str) -> bool:
    """Whether a cell says only `answer`, yes or no, in any language."""
    return cue(answer).fullmatch(cell.text.strip()) is not None


def _affirms(cell: ScoredCell, term: str, question: QuestionTerms) -> bool:
    """Whether a cell has a term of the question, and no negation."""
    has_it = question.form(term, cell.item.language) in terms_of([cell.text], cell.item.language)
    return has_it and cue("denies", cell.item.language).search(cell.text) is None
