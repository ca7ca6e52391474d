"""Which kinds of values a question asks for."""

from __future__ import annotations

import re
from functools import cache, lru_cache

from pipelines.lang.profile import of_language, read_table
from pipelines.lang.quantities import Kind

_REST = re.compile(r"[^\W\d_]*")


@lru_cache(maxsize=1024)  # headings of columns are asked about for every row
def asked_for(question: str, language: str = "") -> frozenset[Kind]:
    """Return the kinds of value that a question asks for, none where it asks for no value.

    "How long" may mean a time or a length; a plain number is asked for only where no kind is. `language` is the
    question's (ISO 639-1); without it the patterns of all languages count.
    """
    found = {kind for kind, pattern in _patterns(language) if pattern.search(question)}
    return frozenset(found - {Kind.NUMBER} or found)


def asking(question: str, language: str = "") -> str:
    """Return the words of a question that say which kind of value it asks for: "how many kilograms weigh"."""
    return " ".join(
        question[match.start() : _word_end(question, match.end())]
        for _, pattern in _patterns(language)
        for match in pattern.finditer(question)
    )


@cache
def _patterns(language: str) -> tuple[tuple[Kind, re.Pattern[str]], ...]:
    return tuple(
        (Kind(kind), re.compile("|".join(parts), re.IGNORECASE))
        for kind, by_language in read_table("asked").items()
        if (parts := of_language(by_language, language))
    )


def _word_end(text: str, place: int) -> int:
    rest = _REST.match(text, place)
    return rest.end() if rest else place
