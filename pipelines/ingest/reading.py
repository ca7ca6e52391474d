"""The first stage of a document, in a worker: what its file holds, from its artifact where there is one."""

from __future__ import annotations

import os
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from pipelines.core import codec
from pipelines.core.errors import LeadsOut
from pipelines.core.ids import digest
from pipelines.core.outcome import Status
from pipelines.ingest.bench import Bench
from pipelines.ingest.keys import CUT, READINGS, StageKeys
from pipelines.ingest.opening import as_path, has_descriptor_paths, open_file
from pipelines.ingest.progress import Phase, Stage
from pipelines.ingest.task import Made
from pipelines.parse.isolate import laid_out, parse_within
from pipelines.parse.parsed import Parsed
from pipelines.parse.readoff import Readings, ReadOff
from pipelines.store.artifact import ArtifactStore, Member, ParsedRecord

REPEATABLE = (Status.INDEXED, Status.PARTIAL, Status.EMPTY, Status.MALFORMED, Status.TOO_LARGE)
"""Statuses that follow from the content alone; a file that ended otherwise is tried again by the next run."""


def read(bench: Bench) -> ParsedRecord:
    """Return what parsing the document gave. Raises `StageFailed`."""
    with bench.stage(Stage.PARSE.value):
        kept = _kept(bench)
        if kept is not None:
            return _told(bench, kept)
        bench.tell(Stage.PARSE, Phase.STARTED)
        parsed = _parsed(bench)
        record = keep_parts(parsed, bench.artifacts)
        if record.unread:
            bench.cut_short(digest(" ".join(record.unread).encode()) if record.again else CUT)
        _keep_readings(bench, parsed)
        if record.status in REPEATABLE:
            bench.keep("parse", _raw_key(record.status, bench.keys), record)
    failed = record.document is None and record.status is not Status.EMPTY
    bench.tell(Stage.PARSE, Phase.FAILED if failed else Phase.DONE, record.reason)
    return record


def parse_key(status: Status, keys: StageKeys) -> str:
    """Return the key under which a parse that ended so is kept, once all is done."""
    return keys.parse if status.searchable else _raw_key(status, keys)


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


def _readings(bench: Bench) -> dict[str, ReadOff]:
    """What earlier runs read off the pictures of a document that they did not get through."""
    return bench.kept(READINGS, bench.keys.readings, dict[str, ReadOff]) or {}


def _keep_readings(bench: Bench, parsed: Parsed) -> None:
    """More is read by every run: what is kept is replaced, and goes where the document is whole."""
    if parsed.unread or parsed.status in REPEATABLE:
        bench.artifacts.remove(READINGS, bench.keys.readings)
    if parsed.readings:
        bench.keep(READINGS, bench.keys.readings, parsed.readings)


def _raw_key(status: Status, keys: StageKeys) -> str:
    """The key under which it is kept as the parser left it."""
    return keys.turned_away if status is Status.TOO_LARGE else keys.raw


def _kept(bench: Bench) -> ParsedRecord | None:
    """The parse that is kept, with its figures described or not yet."""
    keys = dict.fromkeys((bench.keys.parse, bench.keys.raw, bench.keys.turned_away))
    return next((found for key in keys if (found := bench.kept("parse", key, ParsedRecord)) is not None), None)


def _told(bench: Bench, record: ParsedRecord) -> ParsedRecord:
    """The record that was kept, after telling where it comes from."""
    reason = bench.task.reason  # where its process was lost after this much of it
    if not bench.task.parsed:
        bench.tell(Stage.PARSE, Phase.DONE if reason else Phase.REUSED, reason)
    if not reason or reason == record.reason:
        return record
    whole_reason = f"{record.reason} ({reason})" if record.reason else reason
    return replace(record, status=Status.PARTIAL, reason=whole_reason)


def _parsed(bench: Bench) -> Parsed:
    task, settings, so_far = bench.task, bench.means.settings.parse, _SoFar(bench)
    known = _readings(bench)
    if task.path is not None:
        parsed = _parsed_file(bench, task.path, so_far, known)
    elif (data := bench.artifacts.get("member", task.source.digest)) is not None:
        with laid_out(data, task.source, bench.desk.scratch) as path:
            parsed = parse_within(path, task.source, settings, so_far.keep, known)
    else:
        reason = "the bytes of this part are no longer kept; ingest its container again"
        parsed = Parsed(Status.FAILED, reason=reason)
    so_far.drop()
    return parsed


def _parsed_file(bench: Bench, path: Path, so_far: _SoFar, known: Readings) -> Parsed:
    """What a file of the folder holds, opened so that it is the one that was found; one that cannot be is a result."""
    with ExitStack() as opened:
        try:
            descriptor = open_file(path, bench.means.within)
        except LeadsOut as error:
            return Parsed(Status.SKIPPED, reason=error.message)
        except OSError as error:
            return Parsed(Status.FAILED, reason=f"cannot be read: {error.strerror}")
        opened.callback(os.close, descriptor)
        if has_descriptor_paths():
            path = opened.enter_context(as_path(descriptor, path.suffix, bench.desk.scratch))
        return parse_within(path, bench.source, bench.means.settings.parse, so_far.keep, known)


class _SoFar:
    """Keeps what is read of a document so far, in case that its process does not outlive the rest."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self._kept: StageKeys | None = None

    def keep(self, parsed: Parsed) -> None:
        if parsed.document is None:
            return
        self.drop()
        bench, keys = self._bench, self._bench.means.keys(self._bench.source, cut=CUT)
        record = replace(keep_parts(parsed, bench.artifacts), status=Status.PARTIAL)
        bench.keep("parse", keys.raw, record)
        bench.desk.keep(codec.pack(Made.of(record, keys.parse, CUT)))
        self._kept = keys

    def drop(self) -> None:
        """The whole takes its place."""
        if self._kept is not None:
            self._bench.artifacts.remove("parse", self._kept.raw)
