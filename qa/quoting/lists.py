"""Quotes whole lists: all rows of a table or items of a list, for a question about all of a kind.

Also quotes the text below a heading or a colon that is the best unit, since it only names the subject.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Self

from pipelines.lang.quantities import Kind
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.retrieve.list_items import COLONS, is_item
from pipelines.retrieve.question_terms import QuestionTerms
from qa.quoting.evidence_score import OWN, ScoredUnit
from qa.quoting.list_items import items_around

_MAX_ITEMS = 20
"""Maximum quoted rows or items; the number of others is stated."""
_MAX_SENTENCES = 6
"""Maximum quoted sentences below a heading."""
_AS_GOOD = 0.95
"""Minimum score of rows that are listed in place of the best unit, relative to it, if they cover as much."""
_DECISIVE = 0.2
"""If a term in only one row has at least this share of the question's weight, the question is about this row. The same
share is required of a further quoted unit (`qa.quoting.answer_selection`)."""


@dataclass(frozen=True, slots=True)
class WholeList:
    """The quoted rows or items in reading order, and the number of others (`left`).

    `sure` is false if the list ends with its passage, and may continue in the next one.
    """

    items: tuple[ScoredUnit, ...]
    left: int = 0
    sure: bool = True

    @classmethod
    def of(cls, found: Sequence[ScoredUnit], most: int = _MAX_ITEMS, *, sure: bool = True) -> Self:
        """Return the first `most` of the units `found`, at least one, as a list."""
        return cls(tuple(found[:most]), max(0, len(found) - most), sure)

    @property
    def count(self) -> str:
        """The number of rows or items, if the list is complete, else empty."""
        unit = "rows" if self.items[0].unit.is_row else "items"
        return f"{len(self.items) + self.left} {unit}" if self.sure else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """A warning if the list is not, or may not be, complete."""
        if self.left:
            return (not_complete(self.left),)
        return () if self.sure else ("The list may not be complete: it may continue after the quoted passage.",)


def not_complete(left: int) -> str:
    """Return the warning that `left` sentences or rows of a list are not quoted."""
    return f"The list is not complete: {left} more sentences or rows are omitted."


def whole_list(question: QuestionTerms, best: ScoredUnit, others: Sequence[ScoredUnit]) -> WholeList | None:
    """Return the list that the best unit belongs to or introduces, or None if it is not a row or an item.

    `others` are the units of the chunks with the best unit's table, or of its chunk. Table rows are omitted if they
    lack terms that the question, the best row and other rows share (the connector, the interval), or if their cells in
    the columns named by the question are empty. If one row alone has much of the question, there is no list.
    """
    in_order = sorted(others, key=lambda item: item.unit.span)
    if best.unit.header:
        rows = [item for item in in_order if table_of(item) == table_of(best) and not item.unit.label]
        return whole_table(_of_the_same(question, best, rows))
    items, sure = items_around(best, in_order)
    return WholeList.of(items, sure=sure) if len(items) > 1 else None


def counts_rows(question: QuestionTerms, best: ScoredUnit) -> bool:
    """Whether a question for a number is answered by the number of rows of the best unit's table.

    The word nearest to "how many" must name what all rows are: in the headings or the first column name, and in no
    other column name, and no column may have numbers of things.
    """
    if not question.counts or question.comparison or best.unit.label or not best.unit.fields:
        return False
    language = best.unit.hit.chunk.language
    (first, _), *others = best.unit.fields
    form = question.form(question.counted, language)
    is_named = form in best.unit.above | terms_of((first,), language)
    return is_named and not any(
        form in terms_of((name,), language) or Kind.NUMBER in value_kinds(name, language) for name, _ in others
    )


def first_row(best: ScoredUnit, scored: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the best row of a table of which several rows are as good as the best unit, if there is such a table."""
    rows = [item for item in scored if item.unit.fields and not item.unit.label]
    good = [item for item in rows if item.coverage >= best.coverage and item.score >= _AS_GOOD * best.score]
    tables = Counter(map(table_of, good))
    return next((item for item in good if tables[table_of(item)] > 1), best)


def whole_table(rows: Sequence[ScoredUnit]) -> WholeList | None:
    """Return rows in reading order as a list, None if there are none."""
    found = sorted(rows, key=lambda item: item.unit.span)
    return WholeList.of(found) if found else None


