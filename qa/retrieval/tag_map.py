"""The terms of a question mapped to those of the corpus: for rewriting it, and for finding chunks by tag (5.2.2)."""

from __future__ import annotations

from collections.abc import Sequence

from pipelines.atomize.query_tags import QueryTags
from pipelines.core.knowledge import Tag, TagPair
from pipelines.llm.embedder import Embedder, Side
from pipelines.store.vector import RecordKind, VectorStore
from qa.retrieval.atlas import Atlas

NEAR = 0.7
"""Cosine from which a tag counts as another word for a term that no chunk has."""


class TagMap:
    """Maps questions to tags: those named in them, those that a pair leads to, those near a word unknown here."""

    def __init__(
        self, atlas: Atlas, vectors: VectorStore, embedder: Embedder, pairs: Sequence[TagPair] = ()
    ) -> None:
        self._atlas = atlas
        self._vectors = vectors
        self._embedder = embedder
        self._numbers = {name: number for number, name in enumerate(atlas.tag_names)}
        tags = [Tag(id, name) for id, name in zip(atlas.tag_ids, atlas.tag_names, strict=True)]
        self._known = QueryTags(tags, pairs)

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with the tags that they lead to, the surest first."""
        return self._known.map(question)
