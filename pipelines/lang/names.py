"""Word lists for names of organizations, standards, persons and documents.

The lists of `data/organizations.toml` were collected by hand. The 194 legal forms of cleanco, tried on 8,803 entity
names of MuSiQue, shorten 34 more names, 32 of which have no legal form ("9PM ET", "European Union (EU)").
`data/names/CODE.txt` has first names (from faker; written by `deploy/language_data.py`), or surnames for languages
without blanks between words. Names without any of these words are not recognized.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache

from pipelines.lang.characters import CAPITAL, CJK, HAN
from pipelines.lang.numbers import calendar
from pipelines.lang.profile import named_languages, profile, read_table, read_words
from pipelines.lang.word_lists import common_words, cue

_ORGANIZATIONS = read_table("organizations")
_ENTITIES = read_table("entity_names")
_DOCUMENTS = read_table("document_words")

# Organizations and standards.


def _of(section: str, *names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in _ORGANIZATIONS[section][name].split())


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


STANDARD_BODIES = _any(_of("standards", "bodies", "chinese"))
"""Prefixes of the numbers of standards, as alternatives of a regular expression."""
REFERRED_BODIES = _any(_of("standards", "bodies", "chinese", "doubtful"))
"""The same for references to documents, with prefixes that mean something else elsewhere."""

LEGAL_FORMS = frozenset(
    form.replace(".", "").casefold() for form in _of("legal_forms", "anywhere", "at_end", "capitals", "spelled_out")
)
"""Legal forms of companies without periods, in lower case; they may be omitted from a name."""
SHORT_FORMS: dict[str, str] = dict(_ORGANIZATIONS["legal_forms"]["short_of"])
"""The abbreviations of legal forms that are spelled out."""

COMPANY = re.compile(
    rf"(?i:\b(?:{_any(_of('legal_forms', 'anywhere', 'at_end', 'also_names'))})\.?$)"
    rf"|\b(?:{_any(_of('legal_forms', 'capitals'))})\.?$"
)
"""The legal form at the end of a company's name."""
ORGANIZATION = re.compile(rf"\b(?:{_any((*_of('legal_forms', 'anywhere'), *_of('kinds', 'en')))})\b")
"""Words that occur only in names of organizations."""
CHINESE_ORGANIZATIONS = _any(_of("kinds", "zh"))
"""Endings of Chinese names of organizations, as alternatives of a regular expression."""
_PARTNERS = re.compile(rf"(?<![^\W\d_])[{CAPITAL}][^\W\d_]+ & [{CAPITAL}][^\W\d_]")
_IN_CHINESE = re.compile(rf"[{HAN}](?:{CHINESE_ORGANIZATIONS})")


def names_organization(text: str) -> bool:
    """Whether `text` names an organization: by a legal form or another word of such names, or two partners."""
    return any(pattern.search(text) for pattern in (ORGANIZATION, _PARTNERS, _IN_CHINESE))


# Words in names that do not distinguish persons, places or organizations.


def _words(section: str) -> frozenset[str]:
    return frozenset(word for words in _ENTITIES[section].values() for word in without_accents(words).split())


def without_accents(text: str) -> str:
    """Return a text in NFKD without combining marks."""
    if text.isascii():
        return text
    return "".join(letter for letter in unicodedata.normalize("NFKD", text) if not unicodedata.combining(letter))


ARTICLES = _words("articles")
"""Articles before a name, in lower case without accents, like all words here."""
ADDRESS = _words("address")
"""Forms of address and titles that only persons have, like `TITLES`."""
TITLES = ADDRESS | _words("titles")
"""Titles and forms of address, without periods."""
SMALL_WORDS = _words("small")
"""Words of a name that are skipped in its acronym."""
SAME_NAMES: dict[str, str] = dict(_ENTITIES["same"])
"""Maps a name in lower case to its usual equivalent."""

# Persons, by first names, surnames and titles.

