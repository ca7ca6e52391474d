"""Compiles one document in a worker process: parse, chunk, atomize, embed.

Each stage is a function of (content, settings), and its result is stored as an artifact under the digest of both
(design, section 4); a stored result is reused. An error that a document causes fails only that document.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from pipelines.atomize.atomize import atomize
from pipelines.chunk.chunk import split
from pipelines.chunk.splitter import Splitter
from pipelines.chunk.summaries import summarize_sections
from pipelines.core import codec
from pipelines.core.document import Chunk, Document
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Failure, Outcome
from pipelines.core.work.job import JobContext
from pipelines.graph.document_graph import conform
from pipelines.graph.document_profile import document_profile
from pipelines.ingest.embedding import embed_records, records_of, worker_embedder
from pipelines.ingest.keys import StageKeys
from pipelines.ingest.parse_stage import parse
from pipelines.ingest.report import Phase, Stage
from pipelines.ingest.task import DESCRIBE, Compiled, DocumentTask
from pipelines.ingest.worker_context import StageFailed, WorkerContext
from pipelines.ingest.workers import Workers, workers_at
from pipelines.parse.parsed import Parsed, Picture
from pipelines.store.artifact import ArtifactStore, ParsedRecord

if TYPE_CHECKING:
    from pipelines.parse.describe import Describer


def compiled_document(job: JobContext, task: DocumentTask) -> bytes:
    """Compile a document and return a packed `Compiled`.

    Raises the errors that end the run, which the document did not cause.
    """
    return codec.pack(asyncio.run(_compile(WorkerContext(job, task))))


async def _compile(context: WorkerContext) -> Compiled:
    compiled = Compiled.initial(context.task.item)
    try:
        record = parse(context)
        compiled = compiled.parsed(record, context.keys.of_parse(record.status), context.cut)
        context.send_partial(compiled)
        if record.document is None or context.task.upto is Stage.PARSE:
            return compiled
        return await _distil(context, compiled, record, record.document)
    except StageFailed as failed:
        if failed.stage != DESCRIBE:
            context.tell(Stage(failed.stage), Phase.FAILED, failed.reason)
        return compiled.failed(failed.stage, failed.status, failed.reason, failed.error, failed.retryable)


async def _distil(context: WorkerContext, compiled: Compiled, record: ParsedRecord, document: Document) -> Compiled:
    if context.task.upto is Stage.CHUNK:
        document, chunks, undescribed = await _describe_and_chunk(context, record, document)
        if chunks.failures:
            context.keep_unfinished("chunk", context.keys.chunk, chunks)
        return _with_failures(context, compiled, undescribed)
    document, distillate, undescribed = await do_language_work(context, record, document)
    compiled = _with_failures(context, compiled, undescribed)
    if context.task.upto is Stage.ATOMIZE:
        if distillate.unfinished:
            context.keep_unfinished("atomize", context.keys.atomize, distillate)
        return compiled
    with context.stage(Stage.EMBED.value):
        _embed(context, document, distillate)
    return _done(context, compiled, distillate)


def _with_failures(context: WorkerContext, compiled: Compiled, undescribed: tuple[Failure, ...]) -> Compiled:
    failures = (*context.task.failures, *undescribed)
    return replace(compiled, failures=failures, undescribed=context.task.undescribed)


async def do_language_work(
    context: WorkerContext, record: ParsedRecord, document: Document
) -> tuple[Document, Distillate, tuple[Failure, ...]]:
    """Describe the figures of a parsed document, chunk it and distil it; `document` is that of `record`.

    Returns the document with its figures described, its distillate, and a failure for each figure that has no
    description because a model call failed. Raises `StageFailed` and `BudgetExceeded`.
    """
    document, chunks, undescribed = await _describe_and_chunk(context, record, document)
    with context.stage(Stage.ATOMIZE.value):
        workers = workers_at(context.job, context.setup)
        return document, await _atomize(context, document, chunks, workers), undescribed


async def _describe_and_chunk(
    context: WorkerContext, record: ParsedRecord, document: Document
) -> tuple[Document, Outcome[Chunk], tuple[Failure, ...]]:
    workers = workers_at(context.job, context.setup)
    describer = workers.describer()
    undescribed: tuple[Failure, ...] = ()
    if describer is not None:
        with context.stage(DESCRIBE):
            document, undescribed = await _describe(context, record, document, describer)
    with context.stage(Stage.CHUNK.value):
        return document, await _chunk(context, document, workers.splitter()), undescribed


async def _describe(
    context: WorkerContext, record: ParsedRecord, document: Document, describer: Describer
) -> tuple[Document, tuple[Failure, ...]]:
    """Describe the figures and replace the stored parse; return the document and a failure for each failed figure."""
    if context.artifacts.get("parse", context.keys.parse) is not None:
        return document, ()
    from pipelines.parse.describe import describe_figures

    parsed = Parsed(record.status, document, _pictures(record, document, context.artifacts))
    described, failures = await describe_figures(parsed, describer)
    if failures:
        context.leave_undescribed(digest(" ".join(sorted(failure.subject for failure in failures)).encode()))
    context.keep("parse", context.keys.parse, replace(record, document=described.document))
    context.artifacts.remove("parse", context.keys.raw)
    return described.document or document, failures


def _pictures(record: ParsedRecord, document: Document, artifacts: ArtifactStore) -> tuple[Picture, ...]:
    """Return the stored pictures of the document's figures."""
    types = {figure.digest: figure.media_type for figure in document.figures}
    held = ((name, artifacts.get("picture", name)) for name in record.pictures if name in types)
    return tuple(Picture(name, types[name], data) for name, data in held if data is not None)


