"""Many strings looked for in one pass over a text (pyahocorasick: an Aho-Corasick automaton)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Generic, TypeVar

import ahocorasick

T = TypeVar("T")


class StringFinder(Generic[T]):
    """Strings to look for, each with a value. Not one of them may be empty.

    >>> list(StringFinder({"seal": 1, "shaft seal": 2}).find("a shaft seal"))
    [(2, 12, 2), (8, 12, 1)]
    """

    def __init__(self, values: Mapping[str, T]) -> None:
        self._automaton = ahocorasick.Automaton()
        for string, value in values.items():
            self._automaton.add_word(string, (len(string), value))
        if values:
            self._automaton.make_automaton()

    def find(self, text: str) -> Iterator[tuple[int, int, T]]:
        """Yield where each string begins and ends in a text, and its value; by their ends, the longer ones first."""
        if not self._automaton:
            return
        for last, (length, value) in self._automaton.iter(text):
            yield last + 1 - length, last + 1, value
