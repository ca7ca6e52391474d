"""Names recognized by their form: what is written with capitals, codes, standards, Chinese titles and bodies."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from pipelines.atomize import name_forms as forms
from pipelines.core.provenance import Span
from pipelines.lang.dates import CALENDAR
from pipelines.lang.organizations import ORGANIZATION


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
    for pattern, kind in ((forms.STANDARD, "standard"), (forms.CODE, "identifier")):
        for match in pattern.finditer(text):
            if len(match.group()) > 2:
                yield Name(match.group(), Span(*match.span()), kind)
    for match in forms.CAPITALIZED.finditer(text):
        name = _trimmed(match, text, known)
        if name is not None:
            yield name
    yield from _chinese(text)


def _title(text: str, title: str) -> Iterator[Name]:
    lower = text.lower()
    start = lower.find(title.lower()) if len(title) > 2 and len(lower) == len(text) else -1
    end = start + len(title)
    if start >= 0 and not text[max(0, start - 1) : start].isalnum() and not text[end : end + 1].isalnum():
        yield Name(text[start:end], Span(start, end))


def _trimmed(match: re.Match[str], text: str, known: Collection[str]) -> Name | None:
    """Return a capitalized run without the function words and figures around it, None where no name is left."""
    start, surface = match.start(), forms.POSSESSIVE.sub("", match.group())
    head, blank, rest = surface.partition(" ")
    while blank and (head.lower() in forms.NOT_NAMING or head.isdigit()):
        start, surface = start + len(head) + 1, rest
        head, blank, rest = surface.partition(" ")
    before = text[:start].strip(forms.OPENING)
    if not _names_something(surface, not before or before.endswith(forms.BEGINS), known):
        return None
    kind = "organization" if ORGANIZATION.search(surface) and " " in surface else ""
    return Name(surface, Span(start, start + len(surface)), kind, _abbreviation(surface, text, start + len(surface)))


def _names_something(surface: str, opens: bool, known: Collection[str]) -> bool:
    """Whether a capitalized run is a name; `opens` where it opens a sentence, a list item or a cell."""
    words = surface.lower().split()
    if max(map(len, words)) < forms.SHORTEST and not surface.isalpha():
        return False
    if surface in forms.INITIALISMS:
        return True
    if len(surface) < 2 or all(word.isdigit() or word in forms.NOT_NAMING or word in CALENDAR for word in words):
        return False
    return len(words) > 1 or surface.isupper() or not opens or surface in known


def _abbreviation(name: str, text: str, end: int) -> str:
    """Return the abbreviation in brackets behind a name where its letters are initials of the name's words."""
    match = forms.SHORT_FOR.match(text, end)
    if match is None:
        return ""
    initials = "".join(word[0] for word in re.split(r"[\s-]+", name) if word).lower()
    wanted = match.group(1).lower()
    letters = iter(initials)
    return match.group(1) if wanted[0] == initials[0] and all(letter in letters for letter in wanted) else ""


def _chinese(text: str) -> Iterator[Name]:
    for match in forms.CHINESE.finditer(text):
        group = match.lastgroup or ""
        surface, start = match.group(group), match.start(group)
        if group == "body":
            lead = forms.CHINESE_LEAD.match(surface)
            cut = len(lead.group()) if lead else 0
            surface, start = surface[cut:], start + cut
        if group != "body" or forms.CHINESE_BODY.match(surface):
            kind = {"work": "work", "body": "organization"}.get(group, "")
            yield Name(surface, Span(start, start + len(surface)), kind)
