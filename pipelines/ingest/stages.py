"""The work on one document, in a worker: parse, chunk, atomize, embed, each result kept as an artifact.

Each stage is a function of (content, settings), its result stored under the digest of both (design, section 4); what is
kept already is not made again. Whatever a document makes a stage raise is what becomes of that document.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import numpy as np

from pipelines.atomize.atomize import atomize
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.chunk.chunk import split
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.core import codec
from pipelines.core.chunk import Chunk
from pipelines.core.document import Document
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Outcome, Status
from pipelines.core.vectors import Vectors
from pipelines.core.work.job import JobContext
from pipelines.graph.card import card
from pipelines.graph.conform import conform
from pipelines.ingest.bench import Bench, StageFailed
from pipelines.ingest.keys import StageKeys
from pipelines.ingest.progress import Phase, Stage
from pipelines.ingest.reading import parse_key, read
from pipelines.ingest.records import embed_records, records_of
from pipelines.ingest.task import DESCRIBE, Facts, Made, Task
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.llm.embedders import QUICK, open_embedder
from pipelines.llm.settings import EmbedSettings
from pipelines.store.artifact import ParsedRecord

_BATCH = 256
"""Texts that a slow embedder is given at a time, each time with processor seconds of their own."""


def compile_document(desk: JobContext, task: Task) -> bytes:
    """The job that makes a document; the result is a `Made`. Raises what no document is to blame for."""
    return codec.pack(asyncio.run(_compile(Bench.of(desk, task))))


async def _compile(bench: Bench) -> Made:
    try:
        record = read(bench)
    except StageFailed as failed:
        return bench.failed(Made(Status.FAILED), failed)
    made = Made.of(record, parse_key(record.status, bench.keys), bench.cut)
    bench.desk.keep(codec.pack(made))
    if record.document is None or bench.task.parse_only:
        return made
    try:
        return await _distil(bench, made, record)
    except StageFailed as failed:
        return bench.failed(made, failed)


async def _distil(bench: Bench, made: Made, record: ParsedRecord) -> Made:
    if bench.means.model is not None and bench.means.model.describes:
        record, made = await _described(bench, made, record)
    document = record.document
    if document is None:
        return made
    with bench.stage(Stage.CHUNK.value):
        chunks = await _chunk(bench, document)
    with bench.stage(Stage.ATOMIZE.value):
        distillate = await _atomize(bench, document, chunks)
    with bench.stage(Stage.EMBED.value):
        _embed(bench, document, distillate)
    return _done(bench, made, document, distillate)


async def _described(bench: Bench, made: Made, record: ParsedRecord) -> tuple[ParsedRecord, Made]:
    from pipelines.ingest.figures import describe
    from pipelines.ingest.speech import describer

    with bench.stage(DESCRIBE):
        described = await describe(bench, record, describer(bench.desk, bench.means))
    bench.keys = described.keys
    return described.record, replace(made, failures=described.failures)


async def _chunk(bench: Bench, document: Document) -> Outcome[Chunk]:
    kept = bench.kept("chunk", bench.keys.chunk, tuple[Chunk, ...])
    if kept is not None:
        bench.tell(Stage.CHUNK, Phase.REUSED)
        return Outcome(kept)
    bench.tell(Stage.CHUNK, Phase.STARTED)
    settings = bench.means.settings.chunk
    if bench.means.model is None:
        chunks = await split(document, StructuralSplitter(settings), settings)
    else:
        from pipelines.ingest.speech import splitter

        chunks = await split(document, splitter(bench.desk, bench.means), settings)
    if not chunks.failures:
        bench.keep("chunk", bench.keys.chunk, chunks.results)
    bench.tell(Stage.CHUNK, Phase.DONE)
    return chunks


async def _atomize(bench: Bench, document: Document, chunks: Outcome[Chunk]) -> Distillate:
    kept = bench.kept("atomize", bench.keys.atomize, Distillate)
    if kept is not None:
        bench.tell(Stage.ATOMIZE, Phase.REUSED)
        return kept
    bench.tell(Stage.ATOMIZE, Phase.STARTED)
    settings = bench.means.settings
    if bench.means.model is None:
        distillate = await atomize(document, chunks.results, ExtractiveDistiller(settings.atomize), settings.atomize)
    else:
        from pipelines.ingest.speech import distiller

        asked = distiller(bench.desk, bench.means)
        distillate = await atomize(document, chunks.results, asked, settings.atomize)
    distillate = conform(distillate, settings.graph.schema)
    if chunks.failures or not bench.means.settled:
        distillate = replace(distillate, unfinished=tuple(one.id for one in chunks.results))
    if not distillate.unfinished:
        bench.keep("atomize", bench.keys.atomize, distillate)
    bench.tell(Stage.ATOMIZE, Phase.DONE, f"{len(distillate.atoms)} atoms")
    return distillate


def _embed(bench: Bench, document: Document, distillate: Distillate) -> None:
    key, card_key = _final(bench.keys.embed, distillate), _final(bench.keys.card, distillate)
    if bench.artifacts.get("embed", key) is not None and bench.artifacts.get("card", card_key) is not None:
        bench.tell(Stage.EMBED, Phase.REUSED)
        return
    bench.tell(Stage.EMBED, Phase.STARTED)
    if distillate.unfinished:
        bench.keep("atomize", _final(bench.keys.atomize, distillate), distillate)
    bench.keep("card", card_key, card(document, distillate))
    bench.artifacts.put("embed", key, embed_records(records_of(document, distillate), _embedder(bench)))
    bench.tell(Stage.EMBED, Phase.DONE)


def _done(bench: Bench, made: Made, document: Document, distillate: Distillate) -> Made:
    facts = Facts.of(document)
    counts = {
        **facts.counts,
        "chunks": len(distillate.chunks),
        "atoms": len(distillate.atoms),
        "unfinished": len(distillate.unfinished),
    }
    artifacts, dropped = _kept_keys(bench.keys, distillate), dict(distillate.dropped)
    return replace(made, document=replace(facts, counts=counts), artifacts=artifacts, dropped=dropped)


def _final(key: str, distillate: Distillate) -> str:
    """The key of a result: its own name where language work is unfinished, so that the next run looks for the whole."""
    return key if not distillate.unfinished else f"{key}-{digest(codec.encode(distillate))[:16]}"


def _kept_keys(keys: StageKeys, distillate: Distillate) -> dict[str, str]:
    kept = keys.by_stage()
    return kept | {stage: _final(kept[stage], distillate) for stage in ("atomize", "card", "embed")}


def _embedder(bench: Bench) -> Embedder:
    means = bench.means
    if means.embedder is None:
        from pipelines.ingest.asking import DeskEmbedder

        return DeskEmbedder(bench.desk, means.dimension)
    embedder = _opened(means.embedder, means.vectors)
    return embedder if means.embedder.name in QUICK else _InBatches(embedder, bench.desk)


@lru_cache(maxsize=1)
def _opened(settings: EmbedSettings, vectors: Path | None) -> Embedder:
    """One for the life of the worker: some take long to load."""
    return open_embedder(settings, vectors)


class _InBatches:
    """A slow embedder: what it takes grows with the text alone, and is no sign of a document that never ends."""

    def __init__(self, inner: Embedder, desk: JobContext) -> None:
        self._inner = inner
        self._desk = desk

    @property
    def info(self) -> EmbedderInfo:
        return self._inner.info

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        parts = [self._batch(texts[start : start + _BATCH], side) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else self._inner.embed((), side)

    def _batch(self, texts: Sequence[str], side: Side) -> Vectors:
        self._desk.begin(Stage.EMBED.value)
        return self._inner.embed(texts, side)

    def close(self) -> None:
        self._inner.close()
