"""Names of persons, by the first names or surnames of a language, and by the titles before or behind them.

`data/names/CODE.txt` holds first names (faker; `deploy/language_data.py` writes the files), in languages that set no
blanks between words surnames. A name without one of them in it is not seen.
"""

from __future__ import annotations

import re
from functools import cache

from pipelines.lang.characters import CAPITAL, CJK, HAN
from pipelines.lang.profile import named_languages, profile, read_words
from pipelines.lang.words import cue

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
