"""Words of the passages that mean the same as a word of the question: by meaning, root, spelling, or in a compound."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from statistics import fmean, pstdev

from pipelines.lang.characters import MARK
from pipelines.lang.derivation import same_root
from pipelines.lang.profile import profile
from pipelines.lang.stemming import lemma
from pipelines.lang.terms import is_akin, max_edits, spelled_like, stem, words
from pipelines.lang.word_lists import common_words
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
_WORD = re.compile(rf"[^\W\d_](?:[{MARK}]*+[^\W\d_]){{2,}}[{MARK}]*+(?:-(?:[^\W\d_][{MARK}]*+)+)*")


def passage_words(hits: Sequence[Hit]) -> dict[str, str]:
    """Return the words of the passages by their terms."""
    word_of: dict[str, str] = {}
    for hit in hits:
        for word in words(" ".join((hit.title, *hit.chunk.heading_path, hit.chunk.context, hit.chunk.text))):
            if _WORD.fullmatch(word):
                word_of.setdefault(stem(word, hit.chunk.language), word)
    return word_of


def related_words(
    question: QuestionTerms, word_of: Mapping[str, str], lexicon: Lexicon
) -> dict[str, list[tuple[str, float]]]:
    """Return for each term of the question the related terms of the passages with their cosines, nearest first.

    `word_of` are the `passage_words`. A word that is in no passage of the corpus and not a frequent one may be a
    misspelling or another form of a word of the passages.
    """
    asked = [(term, word) for term, word in question.words.items() if _WORD.fullmatch(word)]
    passage_terms, spelled = list(word_of), list(word_of.values())
    rows = lexicon.word_similarities([word for _, word in asked], spelled, question.language)
    scripts = list(map(_script, spelled))
    found: dict[str, list[tuple[str, float]]] = {}
    for (term, word), row in zip(asked, rows, strict=True):
        same = [cosine for cosine, script in zip(row, scripts, strict=True) if script == _script(word)]
        least = max(_NEAREST, fmean(same) + _OUTSTANDING * pstdev(same)) if same else _NEAREST
        related = [(other, float(cosine)) for other, cosine in zip(word_of, row, strict=True) if cosine >= least]
        related += [(one, alike) for one, other in word_of.items() if (alike := _alike(word, other, question.language))]
        if term in question.unknown and word not in common_words(question.language):
            like = spelled_like(word, spelled, max_edits(word))
            related += [(passage_terms[place], 1.0) for place, _ in like if spelled[place][0] == word[0]]
            forms = passage_terms if term not in question.names else ()
            related += [(one, 1.0) for one in forms if is_akin(term, one)]
        found[term] = sorted((pair for pair in related if pair[0] != term), key=lambda pair: -pair[1])
    return found


def compound_parts(question: QuestionTerms, word_of: Mapping[str, str]) -> dict[str, list[tuple[str, str]]]:
    """Return for each compound of the question the terms of the two words of the passages that it can consist of.

    "Spätschicht" consists of "spät" and "Schicht" if the passages have both words. `word_of` are the `passage_words`.
    """
    language = question.language
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
    return found


def _first_known(forms: Sequence[str], term_of: Mapping[str, str]) -> str:
    """Return the term of the first of these forms of a word that is in the passages, or ''."""
    return next((term_of[form] for form in forms if form in term_of), "")


def _alike(word: str, other: str, language: str) -> float:
    """Return 1 for forms of a word or root, or with another hyphen, less for a compound with the other word, else 0."""
    if same_root(word, other, language) or word.replace("-", "") == other.replace("-", ""):
        return 1.0
    if word != other and lemma(word, language) == lemma(other, language):
        return 1.0
    if not profile(language).compounds:
        return 0.0
    short, long = sorted((word, other), key=len)
    spelled = tuple(one for one in (short, stem(short, language)) if len(one) >= SHORTEST_INSIDE)
    fits = len(long) - len(short) >= SHORTEST_PART
    return _IN_COMPOUND if fits and (long.startswith(spelled) or long.endswith(spelled)) else 0.0


def _script(word: str) -> str:
    """Return the script of a word's first letter: LATIN, GREEK, ARABIC."""
    return unicodedata.name(word[0], "").partition(" ")[0]
