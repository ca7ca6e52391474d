"""Reckonings written with signs: "12 kW + 8 kW = 20 kW", "20 = 2 × 10", "20 kW (12 + 8)"."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import islice, pairwise, product

from pipelines.lang.numbers import Number, numbers

_CLEAR = {"+": "+", "＋": "+", "−": "-", "×": "*", "÷": "/"}
"""Signs that are operators wherever they stand."""
_SET_OFF = {"-": "-", "–": "-", "x": "*", "X": "*", "*": "*", "·": "*", "⋅": "*", "/": "/", ":": "/"}
"""Signs that are also part of units, names and ranges: operators where only blanks or brackets are beside them."""
_EQUALS = re.compile(r"[=≈≅＝]")
_BESIDE = frozenset(" \t\u00a0\u202f()%")
_FARTHEST = 60
"""Characters between two operands at most."""
_READINGS = 16
"""Ways of reading the figures of one expression that are tried."""
Token = Number | str


def stated(result: Number, text: str, known: Collection[float]) -> Iterator[float]:
    """Yield the values of the expressions that `text` sets equal to `result`, all of whose operands are `known`."""
    for side in _sides(result, text):
        for percent in (1.0, 0.01):
            for value in _values(side, known, percent):
                yield value
                if result.percent:
                    yield 100 * value


def _sides(result: Number, text: str) -> Iterator[list[Token]]:
    """The expressions that stand on the other side of an equals sign from the result, or in brackets behind it."""
    every = numbers(text)
    place = every.index(result)
    if place and _EQUALS.search(text, every[place - 1].span.end, result.span.start):
        yield _chain(every[:place], text, backwards=True)
    if place + 1 == len(every):
        return
    gap = text[result.span.end : every[place + 1].span.start]
    if _EQUALS.search(gap):
        yield _chain(every[place + 1 :], text, backwards=False)
    elif "(" in gap and ")" not in gap:
        close = text.find(")", result.span.end)
        inside = [one for one in every[place + 1 :] if close < 0 or one.span.end <= close]
        yield _chain(inside, text, backwards=False)


def _chain(every: Sequence[Number], text: str, backwards: bool) -> list[Token]:
    """The numbers from one end on that operators join, with operators and brackets; empty where nothing is joined."""
    ordered = list(reversed(every)) if backwards else list(every)
    taken = ordered[:1]
    for one in ordered[1:]:
        left, right = (one, taken[-1]) if backwards else (taken[-1], one)
        if _operator(text[left.span.end : right.span.start]) is None:
            break
        taken.append(one)
    if len(taken) < 2:
        return []
    row = sorted(taken, key=lambda one: one.span.start)
    tokens: list[Token] = ["("] * _opened(text, row)
    for left, right in pairwise(row):
        tokens += [left, *_marks(text[left.span.end : right.span.start])]
    return [*tokens, row[-1]]


def _opened(text: str, row: Sequence[Number]) -> int:
    """How many brackets that stand before the first number are closed between the numbers."""
    depth = lowest = 0
    for left, right in pairwise(row):
        for character in text[left.span.end : right.span.start]:
            depth += (character == "(") - (character == ")")
            lowest = min(lowest, depth)
    return -lowest


def _marks(gap: str) -> list[str]:
    """The operator of a gap with the brackets before and behind it."""
    operator = _operator(gap)
    place = next((at for at, sign in enumerate(gap) if _is_operator(gap, at)), len(gap))
    closing = [")"] * gap[:place].count(")") if gap[:place].count(")") > gap[:place].count("(") else []
    opening = ["("] * gap[place:].count("(") if gap[place:].count("(") > gap[place:].count(")") else []
    return [*closing, operator or "+", *opening]


def _operator(gap: str) -> str | None:
    """The one operator between two numbers, None where there is none or more than one."""
    if len(gap) > _FARTHEST or _EQUALS.search(gap):
        return None
    found = [gap[at] for at in range(len(gap)) if _is_operator(gap, at)]
    return (_CLEAR | _SET_OFF)[found[0]] if len(found) == 1 else None


def _is_operator(gap: str, at: int) -> bool:
    if gap[at] in _CLEAR:
        return True
    around = gap[at - 1 : at] + gap[at + 1 : at + 2]
    return gap[at] in _SET_OFF and all(character in _BESIDE for character in around)


def _values(tokens: Sequence[Token], known: Collection[float], percent: float) -> Iterator[float]:
    operands = [token for token in tokens if isinstance(token, Number)]
    if len(operands) < 2:
        return
    readings = [sorted(one.values & set(known)) for one in operands]
    for chosen in islice(product(*readings), _READINGS):
        figures = iter(chosen)
        plain = [
            next(figures) * (percent if token.percent else 1.0) if isinstance(token, Number) else token
            for token in tokens
        ]
        value = _Expression(plain).value()
        if value is not None:
            yield value


class _Expression:
    """Tokens evaluated with brackets first, then products, then sums."""

    def __init__(self, tokens: Sequence[float | str]) -> None:
        self._tokens = list(tokens)
        self._at = 0

    def value(self) -> float | None:
        """Return the value, None where a number is divided by nothing; brackets left open are closed at the end."""
        try:
            return self._sum()
        except ZeroDivisionError:
            return None

    def _sum(self) -> float:
        total = self._product()
        while (sign := self._take("+-")) is not None:
            total = total + self._product() if sign == "+" else total - self._product()
        return total

    def _product(self) -> float:
        total = self._factor()
        while (sign := self._take("*/")) is not None:
            total = total * self._factor() if sign == "*" else total / self._factor()
        return total

    def _factor(self) -> float:
        if self._take("(") is not None:
            inner = self._sum()
            self._take(")")
            return inner
        token = self._tokens[self._at]
        self._at += 1
        return float(token)

    def _take(self, signs: str) -> str | None:
        token = self._tokens[self._at] if self._at < len(self._tokens) else None
        if isinstance(token, str) and token in signs:
            self._at += 1
            return token
        return None
