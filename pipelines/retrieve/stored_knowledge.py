"""A stored knowledge base, optionally restricted by a filter: `pipelines.retrieve.searches` over open stores."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Sequence
from functools import cached_property
from pathlib import PurePath
from threading import Lock

from pipelines.core.block_index import BlockIndex
from pipelines.core.document import Chunk
from pipelines.core.errors import StoreError
from pipelines.core.knowledge import TagPair
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.characters import fold
from pipelines.lang.identify import detect_language
from pipelines.llm.embedders import open_embedder, reads
from pipelines.llm.settings import EmbedSettings
from pipelines.resources import Stores
from pipelines.retrieve.filters import chunk_mask, resolve_filter, with_tag_spellings
from pipelines.retrieve.hit import AtomHit, Hit, LinkedChunk
from pipelines.retrieve.lexicon import CorpusLexicon, shared_words
from pipelines.retrieve.query import with_terms
from pipelines.retrieve.retriever import Retriever
from pipelines.retrieve.searches import DocumentOverview, chunks_of_same_tables, read_overview
from pipelines.retrieve.sparse_rows import Weights
from pipelines.settings import Settings
from pipelines.store.artifact import read_document
from pipelines.store.catalog import Entry
from pipelines.store.facts import LINKED_FACT, TAG_PAIRS, being_written
from pipelines.store.vector import Filter

LAYOUTS_KEPT = 64
"""Cached layouts of parsed documents, more than one answer cites."""
LANGUAGES_LISTED = 3
"""Maximum languages of the documents that are listed, without those of stray pages."""
_MIN_WORDS = 3
"""Minimum words of an ASCII question whose language is identified: "upsd port" is not in any language."""


class QuoteLocator:
    """Finds page, sheet, cells and boxes of a quote in the parsed document, which is read when it is first cited."""

    def __init__(self, stores: Stores) -> None:
        self._stores = stores
        self._layouts: OrderedDict[str, BlockIndex | None] = OrderedDict()

    def locate(self, chunk: Chunk, span: Span) -> Provenance:
        """Return the provenance of `span`, or that of its chunk if the parsed document is missing."""
        layout = self._layout(chunk.document)
        return layout.provenance(span) if layout else chunk.provenance

    def _layout(self, document: str) -> BlockIndex | None:
        if document not in self._layouts:
            self._layouts[document] = self._read(document)
            while len(self._layouts) > LAYOUTS_KEPT:
                self._layouts.popitem(last=False)
        self._layouts.move_to_end(document)
        return self._layouts[document]

    def _read(self, document: str) -> BlockIndex | None:
        entry = next((entry for entry in self._stores.catalog.entries() if entry.document == document), None)
        if entry is None or "parse" not in entry.artifacts:
            return None
        try:
            return BlockIndex(read_document(self._stores.artifacts, entry))
        except StoreError:
            return None


class _OpenKnowledge:
    """The data of a knowledge base that is shared by all filters."""

    def __init__(self, stores: Stores, settings: Settings) -> None:
        self.stores = stores
        self.retriever = Retriever.of(stores, settings.retrieve, TAG_PAIRS.read(stores.catalog))
        self.locator = QuoteLocator(stores)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        return self.stores.catalog.entries()

    @cached_property
    def lexicon(self) -> CorpusLexicon:
        """The lexicon; words are compared by WordLlama, which is fast and always available."""
        embedder = self.stores.embedder
        words = embedder if embedder.info.name == "wordllama" else open_embedder(EmbedSettings())
        return CorpusLexicon(self.retriever.chunk_frequency, self.retriever.index.size, embedder, shared_words(words))


class StoredKnowledge:
    """`pipelines.retrieve.searches` over open stores; create it with `of`, restrict it with `within`."""

    def __init__(self, open_knowledge: _OpenKnowledge, where: Filter = Filter(), terms: Sequence[TagPair] = ()) -> None:
        self._open, self._where, self._terms = open_knowledge, where, terms

    @classmethod
    def of(cls, stores: Stores, settings: Settings) -> StoredKnowledge:
        """Return the whole knowledge base; the index is loaded for the first question."""
        return cls(_OpenKnowledge(stores, settings))

    def within(self, where: Filter) -> StoredKnowledge:
        """Return the knowledge base restricted to `where`.

        Raises `NotFound` for a name that is not in the knowledge base, `SettingsError` for an invalid date.
        """
        if where == Filter():
            return StoredKnowledge(self._open)
        return StoredKnowledge(self._open, resolve_filter(where, self._open.retriever.index, self._open.entries))

    @property
    def outdated(self) -> bool:
        """Whether a search has found chunks missing from the index or the graph: an ingest has written since."""
        return self._open.retriever.outdated

    def with_terms(self, terms: Sequence[TagPair]) -> StoredKnowledge:
        """Return the knowledge base that also searches for the documents' terms for words of a query (PIKE-RAG 5.2.2).

        Each pair applies to the queries that contain its words: the question, and those derived from it.
        """
        return StoredKnowledge(self._open, self._where, terms)

    def has_words_of(self, query: str) -> bool:
        """Whether any chunk of the whole knowledge base covers at least the share `retrieve.worded` of the query."""
        return self._open.retriever.has_words_of(query)

    def tags_near(self, query: str, limit: int) -> tuple[str, ...]:
        """Return at most `limit` tags similar to a query, or of the chunks found for it in the whole knowledge base."""
        return self._open.retriever.tags_near(query, limit)

    @property
    def languages(self) -> tuple[str, ...]:
        """The known languages of most chunks, the most frequent first."""
        return tuple(filter(None, self._open.retriever.index.languages))[:LANGUAGES_LISTED]

    def unread_language(self, question: str) -> str:
        """Return the language of a question that cannot be compared with the documents, else "".

        It is "" if the question is in a language of the documents, if the embedder supports all their languages, and if
        the question is too short to identify its language.
        """
        identifiable = len(question.split()) >= _MIN_WORDS or not question.isascii()
        language = detect_language(question, self.languages) if identifiable else ""
        info = self._open.stores.embedder.info
        if not language or language in self._open.retriever.index.languages:
            return ""
        return "" if all(reads(info, one) for one in (language, *self.languages)) else language

    @property
    def size(self) -> int:
        """The number of chunks in the filter."""
        index, mask = self._open.retriever.index, self._mask
        return index.size if mask is None else int(mask.sum())

    @property
    def lexicon(self) -> CorpusLexicon:
        return self._open.lexicon

    def retrieve(self, query: str, limit: int) -> tuple[Hit, ...]:
        return self._open.retriever.retrieve(query, limit, self._where, terms=self._terms_of(query))

    def chunks(self, query: str, limit: int, threshold: float) -> tuple[Hit, ...]:
        return self._open.retriever.chunks(with_terms(query, self._terms_of(query)), limit, threshold, self._where)

    def atoms(self, query: str, limit: int, threshold: float) -> tuple[AtomHit, ...]:
        return self._open.retriever.atoms(with_terms(query, self._terms_of(query)), limit, threshold, self._where)

    def _terms_of(self, query: str) -> tuple[TagPair, ...]:
        folded = query.casefold()
        return tuple(pair for pair in self._terms if pair.query_term.casefold() in folded)

    def linked(self, chunks: Sequence[str], limit: int) -> tuple[LinkedChunk, ...]:
        """Return chunks one edge away; none if there is a filter, since edges lead out of it."""
        return self._open.retriever.linked(chunks, limit) if self._where == Filter() else ()

    @property
    def documents(self) -> tuple[str, ...]:
        """The ids of the documents with text in the filter, sorted by URI."""
        index = self._open.retriever.index
        numbers = {int(index.document_of[number]) for number in self._chunks}
        return tuple(index.documents[number] for number in sorted(numbers, key=lambda number: index.uris[number]))

    def documents_named(self, text: str) -> tuple[str, ...]:
        """Return the ids of the documents in the filter whose file name is in a text, the longest name first."""
        index, folded = self._open.retriever.index, fold(text)
        uris = {document: index.uris[index.document_number(document)] for document in self.documents}
        names = {document: fold(PurePath(uri).name) for document, uri in uris.items()}
        found = [document for document, name in names.items() if "." in name and name in folded]
        return tuple(sorted(found, key=lambda document: -len(names[document])))

    def overviews(self, documents: Collection[str]) -> tuple[DocumentOverview, ...]:
        """Return the overviews of these documents, with their chunks in the filter."""
        index, retriever = self._open.retriever.index, self._open.retriever
        wanted = {index.document_number(document): document for document in documents}
        chunks: dict[int, list[int]] = {}
        for number in self._chunks:
            chunks.setdefault(int(index.document_of[number]), []).append(number)
        found = []
        for number in sorted(wanted.keys() & chunks.keys(), key=lambda number: index.uris[number]):
            hits = sorted(retriever.hits_of(chunks[number]), key=lambda hit: hit.chunk.position)
            found.append(read_overview(self._open.stores.graph, wanted[number], hits))
        return tuple(found)

    def whole_tables(self, chunk: str) -> tuple[Hit, ...]:
        """Return all chunks with parts of the tables in this chunk, even outside the filter."""
        index, graph = self._open.retriever.index, self._open.stores.graph
        numbers = (index.chunk_number(id) for id in chunks_of_same_tables(graph, chunk))
        hits = self._open.retriever.hits_of([number for number in numbers if number is not None])
        return tuple(sorted(hits, key=lambda hit: hit.chunk.position))

    @property
    def _chunks(self) -> list[int]:
        """The numbers of the chunks in the filter."""
        mask = self._mask
        return list(range(self._open.retriever.index.size)) if mask is None else mask.nonzero()[0].tolist()

    @property
    def _mask(self) -> Weights | None:
        """1 for each chunk in the filter, else 0; None without a filter."""
        index = self._open.retriever.index
        return chunk_mask(with_tag_spellings(self._where, index), index)

    def place(self, chunk: Chunk, span: Span) -> Provenance:
        return self._open.locator.locate(chunk, span)


class LiveKnowledge:
    """The current state of a whole knowledge base, read again after each ingest; thread-safe."""

    def __init__(self, stores: Stores, settings: Settings) -> None:
        self._stores, self._settings = stores, settings
        self._lock = Lock()
        self._read: tuple[str | None, bool, StoredKnowledge] | None = None

    def now(self) -> StoredKnowledge:
        """Return the knowledge base, the same object as long as the stores are unchanged.

        While an ingest writes, the previous object is returned until a search finds that it is outdated.
        """
        catalog = self._stores.catalog
        with self._lock:
            linked, written = catalog.fact(LINKED_FACT), being_written(catalog)
            if self._read is not None:
                *marks, knowledge = self._read
                if marks == [linked, written] or (written and not knowledge.outdated):
                    return knowledge
                self._stores.vectors.close()
            knowledge = StoredKnowledge.of(self._stores, self._settings)
            self._read = linked, written, knowledge
            return knowledge
