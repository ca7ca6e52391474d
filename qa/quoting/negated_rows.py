"""Answers questions that negate a word by the rows of a table without it: "Which pumps are not running?"."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from pipelines.lang.word_lists import cue
from pipelines.retrieve.searches import Retrieval
from qa.quoting.evidence_score import ABOVE, ScoredUnit
from qa.quoting.lists import terms_of
from qa.quoting.question_terms import QuestionTerms
from qa.quoting.row_selection import SHOWN, RowSelection, selected_row
from qa.quoting.table_series import Cell, Series, reading_order, term_places, whole_column


def rows_without(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> RowSelection | None:
    """Return the rows without the negated word of a question for several things, in a column that has it elsewhere."""
    word = cue("denies", question.language).search(question.text) if question.several or question.counts else None
    if word is None:
        return None
    places = sorted((start, end, term) for term, start, end in term_places(question))
    said = {term for start, end, term in places if start < word.end() and word.start() < end}
    before, behind = ([one[2] for one in places if (one[0] >= word.end()) is after] for after in (False, True))
    negated = next((term for term in (*behind, *reversed(before)) if term not in said), "")
    said.add(negated)
    others = question.weights.keys() - said
    found = max(_columns_with(negated, others, question, scored), key=lambda one: one[:2], default=None)
    if found is None or 2 * found[0] < sum(question.weights[term] for term in others):
        return None
    series = Series(found[2].column, (found[2],), in_row=False, fit=0.0)
    cells = [cell for cell in whole_column(series, question, retrieval) if cell.text.strip()]
    chosen = sorted((cell for cell in cells if not _affirms(cell, negated, question)), key=reading_order)
    if not chosen or len(chosen) == len(cells):
        return None
    rows = tuple(selected_row(question, series, cell, said) for cell in chosen[:SHOWN])
    return RowSelection(
        rows,
        series.name,
        len(cells),
        max(0, len(chosen) - SHOWN),
        alike="lack the word as well",
        counted=question.counts,
    )


def _columns_with(
    term: str, others: Collection[str], question: QuestionTerms, scored: Sequence[ScoredUnit]
) -> Iterator[tuple[float, bool, Cell]]:
    """Yield the cells with a term, except in the first column, with the weight of the other terms in their context.

    If the headings have the term, it says nothing about single rows.

    The second value is whether the cell has only this term: "running", not "dry running".
    """
    for item in scored:
        fields = () if item.unit.label else item.unit.fields
        context = sum(question.weights[other] for other in others if item.covers[other] >= ABOVE)
        for place in range(1, len(fields)):
            cell = Cell(item, place, fields[0][1])
            if _affirms(cell, term, question) and question.form(term, cell.language) not in item.unit.above:
                yield context, len(terms_of([cell.text], cell.language)) == 1, cell


def _affirms(cell: Cell, term: str, question: QuestionTerms) -> bool:
    """Whether a cell has a term of the question, and no negation."""
    has_it = question.form(term, cell.language) in terms_of([cell.text], cell.language)
    return has_it and cue("denies", cell.language).search(cell.text) is None
