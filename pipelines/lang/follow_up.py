"""Follow-up questions: whether a question refers to the previous one, and what it takes over from it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

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

    - Codes and years replace the previous ones.
    - "And its mass?" and "And the mass?" replace the kind of value, "And the gear?" the last thing named before.
    - "And for children?" replaces what is behind the same preposition, and neither of these.
    """
    language = detect_language(question, _EXPECTED)
    own = [word for word in _own_words(following, language) if not _has_digit(word)]
    refers = cue("points_back", language).search(following) is not None
    valued = bool(own) and (refers or any(value_kinds(word, language) for word in own))
    groups = list(_groups(question, language))
    adjuncts = {group.adjunct for group in _groups(following, language)} - {""}
    named = [group for group in groups if not group.adjunct]
    replaces = own and not valued and len(named) > 1

    def is_replaced(group: _Group, word: str) -> bool:
        if _has_digit(word):
            return _has_digit(following)
        return valued if value_kinds(word, language) else bool(replaces and group is named[-1])

    for group in groups:
        if group.adjunct not in adjuncts:
            yield from (word for word in group.words if not is_replaced(group, word))


class _Group(NamedTuple):
    """Content words in succession, and the preposition that they are behind."""

    words: tuple[str, ...]
    adjunct: str


def _groups(question: str, language: str) -> Iterator[_Group]:
    """Yield the content words of a question in groups, without those of its interrogative ("how high is")."""
    stops = question_stop_words(language)
    asked = cue("focus", language).search(question)
    text = question[: asked.start()] + " " + question[asked.end() :] if asked else question
    group, adjunct = list[str](), ""
    for word in re.split(r"[\s?？]+", text):
        for plain in pieces(word.strip(".,;:!()\"'¿¡"), language):
            folded = plain.casefold()
            if words(plain) and folded not in stops:
                group.append(plain)
                continue
            if group:
                yield _Group(tuple(group), adjunct)
                group, adjunct = [], ""
            if folded:
                adjunct = folded if cue("adjunct", language).fullmatch(folded) else adjunct
    if group:
        yield _Group(tuple(group), adjunct)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
