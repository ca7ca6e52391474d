"""Names of organizations, standards, persons and documents: words in them that tell their kind, or tell nothing.

The lists of `data/organizations.toml` are gathered by hand. The 194 legal forms of cleanco were tried on 8,803 names of
entities in MuSiQue: it shortens 34 that these do not, of which 32 have no legal form ("9PM ET", "European Union (EU)").
`data/names/CODE.txt` holds first names (faker; `deploy/language_data.py` writes the files), in languages that set no
blanks between words surnames. A name without one of them in it is not seen.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pipelines.lang.characters import CAPITAL, CJK, HAN
from pipelines.lang.profile import named_languages, profile, read_table, read_words
from pipelines.lang.word_lists import cue

_ORGANIZATIONS = read_table("organizations")
_ENTITIES = read_table("entity_names")
_DOCUMENTS = read_table("document_words")

# Organizations and standards.


def _of(section: str, *names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in _ORGANIZATIONS[section][name].split())


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


STANDARD_BODIES = _any(_of("standards", "bodies", "chinese"))
"""Letters with which the number of a standard begins, as the branches of a pattern."""
REFERRED_BODIES = _any(_of("standards", "bodies", "chinese", "doubtful"))
"""The same where a document is referred to: letters too that mean something else elsewhere."""

LEGAL_FORMS = frozenset(
    form.replace(".", "").casefold() for form in _of("legal_forms", "anywhere", "at_end", "capitals", "spelled_out")
)
"""Legal forms without points, in small letters: what the name of a company can be said without."""
SHORT_FORMS: dict[str, str] = dict(_ORGANIZATIONS["legal_forms"]["short_of"])
"""The short form of those that are spelled out."""

COMPANY = re.compile(
    rf"(?i:\b(?:{_any(_of('legal_forms', 'anywhere', 'at_end', 'also_names'))})\.?$)"
    rf"|\b(?:{_any(_of('legal_forms', 'capitals'))})\.?$"
)
"""The legal form with which the name of a company ends."""
ORGANIZATION = re.compile(rf"\b(?:{_any((*_of('legal_forms', 'anywhere'), *_of('kinds', 'en')))})\b")
"""A word that is only part of the name of an organization."""
CHINESE_ORGANIZATIONS = _any(_of("kinds", "zh"))
"""What the Chinese name of an organization ends with, as the branches of a pattern."""

# Words in names that do not tell which person, place or organization is meant.


def _words(section: str) -> frozenset[str]:
    return frozenset(word for words in _ENTITIES[section].values() for word in without_accents(words).split())


def without_accents(text: str) -> str:
    """Return a text without accents and other marks, letters that look alike in one form (NFKD)."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


ARTICLES = _words("articles")
"""Articles before a name, in small letters, as all words here without accents."""
TITLES = _words("titles")
"""Titles and forms of address of persons, without points and accents, in small letters."""
SMALL_WORDS = _words("small")
"""Words in a name for which its acronym has no letter."""
SAME_NAMES: dict[str, str] = dict(_ENTITIES["same"])
"""By a name in small letters the one under which it is known too."""

# Persons, by first names, surnames and titles.

_FOLDER = "names"
# Particles stand between the parts of a name in small letters: "van der", "de la", "von".
_NAME = re.compile(
    rf"(?<!\w)(?P<first>[{CAPITAL}][^\W\d_{CJK}]+)(?:[- ][{CAPITAL}](?:\.|[^\W\d_{CJK}]+))?"
    rf"(?: [a-z]{{1,4}}){{0,2}}[- ][{CAPITAL}][^\W\d_{CJK}]+"
)
_HAN_RUN = re.compile(rf"(?<![{HAN}])[{HAN}]{{2,4}}(?![{HAN}])")


def names_person(text: str, language: str = "") -> bool:
    """Return whether `text` names a person; names are those of all languages, whatever the language of the text."""
    if cue("person", language).search(text):
        return True
    if any(_is_first_name(match["first"]) for match in _NAME.finditer(text)):
        return True
    return any(_has_surname(match.group()) for match in _HAN_RUN.finditer(text))


def _is_first_name(word: str) -> bool:
    return word.casefold() in _names(spaced=True)


def _has_surname(run: str) -> bool:
    return not _names(spaced=False).isdisjoint((run[0], run[:2]))


@cache
def _names(*, spaced: bool) -> frozenset[str]:
    codes = (code for code in named_languages(_FOLDER) if profile(code).spaced is spaced)
    return frozenset(name.casefold() for code in codes for name in read_words(_FOLDER, code))


# Documents.

NOT_NUMBERS = frozenset(word for words in _DOCUMENTS["not_numbers"].values() for word in words.split())
"""Letters, in capitals, before figures that are no number of a document."""


@cache
def kind_words(media_type: str, language: str) -> str:
    """Return what readers call documents of a media type, in English and in a language, with blanks between."""
    kinds = (words for mark, words in _DOCUMENTS["kinds"].items() if mark in media_type)
    return " ".join(words[code] for words in kinds for code in dict.fromkeys(("en", language)) if code in words)
