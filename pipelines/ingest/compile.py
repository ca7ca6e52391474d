"""Compiling one document: parse, chunk, atomize, embed, each result kept as an artifact (design, section 4)."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.atomize.atomize import atomize
from pipelines.atomize.distiller import Distiller
from pipelines.chunk.chunk import split
from pipelines.chunk.splitter import Splitter
from pipelines.core import codec
from pipelines.core.chunk import Chunk
from pipelines.core.document import Document, Source
from pipelines.core.errors import BudgetExceeded, StrataError
from pipelines.core.ids import digest
from pipelines.core.knowledge import Distillate
from pipelines.core.outcome import Failure, Outcome, Status
from pipelines.graph.card import card
from pipelines.graph.conform import conform
from pipelines.ingest.ahead import ParseAhead
from pipelines.ingest.artifacts import Member, ParsedRecord
from pipelines.ingest.figures import FigureWork
from pipelines.ingest.keys import Makers, StageKeys, stage_keys
from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.ingest.records import embed_records, records_of
from pipelines.llm.embedder import Embedder
from pipelines.parse.describe import Describer
from pipelines.parse.parsed import Parsed
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore
from pipelines.store.catalog import Entry

REPEATABLE = (Status.INDEXED, Status.PARTIAL, Status.EMPTY, Status.MALFORMED, Status.TOO_LARGE)
"""Statuses that follow from the content alone; a file that ended otherwise is tried again by the next run."""


@dataclass(frozen=True, slots=True)
class Item:
    """A source to compile. `path` is None for a part of a container, whose bytes lie among the artifacts."""

    source: Source
    path: Path | None = None
    modified_ns: int = 0
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiling a source gave: its entry for the catalog, and the parts of it that are documents themselves."""

    entry: Entry
    members: tuple[Item, ...] = ()
    failures: tuple[Failure, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tools:
    """What compiling takes: the settings, who does the work, and where the results are kept.

    `settled` is off where the classes of tags could not be had: what is distilled without them is done again.
    """

    settings: Settings
    artifacts: ArtifactStore
    pool: ParseAhead
    splitter: Splitter
    distiller: Distiller
    embedder: Embedder
    makers: Makers
    describer: Describer | None = None
    settled: bool = True

    def keys(self, source: Source) -> StageKeys:
        return stage_keys(source, self.settings, self.makers)


async def compile_item(item: Item, tools: Tools, tell: Progress) -> Compiled:
    """Return the compiled item; a document that fails in a stage is a value too. Raises `BudgetExceeded` alone."""
    keys = tools.keys(item.source)
    record = await parse_item(item, keys, tools, tell)
    failures: tuple[Failure, ...] = ()
    if tools.describer is not None:
        figures = FigureWork(tools.describer, tools.artifacts, tools.settings, tools.makers)
        described = await figures.describe(item.source, record, keys)
        record, keys, failures = described.record, described.keys, described.failures
    entry = _entry(item, record, keys)
    members = tuple(member_item(item, member) for member in record.members)
    if record.document is None:
        return Compiled(entry, members, _failures(entry, record.error))
    try:
        compiled = await _distil(entry, members, record.document, keys, tools, tell)
        return replace(compiled, failures=failures)
    except BudgetExceeded:
        raise
    except StrataError as error:
        failure = Failure(entry.uri, "compile", error.message, type(error).__name__, Status.FAILED, error.retryable)
        return Compiled(replace(entry, status=Status.FAILED, reason=error.message), members, (failure,))


async def parse_item(item: Item, keys: StageKeys, tools: Tools, tell: Progress) -> ParsedRecord:
    """Return what parsing an item gave, from its artifact where there is one."""
    kept = kept_parse(keys, tools)
    if kept is not None:
        tell(Event(Stage.PARSE, Phase.REUSED, item.source.uri))
        return codec.decode(kept, ParsedRecord)
    tell(Event(Stage.PARSE, Phase.STARTED, item.source.uri))
    parsed = await _parse_file(item, tools)
    record = _keep_parts(parsed, tools.artifacts)
    if record.status in REPEATABLE:
        tools.artifacts.put("parse", _raw_key(record.status, keys), codec.encode(record))
    failed = record.document is None and record.status is not Status.EMPTY
    tell(Event(Stage.PARSE, Phase.FAILED if failed else Phase.DONE, item.source.uri, record.reason))
    return record


def kept_parse(keys: StageKeys, tools: Tools) -> bytes | None:
    """Return the artifact of a parse, with its figures described or not yet; None where there is none."""
    held = (tools.artifacts.get("parse", key) for key in dict.fromkeys((keys.parse, keys.raw, keys.turned_away)))
    return next((data for data in held if data is not None), None)


def parse_key(status: Status, keys: StageKeys) -> str:
    """Return the key under which a parse that ended so is kept, once all is done."""
    return keys.parse if status.searchable else _raw_key(status, keys)


def _raw_key(status: Status, keys: StageKeys) -> str:
    """The key under which it is kept as the parser left it."""
    return keys.turned_away if status is Status.TOO_LARGE else keys.raw


async def _parse_file(item: Item, tools: Tools) -> Parsed:
    if item.path is not None:
        return await asyncio.wrap_future(tools.pool.submit(item.path, item.source))
    data = tools.artifacts.get("member", item.source.digest)
    if data is None:
        return Parsed(Status.FAILED, reason="the bytes of this part are no longer kept; ingest its container again")
    return await asyncio.wrap_future(tools.pool.submit_bytes(data, item.source))


def _keep_parts(parsed: Parsed, artifacts: ArtifactStore) -> ParsedRecord:
    for picture in parsed.pictures:
        artifacts.put("picture", picture.digest, picture.data)
    members = []
    for child in parsed.children:
        member = Member(child.name, digest(child.data), len(child.data), child.kind)
        artifacts.put("member", member.digest, child.data)
        members.append(member)
    pictures = tuple(picture.digest for picture in parsed.pictures)
    return ParsedRecord(parsed.status, parsed.document, pictures, tuple(members), parsed.reason, parsed.error)


async def _distil(
    entry: Entry, members: tuple[Item, ...], document: Document, keys: StageKeys, tools: Tools, tell: Progress
) -> Compiled:
    chunks = await _chunk(document, keys, tools, tell)
    distillate = await _atomize(document, chunks, keys, tools, tell)
    _embed(document, distillate, keys, tools, tell)
    done = replace(entry, artifacts=_kept_keys(keys, distillate), counts=_counts(document, distillate))
    return Compiled(done, members, dropped=dict(distillate.dropped))


async def _chunk(document: Document, keys: StageKeys, tools: Tools, tell: Progress) -> Outcome[Chunk]:
    uri = document.source.uri
    kept = tools.artifacts.get("chunk", keys.chunk)
    if kept is not None:
        tell(Event(Stage.CHUNK, Phase.REUSED, uri))
        return Outcome(codec.decode(kept, tuple[Chunk, ...]))
    tell(Event(Stage.CHUNK, Phase.STARTED, uri))
    chunks = await split(document, tools.splitter, tools.settings.chunk)
    if not chunks.failures:
        tools.artifacts.put("chunk", keys.chunk, codec.encode(chunks.results))
    tell(Event(Stage.CHUNK, Phase.DONE, uri))
    return chunks


async def _atomize(
    document: Document, chunks: Outcome[Chunk], keys: StageKeys, tools: Tools, tell: Progress
) -> Distillate:
    uri = document.source.uri
    kept = tools.artifacts.get("atomize", keys.atomize)
    if kept is not None:
        tell(Event(Stage.ATOMIZE, Phase.REUSED, uri))
        return codec.decode(kept, Distillate)
    tell(Event(Stage.ATOMIZE, Phase.STARTED, uri))
    distillate = await atomize(document, chunks.results, tools.distiller, tools.settings.atomize)
    distillate = conform(distillate, tools.settings.graph.schema)
    if chunks.failures or not tools.settled:
        distillate = replace(distillate, unfinished=tuple(one.id for one in chunks.results))
    if not distillate.unfinished:
        tools.artifacts.put("atomize", keys.atomize, codec.encode(distillate))
    tell(Event(Stage.ATOMIZE, Phase.DONE, uri, f"{len(distillate.atoms)} atoms"))
    return distillate


def _embed(document: Document, distillate: Distillate, keys: StageKeys, tools: Tools, tell: Progress) -> None:
    uri = document.source.uri
    key = _final(keys.embed, distillate)
    if all(tools.artifacts.get(*one) is not None for one in (("embed", key), ("card", _final(keys.card, distillate)))):
        tell(Event(Stage.EMBED, Phase.REUSED, uri))
        return
    tell(Event(Stage.EMBED, Phase.STARTED, uri))
    if distillate.unfinished:
        tools.artifacts.put("atomize", _final(keys.atomize, distillate), codec.encode(distillate))
    tools.artifacts.put("card", _final(keys.card, distillate), codec.encode(card(document, distillate)))
    tools.artifacts.put("embed", key, embed_records(records_of(document, distillate), tools.embedder))
    tell(Event(Stage.EMBED, Phase.DONE, uri))


def _final(key: str, distillate: Distillate) -> str:
    """The key of a result: its own name where language work is unfinished, so that the next run looks for the whole."""
    return key if not distillate.unfinished else f"{key}-{digest(codec.encode(distillate))[:16]}"


def _kept_keys(keys: StageKeys, distillate: Distillate) -> dict[str, str]:
    kept = keys.by_stage()
    return kept | {stage: _final(kept[stage], distillate) for stage in ("atomize", "card", "embed")}


def _entry(item: Item, record: ParsedRecord, keys: StageKeys) -> Entry:
    document = record.document
    return Entry(
        uri=item.source.uri,
        digest=item.source.digest,
        size=item.source.size,
        status=record.status,
        document=document.id if document else "",
        reason=record.reason,
        media_type=document.source.media_type if document else item.source.media_type,
        title=document.title if document else "",
        modified_ns=item.modified_ns,
        parent=item.parent,
        artifacts={"parse": parse_key(record.status, keys)},
        notes=document.notes if document else (),
    )


def _counts(document: Document, distillate: Distillate) -> dict[str, int]:
    return {
        "pages": len(document.pages),
        "sections": len(document.sections),
        "tables": len(document.tables),
        "figures": len(document.figures),
        "chunks": len(distillate.chunks),
        "atoms": len(distillate.atoms),
        "unfinished": len(distillate.unfinished),
    }


def member_item(item: Item, member: Member) -> Item:
    """Return a part of a container as an item of its own."""
    source = Source(f"{item.source.uri}!/{member.name}", "", member.size, member.digest)
    return Item(source, parent=item.source.uri)


def _failures(entry: Entry, error: str) -> tuple[Failure, ...]:
    if entry.status in (Status.EMPTY, Status.SKIPPED):
        return ()
    return (Failure(entry.uri, "parse", entry.reason, error, entry.status, entry.status not in REPEATABLE),)
