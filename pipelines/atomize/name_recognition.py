"""Rule-based named entity recognition: capitalized runs, codes, standards, Chinese organizations.

It supports English and Chinese; in other languages with capital letters only capitalized runs are recognized.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache

from pipelines.core.provenance import Span
from pipelines.lang.characters import CAPITAL, CJK, HAN
from pipelines.lang.names import (
    ADDRESS,
    CHINESE_ORGANIZATIONS,
    COMPANY,
    LEGAL_FORMS,
    ORGANIZATION,
    STANDARD_BODIES,
    is_person_name,
)
from pipelines.lang.numbers import calendar
from pipelines.lang.profile import profile, read_table
from pipelines.lang.quantities import is_unit
from pipelines.lang.word_lists import FUNCTION_WORDS, without_elisions

# Capitalized words, with particles between them and a number at the end: "Bank of England", "Apollo 11". A number with
# a leading zero is dialled ("Telefon 0431").
_LETTER = rf"[^\W{CJK}]"
_INITIALS = rf"[{CAPITAL}]\.(?:[{CAPITAL}]\.)*(?=[ ,;)]|$)"
_WORD = rf"(?:{_INITIALS}|[{CAPITAL}]{_LETTER}*(?:['’.&-]{_LETTER}+)*)"
_OF = r"(?:(?:of|the|de|del|della|di|da|du|des|la|le|van|von|der|den|bin|al|ibn|y)\s+){1,2}|&\s+"
_CAPITALIZED, _CAPITALIZED_ALONE = (
    re.compile(rf"(?<![A-Za-z0-9]){_WORD}(?:\s{between}{_WORD}|\s(?!0\d)(?=\d{{1,4}}\b)\d{{1,4}}(?![\w%°]|[.,]\d))*")
    for between in (f"(?:{_OF})?", "")
)
"""With and without particles: in a language that capitalizes nouns, particles do not form names ("Pumpe der
Anlage")."""

# "ISO 9001:2015", "EN ISO 13485", "GB/T 19001-2016", "MIL-STD-810G".
_STANDARD = re.compile(
    rf"(?<![A-Za-z])(?:(?:{STANDARD_BODIES})(?:/[A-Z]{{1,4}})?[ -]){{1,3}}[A-Z]?\d+(?:[-.]\d+)*(?:[:—-]\d{{4}})?"
    r"|(?<![A-Za-z])MIL-[A-Z]+-\d+[A-Z]*"
)

# Letters and digits together: "P-101A", "DS-2041", "LM7805". The look-ahead is bounded and groups are atomic, so that
# the search is linear: a text may contain an encoded image of thousands of letters and digits.
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z-/]{0,12}\d)[A-Z][A-Za-z]{0,7}(?:(?>[-/]?[A-Z0-9]+[a-z]?)){1,16}(?:[-/.][A-Z0-9]++){0,8}"
    r"(?![A-Za-z0-9])"
)

# 《title》, an organization by its last characters, “quoted”.
_CHINESE = re.compile(
    r"《(?P<work>[^《》\n]{2,40})》"
    rf"|(?P<body>[{HAN}]{{2,14}}?(?:[(（][{HAN}]{{2,4}}[)）])?(?:{CHINESE_ORGANIZATIONS}))"
    r"|[「“](?P<quoted>[^「」“”\n]{2,16})[」”]"
)
# Function words that the pattern mistakes for the beginning of an organization's name.
_CHINESE_LEAD = re.compile(r"^.*[的了在是和与及或对从被将由到请向把给让经于该此本各其为]")
_CHINESE_BODY = re.compile(rf"(?!有限|股份)[{HAN}]{{2}}.*(?:{CHINESE_ORGANIZATIONS})$")

_SHORT_FOR = re.compile(r"\s?[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")
_POSSESSIVE = re.compile(r"['’]s?$")
_CURRENCIES = frozenset(read_table("unit_factors")["currencies"])

_OPENING = " \"“'(*#-–●○•▪◦·"
"""Characters that may precede the first word of a sentence."""
_BEGINS = ("|", "•", "●", "○", "▪")
"""Marks that begin a table cell or a list item."""

