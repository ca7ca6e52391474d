"""Checks the numbers of a text that are not in its sources: they must be calculated in the text from source numbers.

A calculation is written with signs ("12 kW + 8 kW = 20 kW", "20 kW (12 + 8)") or with a word next to its operands ("8
more than 12"), in the languages of `data/operations.toml`. Its operands must be numbers of the sources, and its result
must be correct to the digits given.
"""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from itertools import islice, pairwise, product

from pipelines.core.provenance import Span
from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.numbers import Number, numbers, values
from pipelines.lang.profile import read_table

_END = re.compile(r"[.!?](?=\s|$)|[。！？；;\n]")
_ARROW = re.compile(r"→|➔|->")
_HUNDRED = 100.0
"""Converts a share to a percentage; the only operand that needs no source."""
_MAX_SUMMANDS = 12
"""Maximum adjacent numbers that are added up."""
_MAX_GAP = 60
"""Maximum characters between two operands."""
_MAX_READINGS = 16
"""Maximum combinations of readings tried for the numbers of an expression."""
_OPERATORS = {"+": "+", "＋": "+", "−": "-", "×": "*", "÷": "/"}
"""Signs that are always operators."""
_SPACED_OPERATORS = {"-": "-", "–": "-", "x": "*", "X": "*", "*": "*", "·": "*", "⋅": "*", "/": "/", ":": "/"}
"""Signs that also occur in units, names and ranges: operators only between blanks or brackets."""
_EQUALS = re.compile(r"[=≈≅＝]")
_SPACING = frozenset(" \t\u00a0\u202f()%")
_SIGNS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}


class Operation(StrEnum):
    SUM = "sum"
    DIFFERENCE = "difference"
    PRODUCT = "product"
    QUOTIENT = "quotient"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class _Words:
    """Words of languages with and without blanks between words."""

    spaced: re.Pattern[str]
    unspaced: tuple[str, ...]

    @classmethod
    def of(cls, words: Collection[str]) -> _Words:
        spaced = sorted({word for word in words if not UNSPACED_CHARACTER.search(word)}, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, spaced))})(?!\w)"
        return cls(re.compile(pattern, re.IGNORECASE), tuple(word for word in words if UNSPACED_CHARACTER.search(word)))

    def occur_in(self, text: str) -> bool:
        return self.spaced.search(text) is not None or any(word in text for word in self.unspaced)


@dataclass(frozen=True, slots=True)
class _OperationWords:
    operations: dict[Operation, _Words]
    factors: dict[float, _Words]


def operations_in(text: str) -> frozenset[Operation]:
    """Return the operations named in `text`; an arrow between two figures means a difference."""
    found = {operation for operation, words in _operation_words().operations.items() if words.occur_in(text)}
    return frozenset(found | {Operation.DIFFERENCE}) if _ARROW.search(text) else frozenset(found)


def factors_in(text: str) -> tuple[float, ...]:
    """Return the factors named by words of `text` ("twice", "half")."""
    return tuple(factor for factor, words in _operation_words().factors.items() if words.occur_in(text))


def clauses(text: str) -> list[Span]:
    """Return the clauses of `text`, in which an operation and its operands belong together; they cover the text."""
    ends = [match.end() for match in _END.finditer(text)]
    starts = [0, *ends]
    return [Span(start, end) for start, end in zip(starts, [*ends, len(text) + 1], strict=True) if end > start]


@lru_cache(maxsize=1)
def _operation_words() -> _OperationWords:
    table: dict[str, dict[str, list[str]]] = read_table("operations")
    factors = {float(factor): _Words.of(words) for factor, words in table.pop("factors").items()}
    words_of = {
        Operation(name): _Words.of([word for words in by_language.values() for word in words])
        for name, by_language in table.items()
    }
    return _OperationWords(words_of, factors)


_BINARY: dict[Operation, Callable[[float, float], float]] = {
    Operation.SUM: operator.add,
    Operation.DIFFERENCE: lambda a, b: abs(a - b),
    Operation.PRODUCT: operator.mul,
    Operation.QUOTIENT: operator.truediv,
}


