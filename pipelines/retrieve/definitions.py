"""Finds the evidence units that define a thing ("What is a daemon?").

Definitions are recognized by position: the thing begins a sentence, followed by a verb and another function word ("is
a", "ist eine", "是"), a colon, a dash or an equals sign; or an apposition ("the K80, a self-priming pump") or words in
brackets ("Jonas Beck (quality manager)") follow it anywhere; or it is alone in brackets behind a word, or spells the
initials of words before it ("Quality of Service (or QoS for short)"); or it is the first cell of a row, in any order of
its words; or it is the heading, or the term of a glossary, above the sentence.
In languages without a list of verbs, any two function words follow it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from pipelines.lang.characters import UNSPACED_CHARACTER, fold
from pipelines.lang.terms import stem, stop_words
from pipelines.lang.word_lists import cue, cue_words
from pipelines.retrieve.evidence import EvidenceUnit
from pipelines.retrieve.searches import MIN_SENTENCE_TERMS
from pipelines.retrieve.table_rows import cells_of

_FUNCTION = 2
"""Function words required after a thing ("is a"); in scripts without blanks one."""
_ARTICLE = 2
"""Maximum characters before a thing in scripts without blanks: a numeral and a classifier."""
_WORD = re.compile(r"[^\W_]+(?:[-'’][^\W_]+)*")
_NUMBERING = re.compile(r"^(?:\W|\d|[^\W\d_]{1,4}[.)]\s)++")
"""Numbering before the name in a heading or a first cell: "15.4.1. lintian", "iv. PEEP"."""
_MARK = re.compile(r"\s*+(?:[:：=]|[-–—]\s)")
"""The separator of term and text in a glossary."""
_INSERTED = re.compile(r"^[\"”“»']?,[^,]{1,40},")
"""A phrase between a thing and its verb: "a fork, in the software field, means"."""
_COMMA = re.compile(r"[\"”“»']?[,，]\s?")
_OPENING, _CLOSING = re.compile(r"[^\W\d_][\"”“»']?\s{0,2}[(（]\s?$"), re.compile(r"s?\s?[)）]")
_BEFORE = 6
"""Characters in which a word ends and a bracket opens."""
_LONGEST, _BETWEEN = 8, 3
"""Maximum letters of an abbreviation whose long form is before it, and words between them ("or in short")."""
_SHORT_TERM = 3
"""Maximum words of a term that ends with the thing: its kind, and the thing with the name of its module."""
_BRACKET = re.compile(r"^\s*+[(（][^()（）]*+[)）]")


def defining(found: Sequence[EvidenceUnit], thing: str) -> frozenset[int]:
    """Return the index of the first unit of each document that defines `thing`; units of a chunk are in order."""
    first: dict[str, int] = {}
    headed = ""
    for place, unit in enumerate(found if thing else ()):
        names = not unit.is_row and _names(unit.text, thing)
        names = names or (unit.label and _opens_entry(unit, found[place + 1 :][:1], thing))
        says = _spells_out(unit, thing) if unit.label else headed == unit.hit.chunk.id or _defines(unit, thing)
        headed = unit.hit.chunk.id if names else headed if unit.label else ""
        if says and unit.span <= found[first.setdefault(unit.hit.document, place)].span:
            first[unit.hit.document] = place
    return frozenset(first.values())


def _opens_entry(unit: EvidenceUnit, after: Sequence[EvidenceUnit], thing: str) -> bool:
    """Whether a unit is a glossary term that begins with a word of the thing, with the other words in its headings.

    "BATTERYLEVEL percent" below "Directives" is "the directive BATTERYLEVEL". A term of up to three words may end with
    the thing: "enumerator ERR_BUSY", "exception gammu.ERR_BUSY".
    """
    term = " ".join(unit.text.split())
    language = unit.hit.chunk.language
    named = {stem(word, language) for word in _WORD.findall(thing)}
    words = [stem(word, language) for word in _WORD.findall(fold(term))]
    *before, last = fold(term).split() or [""]
    ending = {stem(word, language) for word in _WORD.findall(last.rpartition(".")[2])}
    ends = len(before) < _SHORT_TERM and bool(ending) and ending <= named
    opens = named.issuperset(words[:1]) or ends
    return any(one.group == term for one in after) and opens and named <= {*words, *unit.own, *unit.above}


def _spells_out(unit: EvidenceUnit, thing: str) -> bool:
    """Whether a heading has the thing, an abbreviation, behind its long form: "Quality of Service (QoS)"."""
    before, _, behind = fold(unit.text).partition(thing)
    return not unit.is_row and _is_in_brackets(before, behind)


def _defines(unit: EvidenceUnit, thing: str) -> bool:
    language = unit.hit.chunk.language
    if unit.is_row:
        name, *cells = cells_of(unit.text)
        if _is_code_of(unit, name, thing):
            return any(any(map(str.isalpha, cell)) for cell in cells)
        named = _names(name, thing) or _has_same_words(name, thing, language) or _is_one_of(unit, name, thing)
        return named and any(map(_is_wording, cells))
    before, _, behind = fold(unit.text).partition(thing)
    explained = _BRACKET.match(behind)
    if (explained and any(map(str.isalpha, explained.group()))) or _is_short_for(before, thing, behind):
        return True
    if _is_apposition(behind, language):
        return True
    after = _BRACKET.sub("", _text_after(_NUMBERING.sub("", fold(unit.text)), thing, language))
    if mark := _MARK.match(after):
        return _is_wording(after[mark.end() :])
    return len(unit.own) >= MIN_SENTENCE_TERMS and bool(after) and _goes_on(after, language)


def _is_apposition(behind: str, language: str) -> bool:
    """Whether what is behind a thing begins with a comma and an indefinite article: ", a self-priming pump"."""
    comma = _COMMA.match(behind)
    return comma is not None and cue("apposition", language).match(behind, comma.end()) is not None


def _is_code_of(unit: EvidenceUnit, name: str, thing: str) -> bool:
    """Whether the name of a row is a code in the thing: "A2" of "alarm A2". Several other words are in its table."""
    language = unit.hit.chunk.language
    code, words = fold(name), _WORD.findall(thing)
    others = {stem(word, language) for word in words if word != code}
    about = len(others) < 2 or others <= unit.own | unit.above
    return code in words and any(map(str.isdigit, code)) and about


def _goes_on(after: str, language: str) -> bool:
    """Whether a definition goes on after its thing: with a verb and another function word, or "means" and any word."""
    if UNSPACED_CHARACTER.match(after):
        return after.startswith(tuple(stop_words(language)))
    following = _WORD.findall(_INSERTED.sub("", after, count=1))[:_FUNCTION]
    if len(following) < _FUNCTION:
        return False
    if cue_words("defines", language):
        verb, second = following[:2]
        stops = stop_words(language)
        return cue("defines", language).fullmatch(verb) is not None and (second in stops or verb not in stops)
    return stop_words(language).issuperset(following)


def _is_short_for(before: str, thing: str, behind: str) -> bool:
    """Whether a thing is alone in brackets behind a word, or spells the initials of words shortly before it."""
    if _is_in_brackets(before, behind):
        return True
    letters, words = "".join(filter(str.isalpha, thing)), _WORD.findall(before)[-_LONGEST - _BETWEEN :]
    initials = "".join(word[0] for word in words)
    return 1 < len(letters) <= _LONGEST and letters in initials[-len(letters) - _BETWEEN :]


def _is_in_brackets(before: str, behind: str) -> bool:
    """Whether a thing is alone in brackets behind a word; it may have an English plural ("NMUs")."""
    return _OPENING.search(before[-_BEFORE:]) is not None and _CLOSING.match(behind) is not None


def _is_wording(cell: str) -> bool:
    """Whether a cell has at least two words, which may be a definition."""
    words = [word for word in _WORD.findall(cell) if not any(map(str.isdigit, word))]
    return len(words) > 1 or UNSPACED_CHARACTER.search(cell) is not None


def _names(text: str, thing: str) -> bool:
    return thing in (fold(text), _NUMBERING.sub("", fold(text)))


def _has_same_words(name: str, thing: str, language: str) -> bool:
    """Whether a name has the same words, at least two: "Lamp blinks red" for "red blinking lamp"."""
    own, asked = (
        {stem(word, language) for word in _WORD.findall(fold(text)) if word not in stop_words(language)}
        for text in (name, thing)
    )
    return len(own) > 1 and own == asked


def _is_one_of(unit: EvidenceUnit, name: str, thing: str) -> bool:
    """Whether a row is named by words of the thing, and the others are above it: "Blue" below "Lamps", "blue lamp"."""
    language = unit.hit.chunk.language
    own, asked = ({stem(word, language) for word in _WORD.findall(fold(text))} for text in (name, thing))
    return bool(own) and own < asked and asked - own <= unit.above


def _text_after(text: str, thing: str, language: str) -> str:
    """Return the text after the thing if the text begins with it, apart from articles; else ""."""
    if UNSPACED_CHARACTER.search(thing):
        start = text.find(thing, 0, _ARTICLE + len(thing))
        return text[start + len(thing) :] if start >= 0 else ""
    found = list(_WORD.finditer(text))
    named = [stem(word, language) for word in _WORD.findall(thing)]
    articles = sum(1 for _ in takewhile(lambda word: word.group() in stop_words(language), found))
    opening = found[articles : articles + len(named)]
    return text[opening[-1].end() :] if opening and [stem(word.group(), language) for word in opening] == named else ""
