"""The sections of a document by what a reference calls them: number, title, anchor."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.graph.card import CardSection
from pipelines.graph.names import fold

_NUMBER = re.compile(r"[\w.]+")
_LONGEST_NUMBER = 60
"""Characters beyond which nothing is the number of a section."""


class Sections:
    """The sections and clauses of one document, indexed once for all references to it."""

    def __init__(self, sections: Iterable[CardSection]) -> None:
        self._numbers: dict[str, str] = {}
        self._slugs: dict[str, str] = {}
        for one in sections:
            if one.number:
                self._numbers.setdefault(one.number.rstrip(".").casefold(), one.id)
            for slug in (_slug(one.title), _slug(f"{one.number} {one.title}")):
                self._slugs.setdefault(slug, one.id)

    def find(self, part: str) -> str:
        """Return the id of the section or clause that `part` names by number, title or anchor, empty for none.

        Where the document has no 7.3.1, that is 7.3, or 7.
        """
        wanted = part.strip().rstrip(".")
        number = wanted.casefold()
        while 0 < len(number) <= _LONGEST_NUMBER and _NUMBER.fullmatch(number):
            if number in self._numbers:
                return self._numbers[number]
            number = number.rpartition(".")[0]
        slug = _slug(wanted)
        return self._slugs.get(slug, "") if slug else ""


def _slug(text: str) -> str:
    return "-".join(re.findall(r"\w+", fold(text)))
