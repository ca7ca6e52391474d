"""Lists: all rows of a table, or all items of a list, where one of them answers best what asks for all of a kind.

And what stands below a heading or a colon, where that answers best: it names what is said, and does not say it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise, takewhile

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence import EvidenceUnit
from qa.quoting.evidence_score import OWN, ScoredUnit
from qa.quoting.question_terms import QuestionTerms

_MARK = re.compile(r"\s*(?:[-–•●○▪◦·*]|\(?\d{1,3}[.)])\s")
"""What opens an item of a list where the text has kept it."""
_BLANK = "\n\n"
_ROWS = 20
"""Rows or items that are quoted; how many more there are is told."""
_COLONS = (":", "：")
_SENTENCES = 6
"""Sentences below a heading that are quoted."""
_TELLS = 0.2
"""Share of the question's weight from which a term that only one row has says that this row alone is asked about, as
much as a unit has to add to be quoted beside another (`qa.quoting.answer_selection`)."""


@dataclass(frozen=True, slots=True)
class WholeList:
    """The rows or items that are quoted, in reading order, and whether that is all: `left` more belong to them.

    `sure` is false where a list ends with its passage, and may go on in the next one.
    """

    items: tuple[ScoredUnit, ...]
    left: int = 0
    sure: bool = True

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is to be said of a list that is not, or may not be, complete."""
        if self.left:
            return (not_complete(self.left),)
        return () if self.sure else ("The list may not be complete: it may go on where it is not quoted.",)


def not_complete(left: int) -> str:
    """Return what is to be said of a list of which so many sentences or rows are not quoted."""
    return f"The list is not complete: {left} more sentences or rows speak of it."


def is_item(unit: EvidenceUnit) -> bool:
    """Whether a unit is an item of a list: a mark opens it, or no line around it has one and they are no wrapped
    paragraph, as the first word of the next line would have had room."""
    if unit.is_row or unit.label or unit.text.endswith(_COLONS):
        return False
    text, place = unit.hit.chunk.text, unit.span.start - unit.hit.chunk.provenance.span.start
    lines = f"{text[:place].rpartition(_BLANK)[2]}{text[place:].partition(_BLANK)[0]}".strip().split("\n")
    if any(_MARK.match(line) for line in lines):
        return _MARK.match(unit.text) is not None
    width = max(map(len, lines))
    return any(len(line) + 1 + len(_first_word(after)) <= width for line, after in pairwise(lines))


def _first_word(line: str) -> str:
    """The first word of a line; in scripts without blanks, where a line may break in any, two characters."""
    word = line.partition(" ")[0]
    return word[:2] if UNSPACED_CHARACTER.match(word) else word


def whole_list(question: QuestionTerms, best: ScoredUnit, beside: Sequence[ScoredUnit]) -> WholeList | None:
    """Return the list that the best unit is a part of, or opens; None where it is no row and no item.

    `beside` are the units of the chunks that show the best one's table, or of its own chunk. Of a table those rows are
    left out that lack what the best one shares with others and the question names (the connector, the interval), or
    whose cells in the columns that it names are empty. A row that alone has much of the question is no list.
    """
    in_order = sorted(beside, key=lambda item: item.unit.span)
    if best.unit.header:
        rows = [item for item in in_order if _table(item) == _table(best) and not item.unit.label]
        found = _of_the_same(question, best, rows)
        return WholeList(tuple(found[:_ROWS]), len(found) - len(found[:_ROWS])) if found else None
    return _items(best, in_order)


def below(question: QuestionTerms, best: ScoredUnit, beside: Sequence[ScoredUnit]) -> WholeList | None:
    """Return a heading that answers best with what stands below it in its chunk (one of `beside`), up to the next one.

    So also the heading above where the question asks how that is done which it names, and a sentence that ends with a
    colon with the items or rows below, else the next sentence. None where there is none of these, or nothing below.
    """
    own = [item for item in beside if item.unit.hit.chunk.id == best.unit.hit.chunk.id]
    own.sort(key=lambda item: item.unit.span)
    head = _head(question, best, own)
    unit = head.unit
    if unit.is_row or not (unit.label or unit.text.endswith(_COLONS)):
        return None
    found = list(takewhile(lambda item: not item.unit.label, own[own.index(head) + 1 :]))
    listed = list(takewhile(lambda item: item.unit.is_row or is_item(item.unit), found))
    if not unit.label:
        found = listed or found[:1]
    most = _ROWS if listed else _SENTENCES
    first = found.index(best) if best in found[most:] else 0
    shown = found[first : first + most]
    return WholeList((head, *shown), len(found) - len(shown)) if found else None


def _head(question: QuestionTerms, best: ScoredUnit, own: Sequence[ScoredUnit]) -> ScoredUnit:
    """The heading above the best unit where it names most of what is asked how it is done, else the unit itself."""
    above = [item for item in own if item.unit.label and item.unit.span < best.unit.span][-1:]
    if best.unit.label or not above or not cue("how", question.language).search(question.text):
        return best
    named = sum(question.weights[term] for term, cover in above[0].covers.items() if cover >= OWN)
    return above[0] if 2 * named >= question.total else best


def _table(item: ScoredUnit) -> str:
    """What tells the table of a row: its id, or where that is not known the header."""
    return item.unit.table or f"{item.unit.hit.document} {item.unit.header}"


def _of_the_same(question: QuestionTerms, best: ScoredUnit, rows: Sequence[ScoredUnit]) -> list[ScoredUnit]:
    language = best.unit.hit.chunk.language
    asked = question.forms(language)
    has = [asked & _terms((item.unit.group, *(cell for _, cell in item.unit.fields)), language) for item in rows]
    own = next((found for item, found in zip(rows, has, strict=True) if item.unit.span == best.unit.span), frozenset())
    shared = {term for term in own if sum(term in found for found in has) > 1}
    if any(_weight(term, question, language) >= _TELLS * question.total for term in own - shared):
        return []
    columns = {name for name, _ in best.unit.fields[1:] if asked & _terms((name,), language)}
    return [
        item
        for item, found in zip(rows, has, strict=True)
        if shared <= found and (not columns or any(name in columns and cell for name, cell in item.unit.fields))
    ]


def _terms(texts: Iterable[str], language: str) -> frozenset[str]:
    return frozenset(terms(" ".join(texts), language, stop=False))


def _weight(form: str, question: QuestionTerms, language: str) -> float:
    return max(question.weights[term] for term in question.weights if question.form(term, language) == form)


def _items(best: ScoredUnit, in_order: Sequence[ScoredUnit]) -> WholeList | None:
    """The items around a unit, or behind it where it opens a list."""
    own = [item for item in in_order if item.unit.hit.chunk.id == best.unit.hit.chunk.id]
    place = next((place for place, item in enumerate(own) if item.unit.span == best.unit.span), len(own))
    opens = not is_item(best.unit)
    first = last = place + opens
    while last < len(own) and is_item(own[last].unit):
        last += 1
    while first and not opens and is_item(own[first - 1].unit):
        first -= 1
    if last - first < 2:
        return None
    items = own[first:last]
    return WholeList(tuple(items[:_ROWS]), len(items) - len(items[:_ROWS]), sure=last < len(own))
