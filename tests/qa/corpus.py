"""Small knowledge bases of invented facts: passages for multi-hop questions, and a few whole documents."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from evaluate.questions import Passage, Question
from evaluate.sets import open_passages
from pipelines.atomize.atomize import atomize
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.chunk.chunk import chunk
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.core.document import Block, BlockKind, Document, Section, Source
from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.ids import content_id, digest
from pipelines.core.knowledge import Distillate
from pipelines.core.provenance import Provenance, Span
from pipelines.graph.document_graph import build_graph, redirect
from pipelines.graph.document_profile import document_profile
from pipelines.graph.link import link
from pipelines.graph.mentions import ChunkText
from pipelines.ingest.build import build
from pipelines.ingest.embedding import corpus_records, records_of
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.sections import RetrieveSettings
from pipelines.settings import Settings, load
from pipelines.store.vector import EmbeddedRecords
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings


@contextmanager
def knowledge_of(texts: Mapping[str, str], folder: Path) -> Iterator[KnowledgeBase]:
    """Ingest texts, by file name, and open the knowledge base; both are made in an empty folder."""
    (folder / "documents").mkdir()
    for name, text in texts.items():
        (folder / "documents" / name).write_text(text, encoding="utf-8")
    build(folder / "documents", folder / "kb")
    with KnowledgeBase.open(folder / "kb") as opened:
        yield opened


PASSAGES = (
    Passage("p1", "Marlow Pump Works", "Marlow Pump Works builds centrifugal pumps. It was founded by Edda Quill."),
    Passage("p2", "Edda Quill", "Edda Quill was an engineer. She was born in the harbour town of Torvik."),
    Passage("p3", "Torvik", "Torvik is a town on the west coast. Its lighthouse was built in 1874."),
    Passage("p4", "Harbour lighthouse", "A harbour lighthouse guides ships into a harbour. Many were built of stone."),
    Passage("p5", "Centrifugal pump", "A centrifugal pump moves a liquid with an impeller. Pumps need a seal."),
    Passage("p6", "Lena Brandt", "Lena Brandt was an engineer born in the town of Aldmoor. She founded a school."),
    Passage("p7", "Aldmoor", "Aldmoor is a town in the hills. It has a clock tower."),
    Passage("p8", "Seal (mechanical)", "A mechanical seal keeps a pump from leaking. Its faces wear."),
)
BRIDGE = "When was the lighthouse built in the town where the founder of Marlow Pump Works was born?"
QUESTIONS = (
    Question("q1", BRIDGE, ("1874",), "bridge", 3, ("p1", "p2", "p3")),
    Question("q2", "Which town was Lena Brandt born in?", ("Aldmoor",), "single", 1, ("p6",)),
)


@contextmanager
def passages_at(folder: Path) -> Iterator[Retriever]:
    """A retriever over `PASSAGES`, in a knowledge base at `folder`."""
    with open_passages(PASSAGES, load(None, {}, QaSettings).settings, folder) as retriever:
        yield retriever


def document(uri: str, title: str, *sections: tuple[str, str], **told: str) -> Document:
    """A document of sections, each a heading and a paragraph on a page of its own."""
    text = "\n\n".join(f"{heading}\n\n{body}" for heading, body in sections)
    source = Source(uri, told.pop("media_type", "text/markdown"), len(text), digest(text.encode()))
    id = source.document_id
    root = Section(content_id("section", id, 0), "", 0, Span(0, len(text)))
    blocks: list[Block] = []
    parts = [root]
    start = 0
    for page, (heading, body) in enumerate(sections, 1):
        for kind, part in ((BlockKind.HEADING, heading), (BlockKind.PARAGRAPH, body)):
            span = Span(start, start + len(part))
            level = 1 if kind is BlockKind.HEADING else 0
            blocks.append(Block(content_id("block", id, start), kind, part, Provenance(id, span, page), level))
            start = span.end + 2
        whole = Span(blocks[-2].provenance.span.start, blocks[-1].provenance.span.end)
        parts.append(Section(content_id("section", id, page), heading, 1, whole, root.id, path=(heading,), page=page))
    return Document(id, source, title, text, tuple(blocks), tuple(parts), metadata=told)


DOCUMENTS = (
    document(
        "manuals/Pump_Handbook.pdf",
        "Pump handbook",
        ("Seals", "The shaft seal of the feed pump has to be changed after 4000 hours of operation. " * 6),
        ("Bearings", "The bearings are greased with lithium grease every half year, in summer and in winter. " * 6),
        media_type="application/pdf",
        created="2024-05-01",
    ),
    document(
        "parts/prices.csv",
        "prices",
        ("List", "Shaft seal | 41.50 EUR. Bearing | 12.00 EUR. Impeller | 230.00 EUR. Gasket | 3.20 EUR. " * 4),
        media_type="text/csv",
        created="2025-02-01",
    ),
    document(
        "manuals/old/compressor.md",
        "Compressor notes",
        ("Oil", "The compressor takes mineral oil. Its seal is not that of the pump and costs more to change. " * 5),
        created="2019-01-01",
    ),
)


@contextmanager
def documents_at(folder: Path, settings: RetrieveSettings = RetrieveSettings()) -> Iterator[Retriever]:
    """A retriever over `DOCUMENTS`, in a knowledge base at `folder`."""
    loaded = load(None, {}, QaSettings).settings
    with open_stores(folder, loaded, create=True) as stores:
        _fill(stores, DOCUMENTS, loaded)
        yield Retriever.of(stores, settings)


def _fill(stores: Stores, documents: Sequence[Document], settings: Settings) -> None:
    """Write documents to the stores as an ingest does after parsing, but without filtering of atoms."""
    distilled = {one.id: asyncio.run(_distil(one, settings)) for one in documents}
    linked = link(
        [document_profile(one, distilled[one.id]) for one in documents],
        lambda id: [ChunkText(part.id, part.provenance.span.start, part.text) for part in distilled[id].chunks],
        settings.graph,
        stores.embedder.embed,
    )
    for one in documents:
        stores.graph.write(redirect(build_graph(one, distilled[one.id]), linked.merged))
    stores.graph.write(linked.subgraph)
    records = [record for one in documents for record in records_of(one, distilled[one.id])]
    records += corpus_records(linked.tags, ())
    vectors = stores.embedder.embed([record.text for record in records])
    stores.vectors.write([*distilled, CORPUS_OWNER], EmbeddedRecords(tuple(records), vectors))
    stores.vectors.optimize()


async def _distil(document: Document, settings: Settings) -> Distillate:
    chunks = await chunk(document, StructuralSplitter(settings.chunk), settings.chunk)
    return await atomize(document, chunks, ExtractiveDistiller(settings.atomize), settings.atomize)
