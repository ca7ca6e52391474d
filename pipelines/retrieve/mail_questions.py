"""Questions to mails: who wrote something, when and to whom, which the header of a mail tells of what is below it."""

from __future__ import annotations

from pipelines.lang.names import has_first_name
from pipelines.lang.quantities import Kind, gives
from pipelines.lang.word_lists import cue
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.question_terms import QuestionTerms

_IN_HEADERS = frozenset({Kind.PERSON, Kind.DATE})
"""What the header of a mail tells of what is below it; its addresses are told by itself."""


def gives_by_header(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether the header of its mail tells who wrote a unit, or when, if that is asked for, and the unit does not.

    It also tells who or when if all words of the question are in the unit or above it, and the writer did it: "I have
    closed the valve V-12".
    """
    kinds, language = question.wants & _IN_HEADERS, unit.hit.chunk.language
    said = not unit.label or unit.is_question
    if not (unit.said and kinds and said) or not (Kind.PERSON in kinds or gives(kinds, unit.said, language)):
        return False
    if asks_for_header(question, unit):
        return True
    forms = frozenset(question.form(term, language) for term in question.weights.keys() - question.asking)
    who = Kind.PERSON not in kinds or cue("first_person", language).search(unit.text) is not None
    tells = gives(kinds, unit.text, language) or has_colleague(question, unit)
    return who and not tells and forms <= unit.own | unit.above


def of_correspondence(question: QuestionTerms) -> frozenset[str]:
    """Return the terms of a question that say that something was written or sent."""
    pattern = cue("corresponds", question.language)
    return frozenset(term for term in question.weights if pattern.search(question.words[term]))


def has_colleague(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a person is asked for, and a unit of a mail has a first name: "Sara pays for it"."""
    asked = Kind.PERSON in question.wants and bool(unit.said)
    return asked and has_first_name(unit.text, unit.hit.chunk.language)


def asks_for_header(question: QuestionTerms, unit: EvidenceUnit) -> bool:
    """Whether a question asks who wrote a mail, or when, or who received it, and a unit is in one."""
    return bool(unit.said) and cue("corresponds", question.language).search(question.text) is not None
