"""The parse stage of a document, in a worker process: reads its artifact if there is one, otherwise its file."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pipelines.core.errors import LeadsOut
from pipelines.core.ids import digest
from pipelines.core.outcome import Status
from pipelines.ingest.keys import CUT, READINGS, REPEATABLE, StageKeys
from pipelines.ingest.report import Phase, Stage
from pipelines.ingest.scan import as_path, has_descriptor_paths, open_file
from pipelines.ingest.task import Compiled
from pipelines.ingest.worker_context import WorkerContext
from pipelines.parse.parse import parse as parse_source
from pipelines.parse.parse import temporary_file
from pipelines.parse.parsed import Parsed, ReadOff
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord


def parse(context: WorkerContext) -> ParsedRecord:
    """Parse a document and store the result as an artifact; a stored result is returned without parsing.

    Raises `StageFailed`.
    """
    with context.stage(Stage.PARSE.value):
        kept = _kept(context)
        if kept is not None:
            return _reported(context, kept)
        context.tell(Stage.PARSE, Phase.STARTED)
        parsed = _parsed(context)
        record = keep_parts(parsed, context.artifacts)
        if record.unread:
            context.cut_short(digest(" ".join(record.unread).encode()) if record.again else CUT)
        _keep_readings(context, parsed)
        if record.status in REPEATABLE:
            context.keep("parse", context.keys.as_parsed(record.status), record)
    failed = record.document is None and record.status is not Status.EMPTY
    context.tell(Stage.PARSE, Phase.FAILED if failed else Phase.DONE, record.reason)
    return record


def keep_parts(parsed: Parsed, artifacts: ArtifactStore) -> ParsedRecord:
    """Store pictures and parts as artifacts, and return the parse with their digests."""
    for picture in parsed.pictures:
        artifacts.put("picture", picture.digest, picture.data)
    members = []
    for child in parsed.children:
        member = Member(child.name, digest(child.data), len(child.data), child.kind)
        artifacts.put("member", member.digest, child.data)
        members.append(member)
    pictures = tuple(picture.digest for picture in parsed.pictures)
    return ParsedRecord(
        parsed.status,
        parsed.document,
        pictures,
        tuple(members),
        parsed.reason,
        parsed.error,
        parsed.unread,
        parsed.again,
    )


def _keep_readings(context: WorkerContext, parsed: Parsed) -> None:
    """Replace the stored OCR readings, to which every run adds, and remove them when the document is complete."""
    if parsed.unread or parsed.status in REPEATABLE:
        context.artifacts.remove(READINGS, context.keys.readings)
    if parsed.readings:
        context.keep(READINGS, context.keys.readings, parsed.readings)


def _kept(context: WorkerContext) -> ParsedRecord | None:
    """Return the stored parse, with or without descriptions of figures, or None."""
    keys = dict.fromkeys((context.keys.parse, context.keys.raw, context.keys.turned_away))
    return next((found for key in keys if (found := context.kept("parse", key, ParsedRecord)) is not None), None)


def _reported(context: WorkerContext, record: ParsedRecord) -> ParsedRecord:
    """Report a stored parse, and return it; with the reason of the task, if its process died during parsing."""
    reason = context.task.reason
    context.tell(Stage.PARSE, Phase.DONE if reason else Phase.REUSED, reason)
    if not reason or reason == record.reason:
        return record
    whole_reason = f"{record.reason} ({reason})" if record.reason else reason
    return replace(record, status=Status.PARTIAL, reason=whole_reason)


def _parsed(context: WorkerContext) -> Parsed:
    task, settings, checkpoint = context.task, context.setup.settings.parse, _Checkpoint(context)
    # The OCR readings of earlier runs, which were cut short.
    known = context.kept(READINGS, context.keys.readings, dict[str, ReadOff]) or {}

    def read(path: Path) -> Parsed:
        return parse_source(
            path, task.source, settings, known=known, checkpoint=checkpoint.keep, on_next_part=context.next_part
        )

    if task.item.path is not None:
        parsed = _parsed_file(context, task.item.path, read)
    elif (data := context.artifacts.get("member", task.source.digest)) is not None:
        with temporary_file(data, task.source, context.job.scratch) as path:
            parsed = read(path)
    else:
        reason = "the bytes of this part are no longer kept; ingest its container again"
        parsed = Parsed(Status.FAILED, reason=reason)
    checkpoint.drop()
    return parsed


def _parsed_file(context: WorkerContext, path: Path, read: Callable[[Path], Parsed]) -> Parsed:
    """Parse a file of the folder, opened so that it cannot be exchanged; if it cannot be opened, return the reason."""
    with ExitStack() as opened:
        try:
            descriptor = open_file(path, context.setup.within)
        except LeadsOut as error:
            return Parsed(Status.SKIPPED, reason=error.message)
        except OSError as error:
            return Parsed(Status.FAILED, reason=f"cannot be read: {error.strerror}")
        opened.callback(os.close, descriptor)
        if has_descriptor_paths():
            path = opened.enter_context(as_path(descriptor, path.suffix, context.job.scratch))
        return read(path)


class _Checkpoint:
    """Stores the part of a document that is parsed so far, in case its process dies later."""

    def __init__(self, context: WorkerContext) -> None:
        self._context = context
        self._kept: StageKeys | None = None

    def keep(self, parsed: Parsed) -> None:
        if parsed.document is None:
            return
        self.drop()
        context, keys = self._context, self._context.setup.keys(self._context.source, cut=CUT)
        record = replace(keep_parts(parsed, context.artifacts), status=Status.PARTIAL)
        context.keep("parse", keys.raw, record)
        context.send_partial(Compiled.initial(context.task.item).parsed(record, keys.parse, CUT))
        self._kept = keys

    def drop(self) -> None:
        """Remove the stored part, which the complete document replaces."""
        if self._kept is not None:
            self._context.artifacts.remove("parse", self._kept.raw)
