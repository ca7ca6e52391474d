"""Word lists by language: words that are no terms, the commonest ones, cues, and how documents word their parts.

`data/common_words/CODE.txt` holds the commonest words of a language, the commonest first (`deploy/language_data.py`
writes the files); `data/cues.toml` those that give a reason, warn, ask when or point at something named before,
by language, as patterns that are linear in the text; `data/wording.toml` what documents call their parts ("figure"),
which is looked for in all languages at once, as a document may be in any, and in several.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from pipelines.lang.characters import CJK, CJK_CHARACTER, WITHOUT_BLANKS, fold, is_joined
from pipelines.lang.find import StringFinder
from pipelines.lang.profile import (
    LanguageProfile,
    longest_first,
    named_languages,
    of_language,
    profile,
    read_table,
    read_words,
)

_PROFILES: tuple[LanguageProfile, ...] = (profile("en"), profile("zh"))


def _union(name: str) -> frozenset[str]:
    return frozenset().union(*(getattr(one, name) for one in _PROFILES))


STOP_WORDS = _union("stop_words")
FUNCTION_WORDS = _union("function_words")
PHRASE_ENDS = FUNCTION_WORDS | profile("en").phrase_ends
"""Words at which a key phrase ends; Chinese has characters for it, in its profile."""
_FOLDER = "common_words"


@cache
def common_words(language: str) -> frozenset[str]:
    """Return the commonest words of a language by its ISO 639-1 code, none where they are not known."""
    return frozenset(read_words(_FOLDER, language)) if language in named_languages(_FOLDER) else frozenset()


@cache
def common_rank(language: str) -> Mapping[str, int]:
    """Return the place of each of the commonest words of a language, 0 for the commonest; empty where not known."""
    words = read_words(_FOLDER, language) if language in named_languages(_FOLDER) else []
    return {word: place for place, word in enumerate(words)}


@cache
def cue(name: str, language: str = "") -> re.Pattern[str]:
    """Return a pattern of the words of a language that show `name`, of all languages where it is not known.

    Of a language without any it matches nothing.
    """
    chosen = cue_words(name, language)
    parts = [part if CJK_CHARACTER.search(part) else rf"(?<!\w){part}(?!\w)" for part in chosen]
    return re.compile("|".join(parts) or r"(?!)", re.IGNORECASE)


def cue_words(name: str, language: str = "") -> list[str]:
    """Return the patterns of the words of a language that show `name`, of all languages where it is not known."""
    return of_language(read_table("cues")[name], language)


_UNSPACED = re.compile(f"[{CJK}{WITHOUT_BLANKS}]")
"""A word of these scripts may have no blank before it."""
_NOTHING = r"(?!)"


@cache
def wording(field: str) -> MappingProxyType[str, tuple[str, ...]]:
    """Return the words of a field of `data/wording.toml`, such as "figure", by language; lower case."""
    tables = read_table("wording").items()
    return MappingProxyType({code: tuple(filter(None, told[field].split("|"))) for code, told in tables})


@cache
def any_of(*fields: str, languages: tuple[str, ...] = ()) -> str:
    """Return a pattern for the words of some fields, before each word the longer ones.

    It is one group, to be compiled with `re.IGNORECASE`; where there is no word, one that matches nothing. No word
    begins inside another, what follows is not looked at; a blank in a word matches any white space.

    Args:
        fields: names of fields of `data/wording.toml`.
        languages: ISO 639-1 codes of the languages whose words are meant; all where there is none.

    >>> re.match(any_of("figure"), "Abbildung 3", re.IGNORECASE)[0]
    'Abbildung'
    """
    told = [words for field in fields for code, words in wording(field).items() if not languages or code in languages]
    words = longest_first(word for words in told for word in words)
    spaced = [word for word in words if word[0].isalnum() and not _UNSPACED.match(word)]
    groups = [_beginning(spaced)] if spaced else []
    groups += [_pattern(word) for word in words if word not in spaced]
    return "(?:" + "|".join(groups) + ")" if groups else _NOTHING


@cache
def languages_with_words(*, spaced: bool) -> tuple[str, ...]:
    """Return the languages that have words here, those that write blanks between words or the others."""
    return tuple(code for code in read_table("wording") if profile(code).spaced is spaced)


@dataclass(frozen=True, slots=True)
class FoundWord:
    """A word of a field in a text, where it stands, and whether its language writes blanks between words.

    `begins` and `ends` say whether no longer word goes on there; scripts without blanks do not tell.
    """

    field: str
    start: int
    end: int
    spaced: bool
    begins: bool
    ends: bool


def words_in(folded: str, *fields: str) -> list[FoundWord]:
    """Return the words of some fields in a text, parts of longer words too, by their places, the longer ones first.

    A pattern of the words of all languages takes fifty times as long: look for words so, and read on from there.

    Args:
        folded: a text by `pipelines.lang.characters.fold`.
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
    """A pattern for words where a word begins, with one of their letters: to try each everywhere takes nine times as
    long."""
    letters = "".join(sorted({word[0] for word in words}))
    return rf"\b(?=[{letters}])(?:" + "|".join(map(_pattern, words)) + ")"


def _pattern(word: str) -> str:
    return r"\s".join(map(re.escape, word.split()))


_LABELS = any_of("section", "appendix", "table", "figure")
_CODE = re.compile(
    rf"\b[A-Z]{{1,6}}-?\d[\w-]*|(?i:{_LABELS})\s+(\d+(?:\.\d+)*)|第?\s?(?<!\d)(?<!\d\.)(\d++(?:\.\d++)*+)\s?[节章条]"
)


def named_codes(text: str) -> list[str]:
    """Return the codes in a text, of labelled parts their numbers alone."""
    found = ([group for group in match.groups() if group] or [match.group()] for match in _CODE.finditer(text))
    return [code for codes in found for code in codes]
