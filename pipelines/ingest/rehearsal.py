"""What is worked out of a document in a worker before a model is asked: samples of tags, and what will be asked.

Chunks are cut, tags taken and entities named as is done without a model.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from pipelines.atomize.atomize import atomize
from pipelines.atomize.distiller import chunk_contents
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.chunk.chunk import split
from pipelines.chunk.model_splitter import ModelSplitter
from pipelines.chunk.splitter import Cut, Splitter, StructuralSplitter, Window
from pipelines.core import codec
from pipelines.core.document import Document
from pipelines.core.knowledge import ChunkTag, Distillate
from pipelines.core.work.job import JobContext
from pipelines.graph.card import DocumentCard, card
from pipelines.ingest.asking import Asking
from pipelines.ingest.bench import Bench
from pipelines.ingest.figures import parsed_of
from pipelines.ingest.progress import Stage
from pipelines.ingest.reading import read
from pipelines.ingest.speech import describer, distiller, splitter
from pipelines.ingest.task import Task
from pipelines.llm.chat import Request
from pipelines.parse.describe import undescribed
from pipelines.store.artifact import Member, ParsedRecord

CUT_TOKENS, DESCRIBED_TOKENS = 70, 120
"""Tokens of a reply that says where a chunk ends, with its two summaries, and of one that describes a figure."""
DISTILLED_SHARE = 0.9
"""Tokens of a reply that distils a chunk, as a share of the chunk's own; at least `DISTILLED_LEAST`."""
DISTILLED_LEAST = 120


@dataclass(frozen=True, slots=True)
class Sample:
    """Tags of a spread of a folder's chunks, taken without a model, and the language of most of its documents."""

    tags: tuple[ChunkTag, ...]
    language: str


@dataclass(frozen=True, slots=True)
class Expected:
    """A request that will be made, and the tokens of a usual reply."""

    asking: Asking
    tokens: int


@dataclass(frozen=True, slots=True)
class Rehearsed:
    """What a document will ask, the documents inside it, and its card; `card` is None where it is none."""

    expected: tuple[Expected, ...] = ()
    members: tuple[Member, ...] = ()
    card: DocumentCard | None = None


def sample_document(desk: JobContext, task: Task) -> bytes:
    """The job that takes a `Sample` of one document, none where it is none; its parse is done and kept."""
    bench = Bench.of(desk, task)
    document = read(bench).document
    if document is None:
        return codec.pack(())
    made = asyncio.run(_without_model(bench, document, StructuralSplitter(task.means.settings.chunk)))
    return codec.pack((Sample(made.tags, document.language),))


def rehearse_document(desk: JobContext, task: Task) -> bytes:
    """The job that finds out what a document will ask of a model: a `Rehearsed`. Its parse is done and kept."""
    bench = Bench.of(desk, task)
    record = read(bench)
    expected = _Expected()
    if record.document is None:
        return codec.pack(Rehearsed((), record.members))
    if task.means.model is not None and task.means.model.describes:
        _figures(bench, record, expected)
    cutting = _Rehearsing(splitter(desk, task.means), StructuralSplitter(task.means.settings.chunk), expected)
    named = asyncio.run(_without_model(bench, record.document, cutting))
    asked = distiller(desk, task.means)
    for content in chunk_contents(record.document, named.chunks):
        tokens = max(DISTILLED_LEAST, round(len(content.chunk.text) / 4 * DISTILLED_SHARE))
        expected.add(asked.request(content), tokens)
    return codec.pack(Rehearsed(tuple(expected.found), record.members, card(record.document, named)))


class _Expected:
    def __init__(self) -> None:
        self.found: list[Expected] = []

    def add(self, request: Request | None, tokens: int) -> None:
        if request is not None:
            self.found.append(Expected(Asking.of(request), tokens))


class _Rehearsing:
    """Cuts as the extractive splitter does, and notes what the recurrent one would have asked."""

    def __init__(self, asking: ModelSplitter, cutting: Splitter, expected: _Expected) -> None:
        self._asking, self._cutting, self._expected = asking, cutting, expected

    async def cut(self, window: Window) -> Cut:
        self._expected.add(self._asking.request(window), CUT_TOKENS)
        return await self._cutting.cut(window)


async def _without_model(bench: Bench, document: Document, cutting: Splitter) -> Distillate:
    settings = bench.means.settings
    bench.desk.begin(Stage.CHUNK.value)
    chunks = (await split(document, cutting, settings.chunk)).results
    bench.desk.begin(Stage.ATOMIZE.value)
    return await atomize(document, chunks, ExtractiveDistiller(settings.atomize), settings.atomize)


def _figures(bench: Bench, record: ParsedRecord, expected: _Expected) -> None:
    asked = describer(bench.desk, bench.means)
    for picture, around in undescribed(parsed_of(record, bench.artifacts)):
        expected.add(asked.request(picture, around), DESCRIBED_TOKENS)
