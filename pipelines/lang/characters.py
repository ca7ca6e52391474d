"""Character classes by script, for use inside the brackets of a regular expression; folding and locating of text.

`fold` makes texts comparable; `locate` finds quotes in their source despite differences in white space, ligatures and
dashes.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise

from pipelines.core.provenance import Span

KANA = r"\u3041-\u309f\u30a1-\u30fa\u30fc-\u30ff"
"""Without the block's two word separators, U+30A0 and U+30FB."""
HIRAGANA = r"\u3041-\u309f"
KATAKANA = r"\u30a1-\u30fa"
"""Without the mark of a long vowel, which follows both."""
HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
HANGUL = r"\uac00-\ud7a3"

UNSPACED = KANA + HAN
"""Scripts without blanks between words; Korean has them."""

CJK = UNSPACED + HANGUL
"""Scripts whose text is matched by pairs of characters."""

WITHOUT_BLANKS = r"\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"
"""Thai, Lao, Burmese and Khmer, also without blanks between words."""

OF_INDIA = r"\u0900-\u0dff"
"""Devanagari, Bengali, Tamil, Sinhala and the scripts between."""

WORD_CHARACTER = re.compile(r"\w")
CJK_CHARACTER = re.compile(f"[{CJK}]")
PAIRED_CHARACTER = re.compile(f"[{CJK}{WITHOUT_BLANKS}]")
"""A character of the scripts that are matched by pairs; most of them may follow another word without a blank."""
CJK_RUN = re.compile(f"[{CJK}]+")
UNSPACED_CHARACTER = re.compile(f"[{UNSPACED}]")
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
"""Hebrew, Arabic, Syriac and the scripts between, and their presentation forms."""


_PLANES = (range(0x20000), range(0xE0000, 0xE1000))
"""Planes 0 and 1 and the variation selectors: planes 2 to 13 are Han or empty, the last two private."""
DASHES = "‐‑‒–—−"
"""Typographic hyphens, dashes and the minus sign."""
_MIN_QUOTE = 2
"""Minimum folded characters of a quote."""
_MIN_LENGTH = 40
"""Shorter quotes count as this many characters when their omissions are measured."""
_MAX_STRETCH = 3
"""A quote with omissions may span at most this multiple of its length."""
_OMISSION = re.compile(r"\.{3,}|…|\[\s*(?:\.{3}|…)\s*\]")
_EDGES = " \t\n\"'“”‘’„«»`*_…"
_UNIFORM_QUOTES = str.maketrans(dict.fromkeys(DASHES, "-") | dict.fromkeys("“”„«»″", '"') | dict.fromkeys("‘’‚′`", "'"))
_DROPPED = frozenset("|*_\u00ad\u200b\u200c\u200d\u2060\ufeff")


def _classes(*categories: tuple[str, ...]) -> Iterator[str]:
    """Yield for each of several groups of Unicode categories its characters as ranges of a character class."""
    group_of = {name: number for number, names in enumerate(categories) for name in names}
    codes: list[list[int]] = [[] for _ in categories]
    for code in chain.from_iterable(_PLANES):
        if (number := group_of.get(unicodedata.category(chr(code)))) is not None:
            codes[number].append(code)
    yield from map(_ranges, codes)


def _ranges(codes: Sequence[int]) -> str:
    """Return ascending code points as ranges of a character class."""
    starts = [codes[0], *(after for before, after in pairwise(codes) if after > before + 1)]
    ends = [*(before for before, after in pairwise(codes) if after > before + 1), codes[-1]]
    return "".join(f"{chr(start)}-{chr(end)}" for start, end in zip(starts, ends, strict=True))


MARK, CAPITAL, SMALL = _classes(("Mn", "Mc"), ("Lu", "Lt"), ("Ll",))
"""Combining marks, which belong to the preceding letter (vowel signs of Hindi and Thai, decomposed accents), and the
capital and small letters of all alphabets."""

MARK_CHARACTER = re.compile(f"[{MARK}]")

CURRENCY = "$€£¥￥₩₹₽฿₺"
"""Currency signs."""


def right_to_left(text: str) -> bool:
    """Whether most letters of `text` belong to a right-to-left script."""
    if text.isascii() or not RIGHT_TO_LEFT.search(text):
        return False
    letters = sum(1 for character in text if character.isalpha())
    return letters > 0 and len(RIGHT_TO_LEFT.findall(text)) > letters / 2


# One-to-one replacements, so that positions in the folded text are positions in the text.
_UNIFORM = str.maketrans(
    {
        **{chr(0xFF01 + i): chr(0x21 + i) for i in range(94)},  # full-width forms
        **dict.fromkeys("\t\n\r\v\f\u00a0\u2002\u2003\u2009\u202f\u3000", " "),
        **dict.fromkeys(DASHES, "-"),
        **dict.fromkeys("‘’ʼ`´", "'"),
        **dict.fromkeys("“”„«»", '"'),
    }
)


def fold(text: str) -> str:
    """Return `text` in lower case with uniform blanks, dashes and quotation marks; positions are unchanged."""
    plain = text.translate(_UNIFORM)
    folded = plain.casefold()
    if len(folded) == len(plain):
        return folded
    return "".join(low if len(low := character.casefold()) == 1 else character for character in plain)


def is_joined(text: str, at: int) -> bool:
    """Whether the characters before and at this position belong to one word; False next to Chinese characters."""
    if not 0 < at < len(text):
        return False
    one, two = text[at - 1], text[at]
    if CJK_CHARACTER.match(one) or CJK_CHARACTER.match(two):
        return False
    return bool(WORD_CHARACTER.match(one) and WORD_CHARACTER.match(two))


def locate(quote: str, text: str) -> Span | None:
    """Return the span of `quote` in `text`, or None.

    Differences in case, white space, table rules, ligatures, hyphenation and the kind of dashes and quotation marks are
    ignored. The parts of a quote with omissions ("a ... b") must occur in this order.
    """
    parts = [part for part in (_fold(piece.strip().strip(_EDGES))[0] for piece in _OMISSION.split(quote)) if part]
    if not parts or len("".join(parts)) < _MIN_QUOTE:
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
    return Span(start, at) if at - start <= _MAX_STRETCH * max(_MIN_LENGTH, sum(map(len, parts))) else None


def _find(part: str, folded: str, start: int) -> int:
    """Return the position of `part`, but not inside a number: "20 psi" is not in "120 psi"."""
    at = folded.find(part, start)
    while at > 0 and part[0].isdigit() and (folded[at - 1].isdigit() or _decimal(folded, at)):
        at = folded.find(part, at + 1)
    return at


def _decimal(folded: str, at: int) -> bool:
    return at > 1 and folded[at - 1] in ".," and folded[at - 2].isdigit()


def _fold(text: str) -> tuple[str, list[int]]:
    """Return `text` in the form used for comparison, and the original position of each of its characters."""
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(text):
        if character.isspace() or character in _DROPPED or _is_line_hyphen(text, place):
            continue
        for folded in unicodedata.normalize("NFKC", character).casefold().translate(_UNIFORM_QUOTES):
            if not folded.isspace():
                characters.append(folded)
                places.append(place)
    return "".join(characters), places


def _is_line_hyphen(text: str, place: int) -> bool:
    """Whether this is the hyphen of a word that continues on the next line."""
    return (
        text[place] in "-‐"
        and text[place + 1 : place + 2] == "\n"
        and text[place - 1 : place].islower()
        and text[place + 2 : place + 3].islower()
    )
