"""Counting numbers in the notations of Office documents (ECMA-376 1, 17.18.59 and 20.1.10.61)."""

from __future__ import annotations

from collections.abc import Callable

_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHINESE_DIGITS = "零一二三四五六七八九"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_CHINESE_FORMS = frozenset({"ideographDigital", "japaneseCounting", "taiwaneseCounting"})
_HIGHEST_ROMAN = 3999


def numeral(number: int, form: str) -> str:
    """Return `number` in a notation such as "lowerRoman" or "upperLetter"; in digits where it has none there."""
    if "hinese" in form or form in _CHINESE_FORMS:
        return _chinese(number)
    write = _FORMS.get(form)
    return write(number) if write is not None else str(number)


def _circled(number: int) -> str:
    return _CIRCLED[number - 1] if 1 <= number <= len(_CIRCLED) else str(number)


def _letters(number: int) -> str:
    """1 is a, 27 is aa, 53 is aaa."""
    if number < 1:
        return str(number)
    count, letter = divmod(number - 1, 26)
    return chr(ord("a") + letter) * min(count + 1, 30)


def _roman(number: int) -> str:
    if not 1 <= number <= _HIGHEST_ROMAN:
        return str(number)
    parts = []
    for weight, letters in _ROMAN:
        count, number = divmod(number, weight)
        parts.append(letters * count)
    return "".join(parts)


def _chinese(number: int) -> str:
    if not 0 <= number <= 99:
        return str(number)
    tens, ones = divmod(number, 10)
    if not tens:
        return _CHINESE_DIGITS[ones]
    lead = "" if tens == 1 else _CHINESE_DIGITS[tens]
    return f"{lead}十{_CHINESE_DIGITS[ones] if ones else ''}"


def _ordinal_ending(number: int) -> str:
    if number % 100 in (11, 12, 13):
        return "th"
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


_FORMS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "ordinal": lambda number: f"{number}{_ordinal_ending(number)}",
}
