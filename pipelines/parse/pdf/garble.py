"""The characters of a text layer as they would be typed, and whether they can be believed or are nonsense."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_VOWEL = re.compile("[aeiouyäöüàáâãåæèéêëìíîïòóôõøùúûýAEIOUYÄÖÜÀÁÂÃÅÆÈÉÊËÌÍÎÏÒÓÔÕØÙÚÛÝ]")
_LEAST = 24
"""Characters below which nothing can be said: four words."""
_WORDS, _TOKENS = 8, 30
"""Words below which a share of odd ones, and tokens below which one of single letters, is chance."""
_LIGATURE = re.compile("[\ufb00-\ufb06\ufb13-\ufb17\ufb50-\ufdff\ufe70-\ufefc]")
_INVISIBLE = re.compile("[\u200b\u200e\u200f\u2060\ufeff\u00ad]")
_SYMBOL_FONT = re.compile(r"wingdings|webdings|dingbat|symbol|zapf|marlett", re.IGNORECASE)
_PRIVATE = re.compile("[\x80-\x9f\uf020-\uf0ff]")
# Codes of Symbol and Wingdings that documents use as bullets, boxes and arrows; the rest become a bullet.
_SYMBOLS = {
    0xA7: "▪", 0xA8: "☐", 0x6F: "☐", 0x71: "☐", 0xFE: "☑", 0xFD: "☒", 0xFC: "✓", 0xFB: "✗", 0xE0: "→", 0xDF: "←",
    0xE8: "→", 0xF0: "→", 0xD8: "➢", 0x76: "❖", 0x6E: "■", 0x6C: "●", 0xB3: "≥", 0xA3: "≤", 0xB1: "±", 0xB0: "°",
    0xB4: "×", 0xB8: "÷", 0xB9: "≠", 0xBB: "≈", 0xA5: "∞", 0x6D: "µ", 0x57: "Ω", 0x44: "Δ", 0x70: "π", 0x61: "α",
    0x62: "β", 0x67: "γ", 0x64: "δ", 0x71 + 0x1000: "θ", 0x6C + 0x1000: "λ", 0x73: "σ", 0x77: "ω",
}  # fmt: skip
# Text fonts of TeX's first encoding (OT1) have no letters with accents: the accent is a character of its own before the
# letter (Knuth, The TeXbook, appendix F). In the typewriter ones "~" and "^" are typed as such; mathematics has others.
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
    """Return from 0 (sound) to 1 (nonsense) how little `text` looks like writing.

    Counted are replacement, private-use, control and unassigned characters, Latin words without a vowel, capitals
    within words, and words broken up into single letters.
    """
    characters = [character for character in text if not character.isspace()]
    if len(characters) < _LEAST:
        return 1.0 if characters and _broken(characters) > 0.5 else 0.0
    # Two broken characters in five are nonsense. The line is `parse.pdf.garble`: tests/parse/test_pdf_parts.py holds
    # sound texts below it and nonsense above.
    return min(1.0, 2.5 * _broken(characters) + _odd_words(text) + _scattered(text))


def _broken(characters: list[str]) -> float:
    return sum(1 for character in characters if is_broken(character)) / len(characters)


def is_broken(character: str) -> bool:
    """Whether this is no character of any writing: a replacement, private use, unassigned, control, surrogate."""
    return character == "\ufffd" or (unicodedata.category(character) in _BAD and not character.isspace())


_BAD = frozenset(("Co", "Cn", "Cc", "Cs"))


def _odd_words(text: str) -> float:
    """Return the share of words that no language writes; numbers, codes and short capitals are not counted."""
    # Words of three letters have no vowel too often (abbreviations, "mm", "pcs").
    words = [word for word in _WORD.findall(text) if len(word) > 3 and _LATIN.fullmatch(word)]
    if len(words) < _WORDS:
        return 0.0
    odd = sum(1 for word in words if _odd(word))
    share = odd / len(words)
    # Names of parts and camelCase are 15 in 100 of a manual's words at most; of shifted letters nearly all are odd.
    return max(0.0, (share - 0.15) * 1.4)


def _odd(word: str) -> bool:
    if not _VOWEL.search(word):
        # Capitals without a vowel are an abbreviation, up to six.
        return not word.isupper() or len(word) > 6
    inner = sum(1 for before, letter in pairwise(word) if before.islower() and letter.isupper())
    return inner > 2


def _scattered(text: str) -> float:
    """Return how far the text consists of single Latin letters with blanks between."""
    tokens = text.split()
    if len(tokens) < _TOKENS:
        return 0.0
    single = sum(1 for token in tokens if len(token) == 1 and token.isalpha() and token.isascii())
    return max(0.0, single / len(tokens) - 0.5)


def plain(text: str, font: str = "") -> str:
    """Return the characters of a run as they would be typed; `font` tells what its codes and accents mean."""
    if _TEX_FONT.search(font):
        text = _ACCENTED.sub(_composed, text)
    if text.isascii():
        return text
    text = _INVISIBLE.sub("", text).replace("\u00a0", " ")
    if _LIGATURE.search(text):
        text = _LIGATURE.sub(lambda match: unicodedata.normalize("NFKC", match.group()), text)
    if _SYMBOL_FONT.search(font) or _PRIVATE.search(text):
        text = _PRIVATE.sub(_symbol, text)
    return text


def _composed(match: re.Match[str]) -> str:
    """An accent and its letter as one character; what no character stands for is left as it is."""
    letter = _DOTLESS.get(match[2], match[2])
    made = unicodedata.normalize("NFC", letter + _ACCENTS[match[1]])
    return made if len(made) == 1 else match[0]


def _symbol(match: re.Match[str]) -> str:
    # Symbol fonts have their codes at U+F000 to U+F0FF (OpenType, cmap, encoding 3.0).
    return _SYMBOLS.get(ord(match.group()) & 0xFF, "•")


def raise_text(before: str, text: str) -> str:
    """Return a superscript as it follows `before`: an exponent behind a digit, glued to a unit, else a note's mark."""
    mark = text.strip()
    if before[-1:].isdigit() and re.fullmatch(r"[-−–+]?\d{1,3}", mark):
        return mark.translate(_SUPERSCRIPT)
    if not before or before[-1].isspace() or _UNIT.search(before):
        return text
    return " " + text
