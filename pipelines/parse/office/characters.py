"""Characters of Office documents: symbol fonts, super- and subscripts, numerals of lists (ECMA-376 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

_SYMBOL_BASE = 0xF000
"""Offset of the codes of symbol fonts in Word (ECMA-376 1, 17.3.3.30)."""
_SYMBOL = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
# Codes of the Adobe Symbol encoding and of Wingdings, from tables published by Unicode (unicode.org,
# MAPPINGS/VENDORS/ADOBE/symbol.txt; L2/11-052 for Wingdings).
_SYMBOL_SIGNS = {
    0xA3: "≤", 0xA5: "∞", 0xAB: "↔", 0xAC: "←", 0xAD: "↑", 0xAE: "→", 0xAF: "↓", 0xB0: "°", 0xB1: "±", 0xB3: "≥",
    0xB4: "×", 0xB6: "∂", 0xB7: "•", 0xB8: "÷", 0xB9: "≠", 0xBA: "≡", 0xBB: "≈", 0xBC: "…", 0xC5: "⊕", 0xC6: "∅",
    0xCE: "∈", 0xD0: "∠", 0xD5: "∏", 0xD6: "√", 0xD7: "⋅", 0xDB: "⇔", 0xDE: "⇒", 0xE5: "∑", 0xF2: "∫", 0xD2: "®",
    0xD3: "©", 0xD4: "™", 0x40: "≅", 0x5E: "⊥", 0x7E: "∼", 0x22: "∀", 0x24: "∃", 0xC7: "∩", 0xC8: "∪",
}  # fmt: skip
# As above.
_WINGDINGS = {
    0xFC: "✓", 0xFB: "✗", 0xFE: "☒", 0xFD: "☒", 0xA8: "☐", 0x6F: "☐", 0x78: "☒", 0x71: "❑", 0xE0: "→", 0xDF: "←",
    0xE1: "↑", 0xE2: "↓", 0xE8: "➔", 0xF0: "⇨", 0xD8: "➢", 0x6C: "●", 0x6E: "■", 0x76: "❖", 0xA7: "▪", 0x4A: "☺",
    0x4C: "☹", 0x28: "☎", 0x2A: "✉", 0x52: "☒", 0xF3: "⇔",
}  # fmt: skip
# As above.
_WINGDINGS_2 = {0x52: "☑", 0x50: "✓", 0xA3: "☐", 0x54: "☒"}
_DIGITS_AND_SIGNS = "0123456789+-−=()"
_RAISED = str.maketrans(_DIGITS_AND_SIGNS, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans(_DIGITS_AND_SIGNS, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
# Roman numerals by value.
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHINESE_DIGITS = "零一二三四五六七八九"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_CHINESE_FORMS = frozenset({"ideographDigital", "japaneseCounting", "taiwaneseCounting"})
_MOST_REPEATED = 30
"""Maximum repetitions of a letter: item 780 of a list."""
_HIGHEST_ROMAN = 3999
"""MMMCMXCIX, as there is no letter for 5,000."""


def glyph(font: str, code: str) -> str:
    """Return the character of a font at a hexadecimal code, empty if it is unknown."""
    try:
        number = int(code, 16)
    except ValueError:
        return ""
    if number >= _SYMBOL_BASE:
        number -= _SYMBOL_BASE
    name = font.lower()
    if name == "symbol":
        ascii_character = chr(number) if chr(number).isascii() and chr(number).isprintable() else ""
        return _SYMBOL.get(chr(number)) or _SYMBOL_SIGNS.get(number) or ascii_character
    if name.startswith("wingdings"):
        return (_WINGDINGS if name == "wingdings" else _WINGDINGS_2).get(number, "")
    # Unicode without control characters and surrogates.
    return chr(number) if 0x20 <= number < 0x110000 and not 0xD800 <= number < 0xE000 else ""


def raised(text: str) -> str:
    """Return a text in superscript characters, unchanged if any character has no such form."""
    return text.translate(_RAISED) if _has_script_forms(text) else text


def lowered(text: str) -> str:
    """Return a text in subscript characters, unchanged if any character has no such form."""
    return text.translate(_LOWERED) if _has_script_forms(text) else text


def _has_script_forms(text: str) -> bool:
    return any(char.isdigit() for char in text) and all(char in _DIGITS_AND_SIGNS for char in text)


def numeral(number: int, form: str) -> str:
    """Return `number` in a notation such as "lowerRoman" or "upperLetter"; in digits if the notation has no form."""
    if "hinese" in form or form in _CHINESE_FORMS:
        return _chinese(number)
    write = _NUMERALS.get(form)
    return write(number) if write is not None else str(number)


def _circled(number: int) -> str:
    return _CIRCLED[number - 1] if 1 <= number <= len(_CIRCLED) else str(number)


def _letters(number: int) -> str:
    """Return "a" for 1, "aa" for 27, "aaa" for 53."""
    if number < 1:
        return str(number)
    # 26 letters.
    count, letter = divmod(number - 1, 26)
    return chr(ord("a") + letter) * min(count + 1, _MOST_REPEATED)


def _roman(number: int) -> str:
    if not 1 <= number <= _HIGHEST_ROMAN:
        return str(number)
    parts = []
    for weight, letters in _ROMAN:
        count, number = divmod(number, weight)
        parts.append(letters * count)
    return "".join(parts)


def _chinese(number: int) -> str:
    # Larger numbers are written in digits.
    if not 0 <= number <= 99:
        return str(number)
    # Tens and ones.
    tens, ones = divmod(number, 10)
    if not tens:
        return _CHINESE_DIGITS[ones]
    lead = "" if tens == 1 else _CHINESE_DIGITS[tens]
    return f"{lead}十{_CHINESE_DIGITS[ones] if ones else ''}"


def _ordinal_ending(number: int) -> str:
    # 11th, 12th, 13th, 111th, ... (Unicode CLDR, ordinal rules of English).
    if number % 100 in (11, 12, 13):
        return "th"
    # 1st, 2nd, 3rd, 21st, ... (as above).
    return {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")


_NUMERALS: dict[str, Callable[[int], str]] = {
    "lowerLetter": _letters,
    "upperLetter": lambda number: _letters(number).upper(),
    "lowerRoman": _roman,
    "upperRoman": lambda number: _roman(number).upper(),
    "decimalZero": lambda number: f"{number:02d}",
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "ordinal": lambda number: f"{number}{_ordinal_ending(number)}",
}
