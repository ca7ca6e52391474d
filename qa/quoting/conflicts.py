"""Sources that give different values for what is asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.lang.quantities import Value, in_row, quantities
from pipelines.retrieve.hit import Hit
from qa.ports import Lexicon
from qa.quoting.query import Query, read_query
from qa.quoting.tell import tell
from qa.quoting.weigh import ABOVE, Weighed, weigh

_ALIKE = 0.85
"""Share of the best unit's score from which another speaks of the same."""
_ABOUT = 0.6
"""From which coverage on a unit speaks of what is asked."""
_COMPARED = 8


def disagreements(question: str, hits: Sequence[Hit], lexicon: Lexicon) -> tuple[str, ...]:
    """Return what passages that a model has read say against each other on what is asked."""
    query = read_query(question, lexicon)
    return told(query, rivals(query, weigh(query, hits, lexicon)))


def told(query: Query, pairs: Sequence[tuple[Weighed, Weighed]]) -> tuple[str, ...]:
    """Return each pair as a reader is told of it, with both sources named."""
    return tuple(" - but ".join(f"{one.unit.hit.uri} says: {tell(one.unit, query)}" for one in pair) for pair in pairs)


def rivals(query: Query, weighed: Sequence[Weighed]) -> list[tuple[Weighed, Weighed]]:
    """Return the best unit that gives a value, with each of another document that answers as well and gives another.

    Values are compared where both units give exactly one of a kind that is asked for, in the same unit.
    """
    if not weighed or not query.wants:
        return []
    floor = _ALIKE * weighed[0].score
    close = [item for item in weighed[:_COMPARED] if item.gives and item.score >= floor and item.coverage >= _ABOUT]
    return [(close[0], other) for other in close[1:] if _disagree(query, close[0], other)]


def _disagree(query: Query, one: Weighed, other: Weighed) -> bool:
    if one.unit.hit.document == other.unit.hit.document or _subject(one) != _subject(other):
        return False
    pairs = list(_comparable(list(_asked(query, one)), list(_asked(query, other))))
    return bool(pairs) and all(not _same(a, b) for a, b in pairs)


def _subject(item: Weighed) -> frozenset[str]:
    """The terms of the question that a unit is about: itself, or by its headings."""
    return frozenset(term for term, cover in item.covers.items() if cover >= ABOVE)


def _asked(query: Query, item: Weighed) -> Iterator[Value]:
    unit = item.unit
    for value in in_row(unit.header, unit.text) if unit.header else quantities(unit.text):
        if value.kind in query.wants and value.figure is not None and value.text not in query.text:
            yield value


def _comparable(one: list[Value], other: list[Value]) -> Iterator[tuple[Value, Value]]:
    for a in one:
        for b in other:
            if (a.kind, a.unit) == (b.kind, b.unit) and len(one) == len(other) == 1:
                yield a, b


def _same(a: Value, b: Value) -> bool:
    assert a.figure is not None  # noqa: S101
    assert b.figure is not None  # noqa: S101
    return abs(a.figure - b.figure) <= 1e-9 * max(1.0, abs(a.figure))
