"""Compiles a document in a worker process; the death of the process becomes a failure (design, section 4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pipelines.core import codec
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
from pipelines.core.outcome import Status
from pipelines.core.work.job import JobResult
from pipelines.ingest.dispatch import Dispatcher
from pipelines.ingest.keys import CUT, READINGS, REPEATABLE, STOPPED, StageKeys
from pipelines.ingest.report import Event, Phase, Progress, Stage
from pipelines.ingest.task import COMPILING, DESCRIBE, DOING, Compiled, DocumentTask, SourceItem, StageEvent
from pipelines.ingest.worker_context import unfinished_key
from pipelines.store.artifact import ParsedRecord

_ENDS_THE_RUN: Mapping[str, type[StrataError]] = {
    kind.__name__: kind
    for kind in (BudgetExceeded, StoreError, StoreUnavailable, StoreMismatch, StoreLocked, SettingsError)
} | {MissingExtra.__name__: SettingsError}

MOVED = "it was changed or taken away while it was read; the next ingest takes it up again"


@dataclass(frozen=True, slots=True)
class DocumentProgress:
    """The progress of a document through the stages.

    `task` is the last completed task, None before the first. If `ended`, `compiled` is the final result.
    """

    item: SourceItem
    task: DocumentTask | None = None
    compiled: Compiled | None = None
    ended: bool = False

    @property
    def outcome(self) -> Compiled:
        """The present result of the document."""
        return self.compiled or Compiled.initial(self.item)


async def advance(work: DocumentProgress, upto: Stage, dispatcher: Dispatcher, tell: Progress) -> DocumentProgress:
    """Continue compiling a document up to a stage; one that has ended is returned unchanged.

    Raises `BudgetExceeded`, `StoreError` and `SettingsError`, which the document does not cause.
    """
    if work.ended:
        return work
    task = work.task.next(work.outcome, upto) if work.task else dispatcher.task(work.item, upto)
    compiled = await _compiled(task, dispatcher, tell)
    ended = upto is COMPILING[-1] or not compiled.entry.document
    return DocumentProgress(work.item, task, _ended(work.item, compiled, dispatcher) if ended else compiled, ended)


def _ended(item: SourceItem, compiled: Compiled, dispatcher: Dispatcher) -> Compiled:
    if item.path is not None and not _is_as_found(item, item.path):
        compiled = _moved(item, compiled, dispatcher)
    if not compiled.entry.document:
        keys = dispatcher.setup.keys(item.source, compiled.undescribed, compiled.cut)
        for stage in (Stage.CHUNK.value, Stage.ATOMIZE.value):
            dispatcher.setup.artifacts.remove(stage, unfinished_key(keys.by_stage()[stage]))
    return _with_parse_keys(compiled, dispatcher.setup.keys(item.source))


async def _compiled(task: DocumentTask, dispatcher: Dispatcher, tell: Progress) -> Compiled:
    """Return the compiled document; if its process dies while parsing, the part parsed so far is compiled, once."""
    ended = await dispatcher.compile(task, note_handler(task.source.uri, tell))
    if ended.result is not None:
        return codec.unpack(ended.result, Compiled)
    raise_what_ends_the_run(ended)
    kept = codec.unpack(ended.kept, Compiled) if ended.kept is not None else Compiled.initial(task.item)
    if ended.stage == Stage.PARSE.value and kept.cut and not task.cut:
        return await _compiled(replace(task, cut=kept.cut, reason=ended.reason), dispatcher, tell)
    compiled = _lost(kept, ended, tell)
    entry, failure = compiled.entry, compiled.failures[0]
    if failure.stage == Stage.PARSE.value and entry.status in REPEATABLE:
        record = ParsedRecord(entry.status, reason=entry.reason, error=failure.error)
        dispatcher.setup.artifacts.put("parse", task.keys.of_parse(entry.status), codec.encode(record))
    return compiled


def _is_as_found(item: SourceItem, path: Path) -> bool:
    """Return whether a file has not changed since its digest was computed."""
    try:
        state = path.stat()
    except OSError:
        return False
    found = (item.source.size, item.modified_ns, item.changed_ns)
    return not item.modified_ns or (state.st_size, state.st_mtime_ns, state.st_ctime_ns) == found


def _moved(item: SourceItem, compiled: Compiled, dispatcher: Dispatcher) -> Compiled:
    """Return the failure of a file that changed while it was read, and remove the artifacts of its former digest."""
    if not compiled.entry.document and compiled.entry.status not in REPEATABLE:
        return compiled  # it could not be opened, which is the better reason
    keys = dispatcher.setup.keys(item.source)
    parses = {(Stage.PARSE.value, key) for key in (keys.raw, keys.turned_away)}
    for stage, key in {*keys.by_stage().items(), *compiled.entry.artifacts.items(), *parses}:
        dispatcher.setup.artifacts.remove(stage, key)
    return Compiled.initial(item).failed(Stage.PARSE.value, Status.FAILED, MOVED, "", retryable=True)


def _lost(kept: Compiled, ended: JobResult, tell: Progress) -> Compiled:
    """Return the failure of a document whose process died, with its partial result."""
    stage = ended.stage or Stage.PARSE.value
    reason = ended.reason if stage == Stage.PARSE.value else _sentence(stage, ended.reason)
    if stage != DESCRIBE:
        tell(Event(Stage(stage), Phase.FAILED, kept.entry.uri, reason))
    return kept.failed(stage, ended.status, reason, ended.error)


def _sentence(stage: str, reason: str) -> str:
    """Return a reason that names the stage: "parsing took ..." for an exceeded limit, otherwise "parsing: ..."."""
    return f"{DOING.get(stage, stage)}{' ' if reason.startswith(('took', 'made')) else ': '}{reason}"


def raise_what_ends_the_run(ended: JobResult) -> None:
    """Raise the error of a worker if it is one that no document causes."""
    if ended.error in _ENDS_THE_RUN:
        raise _ENDS_THE_RUN[ended.error](ended.reason, hint=ended.hint)


def note_handler(uri: str, tell: Progress) -> Callable[[bytes], None]:
    """Return a function that reports the notes of a document's worker as events."""

    def handle(note: bytes) -> None:
        event = codec.unpack(note, StageEvent)
        tell(Event(event.stage, event.phase, uri, event.detail))

    return handle


def _with_parse_keys(compiled: Compiled, keys: StageKeys) -> Compiled:
    """Add the key of the parse to the entry, and if a limit cut it short, the keys that record this."""
    entry = compiled.entry
    artifacts = entry.artifacts or {Stage.PARSE.value: keys.of_parse(entry.status)}
    if compiled.cut:
        artifacts = {**artifacts, READINGS: keys.readings}
    late = entry.status is Status.TOO_LARGE and compiled.failures[0].stage != Stage.PARSE.value
    if compiled.cut == CUT or late:
        artifacts = {**artifacts, STOPPED: keys.stopped}
    return replace(compiled, entry=replace(entry, artifacts=artifacts))
