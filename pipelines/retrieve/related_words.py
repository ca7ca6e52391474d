"""Words of the passages that mean the same as a word of the question: by meaning, root, spelling, or in a compound."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from statistics import fmean, pstdev

from pipelines.lang.characters import MARK, fold
from pipelines.lang.derivation import nouns_of, same_root
from pipelines.lang.elements import symbols_in, symbols_of
from pipelines.lang.numbers import calendar_abbreviations, calendar_forms
from pipelines.lang.profile import profile
from pipelines.lang.stemming import lemma
from pipelines.lang.terms import is_akin, is_inflected, max_edits, spelled_like, stem, words
from pipelines.lang.word_lists import common_words, synonyms, wording
from pipelines.retrieve.hit import Hit
from pipelines.retrieve.question_terms import QuestionTerms
from pipelines.retrieve.question_words import SHORTEST_INSIDE, SHORTEST_PART, unlinked
from pipelines.retrieve.searches import Lexicon

_NEAREST = 0.45
"""Minimum cosine of related words."""
_OUTSTANDING = 3.0
"""Related words must also be this many standard deviations above the mean cosine of a word to others in its script: if
an embedder tokenizes a script into letters, all its words are similar."""
_IN_COMPOUND = 0.75
"""Cosine of a compound and the word that it begins or ends with."""
_SHORTEST = 2
"""Minimum letters of a word that compounds may begin with: "Öl" in "Ölwechsel"."""
_LONG = 7
"""Minimum letters of such a compound, and of one that is abbreviated: two parts of 3, and a letter."""
_ABBREVIATION = re.compile(
    r"(?<![^\W_])(?P<word>[^\W\d_]{2,5}(?=\.(?:[-:|]|\s\|| ?[\d+(]| ?[A-Z]{1,4}-?\d|"
    r" [^\W\d_]{2,5}\.(?:[-:|]|\s\|| ?[\d+(]| ?[A-Z]{1,4}-?\d)))"
    r"|[^\W\d_]{6,20}(?=\.(?::|\s\|)))"
)
"""A short word with a point that ends no sentence: a hyphen, colon, number, code, the end of the cell, or another such
word follows it: "Doc. no. |", "Art. no. CP-300". A longer one is a label: "Dokumentnr. |"."""
_WORD = re.compile(rf"[^\W\d_](?:[{MARK}]*+[^\W\d_]){{2,}}[{MARK}]*+(?:-(?:[^\W\d_][{MARK}]*+)+)*")


@dataclass(frozen=True, slots=True)
class PassageWords:
    """The words of passages by their terms.

    `abbreviated` are those written with a point in mid-sentence ("Art.-Nr. 4410"), `symbols` those of elements ("Ni").
    """

    of_term: Mapping[str, str]
    abbreviated: frozenset[str]
    symbols: frozenset[str]


def passage_words(hits: Sequence[Hit]) -> PassageWords:
    """Return the words of the passages."""
    word_of: dict[str, str] = {}
    short: set[str] = set()
    symbols: set[str] = set()
    for hit in hits:
        text = " ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context, hit.chunk.text))
        short.update(fold(found["word"]) for found in _ABBREVIATION.finditer(text))
        symbols.update(symbols_in(text))
        for word in words(text):
            if _WORD.fullmatch(word) or word in short or word in calendar_abbreviations(hit.chunk.language):
                word_of.setdefault(stem(word, hit.chunk.language), word)
    return PassageWords(word_of, frozenset(short), frozenset(symbols))


def related_words(
    question: QuestionTerms, passages: PassageWords, lexicon: Lexicon
) -> dict[str, list[tuple[str, float]]]:
    """Return for each term of the question the related terms of the passages with their cosines, nearest first.

    A word that is in no passage of the corpus may be another form of a word of the passages, or a misspelling of it if
    it is no frequent one; one that is in none of these passages may be abbreviated there.
    """
    word_of, language = passages.of_term, question.language
    asked = [(term, word) for term, word in question.words.items() if _WORD.fullmatch(word)]
    passage_terms, spelled = list(word_of), list(word_of.values())
    rows = lexicon.word_similarities([word for _, word in asked], spelled, language)
    scripts = list(map(_script, spelled))
    found = {term: _begun_by(word, word_of, language) for term, word in question.words.items()}
    for (term, word), row in zip(asked, rows, strict=True):
        same = [cosine for cosine, script in zip(row, scripts, strict=True) if script == _script(word)]
        least = max(_NEAREST, fmean(same) + _OUTSTANDING * pstdev(same)) if same else _NEAREST
        related = [(other, float(cosine)) for other, cosine in zip(word_of, row, strict=True) if cosine >= least]
        related += [(one, alike) for one, other in word_of.items() if (alike := likeness(word, other, language))]
        equal = synonyms(word)
        related += [(one, 1.0) for one, other in word_of.items() if other in equal]
        if passages.symbols:
            related += [(one.lower(), 1.0) for one in symbols_of(word, language) & passages.symbols]
        if passages.abbreviated:
            short = ((one, other) for one, other in word_of.items() if other in passages.abbreviated)
            related += [(one, 1.0) for one, other in short if abbreviates(other, word)]
        if term in question.unknown and word in common_words(language):
            related += [(one, 1.0) for one, other in word_of.items() if is_inflected(word, other)]
        elif term in question.unknown:
            like = spelled_like(word, spelled, max_edits(word))
            related += [(passage_terms[place], 1.0) for place, _ in like if spelled[place][0] == word[0]]
            forms = passage_terms if term not in question.names else ()
            related += [(one, 1.0) for one in forms if is_akin(term, one)]
        found[term] += related
    return {
        term: sorted((pair for pair in related if pair[0] != term), key=lambda pair: -pair[1])
        for term, related in found.items()
    }


def compound_parts(question: QuestionTerms, passages: PassageWords) -> dict[str, list[tuple[str, str]]]:
    """Return for each compound of the question the terms of the two words of the passages that it can consist of.

    "Spätschicht" consists of "spät" and "Schicht" if the passages have both words, "Artikelnummer" of "Art." and "Nr.".
    """
    language, word_of = question.language, passages.of_term
    if not profile(language).compounds:
        return {}
    term_of = {word: term for term, word in word_of.items()} | {term: term for term in word_of}
    found: dict[str, list[tuple[str, str]]] = {}
    for term, word in question.words.items():
        for split in range(SHORTEST_PART, len(word) - SHORTEST_PART + 1) if _WORD.fullmatch(word) else ():
            right = _first_known((word[split:], stem(word[split:], language)), term_of)
            for one in unlinked(word[:split], [language]) if right else ():
                if len(one) >= SHORTEST_PART and (left := _first_known((one, stem(one, language)), term_of)):
                    found.setdefault(term, []).append((left, right))
        if term not in word_of and len(word) >= _LONG:
            found.setdefault(term, []).extend(_abbreviated(word, passages))
    return found


def _abbreviated(word: str, passages: PassageWords) -> Iterator[tuple[str, str]]:
    """Yield the pairs of abbreviations that a compound can be written with: "Art.-Nr." for "Artikelnummer"."""
    short = [(term, one) for term, one in passages.of_term.items() if one in passages.abbreviated]
    for left, first in short:
        for right, second in short if word.startswith(first) else ():
            splits = range(max(SHORTEST_PART, len(first)), len(word) - SHORTEST_PART + 1)
            if left != right and any(abbreviates(second, word[split:]) for split in splits):
                yield left, right


def _first_known(forms: Sequence[str], term_of: Mapping[str, str]) -> str:
    """Return the term of the first of these forms of a word that is in the passages, or ''."""
    return next((term_of[form] for form in forms if form in term_of), "")


def abbreviates(short: str, word: str) -> bool:
    """Whether a word can be abbreviated so: by its first letter, then some of the others in order; or by custom.

    >>> abbreviates("nr", "nummer"), abbreviates("qty", "quantity"), abbreviates("art", "nummer")
    (True, True, False)
    >>> abbreviates("no", "number")
    True
    """
    letters = iter(word)
    if any({word, f"{short}."} <= words for words in _numbers()):
        return True
    return short[:1] == word[:1] and len(short) < len(word) and all(letter in letters for letter in short)


@cache
def _numbers() -> tuple[frozenset[str], ...]:
    """Return the words for a number in each language, abbreviated ones with a point."""
    return tuple(map(frozenset, wording("number").values()))


def _begun_by(word: str, word_of: Mapping[str, str], language: str) -> list[tuple[str, float]]:
    """Return the compounds that begin with a short word, if what follows is a word too: "Ölwechsel" for "Öl"."""
    if not profile(language).compounds or not _SHORTEST <= len(word) < SHORTEST_INSIDE:
        return []
    known = common_words(language) | frozenset(word_of.values())
    compounds = ((term, one) for term, one in word_of.items() if one.startswith(word))
    return [(term, _IN_COMPOUND) for term, one in compounds if len(one) >= _LONG and one[len(word) :] in known]


def likeness(word: str, other: str, language: str) -> float:
    """Return 1 for forms of a word or root, with another hyphen, or a month or weekday and its abbreviation; less for a
    compound with the other word, else 0."""
    if same_root(word, other, language) or word.replace("-", "") == other.replace("-", ""):
        return 1.0
    if other in calendar_forms(word, language):
        return 1.0
    if word != other and lemma(word, language) == lemma(other, language):
        return 1.0
    if not profile(language).compounds:
        return 0.0
    short, long = sorted((word, other), key=len)
    spelled = tuple(one for one in (short, stem(short, language)) if len(one) >= SHORTEST_INSIDE)
    fits = len(long) - len(short) >= SHORTEST_PART
    if fits and (long.startswith(spelled) or long.endswith(spelled)):
        return _IN_COMPOUND
    nouns = nouns_of(word, language)
    noun = next((one for one in nouns if other.startswith(one) or other.endswith(one)), "")
    return _IN_COMPOUND if noun and len(other) - len(noun) >= SHORTEST_PART else 0.0


def _script(word: str) -> str:
    """Return the script of a word's first letter: LATIN, GREEK, ARABIC."""
    return unicodedata.name(word[0], "").partition(" ")[0]
