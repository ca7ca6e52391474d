"""Whether an evidence unit gives a value of the kind that a question asks for."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from pipelines.lang.characters import fold
from pipelines.lang.counting import counts_in_row, counts_in_text
from pipelines.lang.quantities import Kind, gives, is_unit, quantities
from pipelines.lang.questions import value_kinds
from pipelines.lang.terms import terms
from pipelines.lang.word_lists import any_of, cue
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.mail_questions import has_colleague
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.term_cover import TermCover

_REFERENCE = re.compile(rf"{any_of('table', 'figure', 'section', 'appendix', 'page')}[.\s]\s?\d[\w.]*", re.IGNORECASE)
"""The number of a part or a page, which counts nothing: "figure 5.1"."""

_DATED = frozenset({Kind.DATE})
_PERSONS = frozenset({Kind.PERSON})


def gives_value(question: QuestionTerms, unit: EvidenceUnit, coverage: TermCover) -> bool:
    """Whether a unit has a value asked for: with a unit of measure, or in a column with a suitable name.

    If the number of things is asked for, it must be a number of these things.
    """
    language, text = unit.hit.chunk.language, _without(question, unit)
    things = question.words.get(question.counted, "")
    if things and question.wants == {Kind.NUMBER} and not is_unit(things, question.language):
        counted = question.focus if question.counted in question.focus else (question.counted,)
        forms = frozenset().union(*(coverage.forms(term, language) for term in counted))
        if unit.fields:
            return counts_in_row(unit.fields, forms, unit.own | unit.above, question.forms(language), language)
        return counts_in_text(text, forms, language)
    if gives(question.wants, text, language) or tells_frequency(question, unit) or has_colleague(question, unit):
        return True
    return _tells_end(question, unit) or _gives_in_field(question, unit, coverage)


def _gives_in_field(question: QuestionTerms, unit: EvidenceUnit, coverage: TermCover) -> bool:
    """Whether a value asked for is in a column with a suitable name, or behind such a label."""
    language = unit.hit.chunk.language
    if any(question.wants_of(name, cell, language) for name, cell in (*unit.fields[:1], *_labelled(unit))):
        return True
    if question.wants == {Kind.MONEY} and unit.fields and _has_amounts(question, unit):
        named = f"{unit.hit.title} {unit.heading}"
        return any(question.wants_of(named, cell, language) for _, cell in unit.fields[1:])
    who = _labelled(unit) if Kind.PERSON in question.wants else ()
    return any(_names_who(question, name, cell, coverage, language) for name, cell in who)


def _tells_end(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit tells until which date something lasts, if it is asked how long."""
    language = unit.hit.chunk.language
    ends = Kind.TIME in question.wants and cue("until", language).search(unit.text) is not None
    return ends and gives(_DATED, unit.text, language)


def tells_kind(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether the label of a row or line names a kind of value that is asked for: "Weight", not "Payload"."""
    first = unit.fields[0][1] if unit.fields else ""
    labels = (first, *(name for name, _ in _labelled(unit)))
    return any(not question.wants.isdisjoint(value_kinds(label, unit.hit.chunk.language)) for label in labels)


def tells_frequency(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a unit tells how often, if that is asked for: "every month", not "within four hours"."""
    return question.frequency and cue("frequency", unit.hit.chunk.language).search(unit.text) is not None


def _has_amounts(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether the columns of a row are all amounts that a question names: the "2 m" of a price list by length."""
    names = [fold(name) for name, _ in unit.fields]
    return all(any(amount in name for name in names) for amount in _amounts(question.text, question.language))


@lru_cache(maxsize=64)  # called for each row found
def _amounts(text: str, language: str) -> tuple[str, ...]:
    """Return the values in a question, folded."""
    return tuple(fold(value.text) for value in quantities(text, language))


def _names_who(question: QuestionTerms, name: str, cell: str, coverage: TermCover, language: str) -> bool:
    """Whether a cell may be a name, and its column that of persons or of what is asked about.

    Such as "Responsible", and "Maker" for "Who made ...?".
    """
    if not any(map(str.isalpha, cell)) or any(map(str.isdigit, cell)):
        return False  # a date of calibration names nobody
    named = frozenset(terms(name, language))
    of_persons = value_kinds(name, language) == _PERSONS
    return of_persons or any(named & coverage.forms(term, language) for term in question.weights)


def _labelled(unit: EvidenceUnit) -> Sequence[tuple[str, str]]:
    """Return the fields of a row without the first one, or label and text of "Maker: Rocca"."""
    return [unit.labelled] if unit.labelled else unit.fields[1:]


def _without(question: QuestionTerms, unit: EvidenceUnit) -> str:
    """Return the unit's header and text without the numbers of the question, with its heading if a reason is asked
    for, or the date of a version, and with what it describes if a person is.

    The number of a name is left out behind that name only: "35 kW" is a value of the Calora 35.
    """
    text = f"{unit.header}\n{unit.text}"
    if Kind.PERSON in question.wants and not unit.is_row:
        text = f"{unit.group}\n{text}"
    if Kind.REASON in question.wants or (Kind.DATE in question.wants and unit.is_of_version):
        text = f"{unit.heading}\n{text}"
    if Kind.NUMBER in question.wants:
        text = _REFERENCE.sub(" ", text)
    names = {number: name for name, number in question.numbered}
    for figure in _figures(question.text):
        if name := names.get(fold(figure)):
            text = re.sub(rf"(?<!\w){name}[\W_]?{figure}(?!\w)", " ", text, flags=re.IGNORECASE)
        else:
            text = text.replace(figure, " ")
    return text


@lru_cache(maxsize=64)  # called for each unit of each passage found
def _figures(text: str) -> tuple[str, ...]:
    """Return the words of a question with digits."""
    return tuple(word.strip(".,?!()") for word in text.split() if any(map(str.isdigit, word)))
