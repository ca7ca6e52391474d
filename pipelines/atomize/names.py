"""Names recognized by their form: what is written with capitals, codes, standards, Chinese titles and bodies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipelines.atomize.words import FUNCTION_WORDS
from pipelines.core.provenance import Span
from pipelines.core.terms import CJK

_UPPER = "A-ZÀ-ÖØ-ÞĀĂĄĆČĎĐĒĘĚĞĢĪİŁŃŇŌŐŒŘŚŞŠŤŪŮŰŹŻŽ"
_LETTER = rf"[^\W{CJK}]"
_WORD = rf"(?:[{_UPPER}]\.(?:[{_UPPER}]\.)*(?=[ ,])|[{_UPPER}]{_LETTER}*(?:['’.&-]{_LETTER}+)*)"
_JOINT = r"(?:(?:of|the|de|del|della|di|da|du|des|la|le|van|von|der|den|bin|al|ibn|y)\s+){1,2}|&\s+"
_NAME = re.compile(rf"(?<![A-Za-z0-9]){_WORD}(?:\s(?:{_JOINT})?{_WORD}|\s(?=\d{{1,4}}\b)\d{{1,4}}(?![\w.,%°]))*")
_BODIES = "ISO|IEC|EN|DIN|ASTM|ANSI|IEEE|AAMI|ASME|JIS|BS|UL|RFC|NFPA|NIST|VDE|ETSI|ITU|CISPR|YY|HG|JB"
_STANDARD = re.compile(
    rf"(?<![A-Za-z])(?:(?:{_BODIES}|GB)(?:/[A-Z]{{1,4}})?[ -]){{1,3}}[A-Z]?\d+(?:[-.]\d+)*(?:[:—-]\d{{4}})?"
    r"|(?<![A-Za-z])MIL-[A-Z]+-\d+[A-Z]*"
)
_CODE = re.compile(
    r"(?<![A-Za-z0-9])(?=[A-Za-z-/]{0,12}\d)[A-Z][A-Za-z]{0,7}(?:[-/]?[A-Z0-9]+[a-z]?)+(?:[-/.][A-Z0-9]+)*(?![A-Za-z0-9])"
)
_CHINESE = re.compile(
    r"《(?P<work>[^《》\n]{2,40})》"
    r"|(?P<body>[一-龥]{2,14}?(?:[(（][一-龥]{2,4}[)）])?(?:股份有限公司|有限公司|公司|集团|大学|学院|研究院|研究所|委员会|银行|医院|事业部|车间|管理局))"
    r"|[「“](?P<quoted>[^「」“”\n]{2,16})[」”]"
)
_CHINESE_LEAD = re.compile(r"^.*[的了在是和与及或对从被将由到请向把给让经]")
_ORGANIZATION = re.compile(
    r"\b(?:Inc|Ltd|LLC|GmbH|AG|Corp|Corporation|Company|Co|University|Institute|College|School|Council|Committee"
    r"|Association|Agency|Ministry|Department|Society|Foundation|Bank|Group|Laboratory|Laboratories|Hospital)\b"
)
_FORM_WORDS = frozenset("dear hello hi cc bcc from to date subject re fw fwd regards sincerely page".split())
_NOT_NAMING = FUNCTION_WORDS | _FORM_WORDS
_INITIALISMS = frozenset(["US", "WHO", "IT"])
_SHORTEST = 3
"""Letters that some word of a name has, unless it is all letters ("US", "EU")."""
_CALENDAR = frozenset(
    "january february march april may june july august september october november december monday tuesday wednesday"
    " thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_POSSESSIVE = re.compile(r"['’]s?$")
_OPENING = " \"“'(*#-–●○•▪◦·"
_BEGINS = ("|", "•", "●", "○", "▪")
_SHORT_FOR = re.compile(r"\s?[(（]([A-Z][A-Za-z0-9]{1,7})[)）]")


@dataclass(frozen=True, slots=True)
class Name:
    """A name where it stands; `type` is "standard", "identifier", "organization", "work" or empty.

    `alias` is the abbreviation that follows it in brackets.
    """

    surface: str
    span: Span
    type: str = ""
    alias: str = ""


def find_names(text: str, known: Collection[str], title: str = "") -> list[Name]:
    """Return the names in a sentence in order, none inside another.

    A single capitalized word that opens the sentence is a name only if it is among `known`, the words written with a
    capital elsewhere inside a sentence. The document's `title` is a name wherever it stands.
    """
    found: list[Name] = []
    taken = 0
    candidates = [*_title(text, title), *_candidates(text, known)]
    for name in sorted(candidates, key=lambda name: (name.span.start, -name.span.end)):
        if name.span.start >= taken:
            found.append(name)
            taken = name.span.end
    return found


def _candidates(text: str, known: Collection[str]) -> Iterator[Name]:
    for pattern, kind in ((_STANDARD, "standard"), (_CODE, "identifier")):
        for match in pattern.finditer(text):
            if len(match.group()) > 2:
                yield Name(match.group(), Span(*match.span()), kind)
    for match in _NAME.finditer(text):
        name = _trimmed(match, text, known)
        if name is not None:
            yield name
    yield from _chinese(text)


def _title(text: str, title: str) -> Iterator[Name]:
    start = text.lower().find(title.lower()) if len(title) > 2 else -1
    end = start + len(title)
    if start >= 0 and not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
        yield Name(text[start:end], Span(start, end))


def _trimmed(match: re.Match[str], text: str, known: Collection[str]) -> Name | None:
    """Return a capitalized run without the function words and figures around it, None where no name is left."""
    start, surface = match.start(), _POSSESSIVE.sub("", match.group())
    head, blank, rest = surface.partition(" ")
    while blank and (head.lower() in _NOT_NAMING or head.isdigit()):
        start, surface = start + len(head) + 1, rest
        head, blank, rest = surface.partition(" ")
    before = text[:start].strip(_OPENING)
    if not _names_something(surface, not before or before.endswith(_BEGINS), known):
        return None
    kind = "organization" if _ORGANIZATION.search(surface) and " " in surface else ""
    return Name(surface, Span(start, start + len(surface)), kind, _abbreviation(surface, text, start + len(surface)))


def _names_something(surface: str, opens: bool, known: Collection[str]) -> bool:
    """Whether a capitalized run is a name; `opens` where it opens a sentence, a list item or a cell."""
    words = surface.lower().split()
    if max(map(len, words)) < _SHORTEST and not surface.isalpha():
        return False
    if surface in _INITIALISMS:
        return True
    if len(surface) < 2 or all(word.isdigit() or word in _NOT_NAMING or word in _CALENDAR for word in words):
        return False
    return len(words) > 1 or surface.isupper() or not opens or surface in known


def _abbreviation(name: str, text: str, end: int) -> str:
    """Return the abbreviation in brackets behind a name where its letters are initials of the name's words."""
    match = _SHORT_FOR.match(text, end)
    if match is None:
        return ""
    initials = "".join(word[0] for word in re.split(r"[\s-]+", name) if word).lower()
    wanted = match.group(1).lower()
    letters = iter(initials)
    return match.group(1) if wanted[0] == initials[0] and all(letter in letters for letter in wanted[:2]) else ""


def _chinese(text: str) -> Iterator[Name]:
    for match in _CHINESE.finditer(text):
        group = match.lastgroup or ""
        surface, start = match.group(group), match.start(group)
        if group == "body":
            lead = _CHINESE_LEAD.match(surface)
            cut = len(lead.group()) if lead else 0
            surface, start = surface[cut:], start + cut
        if len(surface) >= 2:
            kind = {"work": "work", "body": "organization"}.get(group, "")
            yield Name(surface, Span(start, start + len(surface)), kind)
