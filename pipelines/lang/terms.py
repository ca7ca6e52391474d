"""Lexical analysis: converts text to terms, with stemmed words and, in scripts without blanks, pairs of letters.

Also counts edits between words: insertions, deletions, replacements and transpositions (Damerau 1964).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise

from rapidfuzz.distance import OSA, Prefix
from rapidfuzz.process import extract_iter

from pipelines.core.ids import normalize
from pipelines.lang.characters import CAPITAL, CJK, MARK, PAIRED_CHARACTER, SMALL, WITHOUT_BLANKS
from pipelines.lang.dates import date_words, with_iso_dates
from pipelines.lang.profile import profile
from pipelines.lang.stemming import stemmer
from pipelines.lang.word_lists import STOP_WORDS

_BY_PAIRS = CJK + WITHOUT_BLANKS
_SPELLED = rf"[^\W_{_BY_PAIRS}]+(?:[{MARK}]+[^\W_{_BY_PAIRS}]*)*"
_RUN = re.compile(rf"[{CJK}]+|[{WITHOUT_BLANKS}]+|{_SPELLED}(?:(?:[.\-/]|_+|::){_SPELLED})*")
_ASCII_RUN = re.compile(r"[^\W_]+(?:(?:[.\-/]|_+|::)[^\W_]+)*")
"""Equivalent to `_RUN` for text with only ASCII letters and digits, in half the time."""
_BEYOND_ASCII = re.compile(rf"[^\W\x00-\x7f]|[{MARK}{_BY_PAIRS}]")
_PART = re.compile(_SPELLED)
_JOINTS = tuple(map(re.compile, ("::", "/", r"(?<!\d)\.|\.(?!\d)", "_+", "-")))
"""Separators inside an identifier, the weakest bond first; a point between digits binds strongest."""
_HUMP = re.compile(rf"[{SMALL}][{CAPITAL}]")
_ASCII_HUMP = re.compile(r"[a-z][A-Z]")
"""Equivalent to `_HUMP` for ASCII text, in a fifth of the time."""
_ALPHANUMERIC = re.compile(rf"[^\W_{_BY_PAIRS}]+")
_BETWEEN_HUMPS = re.compile(rf"[{CAPITAL}]+(?![{SMALL}])|[{CAPITAL}]?[{SMALL}]+|\d+")
_SHORTEST_JOINED = 3
"""Minimum letters of two words written as one: "HighLimit" is such a name, "GmbH", "kWh" and "iPhone" are not."""
_MAX_SIMPLE_PARTS = 2
"""Identifiers with at most this many parts do not contain other identifiers."""
_LETTER = re.compile(rf"[{_BY_PAIRS}][{MARK}]*")
_LONGEST_CACHED = 400
"""Maximum characters of a text whose terms are cached, since several steps analyze the same sentences. On 160 pages of
linux-doc, 30 % of the calls were cache hits."""
_SEPARATED_DIGITS = re.compile(r"\d\D\d")
_DECIMAL = re.compile(r"\d+\.\d+")
"""A decimal number is not split: "Hulda 1" is not named in a row with 1.71 m."""
_VERSION = re.compile(r"v(?P<number>\d+(?:\.\d+)+)")
"""A version such as "v2.1", which is the version 2.1."""
_WITH_UNIT = re.compile(r"(\d+(?:\.\d+)?)([^\W\d_]+)")
_DIGITS = {
    code: str(unicodedata.decimal(chr(code))) for code in range(0x80, 0xFF00) if unicodedata.category(chr(code)) == "Nd"
}
"""Digits of other scripts, which their texts write beside ours: "۴۵۰۰" is the same term as "4500"."""
_FOREIGN_DIGIT = re.compile(f"[{''.join(map(chr, _DIGITS))}]")
# "N·m" is the same term as "Nm".
_TIMES = re.compile(r"(?<=[a-zµμ])[·⋅∙・](?=[a-z])")


@lru_cache(maxsize=64)
def stop_words(language: str) -> frozenset[str]:
    """Return the normalized stop words of a language; without a language, those of English and Chinese."""
    return frozenset(map(normalize, profile(language).stop_words if language else STOP_WORDS))


@lru_cache(maxsize=64)
def _number_formats(language: str) -> tuple[re.Pattern[str], re.Pattern[str] | None]:
    """Return patterns for grouped thousands and for decimals in a language (None if its decimal mark is a point)."""
    known = profile(language or "en")
    group = re.escape(known.group.strip() or "'")
    decimal = re.escape(known.decimal)
    thousands = re.compile(rf"(?<![\w.,])(\d{{1,3}}(?:{group}\d{{3}})+)(?![\w]|{group}\d)")
    decimals = re.compile(rf"(?<![\w.,])(\d+){decimal}(\d+)(?![\w]|[.,]\d)")
    return thousands, decimals if known.decimal != "." else None


def words(text: str, language: str = "") -> list[str]:
    """Return the normalized runs of letters and digits; "DS-2041", "shared_buffers", "3.5" and Chinese runs stay whole.

    Numbers are returned in our digits, without thousands separators and with a decimal point, dates with a year as in
    ISO 8601.
    """
    plain = with_iso_dates(normalize(text), language)
    if not plain.isascii():
        plain = _TIMES.sub("", plain)
        if _FOREIGN_DIGIT.search(plain):
            plain = plain.translate(_DIGITS)
    if _SEPARATED_DIGITS.search(plain) and any(mark in plain for mark in ",.'"):
        thousands, decimals = _number_formats(language)
        plain = thousands.sub(lambda match: re.sub(r"\D", "", match.group()), plain)
        plain = decimals.sub(r"\1.\2", plain) if decimals else plain
    return (_ASCII_RUN if plain.isascii() or not _BEYOND_ASCII.search(plain) else _RUN).findall(plain)


def terms(text: str, language: str = "", *, stop: bool = True) -> list[str]:
    """Return the terms of `text` in order, with repeats.

    Words are stemmed in `language` (`pipelines.lang.stemming`). An identifier such as "ds-2041" yields itself, the
    identifiers inside it (`split_identifier`) and its parts; a date its `date_words`. A run of Chinese yields its pairs
    of characters, or a single character. `stop` omits the stop words of the language, or those of English and Chinese
    without a language. After all of them come the words inside names such as "HighLimit".

    >>> terms("Die Pumpen", "de")
    ['pump']
    """
    find = _terms_of_sentence if len(text) <= _LONGEST_CACHED else _terms
    return list(find(text, language, stop))


def _terms(text: str, language: str, stop: bool) -> list[str]:
    left_out = stop_words(language) if stop else frozenset[str]()
    found: list[str] = []
    for run in words(text, language):
        if run in left_out:
            continue
        if not run.isascii() and is_paired(run):
            found.extend(pair for pair in _pairs(run) if pair not in left_out)
        else:
            found += _spelled(run, language)
    if _has_hump(text):
        found += [term for word in _joined_words(text) if word not in left_out for term in _spelled(word, language)]
    return found


def _joined_words(text: str) -> Iterator[str]:
    """Yield the words that are written as one, each with a capital: "high" and "limit" of "HighLimit"."""
    for run in _ALPHANUMERIC.findall(text):
        if _has_hump(run):
            parts = _BETWEEN_HUMPS.findall(run)
            if sum(len(part) >= _SHORTEST_JOINED for part in parts if part.isalpha()) > 1:
                yield from map(normalize, parts)


def _has_hump(text: str) -> bool:
    """Whether a capital follows a small letter."""
    return (_ASCII_HUMP if text.isascii() else _HUMP).search(text) is not None


@lru_cache(maxsize=1 << 12)
def _terms_of_sentence(text: str, language: str, stop: bool) -> tuple[str, ...]:
    return tuple(_terms(text, language, stop))


@lru_cache(maxsize=4096)
def stem(word: str, language: str) -> str:
    """Return the term of one word in a language; for an identifier, that of the whole."""
    found = terms(word, language, stop=False)
    return found[0] if found else word


def forms(word: str, language: str) -> list[str]:
    """Return the terms of one of the `words` of a text, even of a stop word; their number is the same in all languages.

    >>> forms("ds-2041", "de")
    ['ds-2041', 'ds', '2041']
    """
    return _pairs(word) if is_paired(word) else list(_spelled(word, language))


def is_paired(word: str) -> bool:
    """Whether one of the `words` of a text is matched by pairs of letters."""
    return PAIRED_CHARACTER.match(word) is not None


def split_identifier(word: str) -> list[str]:
    """Return the parts of one of the `words` of a text at its weakest separators, or the word itself without any.

    >>> split_identifier("ds-2041_rev.pdf")
    ['ds-2041_rev', 'pdf']
    """
    split = (joint.split(word) for joint in _JOINTS)
    return next((parts for parts in split if len(parts) > 1), [word])


def _identifiers_in(word: str) -> list[str]:
    """Return the identifiers inside an identifier: "ds-2041_rev" and "ds-2041" for "ds-2041_rev.pdf"."""
    inner = [part for part in split_identifier(word) if part != word and not part.isalnum()]
    return inner + [one for part in inner for one in _identifiers_in(part)]


def _pairs(run: str) -> list[str]:
    letters = _LETTER.findall(run)
    return [one + other for one, other in pairwise(letters)] or [run]


@lru_cache(maxsize=1 << 16)  # words are repeated often
def _spelled(run: str, language: str) -> tuple[str, ...]:
    stem_of = stemmer(language)
    if run.isalpha() or _DECIMAL.fullmatch(run):
        return (stem_of(run),)
    if dated := date_words(run, language):
        return tuple(map(stem_of, dated))
    if version := _VERSION.fullmatch(run):
        return (run, *_spelled(version["number"], language))
    parts = list(with_unit.groups()) if (with_unit := _WITH_UNIT.fullmatch(run)) else _PART.findall(run)
    inner = _identifiers_in(run) if len(parts) > _MAX_SIMPLE_PARTS else []
    return tuple(map(stem_of, [run] if len(parts) == 1 else [run, *inner, *parts]))


def edits(one: str, other: str, most: int) -> int:
    """Return the number of edits between two words, or `most` + 1 if there are more than `most`.

    >>> edits("pmup", "pump", 2)
    1
    """
    return int(OSA.distance(one, other, score_cutoff=most))


_ONE_EDIT, _TWO_EDITS = 4, 8
"""Minimum letters of a word that may be misspelled by one edit, and by two."""


def max_edits(word: str) -> int:
    """Return the maximum number of edits accepted for a misspelled word, depending on its length.

    >>> [max_edits(word) for word in ("bar", "pump", "temperature")]
    [0, 1, 2]
    """
    return (len(word) >= _ONE_EDIT) + (len(word) >= _TWO_EDITS)


def spelled_like(word: str, others: Sequence[str], most: int) -> Iterator[tuple[int, int]]:
    """Yield (index, number of edits) for each of `others` within `most` edits of a word."""
    for _, distance, place in extract_iter(word, others, scorer=OSA.distance, processor=None, score_cutoff=most):
        yield int(place), int(distance)


SHORTEST_ROOT = 5
"""Minimum letters of a root: words cut to their first five letters retrieve nearly as well as stemmed ones in European
languages, and better than whole ones (McNamee, Nicholas, Mayfield, SIGIR 2009)."""
_ROOT_SHARE = 2 / 3
"""Minimum share of a root in both words. Over the sets of `benchmarks/unanswerable`, words that are akin take the
warning from three right answers, and one question without an answer gets one in place of a refusal; so they do with
0.6, and with 0.75 from two and none."""


def is_akin(stem: str, other: str) -> bool:
    """Whether two stems may be forms of one word that the stemmer does not unite, because they begin alike.

    >>> is_akin("инвертир", "инвертирова"), is_akin("contain", "contamin")
    (True, False)
    """
    shared = Prefix.similarity(stem, other)
    return shared >= SHORTEST_ROOT and shared >= _ROOT_SHARE * max(len(stem), len(other))


_LONGEST_ENDING = 2
"""Maximum letters in which forms of a frequent word differ: the endings of most cases and persons."""


def is_inflected(word: str, other: str) -> bool:
    """Whether two words may be forms of one word by their endings of one or two letters, whatever their stems are.

    >>> is_inflected("materiału", "materiał"), is_inflected("contain", "contamin")
    (True, False)
    """
    shared, longest = Prefix.similarity(word, other), max(len(word), len(other))
    return word != other and shared >= SHORTEST_ROOT and longest - shared <= _LONGEST_ENDING
