"""Answers questions for the rows of a table that have, or lack, what one of its columns tells.

The column tells it by yes and no, or by signs ("Milk frother: ✓"), or, if the question negates a word, by this word in
some of its cells ("Which pumps are not running?").
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pipelines.lang.word_lists import cue
from pipelines.retrieve.searches import Retrieval
from qa.quoting.evidence_score import ABOVE, ScoredUnit
from qa.quoting.lists import terms_of
from qa.quoting.question_terms import QuestionTerms, term_places, terms_at
from qa.quoting.row_selection import SHOWN, RowSelection, asked_cells, selected_row
from qa.quoting.table_series import Cell, Series, name_terms, reading_order, whole_column


def rows_told(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> RowSelection | None:
    """Return the rows that a question selects by what a column tells; None for other questions and tables."""
    selects = cue("selects", question.language).search(question.text) is not None
    if not (selects or question.several or question.counts):
        return None
    denial = cue("denies", question.language).search(question.text)
    said = terms_at(question, *denial.span()) if denial else frozenset[str]()
    word = _negated(question, denial.end(), said) if denial else ""
    columns = [*_flags(question, said, scored), *(_words(question, said, word, scored) if word else ())]
    found = max(columns, key=lambda one: one[:3], default=None)
    rest = sum(weight for term, weight in question.weights.items() if term not in said | {word})
    if found is None or 2 * found[1] < rest:
        return None
    return _selection(question, found[3], retrieval, said, "" if found[0] else word, denial is not None)


def _negated(question: QuestionTerms, end: int, said: frozenset[str]) -> str:
    """Return the term that a negation ending at `end` negates: the next one, else the last one before it."""
    places = sorted((start, term) for term, start, _ in term_places(question) if term not in said)
    behind = [term for start, term in places if start >= end]
    return next(iter([*behind, *(term for _, term in reversed(places))]), "")


def _flags(
    question: QuestionTerms, said: frozenset[str], scored: Sequence[ScoredUnit]
) -> Iterator[tuple[bool, float, bool, Cell]]:
    """Yield the cells with yes or no in columns that the question names, with the weight of its terms in their context.

    The first column has none of them, and no other column has more of the question's terms in its name.
    """
    for cells in _rows(scored):
        named = [_named(question, cell) - said for cell in cells]
        weights = [sum(question.weights[term] for term in terms) for terms in named]
        for cell, terms, weight in zip(cells[1:], named[1:], weights[1:], strict=True):
            if weight and weight >= max(weights) and not terms <= named[0] and _is_flag(cell):
                others = (term for term in question.weights.keys() - said - terms if cell.item.covers[term] >= ABOVE)
                yield True, weight + sum(question.weights[term] for term in others), True, cell


def _words(
    question: QuestionTerms, said: frozenset[str], word: str, scored: Sequence[ScoredUnit]
) -> Iterator[tuple[bool, float, bool, Cell]]:
    """Yield the cells with a term, except in the first column, with the weight of the other terms in their context.

    If the headings have the term, it says nothing about single rows. The third value is whether the cell has only this
    term: "running", not "dry running".
    """
    for cells in _rows(scored):
        covers = cells[0].item.covers
        others = (term for term in question.weights.keys() - said - {word} if covers[term] >= ABOVE)
        context = sum(question.weights[term] for term in others)
        for cell in cells[1:]:
            if _affirms(cell, word, question) and question.form(word, cell.language) not in cell.item.unit.above:
                yield False, context, len(terms_of([cell.text], cell.language)) == 1, cell


def _rows(scored: Sequence[ScoredUnit]) -> Iterator[list[Cell]]:
    for item in scored:
        fields = () if item.unit.label else item.unit.fields
        if len(fields) > 1:
            yield [Cell(item, place, fields[0][1]) for place in range(len(fields))]


def _selection(
    question: QuestionTerms, cell: Cell, retrieval: Retrieval, said: frozenset[str], word: str, denied: bool
) -> RowSelection | None:
    """Return the rows of a cell's column with yes, or with a `word`; if `denied`, the others.

    None if these are no rows, or for a word all, and if another cell than those with yes and no is filled.
    """
    series = Series(cell.column, (cell,), in_row=False, fit=0.0)
    said |= {word} if word else _named(question, cell)
    cells = [one for one in whole_column(series, question, retrieval) if one.text.strip() or not word]
    if not word and not all(_is_flag(one) or not one.text.strip() for one in cells):
        return None
    if not word:
        cells = asked_cells(question, replace(series, cells=tuple(cells)), said)
    has = [_affirms(one, word, question) if word else _is(one, "yes") for one in cells]
    chosen = sorted((one for one, yes in zip(cells, has, strict=True) if yes is not denied), key=reading_order)
    if not chosen or (word and len(chosen) == len(cells)):
        return None
    rows = tuple(selected_row(question, series, one, said & question.weights.keys()) for one in chosen[:SHOWN])
    alike = "lack it as well" if denied else "have it as well"
    left = max(0, len(chosen) - SHOWN)
    return RowSelection(rows, series.name, len(cells), left, alike=alike, counted=question.counts)


def _named(question: QuestionTerms, cell: Cell) -> frozenset[str]:
    """Return the terms of the question in the name of a cell's column."""
    names = name_terms(cell.column, cell.language)
    return frozenset(term for term in question.weights if question.form(term, cell.language) in names)


def _is_flag(cell: Cell) -> bool:
    return _is(cell, "yes") or _is(cell, "no")


def _is(cell: Cell, answer: str) -> bool:
    """Whether a cell says only `answer`, yes or no, in any language."""
    return cue(answer).fullmatch(cell.text.strip()) is not None


def _affirms(cell: Cell, term: str, question: QuestionTerms) -> bool:
    """Whether a cell has a term of the question, and no negation."""
    has_it = question.form(term, cell.language) in terms_of([cell.text], cell.language)
    return has_it and cue("denies", cell.language).search(cell.text) is None
