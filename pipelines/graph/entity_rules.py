"""Rules that decide from two names whether they denote the same entity.

Precision comes before recall: a wrong merge joins entities that readers know to be different, a missed merge only
leaves two nodes. Names that differ in a number, an initial or a content word are never merged.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from pipelines.core.ids import normalize
from pipelines.graph.entities import EntityProfile
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.names import ARTICLES, LEGAL_FORMS, SAME_NAMES, SHORT_FORMS, SMALL_WORDS, TITLES, without_accents
from pipelines.lang.terms import edits

_WORD = re.compile(r"[^\W_]+")
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"\b(?=[ivxlc])(?:x{0,3})(?:ix|iv|v?i{0,3})\b")
_BRACKETED = re.compile(r"^(?P<long>[^()（）]{3,}+)[(（](?P<short>[^()（）]{2,20})[)）]$")
_CLEAR_OF = {
    **dict.fromkeys(("person", "people", "human"), "person"),
    **dict.fromkeys(("organization", "organisation", "company", "org", "institution"), "organization"),
    **dict.fromkeys(("location", "place", "city", "country", "region", "gpe"), "place"),
    **dict.fromkeys(("date", "time", "year"), "date"),
    **dict.fromkeys(("quantity", "number", "measure", "value", "measurement"), "quantity"),
}


@dataclass(frozen=True, slots=True)
class NameMatch:
    """The rule by which two names denote the same entity, and its confidence (0 to 1)."""

    rule: str
    score: float


_NAMES = 1 << 18
"""Names in the caches of derived forms, some hundred bytes each. A corpus of 6,500 pages has 78,000 names; a cache
smaller than that would be useless, since all names are visited in turn."""


@lru_cache(maxsize=_NAMES)
def key(name: str) -> str:
    """Return a name without accents, punctuation, articles and a company's legal form.

    Returns "" for a name without letters: numbers are never merged.
    """
    words, last = _words_and_legal_form(name)
    joined = " ".join(words[:last])
    return SAME_NAMES.get(joined, joined) if re.search(r"[^\W\d_]", joined) else ""


def legal_form(name: str) -> str:
    """Return the abbreviated legal form at the end of a company's name, or "" if there is none.

    >>> legal_form("Acme Co., Limited"), legal_form("ACME")
    ('co ltd', '')
    """
    words, last = _words_and_legal_form(name)
    return " ".join(SHORT_FORMS.get(word, word) for word in words[last:])


def _words_and_legal_form(name: str) -> tuple[list[str], int]:
    """Return the words of a name, without accents and leading articles, and the index of its legal form."""
    plain = re.sub(r"(?<=\b\w)\.(?=\w\b|\s|$)", "", without_accents(name))
    plain = re.sub(r"['’]s\b", "", plain).replace("&", " and ").replace("%", " percent ")
    written = _WORD.findall(plain)
    words = [normalize(word) for word in written]
    first, last = 0, len(words)
    while last - first > 1 and words[first] in ARTICLES:
        first += 1
    while last - first > 1 and words[last - 1] in LEGAL_FORMS and written[last - 1][0].isupper():
        last -= 1
    return words[first:], last - first


def acronym(name: str) -> str:
    """Return the initials of a name's content words ("International Council for Small Business": "icsb")."""
    words = [word for word in _WORD.findall(normalize(name)) if word not in SMALL_WORDS]
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def is_acronym(name: str) -> bool:
    """Whether a name is written as an acronym: two to six capitals, with or without periods."""
    letters = name.replace(".", "")
    # Acronyms have at most six letters ("UNESCO"); longer words in capitals are names.
    return 2 <= len(letters) <= 6 and letters.isascii() and letters.isalpha() and letters.isupper()


def bracketed(name: str) -> tuple[str, str] | None:
    """Return the long and the short form of a name like "European Free Trade Association (EFTA)", else None.

    Brackets that do not abbreviate the preceding words distinguish the name from others: "Saw Kill (west)".
    """
    match = _BRACKETED.match(name.strip())
    if match is None or not is_acronym(match["short"].strip()):
        return None
    long, short = match["long"].strip(), match["short"].strip()
    return (long, short) if _shortens(normalize(short).replace(".", ""), normalize(long)) else None


def _shortens(letters: str, long: str) -> bool:
    """Whether a name begins with the first of these letters and contains the others in this order."""
    rest = iter(long)
    return long.startswith(letters[0]) and all(letter in rest for letter in letters)


