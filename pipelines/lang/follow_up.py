"""Follow-up questions: whether a question refers to the previous one, and what it takes over from it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.identify import detect_language
from pipelines.lang.questions import pieces, question_stop_words, value_kinds
from pipelines.lang.terms import words
from pipelines.lang.word_lists import cue

_EXPECTED = ("en",)
"""Assumed languages of a question that is too short to be identified."""
_SHORT, _COMPLETE = 3, 2
"""A question with fewer content words, none of them with a digit, refers to the previous one; fewer are enough behind
"and" with an interrogative word."""


def joined(question: str, before: str) -> str:
    """Return a follow-up question with the subject of the question `before` appended, any other unchanged.

    Without a model the question is not rewritten: the missing subject words are added in brackets.
    """
    if not is_follow_up(question):
        return question
    here = set(words(question))
    lacking = [word for word in _subject(before, question) if word.casefold() not in here]
    return f"{question.rstrip()} ({' '.join(lacking)})" if lacking else question


def is_follow_up(question: str) -> bool:
    """Whether a question refers to the previous one: by a pronoun, by "what about ...", or because it is too short.

    One that only begins with "and" does not, if it asks about a thing of its own: "And what does lunch cost?".
    """
    language = detect_language(question, _EXPECTED)
    if cue("points_back", language).search(question):
        return True
    opening = cue("goes_on", language).search(question)
    unspaced = UNSPACED_CHARACTER.search(question) is not None
    if opening and (unspaced or not cue("interrogative", language).search(question, opening.end())):
        return True
    own = list(_own_words(question, language))
    least = _COMPLETE if opening else _SHORT
    return len(own) < least and not unspaced and not any(map(_has_digit, own))


def _own_words(question: str, language: str) -> Iterator[str]:
    """Yield the content words of a question; not that behind a preposition, with which it goes on ("for children")."""
    adjunct, known = False, question_stop_words(language)
    for word in words(question):
        if cue("adjunct", language).fullmatch(word):
            adjunct = True
        elif word not in known:
            if not adjunct or _has_digit(word):
                yield word
            adjunct = False


def _subject(question: str, following: str) -> Iterator[str]:
    """Yield the subject words of a question that the `following` one does not replace.

    If the following question has content words ("And its mass?"), they replace the kind of value; if it has codes or
    years, these replace the previous ones.
    """
    language = detect_language(question, _EXPECTED)
    known, figures = {*words(question), *question_stop_words(language)}, _has_digit(following)
    asks = any(word not in known and not _has_digit(word) for word in words(following))
    for word in re.split(r"[\s?？]+", question):
        for plain in pieces(word.strip(".,;:!()\"'¿¡"), language):
            replaced = (asks and value_kinds(plain, language)) or (figures and _has_digit(plain))
            if words(plain) and plain.casefold() not in question_stop_words(language) and not replaced:
                yield plain


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
