"""Short constructors of chunked and distilled documents for tests."""

from __future__ import annotations

import asyncio

from pipelines.atomize.atomize import atomize
from pipelines.atomize.distiller import ChunkContent, Distiller, chunk_contents
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.chunk import chunk
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.core.document import Chunk, Document
from pipelines.core.knowledge import Distillate
from tests.chunk.build import document, paragraph

WHOLE = ChunkSettings(by=ChunkBy.DOCUMENT)


def chunked(made: Document, settings: ChunkSettings = WHOLE) -> tuple[Chunk, ...]:
    return asyncio.run(chunk(made, StructuralSplitter(settings), settings))


def content(made: Document) -> ChunkContent:
    return next(chunk_contents(made, chunked(made)))


def passage(text: str, title: str = "Manual", language: str = "en") -> ChunkContent:
    return content(document(paragraph(text), name=title, language=language))


def distilled(
    made: Document,
    distiller: Distiller | None = None,
    settings: AtomizeSettings = AtomizeSettings(),
    chunking: ChunkSettings = WHOLE,
) -> Distillate:
    used = distiller or ExtractiveDistiller(settings)
    return asyncio.run(atomize(made, chunked(made, chunking), used, settings))
