"""Whether a text tells a number of things: "22 routes", "Members: 42", but not "routes 16 m high"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator

from pipelines.lang.characters import UNSPACED_CHARACTER, fold
from pipelines.lang.quantities import Kind, plain_numbers, quantities
from pipelines.lang.terms import is_paired, stem, terms
from pipelines.lang.word_lists import cue

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_APART = re.compile(r"[;；。!?]|[,，]\s")
_BETWEEN, _BETWEEN_UNSPACED = 3, 6
"""Maximum words, or characters without blanks, between a number and what it counts: "14 of the wooden boats"."""


def counts_in_text(text: str, things: Collection[str], language: str) -> bool:
    """Whether a number without a unit is near one of the terms `things` in a text, without a comma between them."""
    places = list(_places(text, things, language)) if things else []
    return any(_is_near(text, place, number) for number in plain_numbers(text, language) for place in places)


def counts_in_row(
    fields: Iterable[tuple[str, str]],
    things: Collection[str],
    context: Collection[str],
    asked: Collection[str],
    language: str,
) -> bool:
    """Whether a cell of a row, as (column name, cell), has a number of things.

    Its column names the things; or it names quantities ("Number in stock"), or is named in the question (`asked`: the
    hours "in March"), in a table about the things: they are in `context`.
    """
    about = any(one in context for one in things)
    for name, cell in fields:
        measured = (value for value in quantities(f"{cell} {name}", language) if value.kind is not Kind.DATE)
        plain = plain_numbers(cell, language) and not any(measured)  # "88" below "March" is no date
        own = frozenset(terms(name, language, stop=False))
        of_things = about and (cue("quantity", language).search(name) or not own.isdisjoint(asked))
        if plain and (of_things or not own.isdisjoint(things)):
            return True
        if counts_in_text(cell, things, language):
            return True
    return False


def _places(text: str, things: Collection[str], language: str) -> Iterator[tuple[int, int]]:
    folded = fold(text)
    for thing in filter(is_paired, things):
        yield from ((found.start(), found.end()) for found in re.finditer(re.escape(thing), folded))
    for word in _WORD.finditer(folded):
        if stem(word.group(), language) in things:
            yield word.span()


def _is_near(text: str, one: tuple[int, int], other: tuple[int, int]) -> bool:
    first, last = sorted((one, other))
    between = text[first[1] : last[0]]
    if _APART.search(between):
        return False
    if UNSPACED_CHARACTER.search(between):
        return len(between) <= _BETWEEN_UNSPACED
    return len(_WORD.findall(between)) <= _BETWEEN
