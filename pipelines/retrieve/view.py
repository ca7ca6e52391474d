"""The ways into a stored knowledge base, confined to a filter."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from pipelines.core.chunk import Chunk
from pipelines.core.provenance import Provenance, Span
from pipelines.llm.embedders import open_embedder
from pipelines.llm.settings import EmbedSettings
from pipelines.resources import Stores
from pipelines.retrieve.filters import known
from pipelines.retrieve.hit import Candidate, Hit, Link
from pipelines.retrieve.lexicon import CorpusLexicon
from pipelines.retrieve.locate import Places
from pipelines.retrieve.retriever import Retriever
from pipelines.retrieve.where import allowed, spelled_out
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.facts import TAG_PAIRS
from pipelines.store.vector import Filter


class _Shared:
    """What all views of one knowledge base have in common."""

    def __init__(self, stores: Stores, settings: Settings) -> None:
        self.stores = stores
        self.retriever = Retriever.of(stores, settings.retrieve, TAG_PAIRS.read(stores.catalog))
        self.places = Places(stores)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        return self.stores.catalog.entries()

    @cached_property
    def lexicon(self) -> CorpusLexicon:
        """Words are compared by WordLlama, which is quick and always there, whatever embeds the passages."""
        embedder = self.stores.embedder
        words = embedder if embedder.info.name == "wordllama" else open_embedder(EmbedSettings())
        return CorpusLexicon(self.retriever.frequency, self.retriever.atlas.size, embedder, words)


class StoredKnowledge:
    """`Knowledge` over open stores; made by `of`, confined by `within`."""

    def __init__(self, shared: _Shared, where: Filter = Filter()) -> None:
        self._shared, self._where = shared, where

    @classmethod
    def of(cls, stores: Stores, settings: Settings) -> StoredKnowledge:
        """Return the whole knowledge base; the graph is read at the first question."""
        return cls(_Shared(stores, settings))

    def within(self, where: Filter) -> StoredKnowledge:
        """Return the same confined to `where`.

        Raises `NotFound` for a name that the knowledge base has not, `SettingsError` for what is no date.
        """
        if where == Filter():
            return StoredKnowledge(self._shared)
        return StoredKnowledge(self._shared, known(where, self._shared.retriever.atlas, self._shared.entries))

    @property
    def size(self) -> int:
        """The number of chunks that it is confined to."""
        atlas = self._shared.retriever.atlas
        inside = allowed(spelled_out(self._where, atlas), atlas)
        return atlas.size if inside is None else int(inside.sum())

    @property
    def lexicon(self) -> CorpusLexicon:
        return self._shared.lexicon

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        return self._shared.retriever.retrieve(query, limit, self._where)

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        return self._shared.retriever.chunks(query, limit, threshold, self._where)

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[Candidate, ...]:
        return self._shared.retriever.atoms(query, limit, threshold, self._where)

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[Link, ...]:
        """Return chunks one step away; within a filter, none, for edges lead out of it."""
        return self._shared.retriever.linked(chunks, limit) if self._where == Filter() else ()

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        return self._shared.places.of(chunk, span)
