"""The rows of tables among scored units, and the columns that a question asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pipelines.lang.quantities import Kind, gives
from pipelines.lang.terms import terms, words
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.evidence_score import ScoredUnit, score_units
from pipelines.retrieve.given_values import tells_kind
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.related_words import likeness
from pipelines.retrieve.searches import Retrieval, WholeCorpus
from pipelines.retrieve.term_cover import ABOVE

_BEST = 6
"""Number of best units among which a row of the table with the totals is searched."""
_LACKING = 0.2
"""Share of a question's weight that a table and its headings lack at least if it is about something else: "contain" may
be missing."""
_FEW_ROWS = 8
"""Maximum rows that are quoted if a question names a column of them only."""
_DIFFER = 2 / 3
"""Minimum share of different cells in the column that tells rows apart: a name may come twice."""


def table_of(item: ScoredUnit) -> str:
    """Return the id of a row's table, or if it is unknown, document and header."""
    return item.unit.table or f"{item.unit.hit.document} {item.unit.header}"


def rows_by_table(scored: Iterable[ScoredUnit]) -> dict[str, list[ScoredUnit]]:
    """Return the rows with cells by their table, in the order of `scored`."""
    found: dict[str, list[ScoredUnit]] = {}
    for item in scored:
        if item.has_cells:
            found.setdefault(table_of(item), []).append(item)
    return found


def whole_table(question: QuestionTerms, row: ScoredUnit, retrieval: Retrieval) -> list[ScoredUnit]:
    """Return the scored units of all chunks with a row's table; none if the table or its chunks are unknown."""
    if not row.unit.table or not isinstance(retrieval, WholeCorpus):
        return []
    hits = [replace(hit, score=row.unit.hit.score) for hit in retrieval.whole_tables(row.unit.hit.chunk.id)]
    return score_units(question, hits, retrieval.lexicon)


def rows_alike(question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit]) -> int:
    """Return the number of rows of the best unit's table if the question names none of them, else 0.

    It does if a word of it is in a cell, or if the rows cover it differently. A question for several rows asks for all.
    """
    selects = question.several or question.counts or question.comparison or question.sides
    if selects or not best.has_cells or best.unit.is_named(question.text):
        return 0
    told = tells_kind(question, best.unit)
    rows = [item for item in rows_by_table(scored)[table_of(best)] if item.covers == best.covers]
    rows = [item for item in rows if tells_kind(question, item.unit) == told]
    named = question.forms(best.language) & terms_of((cell for _, cell in best.unit.fields), best.language)
    return len(rows) if len(rows) > 1 and not named else 0


