"""The terms of a question mapped to those of the corpus: for rewriting it, and for finding chunks by tag (5.2.2)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pipelines.atomize.tags import QueryTags
from pipelines.core.knowledge import Tag, TagPair
from pipelines.lang.terms import terms, words
from pipelines.lang.words import STOP_WORDS
from pipelines.llm.embedder import Embedder, Side
from pipelines.retrieve.index import Atlas
from pipelines.store.vector import RecordKind, VectorStore

NEAR = 0.6
"""Cosine from which a tag counts as another word for one that no chunk has."""
_SHORTEST = 4


class TagMap:
    """Maps questions to tags: those named in them, those that a pair leads to, those near a word unknown here."""

    def __init__(self, atlas: Atlas, vectors: VectorStore, embedder: Embedder, pairs: Sequence[TagPair] = ()) -> None:
        self._atlas = atlas
        self._vectors = vectors
        self._embedder = embedder
        self._names = dict(zip(atlas.tag_ids, atlas.tag_names, strict=True))
        tags = [
            Tag(id, name, aliases=tuple(aliases))
            for id, (name, *aliases) in zip(atlas.tag_ids, atlas.tag_spellings, strict=True)
        ]
        self._known = QueryTags(tags, pairs)

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with the tags that they lead to, the surest first, each tag once.

        A tag that the question names weighs 1, one that a pair leads to as much as the pair, one near in meaning to a
        word of which no chunk has a form its cosine.
        """
        if not self._names:
            return ()
        mapped = {pair.corpus_tag: pair for pair in (*self._near(question), *reversed(self._known.map(question)))}
        return tuple(sorted(mapped.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _near(self, question: str) -> Iterator[TagPair]:
        for word in dict.fromkeys(words(question)):
            if (
                len(word) < _SHORTEST
                or word in STOP_WORDS
                or any(term in self._atlas.vocabulary for term in terms(word))
            ):
                continue
            vector = self._embedder.embed([word], Side.QUERY)[0]
            for found in self._vectors.search(RecordKind.TAG, vector, 1):
                if found.score >= NEAR and found.id in self._names:
                    yield TagPair(word, self._names[found.id], round(found.score, 4))


def rewritten(mapped: Sequence[TagPair]) -> tuple[tuple[str, float], ...]:
    """Return the terms that mapping adds to the question, each with its weight: those it does not have itself."""
    added: dict[str, float] = {}
    for pair in mapped:
        if pair.weight < 1 or not set(terms(pair.corpus_tag)) <= set(terms(pair.query_term)):
            for term in set(terms(pair.corpus_tag)) - set(terms(pair.query_term)):
                added[term] = max(added.get(term, 0.0), pair.weight)
    return tuple(sorted(added.items()))
