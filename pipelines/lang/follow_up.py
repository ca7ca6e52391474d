"""Follow-up questions: whether a question refers to the previous one, and what it takes over from it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from pipelines.lang.characters import HIRAGANA, UNSPACED_CHARACTER
from pipelines.lang.quantities import Kind
from pipelines.lang.questions import pieces, question_language, question_stop_words, value_kinds
from pipelines.lang.terms import words
from pipelines.lang.word_lists import cue

_EXPECTED = ("en",)
"""Assumed languages of a knowledge base."""
_SHORT, _COMPLETE = 3, 2
"""A question with fewer content words, none of them with a digit, refers to the previous one; fewer are enough behind
"and" with an interrogative word."""
_SHORT_RUN = 6
"""Maximum characters of a question in a script without blanks that has no interrogative word and refers back."""
_CARRIED = re.compile(r" \(([^()]*)\)$")
"""What `joined` has appended to a question."""
_PARTICLES = re.compile(rf"[{HIRAGANA}]+")
"""Particles and endings in Japanese."""
_YEAR = re.compile(r"(?:19|20)\d\d")


def joined(question: str, before: str, languages: Sequence[str] = _EXPECTED) -> str:
    """Return a follow-up question with the subject of the question `before` appended, any other unchanged.

    Without a model the question is not rewritten: the missing subject words are added in brackets. `languages` are
    those of the knowledge base, the most frequent first (ISO 639-1).
    """
    language = _language(question, before, languages)
    if not (refers_back(question, before, languages) or _is_short(question, language)):
        return question
    here = set(words(question))
    groups = (
        [word for word in group if not here.issuperset(words(word))] for group in _subject(before, question, language)
    )
    lacking = [" ".join(group) for group in groups if group]
    return f"{question.rstrip()} ({', '.join(dict.fromkeys(lacking))})" if lacking else question


def refers_back(question: str, before: str = "", languages: Sequence[str] = _EXPECTED) -> bool:
    """Whether a question certainly refers to the one `before`: by a pronoun, or by "what about ...".

    One that only begins with "and" does not, if it asks about a thing of its own: "And what does lunch cost?".
    """
    language = _language(question, before, languages)
    if cue("points_back", language).search(question):
        return True
    opening = cue("goes_on", language).search(question)
    if not opening:
        return False
    whole = cue("interrogative", language).search(question, opening.end()) and not UNSPACED_CHARACTER.search(question)
    return not whole or _has_few(question, language, _COMPLETE)


def _is_short(question: str, language: str) -> bool:
    """Whether a question is too short to name what it asks about: "Since when?"."""
    if UNSPACED_CHARACTER.search(question):
        return len(UNSPACED_CHARACTER.findall(question)) <= _SHORT_RUN and not cue("interrogative", language).search(
            question
        )
    opening = cue("goes_on", language).search(question)
    return _has_few(question, language, _COMPLETE if opening else _SHORT)


def _has_few(question: str, language: str, least: int) -> bool:
    own = list(_own_words(question, language))
    return len(own) < least and not any(map(_has_digit, own))


def _language(question: str, before: str, languages: Sequence[str]) -> str:
    return question_language(f"{_asked(before)} {question}".strip(), languages)


def _asked(before: str) -> str:
    """Return a previous question without what was appended to it."""
    return _CARRIED.sub("", before)


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


def _subject(before: str, following: str, language: str) -> Iterator[Sequence[str]]:
    """Yield the groups of subject words of the question `before` that the `following` one does not replace.

    - A question for a property of its own ("And its mass?", "Who checks it?") replaces the previous property, and
      keeps the thing.
    - "And the gear?" asks for the same property of another thing: a code replaces a code, another word the last thing
      without one.
    - "And for children?" replaces what is behind the same preposition, and neither of these.
    """
    opening = cue("goes_on", language).search(following)
    refers = cue("points_back", language).search(following) is not None
    asks = cue("interrogative", language).search(following, opening.end() if opening else 0) is not None
    own = [word for word in _own_words(following, language) if not _has_digit(word)]
    own_property = bool(own) and (refers or asks or any(value_kinds(word, language) for word in own))
    named = list(_groups(_asked(before), language))
    older = _carried(before, language, named)
    groups = [*(_thing_of(before, language, named, bool(older)) if own_property else named), *older]
    adjuncts = {group.adjunct for group in _groups(following, language)} - {""}
    coded = _has_code(following.split()) or (not own and _has_digit(following))
    plain = [group for group in groups if not (group.adjunct or group.kinds or group.has_code)]
    last = plain[-1:] if own and not (own_property or coded) and len(groups) > 1 else []

    def is_replaced(word: str, thing: bool) -> bool:
        valued = bool(value_kinds(word, language))
        return (own_property and valued) or (thing and not valued) or (coded and _has_digit(word))

    for group in groups:
        if group.adjunct in adjuncts or group in last or (own_property and group.kinds and not group.has_code):
            continue
        replaced = coded and group.has_code and bool(own)
        yield [word for word in group.words if not is_replaced(word, replaced)]


def _thing_of(before: str, language: str, named: Sequence[_Group], known: bool) -> Sequence[_Group]:
    """Return what a question names of the thing that it asks about, of which something is `known` from earlier ones.

    That is nothing but a code, if it names the thing by a pronoun; and not the first group, the property, in "What is
    the accuracy of the gauge?".
    """
    asked = _asked(before)
    if asked != before and cue("points_back", language).search(asked):
        return [group for group in named if group.has_code]
    property_first = cue("focus", language).search(asked) or Kind.PERSON in value_kinds(asked, language)
    things = [group for group in named if not group.adjunct]
    others = known or len(things) > 1
    return [group for group in named if group is not things[0]] if property_first and things and others else named


def _carried(before: str, language: str, named: Sequence[_Group]) -> list[_Group]:
    """Return what a question has from earlier ones: nothing if it `named` a code, else that with a code, else all."""
    carried = _CARRIED.search(before)
    if carried is None or any(group.has_code for group in named):
        return []
    older = list(_groups(carried[1], language))
    return [group for group in older if group.has_code] or older


class _Group(NamedTuple):
    """Content words in succession, the preposition that they are behind, and whether they name a kind of value."""

    words: tuple[str, ...]
    adjunct: str
    kinds: bool

    @property
    def has_code(self) -> bool:
        return _has_code(self.words)


def _groups(question: str, language: str) -> Iterator[_Group]:
    """Yield the content words of a question in groups, without those of its interrogative ("how high is")."""
    stops = question_stop_words(language)
    asked = cue("focus", language).search(question)
    text = question[: asked.start()] + " " + question[asked.end() :] if asked else question
    group, adjunct = list[str](), ""

    def ended() -> Iterator[_Group]:
        if group:
            yield _Group(tuple(group), adjunct, bool(value_kinds(" ".join(group), language)))
            group.clear()

    for word in re.split(r"[\s?？]+", text.replace(",", " , ")):
        for plain in _pieces(word.strip(".,;:!()\"'¿¡"), language):
            folded = plain.casefold()
            if words(plain) and folded not in stops:
                group.append(plain)
                continue
            if group:
                yield from ended()
                adjunct = ""
            if folded:
                adjunct = folded if cue("adjunct", language).fullmatch(folded) else adjunct
    yield from ended()


def _pieces(word: str, language: str) -> Iterator[str]:
    """Yield the words of a run without blanks, in Japanese those between particles."""
    for piece in pieces(word, language):
        yield from filter(None, _PARTICLES.split(piece)) if language == "ja" else (piece,)


def _has_code(named: Sequence[str]) -> bool:
    """Whether words have a code or a name with a number: "K80", "LM-8", "Atlas 35"; not a year behind a month."""
    plain = [word.strip(".,;:!?()？") for word in named]
    mixed = any(_has_digit(word) and any(map(str.isalpha, word)) for word in plain)
    numbered = (
        before[:1].isupper() and word[:1].isdigit() and not _YEAR.match(word) for before, word in pairwise(plain)
    )
    return mixed or any(numbered)


def _has_digit(text: str) -> bool:
    return any(map(str.isdigit, text))
