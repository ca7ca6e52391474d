"""Names of persons, by the first names or surnames of a language, and by the titles before or behind them.

`data/names/CODE.txt` holds first names (faker; `deploy/language_data.py` writes the files), in languages that set no
blanks between words surnames. A name without one of them in it is not seen.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from pipelines.lang.characters import CAPITAL, CJK, HAN
from pipelines.lang.cues import cue
from pipelines.lang.profile import named_languages, profile

_DATA = Path(__file__).with_name("data") / "names"
_CAPITAL = rf"[{CAPITAL}А-ЯЁЇІЄҐ]"
# Particles stand between the parts of a name in small letters: "van der", "de la", "von".
_NAME = re.compile(
    rf"(?<!\w)(?P<first>{_CAPITAL}[^\W\d_{CJK}]+)(?:[- ]{_CAPITAL}(?:\.|[^\W\d_{CJK}]+))?"
    rf"(?: [a-z]{{1,4}}){{0,2}}[- ]{_CAPITAL}[^\W\d_{CJK}]+"
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
    return word.casefold() in _first_names()


def _has_surname(run: str) -> bool:
    return run[0] in _surnames() or run[:2] in _surnames()


@cache
def _first_names() -> frozenset[str]:
    return frozenset(name for code in named_languages("names") if profile(code).spaced for name in _read(code))


@cache
def _surnames() -> frozenset[str]:
    return frozenset(name for code in named_languages("names") if not profile(code).spaced for name in _read(code))


def _read(code: str) -> list[str]:
    return (_DATA / f"{code}.txt").read_text(encoding="utf-8").casefold().split()