def compatible(one: EntityProfile, two: EntityProfile) -> bool:
    """Whether two entities can be the same: their types do not contradict each other, and their numbers are equal."""
    a, b = (_CLEAR_OF.get(profile.type.casefold(), "") for profile in (one, two))
    if a and b and a != b:
        return False
    return _figures(key(one.name)) == _figures(key(two.name))


@lru_cache(maxsize=_NAMES)
def _figures(name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    return tuple(sorted(_DIGITS.findall(name))), tuple(sorted(match for match in _ROMAN.findall(name) if match))


def judge(one: EntityProfile, two: EntityProfile) -> NameMatch | None:
    """Return the first rule by which two names denote the same entity, or None if no rule applies.

    None also for companies with equal names and different legal forms ("ABB Ltd", "ABB Inc"): they may be different.
    """
    a, b = key(one.name), key(two.name)
    if not a or not b or (a == b and legal_form(one.name) != legal_form(two.name)):
        return None
    # Scores rank the rules: 1 for equal letters, and less the more a rule assumes.
    rules = (
        (a == b, NameMatch("same name", 1.0)),
        (a.replace(" ", "") == b.replace(" ", ""), NameMatch("same letters", 0.98)),
        (_is_plural(one.name, two.name, a, b), NameMatch("singular and plural", 0.95)),
        (_is_person(one, two) and _same_person(a.split(), b.split()), NameMatch("initials", 0.9)),
        # What looks like a typing error may be another name: the same score as for initials.
        (_is_slip(a, b), NameMatch("spelling", 0.9)),
    )
    return next((verdict for holds, verdict in rules if holds), None)


def _is_plural(name: str, other: str, a: str, b: str) -> bool:
    """Whether the names are singular and plural of a common noun, with a last word in lower case: "Trade unions"."""
    common = all(re.split(r"[\s-]", written.strip())[-1].islower() for written in (name, other))
    if not common or CJK_CHARACTER.search(a + b):
        return False
    return a != b and _singular(a) == _singular(b)


def _singular(name: str) -> str:
    head, _, last = name.rpartition(" ")
    for ending, instead in (("ies", "y"), ("sses", "ss"), ("xes", "x"), ("ches", "ch"), ("shes", "sh"), ("s", "")):
        # The remainder must be a word: "gas", "bus" and "as" are not plurals.
        if last.endswith(ending) and len(last) - len(ending) >= 3 and not last.endswith(("ss", "us", "is")):
            last = last[: -len(ending)] + instead
            break
    return f"{head} {last}".strip()


def _is_person(one: EntityProfile, two: EntityProfile) -> bool:
    return "person" in {_CLEAR_OF.get(profile.type.casefold(), "") for profile in (one, two)}


def _same_person(a: list[str], b: list[str]) -> bool:
    """Whether first and last names are equal and middle names fit: "Carl R. Rogers", "Carl Rogers"."""
    a, b = ([word for word in words if word not in TITLES] for words in (a, b))
    if len(a) < 2 or len(b) < 2 or a[-1] != b[-1] or a == b:
        return False
    (first, *middle), (other, *between) = a[:-1], b[:-1]
    if first != other:
        return False
    short, long = sorted((middle, between), key=len)
    pairs = zip(short, long, strict=False)
    return not short or (len(short) == len(long) and all(_abbreviates(x, y) for x, y in pairs))


def _abbreviates(one: str, two: str) -> bool:
    return one == two or (one[0] == two[0] and 1 in (len(one), len(two)))


def _is_slip(a: str, b: str) -> bool:
    """Whether one name is a misspelling of the other: a letter inserted, omitted or swapped inside a word of 7 or more.

    A replaced letter may make another name ("Andersen", "Anderson").
    """
    words, others = a.split(), b.split()
    if len(words) != len(others):
        return False
    differ = [(x, y) for x, y in zip(words, others, strict=True) if x != y]
    if len(differ) != 1:
        return False
    short, long = sorted(differ[0], key=len)
    # Below seven letters, words that differ in one letter are often different words ("casing", "casting").
    if len(short) < 7 or not (short.isalpha() and long.isalpha()) or short[0] != long[0] or short[-1] != long[-1]:
        return False
    if edits(short, long, most=1) != 1:
        return False
    return len(long) > len(short) or sorted(long) == sorted(short)
