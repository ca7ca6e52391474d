"""The parse stage of a document, in a worker: from its artifact where there is one, else from its file."""

from __future__ import annotations

import os
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
from pipelines.parse.parsed import Parsed, Readings, ReadOff
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord


def parse(context: WorkerContext) -> ParsedRecord:
    """Return what the document's file holds, and keep it as an artifact; what is kept already is not parsed again.

    Raises `StageFailed`.
    """
    with context.stage(Stage.PARSE.value):
        kept = _kept(context)
        if kept is not None:
            return _told(context, kept)
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
    """Keep pictures and parts, and return the parse with their digests in their place."""
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


def _readings(context: WorkerContext) -> dict[str, ReadOff]:
    """What earlier runs read off the pictures of a document that they did not get through."""
    return context.kept(READINGS, context.keys.readings, dict[str, ReadOff]) or {}


def _keep_readings(context: WorkerContext, parsed: Parsed) -> None:
    """More is read by every run: what is kept is replaced, and goes where the document is whole."""
    if parsed.unread or parsed.status in REPEATABLE:
        context.artifacts.remove(READINGS, context.keys.readings)
    if parsed.readings:
        context.keep(READINGS, context.keys.readings, parsed.readings)


def _kept(context: WorkerContext) -> ParsedRecord | None:
    """The parse that is kept, with its figures described or not yet."""
    keys = dict.fromkeys((context.keys.parse, context.keys.raw, context.keys.turned_away))
    return next((found for key in keys if (found := context.kept("parse", key, ParsedRecord)) is not None), None)


def _told(context: WorkerContext, record: ParsedRecord) -> ParsedRecord:
    """The record that was kept, after telling where it comes from."""
    reason = context.task.reason  # where its process was lost after this much of it
    context.tell(Stage.PARSE, Phase.DONE if reason else Phase.REUSED, reason)
    if not reason or reason == record.reason:
        return record
    whole_reason = f"{record.reason} ({reason})" if record.reason else reason
    return replace(record, status=Status.PARTIAL, reason=whole_reason)


def _parsed(context: WorkerContext) -> Parsed:
    task, settings, so_far = context.task, context.setup.settings.parse, _SoFar(context)
    known = _readings(context)
    if task.item.path is not None:
        parsed = _parsed_file(context, task.item.path, so_far, known)
    elif (data := context.artifacts.get("member", task.source.digest)) is not None:
        with temporary_file(data, task.source, context.job.scratch) as path:
            parsed = parse_source(
                path, task.source, settings, known=known, checkpoint=so_far.keep, on_next_part=context.next_part
            )
    else:
        reason = "the bytes of this part are no longer kept; ingest its container again"
        parsed = Parsed(Status.FAILED, reason=reason)
    so_far.drop()
    return parsed


def _parsed_file(context: WorkerContext, path: Path, so_far: _SoFar, known: Readings) -> Parsed:
    """What a file of the folder holds, opened so that it is the one that was found; one that cannot be is a result."""
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
        settings = context.setup.settings.parse
        return parse_source(
            path, context.source, settings, known=known, checkpoint=so_far.keep, on_next_part=context.next_part
        )


class _SoFar:
    """Keeps the part of a document that is parsed so far, in case its process is lost in the rest."""

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
        context.hand_out(Compiled.begun(context.task.item).parsed(record, keys.parse, CUT))
        self._kept = keys

    def drop(self) -> None:
        """Remove the part: the whole takes its place."""
        if self._kept is not None:
            self._context.artifacts.remove("parse", self._kept.raw)
