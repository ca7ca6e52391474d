"""Words about documents as such, from `data/document_words.toml`: kinds of documents, and what numbers none."""

from __future__ import annotations

from functools import cache

from pipelines.lang.profile import read_table

_TABLE = read_table("document_words")

NOT_NUMBERS = frozenset(word for words in _TABLE["not_numbers"].values() for word in words.split())
"""Letters, in capitals, before figures that are no number of a document."""


@cache
def kind_words(media_type: str, language: str) -> str:
    """Return what readers call documents of a media type, in English and in a language, with blanks between."""
    kinds = (words for mark, words in _TABLE["kinds"].items() if mark in media_type)
    return " ".join(words[code] for words in kinds for code in dict.fromkeys(("en", language)) if code in words)
