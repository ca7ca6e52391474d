"""What is known of each language: one profile a language, from a data file and from libraries.

A language is added by a file `data/CODE.toml` with any of the fields of `LanguageProfile`, without `own_`. A language
without a file has a profile too, with what libraries know.

Stop words are Snowball's, which lists function words alone: stopwordsiso has "Jahr", "Mensch" and "вода" too. Of 94
questions about German, French and Spanish pages the right page came first for 56 with Snowball's and 54 with those of
stopwordsiso, and among five for 77 and 75. For languages of which Snowball has no list, stopwordsiso (58 languages) is
imported where its words are asked for.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any

_DATA = Path(__file__).with_name("data")
_NO_NUMBERS: Mapping[str, float] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class LanguageProfile:
    """A language, by its ISO 639-1 `code`. All words are lower case.

    - `spaced`: blanks stand between its words.
    - `stemmer`: its Snowball algorithm, empty where there is none.
    - `noun_capitals`: every noun of it begins with a capital.
    - `compounds`: it writes compounds as one word; `links` are the letters between their parts.
    - `decimal`, `group`: what sets off decimals and thousands in its numbers.
    - `months`, `months_short`, `weekdays`: for each month and day (from Monday), the forms of its name.
    - `numbers`: words for numbers, with their values.
    - `abbreviations`: words behind which a point does not end a sentence, without that point.
    - `articles`: forms of the article, alone and joined to a preposition, where `noun_capitals`.
    - `labels`: words before the number of a part, a table or a figure.
    - `own_stop_words`, `own_function_words`: `stop_words` and `function_words` as the data file lists them.
    - `phrase_ends`: words at which a key phrase ends, besides the function words.
    - `question_words`: words by which a question asks and refers; its answer need not repeat them.
    """

    code: str
    name: str
    spaced: bool = True
    stemmer: str = ""
    noun_capitals: bool = False
    compounds: bool = False
    links: frozenset[str] = frozenset()
    decimal: str = "."
    group: str = ""
    months: tuple[frozenset[str], ...] = ()
    months_short: tuple[frozenset[str], ...] = ()
    weekdays: tuple[frozenset[str], ...] = ()
    numbers: Mapping[str, float] = field(default_factory=lambda: _NO_NUMBERS)
    abbreviations: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    own_stop_words: frozenset[str] = frozenset()
    own_function_words: frozenset[str] = frozenset()
    phrase_ends: frozenset[str] = frozenset()
    question_words: frozenset[str] = frozenset()

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that carry no subject, left out of the terms that are matched."""
        return self.own_stop_words or _library_stop_words(self.code)

    @property
    def function_words(self) -> frozenset[str]:
        """Words that name nothing, the stop words among them."""
        return self.stop_words | self.own_function_words

    @property
    def month_names(self) -> frozenset[str]:
        """All names of months, short ones too."""
        return frozenset().union(*self.months, *self.months_short)

    @property
    def weekday_names(self) -> frozenset[str]:
        return frozenset().union(*self.weekdays)


@cache
def profile(language: str) -> LanguageProfile:
    """Return the profile of a language by its code ("de", "pt-BR"); of an unknown one, one that holds only its code.

    >>> profile("de").stemmer
    'german'
    """
    code = language.lower().replace("_", "-").partition("-")[0]
    found = _DATA / f"{code}.toml"
    told = read_table(code) if code.isalpha() and found.is_file() else {}
    return LanguageProfile(
        code,
        told.get("name", code),
        told.get("spaced", True),
        told.get("stemmer", ""),
        told.get("noun_capitals", False),
        told.get("compounds", False),
        _words(told, "links"),
        told.get("decimal", "."),
        told.get("group", ""),
        _forms(told, "months"),
        _forms(told, "months_short"),
        _forms(told, "weekdays"),
        MappingProxyType(_numbers(told)),
        _words(told, "abbreviations"),
        _words(told, "articles"),
        _words(told, "labels"),
        _words(told, "stop_words"),
        _words(told, "function_words"),
        _words(told, "phrase_ends"),
        _words(told, "question_words"),
    )


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return one of the data files of this package, by its name without the suffix; callers must not change it."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def named_languages(folder: str) -> tuple[str, ...]:
    """Return the codes of the languages that have a data file in a folder of this package."""
    return tuple(sorted(path.stem for path in (_DATA / folder).iterdir()))


def read_words(folder: str, code: str) -> list[str]:
    """Return the words of a language in a folder of this package, in the order of the file."""
    return (_DATA / folder / f"{code}.txt").read_text(encoding="utf-8").split()


def of_language(by_language: Mapping[str, Sequence[str]], language: str) -> list[str]:
    """Return what a table has for a language; where that is not known, what it has for all."""
    return [part for code, parts in by_language.items() if language in ("", code) for part in parts]


def longest_first(words: Iterable[str]) -> list[str]:
    """Return words in the order in which a pattern must try them: before each word the longer ones."""
    return sorted(set(words), key=lambda word: (-len(word), word))


def _words(told: Mapping[str, Any], name: str) -> frozenset[str]:
    return frozenset(told.get(name, "").split())


def _forms(told: Mapping[str, Any], name: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(forms.split("|")) for forms in told.get(name, ()))


def _numbers(told: Mapping[str, Any]) -> dict[str, float]:
    found: dict[str, float] = dict(told.get("other_numbers", {}))
    for value, forms in enumerate(told.get("numbers", ())):
        found |= dict.fromkeys(filter(None, forms.split("|")), float(value))
    return found


@cache
def _library_stop_words(code: str) -> frozenset[str]:
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(code)) if stopwordsiso.has_lang(code) else frozenset()