_FOLDER = "names"
# Lower-case particles between the parts of a name: "van der", "de la", "von".
_NAME = re.compile(
    rf"(?<!\w)(?P<first>[{CAPITAL}][^\W\d_{CJK}]+)(?:[- ][{CAPITAL}](?:\.|[^\W\d_{CJK}]+))?"
    rf"(?: [a-z]{{1,4}}){{0,2}}[- ][{CAPITAL}][^\W\d_{CJK}]+"
)
_INITIAL = re.compile(rf"(?<=[^\s.] )[{CAPITAL}]\. ?(?:[{CAPITAL}]\. ?)?(?P<last>[{CAPITAL}][^\W\d_{CJK}]{{2,}})")
"""An initial and a surname inside a text, "J. Okafor"; at its beginning, "A. Scope" is a heading."""
_WORD = re.compile(rf"[^\W\d_{CJK}]+")
_HAN_RUN = re.compile(rf"(?<![{HAN}\d])(?<!\d\s)[{HAN}]{{2,4}}(?![{HAN}])")
"""A run that may be a name; after a figure it is a unit."""
_LONGEST_SINGLE = 3
"""Maximum letters of a Chinese name whose surname has one letter."""
_HAN_AGENT = re.compile(rf"(?:由(?!于)|(?<![{HAN}])[^\W\d_]{{2,6}}(?:是|为|[:：]\s?))(?=(?P<name>[{HAN}]{{2,3}}))")
"""A run behind the word for who does something, or behind "is" or a colon after a short subject."""


def names_person(text: str, language: str = "") -> bool:
    """Whether `text` names a person; the names of all languages are recognized in a text of any language."""
    if cue("person", language).search(text):
        return True
    days = calendar(language)
    for match in _NAME.finditer(text):
        last = match.group().split()[-1].casefold()
        if match["first"].casefold() in _names(spaced=True) and last not in days:  # "30 May and Friday"
            return True
    common = common_words(language or "en")
    if any(match["last"].casefold() not in common for match in _INITIAL.finditer(text)):
        return True  # "Part B. The pump" names nobody
    if any(_NAME.match(text, by.end() + 1) for by in cue("agent", language).finditer(text)):
        return True
    found = [match.group() for match in _HAN_RUN.finditer(text)]
    found += [match["name"] for match in _HAN_AGENT.finditer(text) if match["name"][:2] not in _words_by_pairs()]
    runs = (run for run in found if run not in _words_by_pairs())
    surnames = _names(spaced=False)  # one of a single letter has two letters behind at most: "安全主管" is a function
    return any(run[:2] in surnames or (run[0] in surnames and len(run) <= _LONGEST_SINGLE) for run in runs)


def has_first_name(text: str, language: str = "") -> bool:
    """Whether a text has a first name that is no frequent word of the language or of English: "Sara pays for it"."""
    common = common_words("en") | common_words(language or "en")
    words = (word.casefold() for word in _WORD.findall(text) if word[0].isupper())
    return any(word in _names(spaced=True) and word not in common for word in words)


def is_person_name(name: str, language: str = "") -> bool:
    """Whether a whole name is that of a person: a first name, and no frequent word of the language or of English.

    Many first names are words too ("Edit Menu", "Mark Position"), so that some persons are missed ("Ada King").

    >>> is_person_name("Karin Sjöberg"), is_person_name("Mark Position")
    (True, False)
    """
    match = _NAME.fullmatch(name)
    if match is None or match["first"].isupper() or match["first"].casefold() not in _names(spaced=True):
        return False
    others = name.casefold().split()[1:]
    return common_words("en").isdisjoint(others) and common_words(language).isdisjoint(others)


@cache
def _words_by_pairs() -> frozenset[str]:
    """Return the most frequent words of the languages without blanks, many of which begin like a surname."""
    return frozenset().union(*(common_words(code) for code in named_languages(_FOLDER) if not profile(code).spaced))


@cache
def _names(*, spaced: bool) -> frozenset[str]:
    codes = (code for code in named_languages(_FOLDER) if profile(code).spaced is spaced)
    return frozenset(name.casefold() for code in codes for name in read_words(_FOLDER, code))


# Documents.

NOT_NUMBERS = frozenset(word for words in _DOCUMENTS["not_numbers"].values() for word in words.split())
"""Capital letters before digits that are not the number of a document."""


@cache
def kind_words(media_type: str, language: str) -> str:
    """Return readers' words for documents of a media type, in English and in a language, separated by blanks."""
    kinds = (words for mark, words in _DOCUMENTS["kinds"].items() if mark in media_type)
    return " ".join(words[code] for words in kinds for code in dict.fromkeys(("en", language)) if code in words)
