"""Classes of characters by script, as they stand between the brackets of a pattern (ranges of the Unicode blocks)."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

KANA = r"\u3040-\u30ff"
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = r"\uac00-\ud7af"

UNSPACED = KANA + HAN
"""Scripts that set no blanks between words; Korean does."""

CJK = UNSPACED + HANGUL
"""Scripts whose words are matched by pairs of characters."""

WITHOUT_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, which set no blanks between words either."""

WORD_CHARACTER = re.compile(r"\w")
CJK_CHARACTER = re.compile(f"[{CJK}]")
CJK_RUN = re.compile(f"[{CJK}]+")
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Hebrew, Arabic, Syriac and the scripts between, and their forms of presentation."""


_LETTERED = (range(0x20000), range(0xE0000, 0xE1000))
"""Planes 0 and 1 and the variation selectors: the planes between are Han or empty, those behind private."""


def _ranges(*categories: str) -> str:
    """Return all characters of these Unicode categories, of letters with case or of signs, as ranges in brackets."""
    codes = [code for plane in _LETTERED for code in plane if unicodedata.category(chr(code)) in categories]
    starts = [codes[0], *(after for before, after in pairwise(codes) if after > before + 1)]
    ends = [*(before for before, after in pairwise(codes) if after > before + 1), codes[-1]]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


MARK = _ranges("Mn", "Mc")
"""Signs that belong to the letter before them: vowels of Hindi and Thai, accents that are written apart."""

CAPITAL = _ranges("Lu", "Lt")
"""Capitals of every alphabet that has them."""

CURRENCY = "$€£¥￥₩₹₽฿₺"
"""Signs of currencies."""


def right_to_left(text: str) -> bool:
    """Whether most letters of `text` are of a script written from the right."""
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return False
    letters = sum(1 for character in text if character.isalpha())
    return letters > 0 and len(RIGHT_TO_LEFT.findall(text)) > letters / 2


DASHES = "‐‑‒–—−"
"""Hyphens, dashes and the sign of minus, as typography has them."""

# One character for one, so that places in the folded text are places in the text.
_ALIKE = str.maketrans(
    {
        **{chr(0xFF01 + i): chr(0x21 + i) for i in range(94)},  # full-width forms
        **dict.fromkeys("\t\n\r\v\f\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
        **dict.fromkeys(DASHES, "-"),
        **dict.fromkeys("‘’ʼ`´", "'"),
        **dict.fromkeys("“”„«»", '"'),
    }
)


def fold(text: str) -> str:
    """Return `text` in lower case, its blanks, dashes and quotation marks alike; every character keeps its place."""
    plain = text.translate(_ALIKE)
    folded = plain.casefold()
    if len(folded) == len(plain):
        return folded
    return "".join(low if len(low := character.casefold()) == 1 else character for character in plain)


def is_joined(text: str, at: int) -> bool:
    """Whether the characters before and at this place belong to one word; between Chinese ones there is no telling."""
    if not 0 < at < len(text):
        return False
    one, two = text[at - 1], text[at]
    if CJK_CHARACTER.match(one) or CJK_CHARACTER.match(two):
        return False
    return bool(WORD_CHARACTER.match(one) and WORD_CHARACTER.match(two))
