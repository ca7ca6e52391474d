"""Numbers as they are written, in all the ways in which they can be read."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations

from pipelines.core.provenance import Span

_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,' \u00a0\u202f]\d+)*")
_CODE_BEFORE = re.compile(r"[A-Za-z][A-Za-z\d]*[-/_.]?(?:\d+[-/_.])*$")
_GROUPED = re.compile(r"\d{1,3}(?:([,.' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_NAMES = (
    "zero", "one 一", "two 二 两", "three 三", "four 四", "five 五", "six 六", "seven 七", "eight 八", "nine 九",
    "ten 十", "eleven 十一", "twelve 十二",
)  # fmt: skip
_WORDS = {name: float(value) for value, names in enumerate(_NAMES) for name in names.split()}
_WORDS |= {"once": 1.0, "twice": 2.0, "half": 0.5, "dozen": 12.0}
_WORD = re.compile(r"[A-Za-z]+|[一二两三四五六七八九十]+")


@dataclass(frozen=True, slots=True)
class Number:
    """A number where it stands; `values` are its readings ("1,104" is 1104 and, in other countries, 1.104)."""

    text: str
    span: Span
    values: frozenset[float]


def numbers(text: str) -> list[Number]:
    """Return the numbers written in figures, in order; those inside a code or a name are left out."""
    return list(_numbers(text))


def values(text: str) -> frozenset[float]:
    """Return all readings of all numbers in `text`, of small ones in words too."""
    found = {value for number in numbers(text) for value in number.values}
    found |= {_WORDS[word] for word in _WORD.findall(text.lower()) if word in _WORDS}
    return frozenset(found)


def unsupported(text: str, sources: Collection[str]) -> list[str]:
    """Return the numbers of `text` that no source has and no sum, difference, product or quotient of two gives."""
    known = frozenset[float]().union(*(values(source) for source in sources))
    missing = [number for number in numbers(text) if not _among(number, known)]
    if not missing:
        return []
    reckoned = frozenset(_reckoned(known))
    return [number.text for number in missing if not _near(number, reckoned)]


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        if _CODE_BEFORE.search(text, max(0, match.start() - 24), match.start()):
            continue  # inside a code such as "K80-250"; a unit may follow at once ("142.5mm")
        for piece, start in _pieces(match.group(), match.start()):
            yield Number(piece, Span(start, start + len(piece)), _readings(piece))


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


def _among(number: Number, known: frozenset[float]) -> bool:
    return not number.values.isdisjoint(known) or not number.values


def _near(number: Number, known: frozenset[float]) -> bool:
    return any(abs(value - other) <= 0.005 * max(1.0, abs(other)) for value in number.values for other in known)


def _reckoned(known: frozenset[float]) -> Iterator[float]:
    for a, b in combinations(sorted(known)[:40], 2):
        yield from (a + b, b - a, a * b)
        if a and b:
            yield from (a / b, b / a, 100 * a / b, 100 * (b - a) / b, 100 * (b - a) / a)
