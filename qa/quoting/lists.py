"""Quotes whole lists: all rows of a table or items of a list, for a question about all of a kind.

Also quotes the text below a heading or a colon that is the best unit, since it only names the subject.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import takewhile

from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.lang.word_lists import cue
from pipelines.retrieve.across_documents import same_in_documents
from pipelines.retrieve.below import head_of, repeats, said_of, steps_behind
from pipelines.retrieve.entries import COLONS
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.list_items import introduced, is_item, item_at, items_after, items_around
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.searches import Retrieval
from pipelines.retrieve.tables import (
    column_names,
    in_reading_order,
    rows_around,
    rows_by_table,
    rows_of_column,
    rows_of_kind,
    table_of,
    terms_of,
    whole_table,
)
from pipelines.retrieve.term_cover import ABOVE
from qa.quoting.quotes import MAX_ITEMS, Quotes, not_complete, quote_documents, quote_list, quote_units

_MAX_SENTENCES = 6
"""Maximum quoted sentences below a heading."""
_AS_GOOD = 0.95
"""Minimum score of rows that are listed in place of the best unit, relative to it, if they cover as much."""
_DECISIVE = 0.2
"""If a term in only one row has at least this share of the question's weight, the question is about this row. The same
share is required of a further quoted unit (`qa.quoting.answer_selection`)."""


def listed_at(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> Quotes | None:
    """Return the item of a list at the place that a question asks for, or behind the one that it names."""
    if found := item_at(question, scored):
        return replace(quote_units(question, found[:1]), compared=f"{found[1]} values of the list")
    after = items_after(question, scored)
    return quote_units(question, after) if after else None


def whole_list(
    question: QuestionTerms, chosen: Sequence[ScoredUnit], scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> Quotes | None:
    """Return the rows of a comparison, the list that is asked for, or the text below the heading that is the best unit.

    `chosen` are the rows of the comparison, or the selected units, best first; `scored` are all units. None if the best
    unit neither belongs to a list nor introduces one, or has the value asked for.
    """
    if not chosen:
        return None
    best = chosen[0]
    if compared(question, chosen):
        rows = compared(question, whole_table(question, best, retrieval) or scored)
        return quote_list(question, in_reading_order(rows))
    if not ((counted := counts_rows(question, best)) or question.several):
        return _of_one_kind(question, best, scored, retrieval)
    if alike := quote_documents(question, same_in_documents(question, best, scored) if question.lists else ()):
        return alike
    if not counted and (question.lists or best.unit.header):
        best = _first_row(best, scored)
    if best.unit.header:
        rows = rows_around(question, best, scored, retrieval)
        return quote_list(question, _of_the_same(question, best, rows))
    items, sure = items_around(best, scored) if question.lists else ([], True)
    labelled = [item for item in items if _is_label_of(question, item)]
    return quote_list(question, labelled or (items if len(items) > 1 else ()), sure=sure or bool(labelled))


def _of_one_kind(
    question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> Quotes | None:
    """Return the rows of the kind that a question names, or all of a column, else what is below the best unit."""
    rows = _named_alike(question, best, scored, retrieval) or rows_of_kind(question, best, scored, retrieval)
    if not rows and (column := quote_list(question, rows_of_column(question, best, scored, retrieval))):
        return replace(column, warnings=(f"The question names none of {len(column.items)} rows of the table.",))
    valued = best.gives or (question.wants - {Kind.REASON} and best.unit.label and not repeats(question, best))
    return quote_list(question, rows) or (None if valued else _below(question, best, scored))


def _is_label_of(question: QuestionTerms, item: ScoredUnit) -> bool:
    """Whether the label of a list item is what is asked for: "Capacitors: 47 µF, 1 µF" for "Which capacitors ...?"."""
    label = terms_of(item.unit.labelled[:1], item.language) if item.unit.labelled else frozenset[str]()
    return bool(question.focus) and {question.form(term, item.language) for term in question.focus} <= label


def counts_rows(question: QuestionTerms, best: ScoredUnit) -> bool:
    """Whether a question for a number is answered by the number of rows of the best unit's table.

    The word nearest to "how many" must name what the rows are: in the headings, the first column name, the name of
    another column without figures, or a cell without figures. No column may have numbers of things.
    """
    if not question.counts or question.comparison or not best.has_cells:
        return False
    (first, _), *others = best.unit.fields
    language, form = best.language, question.form(question.counted, best.language)
    if any(Kind.NUMBER in value_kinds(name, language) for name, _ in others):
        return False
    counted = [cell for name, cell in others if form in terms_of((name,), language)]
    words = [cell for _, cell in best.unit.fields if not any(map(str.isdigit, cell))]
    return not any(cell[:1].isdigit() for cell in counted) and bool(
        counted or form in best.unit.above | terms_of((first, *words), language)
    )


def compared(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the rows of the best table that has both things compared in a question that asks for no property of them.

    The things are names of columns, and all rows are returned, or in the first cells of rows, and these are returned.
    What their names share ("BrewMaster 300 and BrewMaster 500") asks for no property. The result is empty for other
    questions, and if no table has both.
    """
    for rows in rows_by_table(scored).values() if question.sides else ():
        sides = {question.form(side, rows[0].language) for side in question.sides}
        if sides == _sides_named(question, column_names(rows[0])[1:], rows[0].language):
            return rows
        about = [(_sides_named(question, [item.unit.fields[0][1]], item.language), item) for item in rows]
        of_one = [(named, item) for named, item in about if len(named) == 1]
        if sides == frozenset().union(*(named for named, _ in of_one)):
            return [item for _, item in of_one]
    return []


