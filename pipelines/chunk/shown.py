"""What a model was shown, by which its summaries are checked without another call."""

from __future__ import annotations

import re
from collections.abc import Iterable

from pipelines.core.ids import normalize
from pipelines.lang.characters import CAPITAL
from pipelines.lang.numbers import FIGURE
from pipelines.lang.profile import profile
from pipelines.lang.terms import terms

_NAME = re.compile(rf"(?<=[^\W_] |[,;)(] )[{CAPITAL}][\w'’-]*")
"""A capitalized word that does not open a sentence."""
_LEAST_SHARE = 0.5
"""Share of the terms of a passage's summary that the passage has at least: a model of 1.5 billion parameters tells of a
neighbour in place of the passage, or repeats the forward summary."""


class Shown:
    """The texts that a model was shown: passages, their title and headings, the forward summary."""

    def __init__(self, texts: Iterable[str], language: str) -> None:
        text = "\n".join(texts)
        self._language = language
        self._figures = frozenset(FIGURE.findall(text))
        self._terms = frozenset(terms(text, language))
        self._titles = frozenset(normalize(line) for line in text.split("\n"))

    def supports(self, summary: str) -> bool:
        """Whether a summary has no number and no name that is not there, and is no line copied from there."""
        return bool(summary) and (
            self._figures.issuperset(FIGURE.findall(summary))
            and all(self._terms.issuperset(terms(name, self._language)) for name in self._names(summary))
            and normalize(summary).rstrip(".。") not in self._titles
        )

    def is_of(self, summary: str, passage: str) -> bool:
        """Whether a summary that is supported tells of this passage, and not of another text that was shown."""
        said = set(terms(summary, self._language))
        own = said.intersection(terms(passage, self._language))
        return self.supports(summary) and bool(own) and len(own) >= _LEAST_SHARE * len(said)

    def _names(self, summary: str) -> list[str]:
        """The words that are names by their capital; none where every noun has one."""
        return [] if profile(self._language).noun_capitals else _NAME.findall(summary)
