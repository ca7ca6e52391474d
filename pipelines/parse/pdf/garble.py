"""Normalization of the characters of a text layer, and a score of how garbled it is."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_VOWEL = re.compile("[aeiouyäöüàáâãåæèéêëìíîïòóôõøùúûýAEIOUYÄÖÜÀÁÂÃÅÆÈÉÊËÌÍÎÏÒÓÔÕØÙÚÛÝ]")
_LEAST_CHARACTERS = 24
"""Minimum characters for the full score: four words."""
_LEAST_WORDS, _LEAST_TOKENS = 8, 30
"""Minimum words for a share of odd ones, and tokens for one of single letters; in fewer they are coincidence."""
_LIGATURE = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]")
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad]")
_SYMBOL_FONT = re.compile(r"wingdings|webdings|dingbat|symbol|zapf|marlett", re.IGNORECASE)
_SYMBOL_CODE = re.compile("[\x80-\x9f\uf020-\uf0ff]")
# Codes of Symbol and Wingdings used as bullets, boxes, arrows and signs; any other one becomes a bullet.
_SYMBOLS = {
    0xA7: "▪", 0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0xE0: "→", 0xDF: "←",
    0xE8: "→", 0xF0: "→", 0xD8: "➢", 0x76: "❖", 0x6E: "■", 0x6C: "●", 0xB3: "≥", 0xA3: "≤", 0xB1: "±", 0xB0: "°",
    0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xA5: "∞", 0x6D: "µ", 0x57: "Ω", 0x44: "Δ", 0x70: "π", 0x61: "α",
    0x62: "β", 0x67: "γ", 0x64: "δ", 0x71 + 0x1000: "θ", 0x6C + 0x1000: "λ", 0x73: "σ", 0x77: "ω",
}  # fmt: skip
# Text fonts in TeX's OT1 encoding have no accented letters: the accent is a separate character before the letter
# (Knuth, The TeXbook, appendix F). Excluded are typewriter fonts, where "~" and "^" are characters, and mathematics.
_TEX_FONT = re.compile(r"(?:^|\+)(?:CM(?!(?:SL|I)?TT|MI|SY|EX|BSY|TEX)|LM(?!Mono|Math))")
_ACCENTS = {
    "`": "\u0300", "´": "\u0301", "ˆ": "\u0302", "˜": "\u0303", "¯": "\u0304", "˘": "\u0306", "˙": "\u0307",
    "¨": "\u0308", "˚": "\u030a", "˝": "\u030b", "ˇ": "\u030c", "¸": "\u0327",
}  # fmt: skip
_ACCENTED = re.compile(rf"([{''.join(_ACCENTS)}])([^\W\d_])")
_DOTLESS = {"ı": "i", "ȷ": "j"}
_UNIT = re.compile(r"(?:^|[^A-Za-z])(?:mm|cm|dm|km|m|in|ft|s|kg|g|N|W|V|A|H|CO|O|R|x|y|z)$")
_SUPERSCRIPT = str.maketrans("0123456789+-−–=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻⁼⁽⁾ⁿ")


def garble_score(text: str) -> float:
    """Return a score from 0 (sound) to 1 (garbled) of a text layer.

    It rises with the share of replacement, private-use, control and unassigned characters, of Latin words without a
    vowel or with capitals inside, and of single letters.
    """
    characters = [character for character in text if not character.isspace()]
    if len(characters) < _LEAST_CHARACTERS:
        return 1.0 if characters and _broken_share(characters) > 0.5 else 0.0
    # Two broken characters in five give 1. The threshold is `parse.pdf.garble`: tests/parse/test_pdf_parts.py checks
    # sound texts below it and garbled ones above.
    return min(1.0, 2.5 * _broken_share(characters) + _odd_word_share(text) + _single_letter_share(text))


def _broken_share(characters: list[str]) -> float:
    return sum(1 for character in characters if is_broken(character)) / len(characters)


def is_broken(character: str) -> bool:
    """Whether a character is a replacement, private-use, unassigned, control or surrogate character."""
    return character == "\ufffd" or (unicodedata.category(character) in _BROKEN_CATEGORIES and not character.isspace())


_BROKEN_CATEGORIES = frozenset(("Co", "Cn", "Cc", "Cs"))


def _odd_word_share(text: str) -> float:
    """Return a score for the share of words that are unlikely in any language, without short words and codes."""
    # Words of up to three letters often have no vowel (abbreviations, "mm", "pcs").
    words = [word for word in _WORD.findall(text) if len(word) > 3 and _LATIN.fullmatch(word)]
    if len(words) < _LEAST_WORDS:
        return 0.0
    odd = sum(1 for word in words if _is_odd(word))
    share = odd / len(words)
    # At most 15 % of a manual's words are part names or camelCase; of text with shifted letters nearly all are odd.
    return max(0.0, (share - 0.15) * 1.4)


def _is_odd(word: str) -> bool:
    if not _VOWEL.search(word):
        # Capitals without a vowel are an abbreviation, up to six.
        return not word.isupper() or len(word) > 6
    inner = sum(1 for before, letter in pairwise(word) if before.islower() and letter.isupper())
    return inner > 2


def _single_letter_share(text: str) -> float:
    """Return a score for the share of single Latin letters among the tokens."""
    tokens = text.split()
    if len(tokens) < _LEAST_TOKENS:
        return 0.0
    single = sum(1 for token in tokens if len(token) == 1 and token.isalpha() and token.isascii())
    return max(0.0, single / len(tokens) - 0.5)


_TEX_BITMAP = re.compile(r"F\d{1,4}")
"""A bitmap font of TeX (Type 3), which has a number for a name and no table of its characters."""
LIGATURES = "\x1c\x1d\x1e\x1f"
"""The codes of fi, fl, ffi and ffl in such fonts, which Python takes for white space."""
_CORK = str.maketrans(
    {
        0xFF: "ß",
        0x1B: "ff",
        0x1C: "fi",
        0x1D: "fl",
        0x1E: "ffi",
        0x1F: "ffl",
        0x15: "–",
        0x16: "—",
        0x10: "“",
        0x11: "”",
    }
)
"""Characters of the Cork encoding (TUGboat 11, 1990, p. 514) that are others, or none, in Latin-1."""


def normalize_run(text: str, font: str = "") -> str:
    """Return the text of a run with ligatures, symbols and accents normalized; `font` determines their encoding."""
    if _TEX_FONT.search(font):
        text = _ACCENTED.sub(_compose, text)
    elif _TEX_BITMAP.fullmatch(font):
        text = text.translate(_CORK)
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text).replace("\u00a0", " ")
    if _LIGATURE.search(text):
        text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    if _SYMBOL_FONT.search(font) or _SYMBOL_CODE.search(text):
        text = _SYMBOL_CODE.sub(_symbol, text)
    return text


def _compose(match: re.Match[str]) -> str:
    """Return an accent and a letter as one character, unchanged if there is none."""
    letter = _DOTLESS.get(match[2], match[2])
    made = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return made if len(made) == 1 else match[0]


def _symbol(match: re.Match[str]) -> str:
    # Symbol fonts are encoded at U+F000 to U+F0FF (OpenType, cmap, encoding 3.0).
    return _SYMBOLS.get(ord(match.group()) & 0xFF, "•")


def superscript(before: str, text: str) -> str:
    """Return a superscript as appended to `before`.

    After a digit it is an exponent in superscript characters, after a unit plain text, else a note mark after a blank.
    """
    mark = text.strip()
    if before[-1:].isdigit() and re.fullmatch(r"[-−–+]?\d{1,3}", mark):
        return mark.translate(_SUPERSCRIPT)
    if not before or before[-1].isspace() or _UNIT.search(before):
        return text
    return " " + text
