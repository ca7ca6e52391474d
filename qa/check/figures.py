"""Figures of a claim that no source has: they stand only where the claim says how it reckoned them, and from what.

An operation is said by signs ("12 kW + 8 kW = 20 kW", "20 kW (12 + 8)") or by a word beside its operands ("8 more than
12"); its operands are figures of the sources, and the result is right to the digits that it is written with.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence

from pipelines.core.provenance import Span
from pipelines.lang.numbers import Number, numbers, values
from qa.check.arithmetic import stated
from qa.check.operations import Operation, clauses, factors_in, operations_in

_OPERANDS = 2
_MOST_ADDED = 12
"""Figures in a row whose sum is looked for."""
_SCALE = 100.0
"""What a share is multiplied with to be a percentage; the one operand that needs no source."""


def unsupported(text: str, sources: Collection[str]) -> list[str]:
    """Return the numbers of `text` that no source has and that `text` does not work out from those of the sources."""
    known = frozenset[float]().union(*(values(source) for source in sources))
    missing = _missing(numbers(text), known)
    while missing:
        found = frozenset[float]().union(*(_worked_out(number, text, known) for number in missing))
        if not found:
            break
        known |= found  # a result may be the operand of what follows
        missing = _missing(missing, known)
    return [number.text for number in missing]


def _missing(every: Sequence[Number], known: frozenset[float]) -> list[Number]:
    return [number for number in every if number.values and number.values.isdisjoint(known)]


def _worked_out(number: Number, text: str, known: frozenset[float]) -> frozenset[float]:
    """The readings of a number that the text works out, none where it does not."""
    results = [*stated(number, text, known | {_SCALE}), *_told(number, text, known)]
    return frozenset(reading for reading in number.values if any(number.rounds(reading, one) for one in results))


def _told(number: Number, text: str, known: frozenset[float]) -> Iterator[float]:
    """What the words around a number make of the figures next to it in its clause."""
    clause = next(span for span in clauses(text) if span.start <= number.span.start < span.end)
    row = [one for one in numbers(text) if clause.start <= one.span.start < clause.end]
    place = row.index(number)
    for first in (place - 2, place - 1, place):
        if first >= 0 and first + _OPERANDS < len(row):
            pair = [one for one in row[first : first + _OPERANDS + 1] if one is not row[place]]
            yield from _of_pair(number, pair, _around(row, first, first + _OPERANDS, clause, text), known)
    for first in (place - 1, place):
        if first >= 0 and first + 1 < len(row):
            (operand,) = (one for one in row[first : first + 2] if one is not row[place])
            words = factors_in(_around(row, first, first + 1, clause, text))
            yield from (factor * a for factor in words for a in _operands(operand, known))
    yield from _of_rows(operations_in(clause.slice(text)), row[:place], row[place + 1 :], known)


def _around(row: Sequence[Number], first: int, last: int, clause: Span, text: str) -> str:
    """The text about the numbers from `first` to `last`, up to the ones before and behind."""
    start = row[first - 1].span.end if first else clause.start
    return text[start : row[last + 1].span.start if last + 1 < len(row) else clause.end]


def _of_pair(number: Number, pair: Sequence[Number], text: str, known: frozenset[float]) -> Iterator[float]:
    """What the operations that the text names make of two figures, in either order."""
    said = operations_in(text)
    one, other = pair
    chosen = [(a, b) for a in _operands(one, known) for b in _operands(other, known)]
    both = [*chosen, *((b, a) for a, b in chosen)]
    for operation, work in _OF_TWO.items():
        if operation in said:
            yield from (result for a, b in both if (result := work(a, b)) is not None)
    if number.percent and not (one.percent or other.percent):
        yield from (_SCALE * a / b for a, b in both if b)
        if Operation.DIFFERENCE in said:
            yield from (_SCALE * abs(b - a) / a for a, b in both if a)
    elif one.percent != other.percent:
        yield from (a * b / _SCALE for a, b in chosen)


def _difference(a: float, b: float) -> float | None:
    return abs(a - b)


def _quotient(a: float, b: float) -> float | None:
    return a / b if b else None


_OF_TWO: dict[Operation, Callable[[float, float], float | None]] = {
    Operation.SUM: lambda a, b: a + b,
    Operation.DIFFERENCE: _difference,
    Operation.PRODUCT: lambda a, b: a * b,
    Operation.QUOTIENT: _quotient,
}


def _of_rows(
    said: Collection[Operation], before: Sequence[Number], after: Sequence[Number], known: frozenset[float]
) -> Iterator[float]:
    """Sums and means of the figures in a row that end or begin beside the result."""
    for row in (list(reversed(before)), list(after)):
        total = 0.0
        for count, one in enumerate(row[:_MOST_ADDED], 1):
            operands = _operands(one, known)
            if len(operands) != 1:
                break
            total += operands[0]
            if count > 1 and Operation.SUM in said:
                yield total
            if count > 1 and Operation.MEAN in said:
                yield total / count


def _operands(number: Number, known: frozenset[float]) -> list[float]:
    return sorted(number.values & known)