_ITEM_NUMBER = re.compile(r"[(\[]?(?:\d{1,3}|[A-Za-z])[.)\]]|\d{1,3}(?:\.\d{1,3}){1,3}[.)]?")
"""The number of a list item or heading, before its first word; not a bare number or letter ("3 Rogers pumps")."""

_MAIL_FIELDS = frozenset("dear hello hi cc bcc from to date subject re fw fwd regards sincerely page".split())
_INITIALISMS = frozenset(["US", "WHO", "IT"])
"""Names that are function words in lower case."""
_LONGEST_IN_CAPITALS = 6
"""Maximum words of a name in capitals ("DIN DEUTSCHES INSTITUT FÜR NORMUNG"); longer ones are sentences of licences."""
_SHORTEST = 3
"""Minimum length of a name's longest word, unless the name is letters only ("EU")."""


@dataclass(frozen=True, slots=True)
class RecognizedName:
    """A name in a text: `type` is "standard", "identifier", "organization", "person", "work" or empty.

    `alias` is the abbreviation in brackets after it: "WHO" for "World Health Organization (WHO)".
    """

    surface: str
    span: Span
    type: str = ""
    alias: str = ""


@lru_cache(maxsize=64)
def _not_names(language: str) -> frozenset[str]:
    return FUNCTION_WORDS | _MAIL_FIELDS | profile(language).function_words


@lru_cache(maxsize=64)
def _names_nothing(language: str) -> frozenset[str]:
    return _not_names(language) | calendar(language)


def find_names(text: str, known: Collection[str], title: str = "", language: str = "") -> list[RecognizedName]:
    """Return the names in a sentence in order, without overlaps; spans are relative to `text`.

    `language` is that of the sentence. If it capitalizes all nouns, a single word is a name only if it has more
    capitals or a digit.

    A single capitalized word that begins the sentence is a name only if it is in `known`, the words that the document
    capitalizes inside sentences. The document's `title` is a name wherever it occurs.

    `find_names("The pump P-101A meets ISO 9906.", ())` has "P-101A" (identifier) and "ISO 9906" (standard).
    """
    found: list[RecognizedName] = []
    end = 0
    candidates = [*_title(text, title), *_candidates(without_elisions(text, language), known, language)]
    for name in sorted(candidates, key=lambda name: (name.span.start, -name.span.end)):
        if name.span.start >= end:
            found.append(name)
            end = name.span.end
    return found


def _candidates(text: str, known: Collection[str], language: str) -> Iterator[RecognizedName]:
    for pattern, kind in ((_STANDARD, "standard"), (_CODE, "identifier")):
        for match in pattern.finditer(text):
            if len(match.group()) > 2:
                yield RecognizedName(match.group(), Span(*match.span()), kind)
    capitalized = _CAPITALIZED_ALONE if profile(language).noun_capitals else _CAPITALIZED
    for match in capitalized.finditer(text):
        name = _trimmed(match, text, known, language)
        if name is not None:
            yield name
    yield from _chinese(text)


def _title(text: str, title: str) -> Iterator[RecognizedName]:
    lower = text.lower()
    start = lower.find(title.lower()) if len(title) > 2 and len(lower) == len(text) else -1
    end = start + len(title)
    if start >= 0 and not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
        yield RecognizedName(text[start:end], Span(start, end))


def _trimmed(match: re.Match[str], text: str, known: Collection[str], language: str) -> RecognizedName | None:
    """Return a capitalized run without the words that are no part of a name, None if nothing is left."""
    words, cut_off, addressed = _name_words(match.group(), language)
    start = match.start() + cut_off
    surface, before = " ".join(words), text[:start].strip(_OPENING)
    behind = start + len(surface)
    opens = not before or before.endswith(_BEGINS) or _ITEM_NUMBER.fullmatch(before) is not None
    if not _is_name(surface, opens, known, language) or _is_title(surface, text[behind:], language):
        return None
    alias = _abbreviation(surface, text, behind)
    return RecognizedName(surface, Span(start, behind), "person" if addressed else _type_of(surface, language), alias)


