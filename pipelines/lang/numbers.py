"""Numbers as they are written, in all the ways in which they can be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

from pipelines.core.provenance import Span
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.profile import longest_first, profile

_NUMBER = re.compile(r"(?<![\d.,])\d+(?:[.,' \u00a0\u202f]\d+)*")
_CODE_BEFORE = re.compile(r"[A-Za-z][A-Za-z\d]*[-/_.]?(?:\d+[-/_.])*$")
_GROUPED = re.compile(r"\d{1,3}(?:([,.' \u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?")
_BLANK = re.compile("[ \u00a0\u202f']")
_LAST = re.compile(r"\d[\d.,]*")
_THOUSANDS = re.compile(r",\d{3}(?!\d)")
_PERCENT = re.compile(r"\s?[%％]")
_CJK_NUMERALS = "一二两三四五六七八九十百千"
_WORD = re.compile(rf"[^\W\d_{_CJK_NUMERALS}]+|[{_CJK_NUMERALS}]+")

LISTED = ("ja", "ru", "nl", "pt", "it", "es", "fr", "de", "zh", "en")
"""Languages whose numbers in words are listed; of a word that two of them have the later one counts."""

FIGURE = re.compile(r"\d+(?:[.,]\d+)*")
"""A number as it is written, with all its points and commas."""
WRITTEN_NUMBER = (
    r"[-+±<>≤≥~≈]?\s*\d{1,3}(?:[ ,'\u00a0]\d{3})*(?:\.\d+)?|[-+±<>≤≥~≈]?\s*\d+(?:[.,]\d+)?(?:[eE][-+]?\d+)?"
)
"""A number as a cell of a table holds it, with its sign and its power of ten, as the branches of a pattern."""


@dataclass(frozen=True, slots=True)
class Number:
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


def numbers(text: str) -> list[Number]:
    """Return the numbers written in figures, in order; those inside a code or a name are left out."""
    return list(_numbers(text))


def values(text: str) -> frozenset[float]:
    """Return all readings of all numbers in `text`, of small ones in words too."""
    found = {value for number in numbers(text) for value in number.values}
    known = _words("")
    found |= {known[word] for word in _WORD.findall(text.lower()) if word in known}
    return frozenset(found)


@cache
def number_words(language: str = "") -> re.Pattern[str]:
    """Return a pattern of the numbers in words of a language; of all languages that have some where it is not known."""
    spaced = [word for word in _words(language) if not CJK_CHARACTER.search(word)]
    branches = [rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first(spaced)))})(?!\w)"] if spaced else []
    return re.compile("|".join([*branches, rf"[{_CJK_NUMERALS}]+"]), re.IGNORECASE)


def number_word(word: str, language: str = "") -> float | None:
    """Return the value of a number in words, None where it is too large to be listed."""
    return _words(language).get(word.lower())


@cache
def _words(language: str) -> dict[str, float]:
    return {
        word: value for code in ((language,) if language else LISTED) for word, value in profile(code).numbers.items()
    }


def decimal(figure: str) -> float | None:
    """Return the last number of a figure or a range ("2-3,5": 3.5), None where it is none.

    Commas before three digits set off thousands, others decimals; points set off decimals.
    """
    last = _LAST.findall(figure)[-1].rstrip(".,")
    plain = last.replace(",", "") if _THOUSANDS.search(last) else last.replace(",", ".")
    try:
        return float(plain)
    except ValueError:
        return None


def _numbers(text: str) -> Iterator[Number]:
    for match in _NUMBER.finditer(text):
        run, start = match.group(), match.start()
        if _CODE_BEFORE.search(text, max(0, start - 24), start):
            # Inside a code such as "K80-250", which ends at a blank; a unit may follow at once ("142.5mm").
            code = _BLANK.split(run, maxsplit=1)[0]
            run, start = run[len(code) + 1 :], start + len(code) + 1
        for piece, at in _pieces(run, start) if run else ():
            end = at + len(piece)
            yield Number(piece, Span(at, end), _readings(piece), _PERCENT.match(text, end, end + 2) is not None)


def _pieces(run: str, start: int) -> Iterator[tuple[str, int]]:
    """A run with blanks is one number only where they set off thousands; else it is several."""
    if not re.search(r"[ \u00a0\u202f']", run) or _GROUPED.fullmatch(run):
        yield run, start
        return
    for match in FIGURE.finditer(run):
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
