"""Characters of Office documents: symbol fonts, raised and lowered digits, numerals (ECMA-376 1, 17.18.59)."""

from __future__ import annotations

from collections.abc import Callable

_PRIVATE = 0xF000
"""Where Word keeps the codes of symbol fonts (ECMA-376 1, 17.3.3.30)."""
_SYMBOL = dict(
    zip(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ",
        "αβχδεφγηιϕκλμνοπθρστυϖωξψζΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ",
        strict=True,
    )
)
# Codes of the Adobe Symbol encoding, and of Wingdings, by their names in the tables that Unicode publishes
# (unicode.org, MAPPINGS/VENDORS/ADOBE/symbol.txt; L2/11-052 for Wingdings).
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
_PLAIN = "0123456789+-−=()"
_RAISED = str.maketrans(_PLAIN, "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾")
_LOWERED = str.maketrans(_PLAIN, "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
# Roman numerals by weight.
_ROMAN = ((1000, "m"), (900, "cm"), (500, "d"), (400, "cd"), (100, "c"), (90, "xc"), (50, "l"), (40, "xl"), (10, "x"),
          (9, "ix"), (5, "v"), (4, "iv"), (1, "i"))  # fmt: skip
_CHINESE_DIGITS = "零一二三四五六七八九"
_CIRCLED = "①②③④⑤⑥⑦⑧⑨⑩⑪⑫⑬⑭⑮⑯⑰⑱⑲⑳"
_CHINESE_FORMS = frozenset({"ideographDigital", "japaneseCounting", "taiwaneseCounting"})
_REPEATED = 30
"""Times that a letter is repeated at most: item 780 of a list."""
_HIGHEST_ROMAN = 3999
"""MMMCMXCIX: there is no letter for 5,000."""


def glyph(font: str, code: str) -> str:
    """Return the character at a hexadecimal place of a font, empty where it has none that is known."""
    try:
        place = int(code, 16)
    except ValueError:
        return ""
    if place >= _PRIVATE:
        place -= _PRIVATE
    name = font.lower()
    if name == "symbol":
        plain = chr(place) if chr(place).isascii() and chr(place).isprintable() else ""
        return _SYMBOL.get(chr(place)) or _SYMBOL_SIGNS.get(place) or plain
    if name.startswith("wingdings"):
        return (_WINGDINGS if name == "wingdings" else _WINGDINGS_2).get(place, "")
    # Unicode without its controls and surrogates.
    return chr(place) if 0x20 <= place < 0x110000 and not 0xD800 <= place < 0xE000 else ""


def raised(text: str) -> str:
    """Return a superscript in raised characters, as it is where one has none."""
    return text.translate(_RAISED) if _is_plain(text) else text


def lowered(text: str) -> str:
    """Return a subscript in lowered characters, as it is where one has none."""
    return text.translate(_LOWERED) if _is_plain(text) else text


def _is_plain(text: str) -> bool:
    return any(char.isdigit() for char in text) and all(char in _PLAIN for char in text)


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
    # Letters of the alphabet.
    count, letter = divmod(number - 1, 26)
    return chr(ord("a") + letter) * min(count + 1, _REPEATED)


def _roman(number: int) -> str:
    if not 1 <= number <= _HIGHEST_ROMAN:
        return str(number)
    parts = []
    for weight, letters in _ROMAN:
        count, number = divmod(number, weight)
        parts.append(letters * count)
    return "".join(parts)


def _chinese(number: int) -> str:
    # Two digits: longer lists are not counted in words.
    if not 0 <= number <= 99:
        return str(number)
    # Tens and ones.
    tens, ones = divmod(number, 10)
    if not tens:
        return _CHINESE_DIGITS[ones]
    lead = "" if tens == 1 else _CHINESE_DIGITS[tens]
    return f"{lead}十{_CHINESE_DIGITS[ones] if ones else ''}"


def _ordinal_ending(number: int) -> str:
    # Eleventh, twelfth, thirteenth, and in every hundred (Unicode CLDR, ordinal rules of English).
    if number % 100 in (11, 12, 13):
        return "th"
    # As above.
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
