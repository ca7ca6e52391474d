"""Lexical analysis: text to the terms that are matched, words stemmed, scripts without blanks by pairs of letters."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise

import Stemmer

from pipelines.core.ids import normalize
from pipelines.lang.characters import CJK, MARK, WITHOUT_BLANKS
from pipelines.lang.profile import profile
from pipelines.lang.word_lists import STOP_WORDS

_BY_PAIRS = CJK + WITHOUT_BLANKS
_SPELLED = rf"[^\W_{_BY_PAIRS}]+(?:[{MARK}]+[^\W_{_BY_PAIRS}]*)*"
_RUN = re.compile(rf"[{CJK}]+|[{WITHOUT_BLANKS}]+|{_SPELLED}(?:(?:[.\-/]|_+|::){_SPELLED})*")
_ASCII_RUN = re.compile(r"[^\W_]+(?:(?:[.\-/]|_+|::)[^\W_]+)*")
"""What `_RUN` finds in a text whose letters and digits are ASCII, in half the time."""
_BEYOND_ASCII = re.compile(rf"[^\W\x00-\x7f]|[{MARK}{_BY_PAIRS}]")
_PART = re.compile(_SPELLED)
_JOINTS = tuple(map(re.compile, ("::", "/", r"(?<!\d)\.|\.(?!\d)", "_+", "-")))
"""What joins words to an identifier, the loosest first: a point between figures joins closest of all."""
_FEWEST_INSIDE = 2
"""Parts up to which an identifier has no other one inside."""
_LETTER = re.compile(rf"[{_BY_PAIRS}][{MARK}]*")
_PAIRED = re.compile(f"[{_BY_PAIRS}]")
_LONGEST_KEPT = 400
"""Characters of a text whose terms are kept for a while: one step after the other asks for those of a sentence. Of 160
pages of linux-doc three in ten were known."""
_SET_OFF = re.compile(r"\d\D\d")
_DECIMAL = re.compile(r"\d+\.\d+")
"""A figure is one: "Hulda 1" is not named where a row has 1.71 m."""
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+)")
# "N·m" is "Nm" too.
_TIMES = re.compile(r"(?<=[a-zµμ])[·⋅∙](?=[a-z])")


@lru_cache(maxsize=64)
def _stemmer(language: str) -> Stemmer.Stemmer:
    # Without a known language, or a stemmer for it, index and query still have to agree: on that of English.
    return Stemmer.Stemmer(profile(language).stemmer or profile("en").stemmer)


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the words of a language that are no terms, normalized; without a language those of English and Chinese."""
    return frozenset(map(normalize, profile(language).stop_words if language else STOP_WORDS))


@lru_cache(maxsize=64)
def _grouped(language: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Thousands set off and decimals as a language writes them; None for decimals where it writes a point itself."""
    known = profile(language or "en")
    group = re.escape(known.group.strip() or "'")
    decimal = re.escape(known.decimal)
    thousands = re.compile(rf"(?<![\w.,])(\d{{1,3}}(?:{group}\d{{3}})+)(?![\w]|{group}\d)")
    decimals = re.compile(rf"(?<![\w.,])(\d+){decimal}(\d+)(?![\w]|[.,]\d)")
    return thousands, decimals if known.decimal != "." else None


def words(text: str, language: str = "") -> list[str]:
    """Return the normalized runs of letters and digits; "DS-2041", "shared_buffers" and "3.5" stay whole, Chinese too.

    Figures are written without what sets off thousands, and with a decimal point.
    """
    plain = normalize(text)
    if not plain.isascii():
        plain = _TIMES.sub("", plain)
    if _SET_OFF.search(plain) and any(mark in plain for mark in ",.'"):
        thousands, decimals = _grouped(language)
        plain = thousands.sub(lambda match: re.sub(r"\D", "", match.group()), plain)
        plain = decimals.sub(r"\1.\2", plain) if decimals else plain
    return (_ASCII_RUN if plain.isascii() or not _BEYOND_ASCII.search(plain) else _RUN).findall(plain)


def terms(text: str, language: str = "", *, stop: bool = True) -> list[str]:
    """Return the terms of `text` in order, with repeats.

    Words are stemmed as those of `language` (Snowball; English where it has no stemmer or is not known); an identifier
    such as "ds-2041" yields itself, the identifiers that it is made of (`split_identifier`) and its parts; a run of
    Chinese yields its character pairs, a single character itself. `stop` leaves out the stop words of the language,
    without one those of English and Chinese.

    >>> terms("Die Pumpen", "de")
    ['pump']
    """
    find = _terms_of_sentence if len(text) <= _LONGEST_KEPT else _terms
    return list(find(text, language, stop))


def _terms(text: str, language: str, stop: bool) -> list[str]:
    left_out = stop_words(language) if stop else frozenset[str]()
    found: list[str] = []
    for run in words(text, language):
        if run in left_out:
            continue
        if not run.isascii() and _PAIRED.match(run):
            found.extend(pair for pair in _pairs(run) if pair not in left_out)
        else:
            found += _spelled(run, language)
    return found


@lru_cache(maxsize=1 << 12)
def _terms_of_sentence(text: str, language: str, stop: bool) -> tuple[str, ...]:
    return tuple(_terms(text, language, stop))


@lru_cache(maxsize=4096)
def stem(word: str, language: str) -> str:
    """Return the term of one word in a language; of a compound, that of the whole."""
    found = terms(word, language, stop=False)
    return found[0] if found else word


def forms(word: str, language: str) -> list[str]:
    """Return the terms of one of the `words` of a text, a stop word or not: as many in every language.

    >>> forms("ds-2041", "de")
    ['ds-2041', 'ds', '2041']
    """
    return _pairs(word) if _PAIRED.match(word) else list(_spelled(word, language))


def is_paired(word: str) -> bool:
    """Return whether one of the `words` of a text is matched by pairs of its letters."""
    return _PAIRED.match(word) is not None


def split_identifier(word: str) -> list[str]:
    """Return what one of the `words` of a text is made of at its loosest joints; a word without any is its own part.

    >>> split_identifier("ds-2041_rev.pdf")
    ['ds-2041_rev', 'pdf']
    """
    split = (joint.split(word) for joint in _JOINTS)
    return next((parts for parts in split if len(parts) > 1), [word])


def _identifiers_in(word: str) -> list[str]:
    """The identifiers that an identifier is made of: of "ds-2041_rev.pdf" "ds-2041_rev" and "ds-2041"."""
    inner = [part for part in split_identifier(word) if part != word and not part.isalnum()]
    return inner + [one for part in inner for one in _identifiers_in(part)]


def _pairs(run: str) -> list[str]:
    letters = _LETTER.findall(run)
    return [one + other for one, other in pairwise(letters)] or [run]


@lru_cache(maxsize=1 << 16)  # the same words return
def _spelled(run: str, language: str) -> tuple[str, ...]:
    stemmer = _stemmer(language)
    if run.isalpha() or _DECIMAL.fullmatch(run):
        return (stemmer.stemWord(run),)
    parts = list(with_unit.groups()) if (with_unit := _WITH_UNIT.fullmatch(run)) else _PART.findall(run)
    inner = _identifiers_in(run) if len(parts) > _FEWEST_INSIDE else []
    return tuple(stemmer.stemWords([run] if len(parts) == 1 else [run, *inner, *parts]))
