"""Words for powers of ten between a number and its unit: "1.2 million EUR", "3 Mio. €", "12万元"."""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.characters import CJK
from pipelines.lang.profile import longest_first, read_table

_OF = r"(?:d['’]\s?|d[ei]\s)?"
"""What may stand before the unit in Romance languages: "5 millions d'euros", "2 millones de euros"."""
_LONGEST = 32
"""Characters that are read: twice those of the longest word, for blanks and what stands before the unit."""


def scale_at(text: str, place: int, language: str = "") -> tuple[int, int]:
    """Return the end of the word for a power of ten that begins at `place`, and the exponent; (`place`, 0) for none.

    Words of English and of `language` (ISO 639-1) are recognized; without a language, those of all languages.

    >>> scale_at("1.2 million EUR", 4, "en")
    (12, 6)
    """
    exponents = _exponents(language)
    found = _pattern(language).match(text, place, place + _LONGEST)
    return (found.end(), exponents[found[1].casefold()]) if found else (place, 0)


@cache
def _exponents(language: str) -> dict[str, int]:
    table: dict[str, dict[str, int]] = read_table("scales")
    codes = ("en", language) if language else tuple(table)
    return {word: exponent for code in codes for word, exponent in table.get(code, {}).items()}


@cache
def _pattern(language: str) -> re.Pattern[str]:
    words = "|".join(longest_first(_exponents(language)))
    return re.compile(rf"({words})(?:(?<=[{CJK}])|(?![^\W{CJK}])\.?[^\S\n]*){_OF}", re.IGNORECASE)
