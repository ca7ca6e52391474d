"""Figures and codes that a question names: years, models, releases. A passage on another year or model is no answer."""

from __future__ import annotations

import re

from pipelines.lang.characters import CJK, WITHOUT_BLANKS
from pipelines.retrieve.evidence import EvidenceUnit

_LETTER = rf"[^\W\d_{CJK}{WITHOUT_BLANKS}]"
_SIGN = rf"[^\W_{CJK}{WITHOUT_BLANKS}]"
_NAMED = re.compile(rf"(?:(?<!\w){_LETTER}{{1,6}}+[-./]?)?\d(?:[.,/-]?{_SIGN})*+")
"""A figure, or a code of up to six letters and a figure: "2019", "K80-250", "C25/60"."""
_WORD = re.compile(rf"[-/]?{_LETTER}{{4,}}.*+")
"""What follows a figure and is a word: "12-monatige"."""
_RUN = re.compile(r"\d+(?:[.,]\d+)*+")
_IN_WORDS = 12
"""Numbers up to which documents write words as well ("two"), as the language packs have them."""


def named_figures(text: str) -> list[str]:
    """Return the figures and codes in a text, of letters and digits alone, numbers left out that words are used for."""
    found = (_plain(_code(match.group())) for match in _NAMED.finditer(text))
    return [one for one in found if not one.isdecimal() or int(one) > _IN_WORDS]


def has_figure(figure: str, text: str) -> bool:
    """Whether a text has one of the `named_figures` of another, however it is grouped ("K80 250", "1.940")."""
    if not figure.isdecimal():
        return figure in _plain(text)
    runs = _RUN.findall(text)
    return figure in {_plain(run) for run in runs} | {part for run in runs for part in re.split("[.,]", run)}


def around(unit: EvidenceUnit) -> str:
    """Return a unit with all that names what it is about: header, headings, title and file of its document."""
    chunk = unit.hit.chunk
    cells = (part for field in unit.fields for part in field)
    head = (unit.heading, unit.group, unit.hit.title, unit.hit.uri, *chunk.heading_path, chunk.context)
    return "\n".join((unit.text, unit.header, *head, *cells))


def _code(named: str) -> str:
    """A figure or code without a word that is joined to it behind."""
    first = next(place for place, sign in enumerate(named) if sign.isdigit())
    return named[:first] + _WORD.sub("", named[first:])


def _plain(text: str) -> str:
    return "".join(filter(str.isalnum, text.lower()))
