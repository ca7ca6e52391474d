"""Compiling one document: it is made in a worker, and what became of it is told here (design, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import (
    BudgetExceeded,
    MissingExtra,
    SettingsError,
    StoreError,
    StoreLocked,
    StoreMismatch,
    StoreUnavailable,
    StrataError,
)
from pipelines.core.outcome import Failure, Status
from pipelines.core.work.job import JobResult
from pipelines.ingest.ahead import Workers
from pipelines.ingest.keys import CUT, READINGS, STOPPED, StageKeys
from pipelines.ingest.progress import Event, Phase, Progress, Stage
from pipelines.ingest.reading import REPEATABLE, parse_key
from pipelines.ingest.task import DESCRIBE, DOING, Made, Means, Task, Told
from pipelines.settings import Settings
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord
from pipelines.store.catalog import Entry

_ENDS_THE_RUN: Mapping[str, type[StrataError]] = {
    kind.__name__: kind
    for kind in (BudgetExceeded, StoreError, StoreUnavailable, StoreMismatch, StoreLocked, SettingsError)
} | {MissingExtra.__name__: SettingsError}

MOVED = "it was changed or taken away while it was read; the next ingest takes it up again"


@dataclass(frozen=True, slots=True)
class Item:
    """A source to compile. `path` is None for a part of a container, whose bytes lie among the artifacts."""

    source: Source
    path: Path | None = None
    modified_ns: int = 0
    parent: str = ""
    changed_ns: int = 0


@dataclass(frozen=True, slots=True)
class Compiled:
    """What compiling a source gave: its entry for the catalog, and the parts of it that are documents themselves."""

    entry: Entry
    members: tuple[Item, ...] = ()
    failures: tuple[Failure, ...] = ()
    dropped: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Tools:
    """What compiling takes: the workers, and the means that they make every document of the run with."""

    settings: Settings
    means: Means
    workers: Workers

    @property
    def artifacts(self) -> ArtifactStore:
        return self.means.artifacts

    def keys(self, source: Source, cut: str = "") -> StageKeys:
        return self.means.keys(source, cut=cut)

    def task(self, item: Item) -> Task:
        """Return the first task of an item: all of it, or with a model what is done before the model is asked."""
        path = item.path.absolute() if item.path else None
        return Task(item.source, self.means, path, parse_only=self.means.model is not None)

    def begin(self, item: Item) -> None:
        """Start on an item that will be compiled soon."""
        self.workers.begin(self.task(item))


async def compile_item(item: Item, tools: Tools, tell: Progress) -> Compiled:
    """Return the compiled item; whatever the document makes a stage raise or take is a value too.

    Raises `BudgetExceeded`, and `StoreError` and `SettingsError` for what no document is to blame for.
    """
    task = tools.task(item)
    made = await _made(task, tools, tell)
    if task.parse_only and made.document is not None:
        reason = made.reason if made.cut else ""
        made = await _made(replace(task, parse_only=False, parsed=True, cut=made.cut, reason=reason), tools, tell)
    if item.path is not None and not _is_as_found(item, item.path):
        made = _moved(item, made, tools)
    entry = _entry(item, made, tools.keys(item.source))
    members = tuple(member_item(item, member) for member in made.members)
    return Compiled(entry, members, (*_failures(entry, made), *made.failures), made.dropped)


async def _made(task: Task, tools: Tools, tell: Progress) -> Made:
    """Return what became of a document; what was read before its process was lost is gone on with, once."""
    ended = await tools.workers.compile(task, hearing(task.source.uri, tell))
    if ended.result is not None:
        return codec.unpack(ended.result, Made)
    blame_nobody(ended)
    kept = codec.unpack(ended.kept, Made) if ended.kept is not None else Made(Status.FAILED)
    if ended.stage == Stage.PARSE.value and kept.cut and not task.cut:
        return await _made(replace(task, cut=kept.cut, reason=ended.reason), tools, tell)
    made = _lost(kept, ended, task.source.uri, tell)
    if made.stage == Stage.PARSE.value and made.status in REPEATABLE:
        record = ParsedRecord(made.status, reason=made.reason, error=made.error)
        tools.artifacts.put("parse", parse_key(made.status, task.keys), codec.encode(record))
    return made


def _is_as_found(item: Item, path: Path) -> bool:
    """Whether a file is still the one whose digest was taken, so that what was read of it goes by its name."""
    try:
        state = path.stat()
    except OSError:
        return False
    found = (item.source.size, item.modified_ns, item.changed_ns)
    return not item.modified_ns or (state.st_size, state.st_mtime_ns, state.st_ctime_ns) == found


def _moved(item: Item, made: Made, tools: Tools) -> Made:
    """What becomes of a file that is another by now: what was kept under the digest of the former one goes."""
    if made.document is None and made.status not in REPEATABLE:
        return made  # it could not even be opened, and says why
    keys = tools.keys(item.source)
    parses = {(Stage.PARSE.value, key) for key in (keys.raw, keys.turned_away)}
    for stage, key in {*keys.by_stage().items(), *made.artifacts.items(), *parses}:
        tools.artifacts.remove(stage, key)
    return Made(Status.FAILED, MOVED, retryable=True)


def _lost(kept: Made, ended: JobResult, uri: str, tell: Progress) -> Made:
    """What is left of a document whose process was lost, and that it was."""
    stage = ended.stage or Stage.PARSE.value
    reason = ended.reason if stage == Stage.PARSE.value else _sentence(stage, ended.reason)
    if stage != DESCRIBE:
        tell(Event(Stage(stage), Phase.FAILED, uri, reason))
    return kept.failed(stage, ended.status, reason, ended.error)


def _sentence(stage: str, reason: str) -> str:
    """What was exceeded goes on from the name of the stage; what happened stands for itself."""
    return f"{DOING.get(stage, stage)}{' ' if reason.startswith(('took', 'made')) else ': '}{reason}"


def blame_nobody(ended: JobResult) -> None:
    """Raise what a worker raised where no document is to blame for it."""
    if ended.error in _ENDS_THE_RUN:
        raise _ENDS_THE_RUN[ended.error](ended.reason, hint=ended.hint)


def hearing(uri: str, tell: Progress) -> Callable[[bytes], None]:
    """Return what tells the notes of a document's worker as events."""

    def hear(note: bytes) -> None:
        told = codec.unpack(note, Told)
        tell(Event(told.stage, told.phase, uri, told.detail))

    return hear


