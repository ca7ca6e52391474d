"""A question's terms to the corpus's: for rewriting it and for finding chunks by their tags (PIKE-RAG 5.2.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from pipelines.atomize.keyphrases import Named, key_phrases
from pipelines.atomize.tags import forms_in, tag_form
from pipelines.core.knowledge import Tag, TagPair
from pipelines.core.vectors import Vectors
from pipelines.lang.words import PHRASE_ENDS
from pipelines.llm.embedder import Embedder, Side

_NEAR = 0.7
"""Cosine from which a tag counts as another word for a term."""
_PHRASES = 6


class QueryTags:
    """The tag collection and the tag pairs, ready for many questions.

    With an embedder, a term that nothing else leads from is led to the tag nearest in meaning. Its vectors of all
    tags are made at the first question.
    """

    def __init__(self, tags: Sequence[Tag], pairs: Iterable[TagPair] = (), embedder: Embedder | None = None) -> None:
        self._tags = tags
        self._embedder = embedder
        self._by_form = {tag_form(text): tag.text for tag in tags for text in (*tag.aliases, tag.text)}
        self._pairs: dict[str, list[TagPair]] = {}
        for pair in pairs:
            self._pairs.setdefault(tag_form(pair.query_term), []).append(pair)
        self._vectors: Vectors | None = None

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with the tags that they lead to, the surest first, each tag once.

        A tag that the question names weighs 1, one that a pair leads to as much as the pair, one that is near in
        meaning its cosine.
        """
        found = {pair.corpus_tag: pair for pair in reversed(self._candidates(question))}
        return tuple(sorted(found.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _candidates(self, question: str) -> list[TagPair]:
        known = [*self._named(question), *self._paired(question)]
        led = {tag_form(pair.query_term) for pair in known}
        phrases = [phrase.text for phrase in key_phrases([Named(question)], (), _PHRASES)]
        missing = [text for text in phrases if not any(form in tag_form(text) for form in led)]
        return [*known, *self._near(missing)]

    def _named(self, question: str) -> Iterator[TagPair]:
        """Yield the tags that stand in the question; none inside a longer one."""
        taken: list[str] = []
        for run, form in forms_in(question):
            tag = self._by_form.get(form)
            if tag is not None and run not in PHRASE_ENDS and not any(form in longer for longer in taken):
                taken.append(form)
                yield TagPair(run, tag, 1.0)

    def _paired(self, question: str) -> Iterator[TagPair]:
        for _, form in forms_in(question):
            yield from self._pairs.get(form, ())

    def _near(self, phrases: Sequence[str]) -> Iterator[TagPair]:
        if self._embedder is None or not self._tags or not phrases:
            return
        if self._vectors is None:
            self._vectors = self._embedder.embed([tag.text for tag in self._tags])
        cosines = self._embedder.embed(phrases, Side.QUERY) @ self._vectors.T
        for phrase, row in zip(phrases, cosines, strict=True):
            best = int(np.argmax(row))
            if row[best] >= _NEAR:
                yield TagPair(phrase, self._tags[best].text, round(float(row[best]), 4))
