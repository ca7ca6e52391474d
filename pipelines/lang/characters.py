"""Characters: their classes by script, as they stand between the brackets of a pattern (ranges of the Unicode blocks).

Texts are compared, and quotes found again in their source, whatever white space, ligatures and dashes did to them.
"""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

from pipelines.core.provenance import Span

KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
"""Without the block's two marks between words, U+30A0 and U+30FB."""
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = r"\uac00-\ud7a3"

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
DASHES = "‐‑‒–—−"
"""Hyphens, dashes and the sign of minus, as typography has them."""
_SHORTEST = 2
"""Folded characters below which a quote proves nothing."""
_SHORT = 40
"""Characters as which a shorter quote counts where its omissions are measured."""
_LOOSE = 3
"""How many times its own length a quote with omissions may reach over."""
_OMISSION = re.compile(r"\.{3,}|…|\[\s*(?:\.{3}|…)\s*\]")
_EDGES = " \t\n\"'“”‘’„«»`*_…"
_SAME = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys("“”„«»″", '"') | dict.fromkeys("‘’‚′`", "'"))
_DROPPED = frozenset("|*_\u00ad\u200b\u200c\u200d\u2060\ufeff")


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


def locate(quote: str, text: str) -> Span | None:
    """Return the span of `text` that `quote` is, None where it is not in it.

    Case, white space, table rules, ligatures, soft hyphens, words divided at a line's end and the kinds of dashes
    and quotation marks make no difference. Parts of a quote with omissions ("a ... b") must follow in order.
    """
    parts = [part for part in (_fold(piece.strip().strip(_EDGES))[0] for piece in _OMISSION.split(quote)) if part]
    if not parts or len("".join(parts)) < _SHORTEST:
        return None
    folded, places = _fold(text)
    span = _in_order(parts, folded)
    if span is None and parts[-1].endswith((".", "。")):
        span = _in_order([*parts[:-1], parts[-1][:-1]], folded)
    return Span(places[span.start], places[span.end - 1] + 1) if span else None


def _in_order(parts: list[str], folded: str) -> Span | None:
    if not all(parts):
        return None
    start = at = _find(parts[0], folded, 0)
    for part in parts:
        at = folded.find(part, at) if at >= 0 else at
        if at < 0:
            return None
        at += len(part)
    return Span(start, at) if at - start <= _LOOSE * max(_SHORT, sum(map(len, parts))) else None


def _find(part: str, folded: str, start: int) -> int:
    """Return where `part` begins, but not amid a number: "20 psi" is not in "120 psi"."""
    at = folded.find(part, start)
    while at > 0 and part[0].isdigit() and (folded[at - 1].isdigit() or _decimal(folded, at)):
        at = folded.find(part, at + 1)
    return at


def _decimal(folded: str, at: int) -> bool:
    return at > 1 and folded[at - 1] in ".," and folded[at - 2].isdigit()


def _fold(text: str) -> tuple[str, list[int]]:
    """Return `text` in the form that is compared, and for each of its characters the place it comes from."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _DROPPED or _divides(text, place):
            continue
        for folded in unicodedata.normalize("NFKC", character).casefold().translate(_SAME):
            if not folded.isspace():
                characters.append(folded)
                places.append(place)
    return "".join(characters), places


def _divides(text: str, place: int) -> bool:
    """Whether this is the hyphen of a word that goes on in the next line."""
    return (
        text[place] in "-‐"
        and text[place + 1 : place + 2] == "\n"
        and text[place - 1 : place].islower()
        and text[place + 2 : place + 3].islower()
    )
