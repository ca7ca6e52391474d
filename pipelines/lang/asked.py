"""Which kinds of values a question asks for."""

from __future__ import annotations

import re

from pipelines.lang.profile import read_table
from pipelines.lang.quantities import Kind

_PATTERNS = tuple(
    (Kind(kind), re.compile("|".join(part for parts in by_language.values() for part in parts), re.IGNORECASE))
    for kind, by_language in read_table("asked").items()
)
_REST = re.compile(r"[a-zA-Z]*")
_HOW_LONG = re.compile(r"\bhow long\b", re.IGNORECASE)


def asked_for(question: str) -> frozenset[Kind]:
    """Return the kinds of value that a question asks for, none where it asks for no value.

    "How long" may mean a time or a length; a plain number is asked for only where no kind is.
    """
    found = {kind for kind, pattern in _PATTERNS if pattern.search(question)}
    if Kind.TIME in found and _HOW_LONG.search(question):
        found.add(Kind.LENGTH)
    return frozenset(found - {Kind.NUMBER} or found)


def asking(question: str) -> str:
    """Return the words of a question that say which kind of value it asks for: "how many kilograms weigh"."""
    return " ".join(
        question[match.start() : _word_end(question, match.end())]
        for _, pattern in _PATTERNS
        for match in pattern.finditer(question)
    )


def _word_end(text: str, place: int) -> int:
    rest = _REST.match(text, place)
    return rest.end() if rest else place
