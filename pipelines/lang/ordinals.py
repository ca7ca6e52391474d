"""Ordinal numbers: the rank of an extreme ("the third highest"), and the place of an item in a list ("step three")."""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.profile import of_language, read_table
from pipelines.lang.word_lists import bounded

LAST = -1
"""The place of the last item."""
_FIGURE = re.compile(r"\d+")
_NOTHING = r"(?!)"


@cache
def ordinal(language: str) -> str:
    """Return a regular expression for the ordinals of a language (ISO 639-1), without groups; "" if none are known."""
    table = read_table("ordinals")
    words = [f"{word}{_ending(language)}" for word in of_language(table["words"], language)]
    figures = [table["figures"][language]] if language in table["figures"] else []
    return f"(?:{'|'.join([*words, *figures])})" if words else ""


def ordinal_value(text: str, language: str) -> int:
    """Return the first ordinal number in a text, from 1; 0 if there is none.

    >>> ordinal_value("die zweithöchste", "de"), ordinal_value("第3步", "zh")
    (2, 3)
    """
    for value, pattern in _values(language):
        if found := pattern.search(text):
            figure = _FIGURE.search(found.group())
            return value or int(figure.group() if figure else 0)
    return 0


def item_asked(question: str, language: str) -> tuple[int, int, int]:
    """Return the place of the item of a list that a question asks for, and the start and end of its words in it.

    The place is `LAST` for the last item, and 0 if none is asked for.

    >>> item_asked("What is the third step?", "en"), item_asked("Was ist Schritt 3?", "de")
    ((3, 12, 22), (3, 8, 17))
    """
    found = _item(language).search(question)
    if found is None:
        return 0, 0, 0
    figure = _FIGURE.search(found.group())
    place = ordinal_value(found.group(), language) or (int(figure.group()) if figure else LAST)
    return place, found.start(), found.end()


@cache
def _values(language: str) -> tuple[tuple[int, re.Pattern[str]], ...]:
    """Return (value, pattern) for the ordinals of a language, with the value 0 for those in figures."""
    table = read_table("ordinals")
    figures, words = table["figures"].get(language, _NOTHING), of_language(table["words"], language)
    numbered = enumerate([figures, *(f"{word}{_ending(language)}" for word in words)])
    return tuple((value, bounded([word], end="")) for value, word in numbered)


@cache
def _item(language: str) -> re.Pattern[str]:
    """Return the pattern of an ordinal, also "last", before the word for an item, and of such a word with a number."""
    table = read_table("ordinals")
    items = "|".join(of_language(table["items"], language))
    last = f"(?:{table['last'].get(language, _NOTHING)}){_ending(language)}"
    return bounded([rf"(?:{ordinal(language) or _NOTHING}|{last})\s?(?:{items})", rf"(?:{items})\s?\d{{1,2}}"])


def _ending(language: str) -> str:
    return str(read_table("ordinals")["endings"].get(language, ""))
