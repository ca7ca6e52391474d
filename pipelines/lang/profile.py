"""Language profiles, from data files and libraries.

To add a language, add a file `data/CODE.toml` with any of the fields of `LanguageProfile`, without the prefix `own_`;
numbers in words are in `data/number_words/CODE.txt`, further ones in the file's `other_numbers`. The profile of a
language without a file has the data of the libraries.

Stop words are those of Snowball, which are only function words; stopwordsiso also has "Jahr", "Mensch" and "вода". For
94 questions about German, French and Spanish pages, the right page was first for 56 with Snowball's words and for 54
with those of stopwordsiso, and among the first five for 77 and 75. stopwordsiso (58 languages) is used, and imported on
demand, for languages without a Snowball list.
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

    - `spaced`: whether words are separated by blanks.
    - `stemmer`: its Snowball algorithm, or ""; `lemmas`: its code in simplemma, or "" (see `pipelines.lang.stemming`).
    - `noun_capitals`: whether all nouns are capitalized.
    - `compounds`: whether compounds are written as one word; `links` are the letters between their parts.
    - `decimal`, `group`: the separators of decimals and thousands.
    - `months`, `months_short`, `weekdays`, `weekdays_short`: the forms of the name of each month and weekday (from
      Monday), and its abbreviations.
    - `numbers`: numbers in words with their values.
    - `abbreviations`: words whose final period does not end a sentence, without the period.
    - `articles`: forms of the article, alone and joined to a preposition, if `noun_capitals`.
    - `elided`: words that are joined to the next one by an apostrophe ("l'aria").
    - `name_mark`: the mark between a name and its endings, if names keep their form before it ("Emre Yıldız'ın").
    - `labels`: words before the number of a part, a table or a figure.
    - `own_stop_words`, `own_function_words`: `stop_words` and `function_words` as the data file lists them;
      `further_stop_words` are those that the other lists lack.
    - `phrase_ends`: words at which a key phrase ends, besides the function words.
    - `question_words`: interrogative and referring words of questions, which need not occur in the answer.
    """

    code: str
    name: str
    spaced: bool = True
    stemmer: str = ""
    lemmas: str = ""
    noun_capitals: bool = False
    compounds: bool = False
    links: frozenset[str] = frozenset()
    decimal: str = "."
    group: str = ""
    months: tuple[frozenset[str], ...] = ()
    months_short: tuple[frozenset[str], ...] = ()
    weekdays: tuple[frozenset[str], ...] = ()
    weekdays_short: tuple[frozenset[str], ...] = ()
    numbers: Mapping[str, float] = field(default_factory=lambda: _NO_NUMBERS)
    abbreviations: frozenset[str] = frozenset()
    articles: frozenset[str] = frozenset()
    elided: frozenset[str] = frozenset()
    name_mark: str = ""
    labels: frozenset[str] = frozenset()
    own_stop_words: frozenset[str] = frozenset()
    own_function_words: frozenset[str] = frozenset()
    further_stop_words: frozenset[str] = frozenset()
    phrase_ends: frozenset[str] = frozenset()
    question_words: frozenset[str] = frozenset()

    @property
    def stop_words(self) -> frozenset[str]:
        """Words that are omitted from the terms of a text."""
        return (self.own_stop_words or _library_stop_words(self.code)) | self.further_stop_words

    @property
    def function_words(self) -> frozenset[str]:
        """Words that are not names, including the stop words."""
        return self.stop_words | self.own_function_words

    @property
    def month_names(self) -> frozenset[str]:
        """All names of months, including abbreviations."""
        return frozenset().union(*self.months, *self.months_short)

    @property
    def weekday_names(self) -> frozenset[str]:
        return frozenset().union(*self.weekdays)


@cache
def profile(language: str) -> LanguageProfile:
    """Return the profile of a language by its code ("de", "pt-BR"); for an unknown one, a profile with only its code.

    >>> profile("de").stemmer
    'german'
    """
    code = language.lower().replace("_", "-").partition("-")[0]
    found = _DATA / f"{code}.toml"
    table = read_table(code) if code.isalpha() and found.is_file() else {}
    return LanguageProfile(
        code,
        table.get("name", code),
        table.get("spaced", True),
        table.get("stemmer", ""),
        table.get("lemmas", ""),
        table.get("noun_capitals", False),
        table.get("compounds", False),
        _words(table, "links"),
        table.get("decimal", "."),
        table.get("group", ""),
        _forms(table, "months"),
        _forms(table, "months_short"),
        _forms(table, "weekdays"),
        _forms(table, "weekdays_short"),
        MappingProxyType(_number_words(code) | table.get("other_numbers", {})),
        _words(table, "abbreviations"),
        _words(table, "articles"),
        _words(table, "elided"),
        table.get("name_mark", ""),
        _words(table, "labels"),
        _words(table, "stop_words"),
        _words(table, "function_words"),
        _words(table, "further_stop_words"),
        _words(table, "phrase_ends"),
        _words(table, "question_words"),
    )


@cache
def read_table(name: str) -> dict[str, Any]:
    """Return the contents of a data file of this package, by its name without suffix; callers must not modify it."""
    return tomllib.loads((_DATA / f"{name}.toml").read_text(encoding="utf-8"))


def named_languages(folder: str) -> tuple[str, ...]:
    """Return the codes of the languages with a data file in a folder of this package."""
    return tuple(sorted(path.stem for path in (_DATA / folder).iterdir()))


def read_words(folder: str, code: str) -> list[str]:
    """Return the words in a language's file in a folder of this package, in the order of the file."""
    return (_DATA / folder / f"{code}.txt").read_text(encoding="utf-8").split()


def of_language(by_language: Mapping[str, Sequence[str]], language: str) -> list[str]:
    """Return the entries of a table for a language, or for all languages if it is ""."""
    return [part for code, parts in by_language.items() if language in ("", code) for part in parts]


def longest_first(words: Iterable[str]) -> list[str]:
    """Return words sorted by decreasing length, the order for alternatives of a regular expression."""
    return sorted(set(words), key=lambda word: (-len(word), word))


def _words(table: Mapping[str, Any], name: str) -> frozenset[str]:
    return frozenset(table.get(name, "").split())


def _forms(table: Mapping[str, Any], name: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(forms.split("|")) for forms in table.get(name, ()))


def _number_words(code: str) -> dict[str, float]:
    """Return the numbers in words of a language, from a file with a number and its forms in each line."""
    path = _DATA / "number_words" / f"{code}.txt"
    lines = path.read_text(encoding="utf-8").splitlines() if code.isalpha() and path.is_file() else []
    numbers = (line.partition(" ") for line in lines)
    return {form: float(number) for number, _, forms in numbers for form in forms.split("|")}


@cache
def _library_stop_words(code: str) -> frozenset[str]:
    import stopwordsiso

    return frozenset(stopwordsiso.stopwords(code)) if stopwordsiso.has_lang(code) else frozenset()