async def _chunk(context: WorkerContext, document: Document, splitter: Splitter) -> Outcome[Chunk]:
    kept = context.kept("chunk", context.keys.chunk, tuple[Chunk, ...])
    if kept is not None:
        context.tell(Stage.CHUNK, Phase.REUSED)
        return Outcome(kept)
    if (unfinished := context.unfinished("chunk", context.keys.chunk, Outcome[Chunk])) is not None:
        return unfinished
    context.tell(Stage.CHUNK, Phase.STARTED)
    chunks = await split(document, splitter, context.setup.settings.chunk)
    if not chunks.failures:
        context.keep("chunk", context.keys.chunk, chunks.results)
    context.tell(Stage.CHUNK, Phase.DONE)
    return chunks


async def _atomize(context: WorkerContext, document: Document, chunks: Outcome[Chunk], workers: Workers) -> Distillate:
    kept = context.kept("atomize", context.keys.atomize, Distillate)
    if kept is not None:
        context.tell(Stage.ATOMIZE, Phase.REUSED)
        return kept
    if (earlier := context.unfinished("atomize", context.keys.atomize, Distillate)) is not None:
        return earlier
    context.tell(Stage.ATOMIZE, Phase.STARTED)
    settings = context.setup.settings
    distillate = await atomize(document, chunks.results, workers.distiller(), settings.atomize)
    summaries, failures = await summarize_sections(document, chunks.results, workers.summarizer(), settings.chunk)
    unfinished = (*distillate.unfinished, *(failure.subject for failure in failures))
    distillate = conform(replace(distillate, summaries=summaries, unfinished=unfinished), settings.graph.schema)
    if chunks.failures or not context.setup.settled:
        distillate = replace(distillate, unfinished=tuple(one.id for one in chunks.results))
    if not distillate.unfinished:
        context.keep("atomize", context.keys.atomize, distillate)
    context.drop_unfinished("chunk", context.keys.chunk)
    context.tell(Stage.ATOMIZE, Phase.DONE, f"{len(distillate.atoms)} atoms")
    return distillate


def _embed(context: WorkerContext, document: Document, distillate: Distillate) -> None:
    if distillate.unfinished:
        context.keep("atomize", _final(context.keys.atomize, distillate), distillate)
        context.drop_unfinished("atomize", context.keys.atomize)
    key, profile_key = _final(context.keys.embed, distillate), _final(context.keys.card, distillate)
    if context.artifacts.get("embed", key) is not None and context.artifacts.get("card", profile_key) is not None:
        context.tell(Stage.EMBED, Phase.REUSED)
        return
    context.tell(Stage.EMBED, Phase.STARTED)
    context.keep("card", profile_key, document_profile(document, distillate))
    context.artifacts.put("embed", key, embed_records(records_of(document, distillate), worker_embedder(context)))
    context.tell(Stage.EMBED, Phase.DONE)


def _done(context: WorkerContext, compiled: Compiled, distillate: Distillate) -> Compiled:
    counts = {
        **compiled.entry.counts,
        "chunks": len(distillate.chunks),
        "atoms": len(distillate.atoms),
        "unfinished": len(distillate.unfinished),
    }
    entry = replace(compiled.entry, counts=counts, artifacts=_kept_keys(context.keys, distillate))
    return replace(compiled, entry=entry, dropped=dict(distillate.dropped))


def _final(key: str, distillate: Distillate) -> str:
    """Return the key of a result; with unfinished language work a different one, so that the next run redoes it."""
    return key if not distillate.unfinished else f"{key}-{digest(codec.encode(distillate))[:16]}"


def _kept_keys(keys: StageKeys, distillate: Distillate) -> dict[str, str]:
    kept = keys.by_stage()
    return kept | {stage: _final(kept[stage], distillate) for stage in ("atomize", "card", "embed")}