def _entry(item: Item, made: Made, keys: StageKeys) -> Entry:
    document = made.document
    artifacts = made.artifacts or {Stage.PARSE.value: parse_key(made.status, keys)}
    if made.cut:
        artifacts = {**artifacts, READINGS: keys.readings}
    if made.cut == CUT or (made.status is Status.TOO_LARGE and made.stage != Stage.PARSE.value):
        artifacts = {**artifacts, STOPPED: keys.stopped}
    return Entry(
        uri=item.source.uri,
        digest=item.source.digest,
        size=item.source.size,
        status=made.status,
        document=document.id if document else "",
        reason=made.reason,
        media_type=document.media_type if document else item.source.media_type,
        title=document.title if document else "",
        modified_ns=item.modified_ns,
        changed_ns=item.changed_ns,
        parent=item.parent,
        artifacts=artifacts,
        counts=document.counts if document else {},
        notes=document.notes if document else (),
    )


def member_item(item: Item, member: Member) -> Item:
    """Return a part of a container as an item of its own."""
    source = Source(f"{item.source.uri}!/{member.name}", "", member.size, member.digest)
    return Item(source, parent=item.source.uri)


def _failures(entry: Entry, made: Made) -> tuple[Failure, ...]:
    if entry.status.searchable or entry.status in (Status.EMPTY, Status.SKIPPED):
        return ()
    again = made.retryable or entry.status not in REPEATABLE
    return (Failure(entry.uri, made.stage, entry.reason, made.error, entry.status, again),)