def below(question: QuestionTerms, best: ScoredUnit, others: Sequence[ScoredUnit]) -> WholeList | None:
    """Return a heading that is the best unit with the units below it in its chunk (of `others`), up to the next one.

    The same applies to the heading above the best unit if the question asks how to do what it names, and to a sentence
    that ends with a colon, with the items or rows below, else the next sentence. None in all other cases.
    """
    own = [item for item in others if item.unit.hit.chunk.id == best.unit.hit.chunk.id]
    own.sort(key=lambda item: item.unit.span)
    head = _head(question, best, own)
    unit = head.unit
    if unit.is_row or not (unit.label or unit.text.endswith(COLONS)):
        return None
    found = list(takewhile(lambda item: not item.unit.label, own[own.index(head) + 1 :]))
    listed = list(takewhile(lambda item: item.unit.is_row or is_item(item.unit), found))
    if not unit.label:
        found = listed or found[:1]
    most = _MAX_ITEMS if listed else _MAX_SENTENCES
    first = found.index(best) if best in found[most:] else 0
    shown = found[first : first + most]
    return WholeList((head, *shown), len(found) - len(shown)) if found else None


def compared(question: QuestionTerms, scored: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    """Return the rows of the best table that has both things compared in a question that asks for no property of them.

    The things are names of columns, and all rows are returned, or in the first cells of rows, and these are returned.
    What their names share ("BrewMaster 300 and BrewMaster 500") asks for no property. The result is empty for other
    questions, and if no table has both.
    """
    rows = [item for item in scored if item.unit.fields and not item.unit.label] if question.sides else []
    for table in dict.fromkeys(map(table_of, rows)):
        own = [item for item in rows if table_of(item) == table]
        sides = {question.form(side, own[0].unit.hit.chunk.language) for side in question.sides}
        names = [name for name, _ in own[0].unit.fields[1:]]
        columns = own if sides == _sides_named(question, names, own[0]) else []
        about = [(_sides_named(question, [item.unit.fields[0][1]], item), item) for item in own]
        of_one = [item for named, item in about if len(named) == 1]
        if columns or sides == frozenset().union(*(named for named, _ in about if len(named) == 1)):
            return columns or of_one
    return []


def _sides_named(question: QuestionTerms, names: Sequence[str], item: ScoredUnit) -> frozenset[str]:
    """Return the sides of a comparison that some of the `names` name, each with all other terms of the question."""
    language = item.unit.hit.chunk.language
    sides = {question.form(side, language) for side in question.sides}
    shared = question.forms(language) - sides
    found = (terms_of((name,), language) for name in names)
    return frozenset().union(*(sides & one for one in found if shared <= one))


def _head(question: QuestionTerms, best: ScoredUnit, own: Sequence[ScoredUnit]) -> ScoredUnit:
    """Return the heading above the best unit if it names most of a question for how to do something, else the unit."""
    above = [item for item in own if item.unit.label and item.unit.span < best.unit.span][-1:]
    if best.unit.label or not above or not cue("how", question.language).search(question.text):
        return best
    named = sum(question.weights[term] for term, cover in above[0].covers.items() if cover >= OWN)
    return above[0] if 2 * named >= question.total else best


def table_of(item: ScoredUnit) -> str:
    """Return the id of a row's table, or if it is unknown, document and header."""
    return item.unit.table or f"{item.unit.hit.document} {item.unit.header}"


def _of_the_same(question: QuestionTerms, best: ScoredUnit, rows: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    language = best.unit.hit.chunk.language
    asked = question.forms(language)
    has = [asked & terms_of((item.unit.group, *(cell for _, cell in item.unit.fields)), language) for item in rows]
    own = next((found for item, found in zip(rows, has, strict=True) if item.unit.span == best.unit.span), frozenset())
    own -= best.unit.above if question.counts else frozenset()  # "pumps in service" below "Pumps in service" are all
    shared = {term for term in own if sum(term in found for found in has) > 1}
    if any(_weight(term, question, language) >= _DECISIVE * question.total for term in own - shared):
        return []
    columns = {name for name, _ in best.unit.fields[1:] if asked & terms_of((name,), language)}
    return [
        item
        for item, found in zip(rows, has, strict=True)
        if shared <= found and (not columns or any(name in columns and cell for name, cell in item.unit.fields))
    ]


def terms_of(texts: Iterable[str], language: str) -> frozenset[str]:
    """Return the terms of texts in a language, stop words included."""
    return frozenset(terms(" ".join(texts), language, stop=False))


def _weight(form: str, question: QuestionTerms, language: str) -> float:
    return max(question.weights[term] for term in question.weights if question.form(term, language) == form)
