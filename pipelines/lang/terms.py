"""Lexical analysis: text to the terms that are matched, words stemmed, Chinese by character pairs."""

from __future__ import annotations

import re
from functools import lru_cache

import Stemmer

from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK, CJK_CHARACTER
from pipelines.lang.profile import profile
from pipelines.lang.words import STOP_WORDS

_RUN = re.compile(rf"[{CJK}]+|[^\W_{CJK}]+(?:[.\-/][^\W_{CJK}]+)*")
_PART = re.compile(r"[^\W_]+")


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Stemmer.Stemmer:
    # Without a known language, or a stemmer for it, index and query still have to agree: on that of English.
    return Stemmer.Stemmer(profile(language).stemmer or profile("en").stemmer)


@lru_cache(maxsize=64)
def _stop_words(language: str) -> frozenset[str]:
    return profile(language).stop_words if language else STOP_WORDS


def words(text: str) -> list[str]:
    """Return the normalized runs of letters and digits; "DS-2041" and "3.5" stay whole, Chinese runs too."""
    return _RUN.findall(normalize(text))


def terms(text: str, language: str = "", *, stop: bool = True) -> list[str]:
    """Return the terms of `text` in order, with repeats.

    Words are stemmed as those of `language` (Snowball; English where it has no stemmer or is not known); a compound
    such as "ds-2041" yields itself and its parts; a run of Chinese yields its character pairs, a single character
    itself. `stop` leaves out the stop words of the language, without one those of English and Chinese.

    >>> terms("Die Pumpen", "de")
    ['pump']
    """
    found: list[str] = []
    stop_words = _stop_words(language) if stop else frozenset[str]()
    for run in words(text):
        if run in stop_words:
            continue
        if CJK_CHARACTER.match(run):
            found.extend(pair for pair in _pairs(run) if pair not in stop_words)
        else:
            found.extend(_latin(run, _stemmer(language)))
    return found


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _latin(run: str, stemmer: Stemmer.Stemmer) -> list[str]:
    parts = _PART.findall(run)
    whole = [stemmer.stemWord(run)]
    return whole if len(parts) == 1 else whole + stemmer.stemWords(parts)
