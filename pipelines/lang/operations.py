"""Operations of arithmetic that are said in words, in the languages of `data/operations.toml`."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from pipelines.core.provenance import Span
from pipelines.lang.characters import UNSPACED_CHARACTER
from pipelines.lang.profile import read_table

_END = re.compile(r"[.!?](?=\s|$)|[。！？；;\n]")
_ARROW = re.compile(r"→|➔|->")


class Operation(StrEnum):
    SUM = "sum"
    DIFFERENCE = "difference"
    PRODUCT = "product"
    QUOTIENT = "quotient"
    MEAN = "mean"


@dataclass(frozen=True, slots=True)
class _Words:
    """Words that stand between blanks, and those that do not."""

    spaced: re.Pattern[str]
    unspaced: tuple[str, ...]

    @classmethod
    def of(cls, words: Collection[str]) -> _Words:
        spaced = sorted({word for word in words if not UNSPACED_CHARACTER.search(word)}, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, spaced))})(?!\w)"
        return cls(re.compile(pattern, re.IGNORECASE), tuple(word for word in words if UNSPACED_CHARACTER.search(word)))

    def stand_in(self, text: str) -> bool:
        return self.spaced.search(text) is not None or any(word in text for word in self.unspaced)


@dataclass(frozen=True, slots=True)
class _OperationWords:
    operations: dict[Operation, _Words]
    factors: dict[float, _Words]


def operations_in(text: str) -> frozenset[Operation]:
    """Return the operations that `text` names; an arrow from one figure to another is a difference."""
    found = {operation for operation, words in _operation_words().operations.items() if words.stand_in(text)}
    return frozenset(found | {Operation.DIFFERENCE}) if _ARROW.search(text) else frozenset(found)


def factors_in(text: str) -> tuple[float, ...]:
    """Return the factors that words of `text` are ("twice", "half")."""
    return tuple(factor for factor, words in _operation_words().factors.items() if words.stand_in(text))


def clauses(text: str) -> list[Span]:
    """Return the stretches of `text` in which an operation and its operands belong together, covering all of it."""
    ends = [match.end() for match in _END.finditer(text)]
    starts = [0, *ends]
    return [Span(start, end) for start, end in zip(starts, [*ends, len(text) + 1], strict=True) if end > start]


@lru_cache(maxsize=1)
def _operation_words() -> _OperationWords:
    table: dict[str, dict[str, list[str]]] = read_table("operations")
    factors = {float(factor): _Words.of(words) for factor, words in table.pop("factors").items()}
    said = {
        Operation(name): _Words.of([word for words in by_language.values() for word in words])
        for name, by_language in table.items()
    }
    return _OperationWords(said, factors)