def _sides_named(question: QuestionTerms, names: Sequence[str], language: str) -> frozenset[str]:
    """Return the sides of a comparison that some of the `names` name, each with all other terms of the question."""
    sides = {question.form(side, language) for side in question.sides}
    shared = question.forms(language) - sides
    found = (terms_of((name,), language) for name in names)
    return frozenset().union(*(sides & one for one in found if shared <= one))


def _first_row(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the best row of a table of which several rows are as good as the best unit, if there is such a table."""
    good = [item for item in scored if item.coverage >= best.coverage and item.score >= _AS_GOOD * best.score]
    return next((rows[0] for rows in rows_by_table(good).values() if len(rows) > 1), best)


def _below(question: QuestionTerms, best: ScoredUnit, others: Sequence[ScoredUnit]) -> Quotes | None:
    """Return a heading that is the best unit with the units below it in its chunk (of `others`), up to the next one.

    If another heading follows at once, and the question asks how to do what this one names, these are the first steps
    behind it. The same applies to the heading above the best unit if the question asks how to do what it names, or if
    the unit is a list item without a word of the question; to a sentence that ends with a colon, with the items or
    rows below, else the next sentence; and to a unit that only repeats the question, with `said_of` it, unless it asks
    whether that is so. None in all other cases.
    """
    own = in_reading_order(item for item in others if item.unit.hit.chunk.id == best.unit.hit.chunk.id)
    head = head_of(question, best, own)
    unit = head.unit
    behind = own[own.index(head) + 1 :]
    found = list(takewhile(lambda item: not item.unit.label, behind))
    if unit.label and not found and cue("how", question.language).search(question.text):
        found = steps_behind(head, others)
    asks = not cue("whether", question.language).search(question.text)
    said = said_of(question, head, behind) if asks and not (unit.label and found and not unit.is_row) else []
    if not said and (unit.is_row or not (unit.label or unit.text.endswith(COLONS))):
        return None
    listed = list(takewhile(lambda item: item.unit.is_row or is_item(item.unit), found))
    if best.unit.depth and head is not best:  # the list below the heading, not the text behind the list
        found = list(takewhile(lambda item: item.unit.depth, found))
    if not unit.label:
        found = listed or introduced(found)
    found = said or found
    most = MAX_ITEMS if listed else _MAX_SENTENCES
    first = min(found.index(best), len(found) - most) if best in found[most:] else 0
    shown = found[first : first + most]
    if not shown:
        return None
    heads = () if shown[0].unit.group == unit.text else (head,)  # it is named before what is below it
    return quote_units(question, (*heads, *shown), not_complete(len(found) - len(shown)), listed=True)


def _of_the_same(question: QuestionTerms, best: ScoredUnit, rows: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the rows that the question asks for besides the best one; none if it is about this row alone.

    That is so if it has a number, a code or an important word of the question that no other row has.

    Omitted are rows without the terms that the question, the best row and other rows share (the connector, the
    interval), and rows whose cells in the columns named by the question are empty.
    """
    forms = {question.form(term, best.language): weight for term, weight in question.weights.items()}
    has = [forms.keys() & _cell_terms(item) for item in rows]
    own = forms.keys() & _cell_terms(best)
    own -= best.unit.above if question.counts else set()  # "pumps in service" below "Pumps in service" are all
    shared = {term for term in own if sum(term in found for found in has) > 1}
    codes = {question.form(code, best.language) for code in question.codes}
    if any(term in codes or forms[term] >= _DECISIVE * question.total for term in own - shared):
        return []
    columns = {name for name in column_names(best)[1:] if forms.keys() & terms_of((name,), best.language)}
    return [
        item
        for item, found in zip(rows, has, strict=True)
        if shared <= found and (not columns or any(name in columns and cell for name, cell in item.unit.fields))
    ]


def _named_alike(
    question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> list[ScoredUnit]:
    """Return the rows with the words of a question that the best one has: "Which drives ...?", "What does Acme order?".

    These must be most of the question, apart from words in the names of columns and the headings. Cells that name the
    best row are in the others too. The result is empty for one row, and for all rows of a table.
    """
    if question.counts or not best.has_cells:
        return []
    term_of = {question.form(term, best.language): term for term in question.weights}
    own = term_of.keys() & _cell_terms(best)
    alike = sum(table_of(item) == table_of(best) and own <= _cell_terms(item) for item in scored)
    named = best.unit.cells_named(question.text)
    missing = {term for term, cover in best.covers.items() if cover < ABOVE} - (question.asking if named else set())
    lacks, has = (question.share(dict.fromkeys(some, 1.0)) for some in (missing, [term_of[form] for form in own]))
    asks_rows = question.focus and not question.forms(best.language).isdisjoint(
        terms_of(column_names(best)[:1], best.language)
    )
    if alike < 2 or lacks > (0 if named and not asks_rows else has):
        return []
    rows = rows_around(question, best, scored, retrieval)
    found = [row for row in rows if own <= _cell_terms(row) and row.unit.cells_named(question.text) == named]
    return found if 1 < len(found) < len(rows) else []


def _cell_terms(row: ScoredUnit) -> frozenset[str]:
    return terms_of((row.unit.group, *(cell for _, cell in row.unit.fields)), row.language)
