"""Whether a text layer can be believed: fonts without a right map from glyphs to characters give nonsense."""

from __future__ import annotations

import re
import unicodedata
from itertools import pairwise

_WORD = re.compile(r"[^\W\d_]{2,}")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]+")
_VOWEL = re.compile("[aeiouyäöüàáâãåæèéêëìíîïòóôõøùúûýAEIOUYÄÖÜÀÁÂÃÅÆÈÉÊËÌÍÎÏÒÓÔÕØÙÚÛÝ]")
_LEAST = 24
"""Characters below which nothing can be said."""


def garble_score(text: str) -> float:
    """Return from 0 (sound) to 1 (nonsense) how little `text` looks like writing.

    Counted are replacement, private-use, control and unassigned characters, Latin words without a vowel, capitals
    within words, and words broken up into single letters.
    """
    characters = [character for character in text if not character.isspace()]
    if len(characters) < _LEAST:
        return 1.0 if characters and _broken(characters) > 0.5 else 0.0
    return min(1.0, 2.5 * _broken(characters) + _odd_words(text) + _scattered(text))


def _broken(characters: list[str]) -> float:
    bad = sum(1 for character in characters if character == "\ufffd" or unicodedata.category(character) in _BAD)
    return bad / len(characters)


_BAD = frozenset(("Co", "Cn", "Cc", "Cs"))


def _odd_words(text: str) -> float:
    """Return the share of words that no language writes; numbers, codes and short capitals are not counted."""
    words = [word for word in _WORD.findall(text) if len(word) > 3 and _LATIN.fullmatch(word)]
    if len(words) < 8:
        return 0.0
    odd = sum(1 for word in words if _odd(word))
    share = odd / len(words)
    return max(0.0, (share - 0.15) * 1.4)


def _odd(word: str) -> bool:
    if not _VOWEL.search(word):
        return not word.isupper() or len(word) > 6
    inner = sum(1 for before, letter in pairwise(word) if before.islower() and letter.isupper())
    return inner > 2


def _scattered(text: str) -> float:
    """Return how far the text consists of single Latin letters with blanks between."""
    tokens = text.split()
    if len(tokens) < 30:
        return 0.0
    single = sum(1 for token in tokens if len(token) == 1 and token.isalpha() and token.isascii())
    return max(0.0, single / len(tokens) - 0.5)
