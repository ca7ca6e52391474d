"""Words of one root: "hergestellt" and "Hersteller", "schaltet ... ab" and "abgeschaltet", "peut-il" and "peut"."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pipelines.lang.profile import longest_first, profile, read_table

_SHORTEST_NOUN = 2
"""Minimum syllables of a Korean word before a particle: the last one of 온도 (temperature) is none."""
_LEAST = 4
"""Minimum letters of a root: "leit" in "leitet" and "Leitung"."""
_LEAST_ENDING = 3
"""Minimum letters of an ending that makes a noun: "ung"; shorter ones are of verbs."""
_WORD = re.compile(r"[^\W\d_]+")


def same_root(word: str, other: str, language: str) -> bool:
    """Whether two different lower-case words of a language (ISO 639-1) are formed from one root.

    >>> same_root("hergestellt", "hersteller", "de"), same_root("contain", "contact", "en")
    (True, False)
    """
    return word != other and not _roots(word, language).isdisjoint(_roots(other, language))


def nouns_of(word: str, language: str) -> tuple[str, ...]:
    """Return what may be nouns of the root of a lower-case word: "wartung" for "gewartet", to begin compounds with."""
    endings = [ending for ending in _words("endings", language) if len(ending) >= _LEAST_ENDING]
    return tuple(root + ending for root in _roots(word, language) for ending in endings)


def separated_verb(question: str, language: str) -> tuple[str, str]:
    """Return the verb of a question and the particle at its end, in lower case, or two empty strings.

    The verb is the first word that is no function word and, where nouns have a capital, has none.

    >>> separated_verb("Wann schaltet die Pumpe ab?", "de")
    ('schaltet', 'ab')
    """
    found, known = _WORD.findall(question), profile(language)
    if not found or found[-1] not in _words("particles", language):
        return "", ""
    verbs = [word for word in found[1:-1] if word.islower() or not known.noun_capitals]
    verb = next((word.lower() for word in verbs if word.lower() not in known.stop_words), "")
    return (verb, found[-1]) if verb else ("", "")


def without_enclitics(word: str, language: str) -> str:
    """Return a lower-case word without the pronouns joined to it by hyphens, and without a Korean case particle.

    >>> without_enclitics("note-t-on", "fr"), without_enclitics("porte-clés", "fr"), without_enclitics("펌프장의", "ko")
    ('note', 'porte-clés', '펌프장')
    """
    joined = _words("enclitics", language)
    while "-" in word and word.rpartition("-")[2] in joined:
        word = word.rpartition("-")[0]
    particles = _words("case_particles", language)
    ending = next((one for one in particles if word.endswith(one) and len(word) - len(one) >= _SHORTEST_NOUN), "")
    return word.removesuffix(ending)


@lru_cache(maxsize=1 << 14)  # called for the words of the passages found, many of which occur in the next ones too
def _roots(word: str, language: str) -> frozenset[str]:
    """Return what may be the root of a word: the word without an ending, and without what a participle inserts.

    A root with another vowel is that of the infinitive.
    """
    bare = _without_inserted(word, language)
    cut = [bare.removesuffix(ending) for ending in _words("endings", language) if bare.endswith(ending)]
    if _words("inserted", language):  # the noun may be the root itself: "ausgetauscht" and "Austausch"
        cut.append(bare)
    found = {root for root in cut if len(root) >= _LEAST}
    for root in (*cut, bare, bare[:-1]):
        found |= {root.removesuffix(form) + verb for form, verb in _changed(language) if root.endswith(form)}
    return frozenset(found)


@cache
def _changed(language: str) -> tuple[tuple[str, str], ...]:
    """Return the forms of roots with another vowel, each with that of the infinitive: ("gab", "geb")."""
    entries = (entry.split("=") for entry in read_table("derivation")["vowels"].get(language, "").split())
    return tuple((other, verb) for verb, others in entries for other in others.split(","))


def _without_inserted(word: str, language: str) -> str:
    for inserted in _words("inserted", language):
        for particle in ("", *_words("particles", language)):
            rest = word.removeprefix(particle + inserted)
            if len(rest) < len(word) and len(rest) >= _LEAST:
                return particle + rest
    return word


@cache
def _words(name: str, language: str) -> tuple[str, ...]:
    return tuple(longest_first(read_table("derivation")[name].get(language, "").split()))