def _name_words(run: str, language: str) -> tuple[list[str], int, bool]:
    """Return the words of a name in a capitalized run, their offset, and whether a form of address precedes them.

    Omitted are the form of address and what precedes it ("Service Ms Stone"), function words, numbers and dates before
    a name ("In Berlin", "Nov 2024 Ada Brook"), and function words ("Prüfen Sie"), currencies and endings behind it.
    """
    words, ignored = _without_ending(run, language).split(" "), _not_names(language)
    titled = (place for place, word in enumerate(words[:-1], 1) if word.istitle() and word.casefold() in ADDRESS)
    first = addressed = max(titled, default=0)
    last = len(words)
    while last - first > 1 and (words[first].lower() in ignored or words[first].isdigit()):
        first += 1
    while last - first > 2 and words[first].lower() in calendar(language) and words[first + 1].isdigit():
        first += 2
    while last - first > 1 and words[last - 1].istitle() and words[last - 1].lower() in ignored:
        last -= 1
    while last > first and words[last - 1] in _CURRENCIES:
        last -= 1
    return words[first:last], sum(len(word) + 1 for word in words[:first]), addressed > 0


def _without_ending(run: str, language: str) -> str:
    """Return a capitalized run without the endings behind an apostrophe: "Emre Yıldız'ın", "Rogers' pump"."""
    mark = profile(language).name_mark
    if not mark:
        return _POSSESSIVE.sub("", run)
    plain = run.replace("’", mark)
    ends = (place for place in range(len(run) - 1) if plain[place] == mark and run[place + 1].islower())
    return run[: next(ends, len(run))]


def _type_of(surface: str, language: str) -> str:
    if " " not in surface:
        return ""
    if ORGANIZATION.search(surface) or COMPANY.search(surface):
        return "organization"
    return "person" if is_person_name(surface, language) else ""


def _is_title(surface: str, behind: str, language: str) -> bool:
    """Whether a word is only the abbreviated title of the name behind it: "Dr. Mara Stone"."""
    return behind.startswith(". ") and surface.lower() in profile(language).abbreviations


def _is_name(surface: str, opens: bool, known: Collection[str], language: str) -> bool:
    """Whether a capitalized run is a name; `opens` if it begins its sentence, list item or cell."""
    words = surface.lower().split()
    if not words or (surface.isupper() and len(words) > _LONGEST_IN_CAPITALS):
        return False
    if max(map(len, words)) < _SHORTEST and not surface.isalpha():
        return False
    if surface in _INITIALISMS:
        return True
    if len(surface) < 2 or all(word.isdigit() or word in _names_nothing(language) for word in words):
        return False
    if len(words) == 1 and _is_common(surface, language):
        return False
    return len(words) > 1 or surface.isupper() or not opens or surface in known


def _is_common(word: str, language: str) -> bool:
    """Whether a capitalized word is a noun, the legal form of a company, or a unit ("Pa", not "Pascal")."""
    if profile(language).noun_capitals and word[1:].islower():
        return True
    written_as_name = len(word) >= _SHORTEST and word.istitle()
    return word.replace(".", "").lower() in LEGAL_FORMS or (is_unit(word, language) and not written_as_name)


def _abbreviation(name: str, text: str, end: int) -> str:
    """Return the abbreviation in brackets at `end`, if its letters are initials of the name's words in order."""
    match = _SHORT_FOR.match(text, end)
    if match is None:
        return ""
    initials = "".join(word[0] for word in re.split(r"[\s-]+", name) if word).lower()
    wanted = match.group(1).lower()
    letters = iter(initials)
    return match.group(1) if wanted[0] == initials[0] and all(letter in letters for letter in wanted) else ""


def _chinese(text: str) -> Iterator[RecognizedName]:
    for match in _CHINESE.finditer(text):
        group = match.lastgroup or ""
        surface, start = match.group(group), match.start(group)
        if group == "body":
            lead = _CHINESE_LEAD.match(surface)
            cut = len(lead.group()) if lead else 0
            surface, start = surface[cut:], start + cut
        if group != "body" or _CHINESE_BODY.match(surface):
            kind = {"work": "work", "body": "organization"}.get(group, "")
            yield RecognizedName(surface, Span(start, start + len(surface)), kind)
