"""A corpus of passages as a knowledge base: each a document of one chunk, through the same stages as any other."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluate.questions import Passage
from pipelines.atomize.atomize import atomize
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.chunk.chunk import chunk
from pipelines.chunk.settings import ChunkBy
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.core import codec
from pipelines.core.document import Block, BlockKind, Document, Section, Source
from pipelines.core.errors import StoreMismatch
from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.ids import content_id, digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Status
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.document_profile import document_profile
from pipelines.graph.link import Linked, link
from pipelines.graph.mentions import ChunkText as Slice
from pipelines.ingest.embedding import corpus_records, records_of
from pipelines.llm.embedder import Embedder, Side
from pipelines.llm.embedders import open_embedder
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import Settings
from pipelines.store.catalog import Entry
from pipelines.store.vector import EmbeddedRecords, Record
from qa.settings import QaSettings

CORPUS_FACT = "corpus"
"""The fact under which the catalog keeps the digest of the passages."""


def document_of(passage: Passage) -> Document:
    """Return a passage as a document of one paragraph; its URI is the passage's id."""
    data = f"{passage.title}\n{passage.text}".encode()
    source = Source(passage.id, "text/plain", len(data), digest(data))
    id = source.document_id
    span = Span(0, len(passage.text))
    block = Block(content_id("block", id, 0), BlockKind.PARAGRAPH, passage.text, Provenance(id, span))
    root = Section(content_id("section", id, 0), "", 0, span)
    return Document(id, source, passage.title, passage.text, (block,), (root,), engine="passage")


@dataclass(frozen=True, slots=True)
class _Work:
    document: Document
    distillate: Distillate


@contextmanager
def open_corpus(passages: Sequence[Passage], settings: QaSettings, kb: Path | None = None) -> Iterator[Retriever]:
    """Yield a retriever over `passages`, from a knowledge base that is made for it.

    It is made at `kb`, where one of the same passages is used as it is; without `kb` it goes in the end. Raises
    `StoreMismatch` where `kb` holds something else.
    """
    with ExitStack() as stack:
        folder = kb or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="strata-")))
        stores = stack.enter_context(open_stores(folder, settings, create=True))
        content = digest(codec.encode(tuple(passages)))
        held = stores.catalog.fact(CORPUS_FACT)
        if held is None and not stores.catalog.entries():
            build_passages(passages, stores, settings)
            stores.catalog.set_fact(CORPUS_FACT, content)
        elif held != content:
            raise StoreMismatch(f"the knowledge base at {folder} is of another corpus", hint="choose another --kb")
        yield Retriever.of(stores, settings.retrieve)


def build_passages(passages: Sequence[Passage], stores: Stores, settings: Settings) -> None:
    """Fill empty stores with `passages`, each as a document of one chunk."""
    settings = settings.model_copy(update={"chunk": settings.chunk.model_copy(update={"by": ChunkBy.DOCUMENT})})
    fill([document_of(passage) for passage in passages], stores, settings)


def fill(documents: Sequence[Document], stores: Stores, settings: Settings) -> None:
    """Fill empty stores with documents: chunked, atomized without a model, linked, embedded, indexed."""
    works = asyncio.run(_distil(documents, settings))
    linked = _link(works, settings)
    _write_graph(works, linked, stores)
    records = [record for work in works for record in records_of(work.document, work.distillate)]
    records += corpus_records(linked.tags, ())  # entities are found by name, so that their vectors are not needed
    owners = [work.document.id for work in works] + [CORPUS_OWNER]
    stores.vectors.write(owners, _embedded(records, stores.embedder))
    stores.vectors.optimize()


async def _distil(documents: Sequence[Document], settings: Settings) -> list[_Work]:
    splitter, distiller = StructuralSplitter(settings.chunk), ExtractiveDistiller(settings.atomize)
    works = []
    for document in documents:
        chunks = await chunk(document, splitter, settings.chunk)
        works.append(_Work(document, await atomize(document, chunks, distiller, settings.atomize)))
    return works


def _link(works: Sequence[_Work], settings: Settings) -> Linked:
    """Names are compared by the packaged embedder, as in every ingest."""
    slices = {
        work.document.id: [Slice(chunk.id, chunk.provenance.span.start, chunk.text) for chunk in work.distillate.chunks]
        for work in works
    }
    profiles = [document_profile(work.document, work.distillate) for work in works]
    return link(profiles, slices.__getitem__, settings.graph, open_embedder().embed)


def _write_graph(works: Sequence[_Work], linked: Linked, stores: Stores) -> None:
    with stores.catalog.transaction():
        for work in works:
            stores.graph.write(redirect(build_graph(work.document, work.distillate), linked.merged))
            source = work.document.source
            stores.catalog.record(
                Entry(
                    source.uri, source.digest, source.size, Status.INDEXED, work.document.id, title=work.document.title
                )
            )
        stores.graph.write(linked.subgraph)


def _embedded(records: Sequence[Record], embedder: Embedder) -> EmbeddedRecords:
    texts = list(dict.fromkeys(record.text for record in records))
    vectors = dict(zip(texts, embedder.embed(texts, Side.PASSAGE), strict=True))
    return EmbeddedRecords(tuple(records), np.stack([vectors[record.text] for record in records]))
