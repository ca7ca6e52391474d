"""The records of a document that are embedded and indexed, and the artifact with their vectors."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np

from pipelines.atomize.self_recall import DocumentRecords, SearchRecords
from pipelines.core import codec
from pipelines.core.document import Chunk, Document, Section, document_date
from pipelines.core.graph import CORPUS_OWNER
from pipelines.core.knowledge import Distillate, Entity, Tag
from pipelines.core.vectors import Vectors, from_bytes, to_bytes
from pipelines.core.work.job import JobContext
from pipelines.ingest.report import Stage
from pipelines.ingest.worker_context import WorkerContext
from pipelines.llm.embedder import Embedder, EmbedderInfo, Side
from pipelines.llm.embedders import QUICK, open_embedder
from pipelines.llm.settings import EmbedSettings
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind, terms_of

_BATCH = 256
"""Texts that a slow embedder embeds at a time; the CPU limit is restarted for each batch."""
DOCUMENT_TEXT = 1200
"""Characters of a document's headings, and of its text, in its record."""


def records_of(document: Document, distillate: Distillate) -> tuple[Record, ...]:
    """Return the records of a document: itself, section summaries, chunks with their summaries, and atoms."""
    tags: dict[str, list[str]] = {}
    for tag in distillate.tags:
        tags.setdefault(tag.chunk, []).append(tag.text)
    chunks = {chunk.id: chunk for chunk in distillate.chunks}
    found = [_document_record(document, distillate.summaries.get(document.id, ""))]
    found += [
        _section_record(document, section, distillate.summaries[section.id])
        for section in document.sections
        if section.id in distillate.summaries
    ]
    for chunk in distillate.chunks:
        found.extend(_chunk_records(document, chunk, tuple(tags.get(chunk.id, ()))))
    found.extend(
        _record(document, chunks[atom.chunk], RecordKind.ATOM, atom.id, atom.text, tuple(tags.get(atom.chunk, ())))
        for atom in distillate.atoms
    )
    return tuple(found)


def corpus_records(tags: Collection[Tag], entities: Collection[Entity]) -> tuple[Record, ...]:
    """Return the records of tags and entities, which all documents share: their names and aliases."""
    found = [Record(tag.id, RecordKind.TAG, CORPUS_OWNER, " ; ".join((tag.text, *tag.aliases))) for tag in tags]
    found += [
        Record(entity.id, RecordKind.ENTITY, CORPUS_OWNER, " ; ".join((entity.name, *entity.aliases)))
        for entity in entities
    ]
    return tuple(found)


def embed_records(records: tuple[Record, ...], embedder: Embedder) -> bytes:
    """Embed records, and return them with their vectors and terms in the form of the artifact."""
    vectors = embedder.embed([record.text for record in records], Side.PASSAGE)
    return codec.pack((records, vectors.shape[1], to_bytes(vectors), list(map(terms_of, records))))


def read_records(data: bytes) -> EmbeddedRecords:
    """Return the records, vectors and terms of an artifact of `embed_records`."""
    records, dimension, raw, terms = codec.unpack(data, tuple[tuple[Record, ...], int, bytes, tuple[str, ...]])
    return EmbeddedRecords(records, from_bytes(raw, len(records), dimension), terms)


@dataclass(frozen=True, slots=True)
class _Searched:
    """The fields of a `Record` that the self-recall gate needs."""

    id: str
    kind: RecordKind
    chunk: str = ""


def read_searched(data: bytes) -> DocumentRecords:
    """Return the atoms and chunks of an artifact of `embed_records`, for the self-recall gate."""
    records, dimension, raw, terms = codec.unpack(data, tuple[tuple[_Searched, ...], int, bytes, tuple[str, ...]])
    vectors = from_bytes(raw, len(records), dimension)

    def of_kind(kind: RecordKind) -> SearchRecords:
        places = [place for place, record in enumerate(records) if record.kind is kind]
        ids, chunks = tuple(records[place].id for place in places), tuple(records[place].chunk for place in places)
        return SearchRecords(ids, chunks, vectors[places], tuple(terms[place] for place in places))

    return DocumentRecords(of_kind(RecordKind.ATOM), of_kind(RecordKind.CHUNK))


def without(embedded: EmbeddedRecords, ids: Collection[str]) -> EmbeddedRecords:
    """Return `embedded` without the records with these ids."""
    return embedded.at([place for place, record in enumerate(embedded.records) if record.id not in ids])


def _document_record(document: Document, summary: str) -> Record:
    headings = " ; ".join(section.title for section in document.sections if section.title)
    parts = (document.title, summary, headings[:DOCUMENT_TEXT], document.text[:DOCUMENT_TEXT])
    return Record(
        document.id, RecordKind.DOCUMENT, document.id, "\n".join(filter(None, parts)), "", document.source.uri,
        document.source.media_type, date=document_date(document.metadata), language=document.language,
    )  # fmt: skip


def _section_record(document: Document, section: Section, summary: str) -> Record:
    return Record(
        section.id, RecordKind.SECTION, document.id, f"{_path(document, section.path)}\n{summary}", "",
        document.source.uri, document.source.media_type, section.page or 0, document_date(document.metadata),
        language=document.language,
    )  # fmt: skip


def _path(document: Document, headings: Sequence[str]) -> str:
    return " > ".join((document.title, *(title for title in headings if title != document.title)))


def _chunk_records(document: Document, chunk: Chunk, tags: tuple[str, ...]) -> Iterator[Record]:
    text = "\n".join(part for part in (_path(document, chunk.heading_path), chunk.context, chunk.text) if part)
    yield _record(document, chunk, RecordKind.CHUNK, chunk.id, text, tags)
    if chunk.summary:
        yield _record(document, chunk, RecordKind.SUMMARY, chunk.id, chunk.summary, tags)


def _record(document: Document, chunk: Chunk, kind: RecordKind, id: str, text: str, tags: tuple[str, ...]) -> Record:
    return Record(
        id, kind, document.id, text, chunk.id, document.source.uri, document.source.media_type,
        chunk.provenance.page or 0, document_date(document.metadata), tags,
        chunk.language or document.language,
    )  # fmt: skip


def worker_embedder(context: WorkerContext) -> Embedder:
    """Return the embedder of a worker: its own, or that of its parent if it is at an endpoint."""
    setup = context.setup
    if setup.embedder is None:
        from pipelines.ingest.worker_requests import ParentEmbedder

        return ParentEmbedder(context.job, setup.dimension)
    embedder = _opened(setup.embedder, setup.vectors)
    return embedder if setup.embedder.name in QUICK else _InBatches(embedder, context.job)


@lru_cache(maxsize=1)
def _opened(settings: EmbedSettings, vectors: Path | None) -> Embedder:
    """Return the embedder, which is cached for the life of the worker because some take long to load."""
    return open_embedder(settings, vectors)


class _InBatches:
    """A slow embedder, with a new CPU limit for each batch: long documents must not exceed the limit."""

    def __init__(self, inner: Embedder, job: JobContext) -> None:
        self._inner = inner
        self._job = job

    @property
    def info(self) -> EmbedderInfo:
        return self._inner.info

    def embed(self, texts: Sequence[str], side: Side = Side.PASSAGE) -> Vectors:
        parts = [self._batch(texts[start : start + _BATCH], side) for start in range(0, len(texts), _BATCH)]
        return np.concatenate(parts) if parts else self._inner.embed((), side)

    def _batch(self, texts: Sequence[str], side: Side) -> Vectors:
        self._job.begin(Stage.EMBED.value)
        return self._inner.embed(texts, side)

    def close(self) -> None:
        self._inner.close()
