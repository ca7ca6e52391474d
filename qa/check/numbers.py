"""What a text states in figures: its numbers in all their readings, and the words that name an operation on them.

The words of operations are in `operations.toml`, by language.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from pipelines.core.provenance import Span

_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,' \u00a0\u202f]\d+)*")
_CODE_BEFORE = re.compile(r"[A-Za-z][A-Za-z\d]*[-/_.]?(?:\d+[-/_.])*$")
_GROUPED = re.compile(r"\d{1,3}(?:([,.' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_BLANK = re.compile("[ \u00a0\u202f']")
_PERCENT = re.compile(r"\s?[%％]")
_NAMES = (
    "zero", "one 一", "two 二 两", "three 三", "four 四", "five 五", "six 六", "seven 七", "eight 八", "nine 九",
    "ten 十", "eleven 十一", "twelve 十二",
)  # fmt: skip
_WORDS = {name: float(value) for value, names in enumerate(_NAMES) for name in names.split()}
_WORDS |= {"once": 1.0, "twice": 2.0, "half": 0.5, "dozen": 12.0}
_WORD = re.compile(r"[A-Za-z]+|[一二两三四五六七八九十]+")
_TABLE = Path(__file__).with_name("operations.toml")
_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts that set no blanks between words."""
_END = re.compile(r"[.!?](?=\s|$)|[。！？；;\n]")
_ARROW = re.compile(r"→|➔|->")


@dataclass(frozen=True, slots=True)
class WrittenNumber:
    """A number where it stands; `values` are its readings ("1,104" is 1104 and, in other countries, 1.104).

    `percent` says that a percent sign follows.
    """

    text: str
    span: Span
    values: frozenset[float]
    percent: bool = False

    def rounds(self, reading: float, exact: float) -> bool:
        """Whether `exact`, rounded to the digits that the number is written with, is this reading of it."""
        digits = re.sub(r"\D", "", self.text)
        decimals = 0 if float(digits) == reading else len(digits) - len(str(int(reading)))
        return abs(reading - exact) <= 0.5 * 10.0**-decimals + 1e-9 * abs(exact)


def numbers(text: str) -> list[WrittenNumber]:
    """Return the numbers written in figures, in order; those inside a code or a name are left out."""
    return list(_numbers(text))


def values(text: str) -> frozenset[float]:
    """Return all readings of all numbers in `text`, of small ones in words too."""
    found = {value for number in numbers(text) for value in number.values}
    found |= {_WORDS[word] for word in _WORD.findall(text.lower()) if word in _WORDS}
    return frozenset(found)


def _numbers(text: str) -> Iterator[WrittenNumber]:
    for match in _NUMBER.finditer(text):
        run, start = match.group(), match.start()
        if _CODE_BEFORE.search(text, max(0, start - 24), start):
            # Inside a code such as "K80-250", which ends at a blank; a unit may follow at once ("142.5mm").
            code = _BLANK.split(run, maxsplit=1)[0]
            run, start = run[len(code) + 1 :], start + len(code) + 1
        for piece, at in _pieces(run, start) if run else ():
            end = at + len(piece)
            yield WrittenNumber(piece, Span(at, end), _readings(piece), _PERCENT.match(text, end, end + 2) is not None)


def _pieces(run: str, start: int) -> Iterator[tuple[str, int]]:
    """A run with blanks is one number only where they set off thousands; else it is several."""
    if not re.search(r"[ \u00a0\u202f']", run) or _GROUPED.fullmatch(run):
        yield run, start
        return
    for match in re.finditer(r"\d+(?:[.,]\d+)*", run):
        yield match.group(), start + match.start()


def _readings(text: str) -> frozenset[float]:
    """A point or comma before three last digits may set off thousands or decimals; before others, decimals."""
    plain = re.sub(r"[ \u00a0\u202f']", "", text)
    last = max(plain.rfind(","), plain.rfind("."))
    if last < 0:
        return frozenset({float(plain)})
    found = set()
    if _GROUPED.fullmatch(plain) and len(plain) - last == 4:
        found.add(float(re.sub(r"[.,]", "", plain)))
    whole, decimals = re.sub(r"[.,]", "", plain[:last]), plain[last + 1 :]
    if plain.count(plain[last]) == 1:
        found.add(float(f"{whole}.{decimals}"))
    return frozenset(found)


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
        spaced = sorted({word for word in words if not _UNSPACED.search(word)}, key=len, reverse=True)
        pattern = rf"(?<!\w)(?:{'|'.join(map(re.escape, spaced))})(?!\w)"
        return cls(re.compile(pattern, re.IGNORECASE), tuple(word for word in words if _UNSPACED.search(word)))

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
    table: dict[str, dict[str, list[str]]] = tomllib.loads(_TABLE.read_text(encoding="utf-8"))
    factors = {float(factor): _Words.of(words) for factor, words in table.pop("factors").items()}
    said = {
        Operation(name): _Words.of([word for words in by_language.values() for word in words])
        for name, by_language in table.items()
    }
    return _OperationWords(said, factors)
