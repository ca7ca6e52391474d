"""Words for powers of ten between a number and its unit: "1.2 million EUR", "3 Mio. €", "12万元"."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from pipelines.lang.characters import CJK
from pipelines.lang.profile import longest_first, read_table

_OF = r"(?:d['’]\s?|d[ei]\s)?"
"""What may stand before the unit in Romance languages: "5 millions d'euros", "2 millones de euros"."""
_LONGEST = 32
"""Characters that are read: twice those of the longest word, for blanks and what stands before the unit."""


class Scale(NamedTuple):
    """A word for a power of ten: the exponent, where the word ends, and where its unit begins."""

    exponent: int
    end: int
    unit: int


def scale_at(text: str, place: int, language: str = "") -> Scale | None:
    """Return the word for a power of ten that begins at `place`, or None if there is none.

    Words of English and of `language` (ISO 639-1) are recognized; without a language, those of all languages.

    >>> scale_at("1.2 million EUR", 4, "en")
    Scale(exponent=6, end=11, unit=12)
    """
    found = _pattern(language).match(text, place, place + _LONGEST)
    return Scale(_exponents(language)[found[1].casefold()], found.end(1), found.end()) if found else None


@cache
def _exponents(language: str) -> dict[str, int]:
    table: dict[str, dict[str, int]] = read_table("scales")
    codes = ("en", language) if language else tuple(table)
    return {word: exponent for code in codes for word, exponent in table.get(code, {}).items()}


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = "|".join(longest_first(_exponents(language)))
    return re.compile(rf"({words})(?:(?<=[{CJK}])|(?![^\W{CJK}])\.?[^\S\n]*){_OF}", re.IGNORECASE)
