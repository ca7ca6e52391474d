"""Lexical analysis: text to the terms that are matched, Latin words stemmed, Chinese by character pairs."""

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


@lru_cache(maxsize=1)
def _stemmer() -> Stemmer.Stemmer:
    # Index and query must agree on it, and neither knows the other's language: English for all Latin words.
    return Stemmer.Stemmer(profile("en").stemmer)


def words(text: str) -> list[str]:
    """Return the normalized runs of letters and digits; "DS-2041" and "3.5" stay whole, Chinese runs too."""
    return _RUN.findall(normalize(text))


def terms(text: str, stop: bool = True) -> list[str]:
    """Return the terms of `text` in order, with repeats.

    Latin words are stemmed (Snowball English); a compound such as "ds-2041" yields itself and its parts; a run of
    Chinese yields its character pairs, a single character itself. `stop` leaves out `STOP_WORDS`.
    """
    found: list[str] = []
    for run in words(text):
        if stop and run in STOP_WORDS:
            continue
        if CJK_CHARACTER.match(run):
            found.extend(pair for pair in _pairs(run) if not (stop and pair in STOP_WORDS))
        else:
            found.extend(_latin(run))
    return found


def _pairs(run: str) -> list[str]:
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


def _latin(run: str) -> list[str]:
    parts = _PART.findall(run)
    whole = [_stemmer().stemWord(run)]
    return whole if len(parts) == 1 else whole + _stemmer().stemWords(parts)