def rows_around(
    question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> list[ScoredUnit]:
    """Return the rows of a row's table in reading order: all of them, or those that were found if it is unknown."""
    around = in_reading_order(whole_table(question, best, retrieval) or scored)
    return [item for item in around if table_of(item) == table_of(best) and not item.unit.label]


def rows_of_kind(
    question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> list[ScoredUnit]:
    """Return all rows of the best one's table if a question asks which there are, and names none of them.

    The noun that it asks for is the name of the first column: "Which components does Solvanol K contain?".
    """
    if question.counts or not rows_alike(question, best, scored):
        return []
    asked = {question.form(term, best.language) for term in question.focus}
    lacks = question.share({term: 1.0 for term, cover in best.covers.items() if cover < ABOVE})
    of_kind = asked and asked <= terms_of(column_names(best)[:1], best.language) and lacks < _LACKING
    return rows_around(question, best, scored, retrieval) if of_kind else []


def rows_of_column(
    question: QuestionTerms, best: ScoredUnit, scored: Sequence[ScoredUnit], retrieval: Retrieval
) -> list[ScoredUnit]:
    """Return all rows of the best one's small table if a question names a column of it, and none of its rows.

    "Who works on Wednesday?" asks for the early, the late and the night shift.
    """
    alike = rows_alike(question, best, scored)
    if not 1 < alike <= _FEW_ROWS:
        return []
    named = [terms_of((name,), best.language) for name in column_names(best)[1:]]
    asked = sum(bool(own) and question.has_all(own, best.language) for own in named)
    rows = rows_around(question, best, scored, retrieval) if asked == 1 else []
    return rows if len(rows) == alike else []


def is_total(row: ScoredUnit) -> bool:
    """Whether a row adds up the others: its first filled cell says "Total" in any language."""
    name = next((cell for cell in (row.unit.group, *(cell for _, cell in row.unit.fields)) if cell), "")
    return row.has_cells and cue("total_row").fullmatch(name.strip(" :.")) is not None


def total_row(question: QuestionTerms, scored: Sequence[ScoredUnit], retrieval: Retrieval) -> ScoredUnit | None:
    """Return the row with the totals of the best table if a question asks for one, and names no other row of it."""
    best = next((item for item in scored[:_BEST] if item.has_cells), None)
    if best is None or not cue("asks_total", question.language).search(question.text):
        return None
    rows = rows_by_table(whole_table(question, best, retrieval) or scored)[table_of(best)]
    totals = [row for row in rows if is_total(row)]
    forms = question.forms(best.language)
    others = (cell for row in rows if row not in totals for _, cell in row.unit.fields[:1])
    if not totals or forms & (terms_of(others, best.language) - terms_of(column_names(best), best.language)):
        return None
    return in_reading_order(totals)[-1]


def in_reading_order(items: Iterable[ScoredUnit]) -> list[ScoredUnit]:
    """Return units of one document by their place in it."""
    return sorted(items, key=lambda item: item.unit.span)


def terms_of(texts: Iterable[str], language: str) -> frozenset[str]:
    """Return the terms of texts in a language, stop words included."""
    return frozenset(terms(" ".join(texts), language, stop=False))


def column_names(row: ScoredUnit) -> Sequence[str]:
    """Return the names of a row's columns."""
    return [name for name, _ in row.unit.fields]


def naming_column(items: Sequence[ScoredUnit]) -> int:
    """Return the first column whose cells differ in most rows, 0 if there is none: names come before properties."""
    rows = [[cell for _, cell in item.unit.fields] for item in items if item.has_cells]
    distinct = (len(set(cells)) / len(rows) for cells in zip(*rows, strict=False))
    return next((place for place, share in enumerate(distinct) if share >= _DIFFER), 0)


def columns_asked(question: QuestionTerms, unit: EvidenceUnit, listed: bool = False) -> set[int]:
    """Return the columns that the question names or asks for, and those whose cells it names.

    The result is empty, for the whole row, if the question asks for no column but the first one, those whose cells it
    names, and those that only introduce a code ("alarm A102").
    """
    language = unit.hit.chunk.language
    forms = question.forms(language)
    rows = list(enumerate(unit.fields))
    by_name = {place: _forms_in(question, name, language) for place, (name, _) in rows}
    first = set[int]() if unit.is_paired else {0}
    wanted = {place for place, found in by_name.items() if found}
    who = question.wants == {Kind.PERSON} and any(_is_name(unit.fields[place][1]) for place in wanted - first)
    if not who:  # "Leader" is who leads, "Deputy" is a person too
        wanted |= {
            place
            for place, (name, cell) in rows
            if any(gives(question.wants, told, language) for told in (name, f"{name} |\n{cell}"))
            or question.wants_of(name, cell, language)
        }
    named = {place for place, (_, cell) in rows if forms.intersection(terms(cell, language, stop=False))}
    if listed:
        return wanted - first
    apposed = question.apposed(language)
    introducing = {place for place, found in by_name.items() if found and found <= apposed}
    return wanted | named if wanted - named - introducing - first else set()


def _is_name(cell: str) -> bool:
    """Whether a cell can be the name of a person or firm: words that all begin with a capital."""
    found = cell.split()
    return bool(found) and all(word[0].isupper() for word in found)


def _forms_in(question: QuestionTerms, name: str, language: str) -> frozenset[str]:
    """Return the forms of the question's terms that are in a column's name, also of words of one root: "leads"."""
    own = terms(name, language, stop=False)
    others = words(name, language)
    return frozenset(
        form
        for term, word in question.words.items()
        if (form := question.form(term, language)) in own
        or any(likeness(word, other, question.language) == 1 for other in others)
    )


def columns_of_codes(question: QuestionTerms, unit: EvidenceUnit) -> set[int]:
    """Return the columns whose names have a code of the question ("K80-250"), and those without any code (units)."""
    named = [frozenset(terms(name, unit.hit.chunk.language, stop=False)) for name, _ in unit.fields]
    wanted = {index for index, found in enumerate(named) if found & question.codes}
    rivals = {index for index, found in enumerate(named) if any(any(c.isdigit() for c in term) for term in found)}
    return wanted | (set(range(len(named))) - rivals) if wanted else set()
