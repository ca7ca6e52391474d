"""How organizations are called: bodies that publish standards, legal forms, kinds of organizations.

The lists are gathered by hand. The 194 legal forms of cleanco were tried on 8,803 names of entities in MuSiQue: it
shortens 34 that these do not, of which 32 have no legal form ("9PM ET", "European Union (EU)").
"""

from __future__ import annotations

import re

from pipelines.lang.profile import read_table

_TABLE = read_table("organizations")


def _of(section: str, *names: str) -> tuple[str, ...]:
    return tuple(word for name in names for word in _TABLE[section][name].split())


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
SHORT_FORMS: dict[str, str] = dict(_TABLE["legal_forms"]["short_of"])
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