def unsupported(text: str, sources: Collection[str]) -> list[str]:
    """Return the numbers of `text`, as written, that are neither in a source nor calculated from source numbers."""
    known = frozenset[float]().union(*map(values, sources))
    missing = _missing(numbers(text), known)
    while missing:
        found = frozenset[float]().union(*(_calculated(number, text, known) for number in missing))
        if not found:
            break
        known |= found  # a result may be an operand of another calculation
        missing = _missing(missing, known)
    return [number.text for number in missing]


def _missing(every: Sequence[Number], known: frozenset[float]) -> list[Number]:
    return [number for number in every if number.values and number.values.isdisjoint(known)]


def _calculated(number: Number, text: str, known: frozenset[float]) -> frozenset[float]:
    """Return the readings of a number that are results of calculations in the text."""
    results = [*_by_signs(number, text, known | {_HUNDRED}), *_by_words(number, text, known)]
    return frozenset(reading for reading in number.values if any(number.rounds(reading, one) for one in results))


# Calculations with signs: the number is next to an equals sign, or followed by an expression in brackets.


def _by_signs(result: Number, text: str, known: frozenset[float]) -> Iterator[float]:
    """Yield the values of the expressions that `text` equates with `result`, if all their operands are `known`."""
    for row in _sides(result, text):
        for value in _values(row, text, known):
            yield value
            if result.percent:
                yield _HUNDRED * value


def _sides(result: Number, text: str) -> Iterator[list[Number]]:
    """Yield the operands of each expression on the other side of an equals sign, or in brackets after the result."""
    every = numbers(text)
    place = every.index(result)
    if place and _EQUALS.search(text, every[place - 1].span.end, result.span.start):
        yield _chain(every[:place], text, backwards=True)
    if place + 1 == len(every):
        return
    gap = text[result.span.end : every[place + 1].span.start]
    if _EQUALS.search(gap):
        yield _chain(every[place + 1 :], text)
    elif "(" in gap and ")" not in gap:
        close = text.find(")", result.span.end)
        yield _chain([one for one in every[place + 1 :] if close < 0 or one.span.end <= close], text)


def _chain(every: Sequence[Number], text: str, backwards: bool = False) -> list[Number]:
    """Return the numbers from one end on that are connected by operators, in the order of the text."""
    ordered = list(reversed(every)) if backwards else list(every)
    taken = ordered[:1]
    for one in ordered[1:]:
        left, right = (one, taken[-1]) if backwards else (taken[-1], one)
        if _operator_at(text[left.span.end : right.span.start]) is None:
            break
        taken.append(one)
    return taken[::-1] if backwards else taken


def _values(row: Sequence[Number], text: str, known: frozenset[float]) -> Iterator[float]:
    """Yield the values of an expression for the known readings of its operands; "20 %" is read as 20 and as 0.2."""
    if len(row) < 2:
        return
    gaps = [_gap(text[left.span.end : right.span.start]) for left, right in pairwise(row)]
    for percent in (1.0, 1 / _HUNDRED):
        for chosen in islice(product(*(sorted(one.values & known) for one in row)), _MAX_READINGS):
            figures = [value * (percent if one.percent else 1.0) for one, value in zip(row, chosen, strict=True)]
            value = _value("".join(f"{figure!r}{gap}" for figure, gap in zip(figures, [*gaps, ""], strict=True)))
            if value is not None:
                yield value


def _gap(text: str) -> str:
    """Return the operator and brackets between two operands: ")*(" for " kW) × ("."""
    at = _operator_at(text) or 0
    before, behind = text[:at], text[at:]
    closing = ")" * max(0, before.count(")") - before.count("("))
    opening = "(" * max(0, behind.count("(") - behind.count(")"))
    return f"{closing}{(_OPERATORS | _SPACED_OPERATORS)[text[at]]}{opening}"


def _operator_at(gap: str) -> int | None:
    """Return the position of the only operator between two numbers, or None if there is none or more than one."""
    if len(gap) > _MAX_GAP or _EQUALS.search(gap):
        return None
    found = [at for at in range(len(gap)) if _is_operator(gap, at)]
    return found[0] if len(found) == 1 else None


