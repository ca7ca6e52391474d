"""Word lists by language: stop words, frequent words, cues, and the words for parts of documents.

`data/common_words/CODE.txt` has the most frequent words of a language, most frequent first, and `data/verbs/CODE.txt`
forms of verbs (written by `deploy/language_data.py`). `data/cues.toml` has patterns by language for words that give a
reason, warn, ask for a time or refer to something named before; matching takes linear time. `data/wording.toml` has the
words for parts of documents ("figure"), which are searched in all languages at once, since a document may use several.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType
from typing import Generic, TypeVar

import ahocorasick

from pipelines.lang.characters import PAIRED_CHARACTER, fold, is_joined
from pipelines.lang.profile import (
    LanguageProfile,
    longest_first,
    named_languages,
    of_language,
    profile,
    read_table,
    read_words,
)

T = TypeVar("T")
_NOTHING = r"(?!)"


class StringFinder(Generic[T]):
    """Searches texts for many non-empty strings in one pass (Aho-Corasick); each string has a value.

    >>> list(StringFinder({"seal": 1, "shaft seal": 2}).find("a shaft seal"))
    [(2, 12, 2), (8, 12, 1)]
    """

    def __init__(self, values: Mapping[str, T]) -> None:
        self._automaton = ahocorasick.Automaton()
        for string, value in values.items():
            self._automaton.add_word(string, (len(string), value))
        if values:
            self._automaton.make_automaton()

    def find(self, text: str) -> Iterator[tuple[int, int, T]]:
        """Yield (start, end, value) for each occurrence of a string, sorted by end, longer ones first."""
        if not self._automaton:
            return
        for last, (length, value) in self._automaton.iter(text):
            yield last + 1 - length, last + 1, value


_PROFILES: tuple[LanguageProfile, ...] = (profile("en"), profile("zh"))


def _union(name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(one, name) for one in _PROFILES))


STOP_WORDS = _union("stop_words")
FUNCTION_WORDS = _union("function_words")
PHRASE_ENDS = FUNCTION_WORDS | profile("en").phrase_ends
"""Words at which a key phrase ends; for Chinese, the profile lists characters."""
_COMMON = "common_words"


def common_words(language: str) -> frozenset[str]:
    """Return the most frequent words of a language by its ISO 639-1 code, if there is a list."""
    return _listed(_COMMON, language)


_LEAST_AFFECTED = 0.05
"""Minimum share of the words of a language with letters that are lacking; names and loanwords are fewer."""


@cache
def missing_letters(language: str, characters: frozenset[str]) -> frozenset[str]:
    """Return the letters of a language that are not among these characters, if its frequent words need them.

    >>> from string import ascii_lowercase
    >>> sorted(missing_letters("de", frozenset(ascii_lowercase)))
    ['ß', 'ä', 'ö', 'ü']
    >>> missing_letters("en", frozenset(ascii_lowercase))
    frozenset()
    """
    words = common_words(language)
    missing = {letter for word in words for letter in word if letter.isalpha()} - characters
    affected = sum(not missing.isdisjoint(word) for word in words)
    return frozenset(missing if affected > _LEAST_AFFECTED * len(words) else ())


def verbs(language: str) -> frozenset[str]:
    """Return forms of verbs of a language by its ISO 639-1 code, if there is a list; "" is English."""
    return _listed("verbs", language.partition("-")[0] or "en")


@cache
def _listed(folder: str, code: str) -> frozenset[str]:
    return frozenset(read_words(folder, code)) if code in named_languages(folder) else frozenset()


def without_elisions(text: str, language: str) -> str:
    """Return a text of the same length, with blanks for the apostrophes of elided words before words without a capital.

    >>> without_elisions("L'eau de l'ABB, d'après L'Oréal", "fr")
    "L eau de l ABB, d après L'Oréal"
    """
    elided = _elided(language)
    return elided.sub(_separated, text) if elided is not None else text


def _separated(match: re.Match[str]) -> str:
    word, first = match["word"], match["first"]
    return match.group() if word[0].isupper() and first.isupper() else f"{word} "


@cache
def _elided(language: str) -> re.Pattern[str] | None:
    words = profile(language).elided
    return (
        re.compile(rf"(?<!\w)(?P<word>{'|'.join(longest_first(words))})['’](?=(?P<first>\w))", re.I) if words else None
    )


@cache
def common_rank(language: str) -> Mapping[str, int]:
    """Return the ranks of the most frequent words of a language, beginning with 0, if there is a list."""
    words = read_words(_COMMON, language) if language in named_languages(_COMMON) else []
    return {word: place for place, word in enumerate(words)}


@cache
def cue(name: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern for the words of the cue `name` in a language, or in all languages if it is "".

    For a language without such words, the pattern matches nothing.
    """
    return bounded(cue_words(name, language))


def bounded(parts: Iterable[str], end: str = r"(?!\w)") -> re.Pattern[str]:
    """Return a pattern for any of `parts` between word boundaries, except in scripts without blanks; case is ignored.

    Without parts it matches nothing. `end` is the boundary behind a part.
    """
    found = [part if PAIRED_CHARACTER.search(part) else rf"(?<!\w){part}{end}" for part in parts]
    return re.compile("|".join(found) or _NOTHING, re.IGNORECASE)


