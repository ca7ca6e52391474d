"""What says what a thing is, for a question that names one thing and nothing else ("What is a daemon?").

Told by place, not by the words of a language: the thing opens a sentence and function words follow ("is a", "ist eine",
"是") or a colon or dash, or it is the first cell of a row, or the heading above the sentence.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from pipelines.lang.characters import UNSPACED_CHARACTER, fold
from pipelines.lang.terms import stem, stop_words
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS
from pipelines.retrieve.table_rows import cells_of
from qa.quoting.question_terms import QuestionTerms

DEFINES = 0.2
"""What the score of a unit gains that says what a thing is: of 32 questions in three languages 28 are answered by it,
with 0.1 there are 23, without 15; 0.3 and 0.4 change nothing."""
_FUNCTION = 2
"""Function words behind a thing that lead to what it is ("is a"); in scripts without blanks one."""
_ARTICLE = 2
"""Characters before a thing in scripts without blanks at most: a number and what it counts."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_NUMBERING = re.compile(r"^(?:\W|\d|[^\W\d_]{1,4}[.)]\s)++")
"""What stands before the name in a heading or a first cell: "15.4.1. lintian", "iv. PEEP"."""
_MARK = re.compile(r"\s*+(?:[:：]|[-–—]\s)")
"""What stands between the term and the text of an entry of a glossary."""
_BRACKET = re.compile(r"^\s*+[(（][^()（）]*+[)）]")


def defined_thing(question: QuestionTerms) -> str:
    """Return the one thing that a question names, folded; empty where it asks for a value, for several or for more."""
    folded = fold(question.text)
    places = [(folded.find(word), len(word)) for word in question.said.values()]
    if question.wants or question.several or not places or min(places)[0] < 0:
        return ""
    thing = folded[min(places)[0] : max(place + length for place, length in places)]
    rest = thing
    for word in sorted(question.said.values(), key=len, reverse=True):
        rest = rest.replace(word, "")
    return "" if any(map(str.isalnum, rest)) else thing


def defining(found: Sequence[EvidenceUnit], thing: str) -> frozenset[int]:
    """Return the places among units, those of a chunk in order, of the first of each document that define `thing`."""
    first: dict[str, int] = {}
    headed = ""
    for place, unit in enumerate(found if thing else ()):
        names = unit.label and (_names(unit.text, thing) or _opens_entry(unit, found[place + 1 :][:1], thing))
        says = not unit.label and (headed == unit.hit.chunk.id or _says(unit, thing))
        headed = unit.hit.chunk.id if names else headed if unit.label else ""
        if says and unit.span <= found[first.setdefault(unit.hit.document, place)].span:
            first[unit.hit.document] = place
    return frozenset(first.values())


def _opens_entry(unit: EvidenceUnit, behind: Sequence[EvidenceUnit], thing: str) -> bool:
    """Whether a term that the next sentences are said of begins with a word of the thing, and stands below the rest.

    "BATTERYLEVEL percent", below "Directives", is "the directive BATTERYLEVEL".
    """
    term = " ".join(unit.text.split())
    language = unit.hit.chunk.language
    named = {stem(word, language) for word in _WORD.findall(thing)}
    opening = [stem(word, language) for word in _WORD.findall(fold(term))[:1]]
    return any(one.group == term for one in behind) and named.issuperset(opening) and named <= unit.own | unit.above


def _says(unit: EvidenceUnit, thing: str) -> bool:
    if unit.is_row:
        name, *cells = cells_of(unit.text)
        return _names(name, thing) and any(map(_is_wording, cells))
    language = unit.hit.chunk.language
    behind = _BRACKET.sub("", _behind(fold(unit.text), thing, language))
    if len(unit.own) < MIN_SENTENCE_TERMS or not behind:
        return False
    if _MARK.match(behind):
        return True
    if UNSPACED_CHARACTER.match(behind):
        return behind.startswith(tuple(stop_words(language)))
    following = _WORD.findall(behind)[:_FUNCTION]
    return len(following) == _FUNCTION and stop_words(language).issuperset(following)


def _is_wording(cell: str) -> bool:
    """Whether a cell has words, which may say what a thing is, and not a figure or one word alone."""
    words = [word for word in _WORD.findall(cell) if not any(map(str.isdigit, word))]
    return len(words) > 1 or UNSPACED_CHARACTER.search(cell) is not None


def _names(text: str, thing: str) -> bool:
    return thing in (fold(text), _NUMBERING.sub("", fold(text)))


def _behind(text: str, thing: str, language: str) -> str:
    """What stands behind the thing where it opens a text, articles left out; empty where it does not."""
    if UNSPACED_CHARACTER.search(thing):
        start = text.find(thing, 0, _ARTICLE + len(thing))
        return text[start + len(thing) :] if start >= 0 else ""
    found = list(_WORD.finditer(text))
    named = [stem(word, language) for word in _WORD.findall(thing)]
    articles = sum(1 for _ in takewhile(lambda word: word.group() in stop_words(language), found))
    opening = found[articles : articles + len(named)]
    return text[opening[-1].end() :] if opening and [stem(word.group(), language) for word in opening] == named else ""
