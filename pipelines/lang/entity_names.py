"""Words in names that do not tell which person, place or organization is meant, from `data/entity_names.toml`."""

from __future__ import annotations

import unicodedata

from pipelines.lang.profile import read_table

_TABLE = read_table("entity_names")


def _words(section: str) -> frozenset[str]:
    return frozenset(word for words in _TABLE[section].values() for word in without_accents(words).split())


def without_accents(text: str) -> str:
    """Return a text without accents and other marks, letters that look alike in one form (NFKD)."""
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


ARTICLES = _words("articles")
"""Articles before a name, in small letters, as all words here without accents."""
TITLES = _words("titles")
"""Titles and forms of address of persons, without points and accents, in small letters."""
SMALL_WORDS = _words("small")
"""Words in a name for which its acronym has no letter."""
SAME_NAMES: dict[str, str] = dict(_TABLE["same"])
"""By a name in small letters the one under which it is known too."""
