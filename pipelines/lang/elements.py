"""Chemical elements: their symbols, as in the header of an analysis, and their names, as in a question about it."""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.profile import profile, read_table
from pipelines.lang.terms import stem

_LEAST_LETTERS = 4
"""Minimum letters of a name that a compound may begin with ("Blei" in "Bleigehalt"), and of the stem of a name."""
_LEAST_SYMBOLS = 3
"""Minimum symbols of two letters beside those of one letter, most of which are also those of units: C, V, W."""


def symbols_of(word: str, language: str) -> frozenset[str]:
    """Return the symbols of the element that a word in lower case names, or names first in a compound.

    >>> sorted(symbols_of("nickel", "en")), sorted(symbols_of("kupfergehalt", "de"))
    (['Ni'], ['Cu'])
    """
    names, stems = _names(), _stems(language)
    found = names.get(word, frozenset()) | stems.get(stem(word, language), frozenset())
    if not found and profile(language).compounds:
        parts = (word[:end] for end in range(len(word) - 1, _LEAST_LETTERS - 1, -1))
        found = next((names[part] for part in parts if part in names), frozenset())
    return found


def symbols_in(text: str) -> frozenset[str]:
    """Return the symbols of elements in a text; those of one letter only beside several others.

    >>> sorted(symbols_in("C | Si | Mn | Cr | Ni")), sorted(symbols_in("20 °C, 230 V"))
    (['C', 'Cr', 'Mn', 'Ni', 'Si'], [])
    """
    found = frozenset(_pattern().findall(text))
    long = frozenset(symbol for symbol in found if len(symbol) > 1)
    return found if len(long) >= _LEAST_SYMBOLS else long


@cache
def _names() -> dict[str, frozenset[str]]:
    """Return the symbols by the names of the elements."""
    found: dict[str, frozenset[str]] = {}
    for symbol, names in read_table("elements").items():
        for name in names.split():
            found[name] = found.get(name, frozenset()) | {symbol}
    return found


@cache
def _stems(language: str) -> dict[str, frozenset[str]]:
    """Return the symbols by the names as a language stems them: "никеля" is an inflected form."""
    found: dict[str, frozenset[str]] = {}
    for name, symbols in _names().items():
        key = stem(name, language)
        if len(key) >= _LEAST_LETTERS:  # "Eis" and "Eisen" have one stem
            found[key] = found.get(key, frozenset()) | symbols
    return found


@cache
def _pattern() -> re.Pattern[str]:
    symbols = "|".join(sorted(read_table("elements"), key=len, reverse=True))
    return re.compile(rf"(?<![\w°])(?<!\d )(?:{symbols})(?![\w.])")