def cue_words(name: str, language: str = "") -> list[str]:
    """Return the patterns of the cue `name` in a language, or in all languages if it is ""."""
    return of_language(read_table("cues")[name], language)


@cache
def wording(field: str) -> MappingProxyType[str, tuple[str, ...]]:
    """Return the lower-case words of a field of `data/wording.toml`, such as "figure", by language."""
    tables = read_table("wording").items()
    return MappingProxyType({code: tuple(filter(None, table[field].split("|"))) for code, table in tables})


def synonyms(word: str) -> frozenset[str]:
    """Return the other words, in all languages, that mean the same as a folded word in forms, minutes and letters.

    >>> "attended" in synonyms("present"), synonyms("pump")
    (True, frozenset())
    """
    return _synonyms().get(word, frozenset())


@cache
def _synonyms() -> Mapping[str, frozenset[str]]:
    found: dict[str, frozenset[str]] = {}
    for group in read_table("synonyms").values():
        words = frozenset(fold(" ".join(group.values())).split())
        for word in words:
            found[word] = found.get(word, frozenset()) | (words - {word})
    return found


@cache
def any_of(*fields: str, languages: tuple[str, ...] = ()) -> str:
    """Return a pattern for the words of some fields, longer words first.

    The pattern is a single group, to be compiled with `re.IGNORECASE`; without words it matches nothing. Words match
    only at the beginning of a word, but may be continued; a blank matches any white space.

    Args:
        fields: names of fields of `data/wording.toml`.
        languages: ISO 639-1 codes of the languages; default: all.

    >>> re.match(any_of("figure"), "Abbildung 3", re.IGNORECASE)[0]
    'Abbildung'
    """
    chosen = [words for field in fields for code, words in wording(field).items() if not languages or code in languages]
    words = longest_first(word for words in chosen for word in words)
    spaced = [word for word in words if word[0].isalnum() and not PAIRED_CHARACTER.match(word)]
    groups = [_beginning(spaced)] if spaced else []
    groups += [_pattern(word) for word in words if word not in spaced]
    return "(?:" + "|".join(groups) + ")" if groups else _NOTHING


@cache
def languages_with_words(*, spaced: bool) -> tuple[str, ...]:
    """Return the languages in `data/wording.toml` with (`spaced`) or without blanks between words."""
    return tuple(code for code in read_table("wording") if profile(code).spaced is spaced)


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word of a field found in a text, and whether its language has blanks between words.

    `begins` and `ends` say whether it begins and ends at a word boundary; always true in scripts without blanks.
    """

    field: str
    start: int
    end: int
    spaced: bool
    begins: bool
    ends: bool


def words_in(folded: str, *fields: str) -> list[FoundWord]:
    """Return the words of some fields in a text, even inside longer words, sorted by start, longer ones first.

    A regular expression for the words of all languages takes fifty times as long: search for words with this function,
    and match patterns at their positions.

    Args:
        folded: a text folded by `pipelines.lang.characters.fold`.
        fields: names of fields of `data/wording.toml`.
    """
    found = [
        FoundWord(
            field,
            start,
            end,
            spaced,
            begins=not (spaced and is_joined(folded, start)),
            ends=not (spaced and is_joined(folded, end)),
        )
        for start, end, meant in _finder(fields).find(folded)
        for field, spaced in meant
    ]
    return sorted(found, key=lambda word: (word.start, -word.end))


@cache
def _finder(fields: tuple[str, ...]) -> StringFinder[tuple[tuple[str, bool], ...]]:
    meant: dict[str, set[tuple[str, bool]]] = {}
    for field in fields:
        for language, words in wording(field).items():
            for word in words:
                meant.setdefault(fold(word), set()).add((field, profile(language).spaced))
    return StringFinder({word: tuple(sorted(kinds)) for word, kinds in meant.items()})


def _beginning(words: list[str]) -> str:
    """Return a pattern for words at word boundaries; the look-ahead for first letters makes it nine times faster."""
    letters = "".join(sorted({word[0] for word in words}))
    return rf"\b(?=[{letters}])(?:" + "|".join(map(_pattern, words)) + ")"


def _pattern(word: str) -> str:
    return r"\s".join(map(re.escape, word.split()))


_LABELS = any_of("section", "appendix", "table", "figure")
_CODE = re.compile(
    rf"\b[A-Z]{{1,6}}-?\d[\w-]*|(?i:{_LABELS})\s+(\d+(?:\.\d+)*)|第?\s?(?<!\d)(?<!\d\.)(\d++(?:\.\d++)*+)\s?[节章条]"
)


def named_codes(text: str) -> list[str]:
    """Return the codes in a text; for a labelled part ("table 3"), only its number."""
    found = ([group for group in match.groups() if group] or [match.group()] for match in _CODE.finditer(text))
    return [code for codes in found for code in codes]
