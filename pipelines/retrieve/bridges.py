"""The second question of one in two steps, without a model: "How much does P-103 weigh?" asks for the pump HX 20.

A bridging question (PIKE-RAG, section 3.2) asks about a thing that another passage leads to: here the row of P-103 in a
list of equipment, with the type "HX 20". The second question asks about that thing what the row does not tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce

from pipelines.lang.characters import UNSPACED_CHARACTER, fold
from pipelines.lang.dates import dates
from pipelines.lang.quantities import quantities
from pipelines.lang.terms import terms, words
from pipelines.retrieve.evidence_score import ScoredUnit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.tables import terms_of
from pipelines.retrieve.term_cover import OWN

_LONGEST = 40
"""Maximum characters of a cell that names a thing."""


@dataclass(frozen=True, slots=True)
class Bridge:
    """A row that the question names, another thing that it names, and the question about that thing."""

    row: ScoredUnit
    thing: str
    question: str


def bridges(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> Iterator[Bridge]:
    """Yield the second questions by the cells of the rows that a question names, each once, best row first.

    There are none for a question that selects or counts rows.
    """
    asked: set[str] = set()
    selects = question.several or question.counts or question.comparison or question.sides
    for item in scored if not selects else ():
        for thing in _things(question, item) if item.has_cells else ():
            second = f"{_rest(question, item)} {thing}"
            if second not in asked:
                asked.add(second)
                yield Bridge(item, thing, second)


def is_about(bridge: Bridge, item: ScoredUnit) -> bool:
    """Whether another unit than the row, or a heading or the title above it, has all words of the other thing."""
    named = (item.unit.own | item.unit.above).issuperset(terms_of((bridge.thing,), item.language))
    return named and not item.unit.overlaps(bridge.row.unit)


def _things(question: QuestionTerms, row: ScoredUnit) -> Iterator[str]:
    """Yield the cells that name another thing than the question: those in a column that it names, and with a code.

    None in a column such as "For": a seal kit for a pump has another price.
    """
    told = frozenset(words(question.text))
    named = [cell for _, cell in row.unit.fields if _is_name(cell) and told.issuperset(words(cell))]
    if not named:
        return
    forms = question.forms(row.language)
    for column, cell in row.unit.fields:
        if column and not terms(column, row.language):
            continue
        by_column = not forms.isdisjoint(terms_of((column,), row.language))
        proper = by_column and all(word[0].isupper() for word in cell.split())
        if cell not in named and _is_name(cell) and (proper or any(map(str.isdigit, cell))):
            yield cell


def _is_name(cell: str) -> bool:
    """Whether a cell can name a thing: it has two letters or a letter and a figure, and is no date or quantity."""
    known = sum(map(str.isalnum, cell)) > 1 and any(map(str.isalpha, cell)) and len(cell) <= _LONGEST
    return known and not (next(iter(dates(cell, "")), None) or quantities(cell, ""))


def _rest(question: QuestionTerms, row: ScoredUnit) -> str:
    """Return the text of a question without the words that a row has."""
    had = {question.words[term] for term, cover in row.covers.items() if cover >= OWN and term not in question.asking}
    left = []
    for word in question.text.split():
        if UNSPACED_CHARACTER.search(word):
            left.append(reduce(lambda rest, one: rest.replace(one, " "), had, fold(word)))
        elif had.isdisjoint(words(word)):
            left.append(word)
    return " ".join(left)
