"""Stems of words by Snowball's algorithms, and their dictionary forms by simplemma.

Languages for which Snowball has no algorithm are stemmed by dictionary forms. In other languages these also match
irregular forms ("apre" and "aprire") in the passages found for a question, if the dictionary is read in about a second
(that of Polish takes three, and 400 MB): over the sets of `benchmarks/unanswerable`, one more answer is right, one less
wrong without a warning, and four right ones lose their warning; of 47 questions to manuals in five languages, 42 are
answered in place of 39.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, lru_cache

from pipelines.lang.profile import profile

_OTHER_DICTIONARIES = frozenset({"de", "en"})
"""Languages with a dictionary that Snowball's stems suffice for."""


@cache
def stemmer(language: str) -> Callable[[str], str]:
    """Return the function for the stem of a lower-case word in a language (ISO 639-1).

    Without a language, or for one without a stemmer, it is that for English: index and query have to use the same. A
    dictionary form is stemmed as English too, since these texts have English words that are in no dictionary.

    >>> stemmer("de")("pumpen"), stemmer("uk")("насосів")
    ('pump', 'насос')
    """
    import Stemmer

    known = profile(language)
    stem: Callable[[str], str] = Stemmer.Stemmer(known.stemmer or profile("en").stemmer).stemWord
    if known.stemmer or not known.lemmas:
        return stem
    return lambda word: stem(lemma(word, language))


@lru_cache(maxsize=1 << 16)  # words are repeated often
def lemma(word: str, language: str) -> str:
    """Return the dictionary form of a lower-case word, or the word itself if none is known.

    >>> lemma("apre", "it"), lemma("pumpen", "de")
    ('aprire', 'pumpen')
    """
    code = profile(language).lemmas
    if not code:
        return word
    import simplemma

    return str(simplemma.lemmatize(word, code)).lower()


@lru_cache(maxsize=1 << 12)
def is_in_dictionary(word: str, language: str) -> bool:
    """Return whether a lower-case word, in any of its forms, is in simplemma's dictionary of a language.

    >>> is_in_dictionary("gloves", "en"), is_in_dictionary("forbi", "en"), is_in_dictionary("rękawice", "pl")
    (True, False, False)
    """
    if not has_dictionary(language):
        return False
    import simplemma

    return bool(simplemma.is_known(word, lang=profile(language).lemmas or language))


def has_dictionary(language: str) -> bool:
    """Return whether the dictionary of a language is read: not if that takes long, see above."""
    return language in _OTHER_DICTIONARIES or bool(profile(language).lemmas)