def _is_operator(gap: str, at: int) -> bool:
    if gap[at] in _OPERATORS:
        return True
    around = gap[at - 1 : at] + gap[at + 1 : at + 2]
    return gap[at] in _SPACED_OPERATORS and all(character in _SPACING for character in around)


def _value(expression: str) -> float | None:
    """Return the value of an expression such as "12.0+8.0)*2.0", adding missing brackets, or None on an error."""
    depth = lowest = 0
    for character in expression:
        depth += (character == "(") - (character == ")")
        lowest = min(lowest, depth)
    try:
        tree = ast.parse("(" * -lowest + expression + ")" * (depth - lowest), mode="eval")
        return _evaluated(tree.body)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, MemoryError):
        return None


def _evaluated(node: ast.expr) -> float:
    match node:
        case ast.BinOp(left, sign, right):
            return float(_SIGNS[type(sign)](_evaluated(left), _evaluated(right)))
        case ast.Constant(float(value)):
            return value
    raise ValueError(f"no calculation: {ast.dump(node)}")


# Calculations in words: "8 more than 12", "twice 15 mm", "12 and 8 together".


def _by_words(number: Number, text: str, known: frozenset[float]) -> Iterator[float]:
    """Yield the results of operations named by words, on the numbers next to this one in its clause."""
    clause = next(span for span in clauses(text) if span.start <= number.span.start < span.end)
    row = [one for one in numbers(text) if clause.start <= one.span.start < clause.end]
    place = row.index(number)
    for words, (one, other) in _neighbours(row, place, 2, clause, text):
        yield from _of_pair(number, one, other, words, known)
    for words, (one,) in _neighbours(row, place, 1, clause, text):
        yield from (factor * a for factor in factors_in(words) for a in _operands(one, known))
    named = operations_in(clause.slice(text))
    yield from _of_row(named, row[:place][::-1], known)
    yield from _of_row(named, row[place + 1 :], known)


def _neighbours(
    row: Sequence[Number], place: int, count: int, clause: Span, text: str
) -> Iterator[tuple[str, list[Number]]]:
    """Yield each group of `count` numbers around or next to the number, with the words around all of them."""
    for first in range(max(0, place - count), min(place, len(row) - count - 1) + 1):
        last = first + count
        start = row[first - 1].span.end if first else clause.start
        end = row[last + 1].span.start if last + 1 < len(row) else clause.end
        yield text[start:end], [one for one in row[first : last + 1] if one is not row[place]]


def _of_pair(number: Number, one: Number, other: Number, words: str, known: frozenset[float]) -> Iterator[float]:
    """Yield the results of the operations named by `words` on two numbers in either order."""
    named = operations_in(words)
    pairs = [(a, b) for a in _operands(one, known) for b in _operands(other, known)]
    both = [*pairs, *((b, a) for a, b in pairs)]
    for operation in named & _BINARY.keys():
        yield from (_BINARY[operation](a, b) for a, b in both if b or operation is not Operation.QUOTIENT)
    if number.percent and not (one.percent or other.percent):
        yield from (_HUNDRED * a / b for a, b in both if b)
        if Operation.DIFFERENCE in named:
            yield from (_HUNDRED * abs(b - a) / a for a, b in both if a)
    elif one.percent != other.percent:
        yield from (a * b / _HUNDRED for a, b in pairs)


def _of_row(named: Collection[Operation], row: Sequence[Number], known: frozenset[float]) -> Iterator[float]:
    """Yield the sums and means of the first two, three, ... numbers, up to one without exactly one known reading."""
    total = 0.0
    for count, one in enumerate(row[:_MAX_SUMMANDS], 1):
        operands = _operands(one, known)
        if len(operands) != 1:
            break
        total += operands[0]
        if count > 1 and Operation.SUM in named:
            yield total
        if count > 1 and Operation.MEAN in named:
            yield total / count


def _operands(number: Number, known: frozenset[float]) -> list[float]:
    return sorted(number.values & known)
