"""The context of a stage in a worker process: task, keys, artifacts, limits and events."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import TypeVar

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import BudgetExceeded, MissingExtra, SettingsError, StoreError, StrataError
from pipelines.core.outcome import Status
from pipelines.core.work.job import JobContext
from pipelines.ingest.keys import StageKeys
from pipelines.ingest.report import Phase, Stage
from pipelines.ingest.task import DOING, Compiled, DocumentTask, StageEvent, WorkerSetup
from pipelines.store.artifact import ArtifactStore

T = TypeVar("T")

_ENDS_THE_RUN = (BudgetExceeded, StoreError, SettingsError, MissingExtra)
"""Errors that a document does not cause."""
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))
_LONGEST_REASON = 300
"""Maximum characters of an error in the catalog and the report: a few lines of a terminal."""


def unfinished_key(key: str) -> str:
    """Return the key of an unfinished result, which is stored until the document is compiled."""
    return f"{key}-unfinished"


class StageFailed(Exception):
    """A stage failed because of the document."""

    def __init__(self, stage: str, status: Status, reason: str, error: str, retryable: bool = False) -> None:
        super().__init__(reason)
        self.stage, self.status, self.reason, self.error, self.retryable = stage, status, reason, error, retryable


@dataclass(slots=True)
class WorkerContext:
    """The task and the keys of a document, with access to its artifacts and to the parent process.

    `keys` change if the description of a figure is missing or the parse is cut short.
    """

    job: JobContext
    task: DocumentTask
    keys: StageKeys = field(init=False)

    def __post_init__(self) -> None:
        self.keys = self.task.keys

    def cut_short(self, cut: str) -> None:
        """From now on, use the keys of a parse that was cut short (see `StageKeys`)."""
        self._rekey(replace(self.task, cut=cut))

    def leave_undescribed(self, figures: str) -> None:
        """From now on, use the keys of a document without these descriptions, so that the next run tries again."""
        self._rekey(replace(self.task, undescribed=figures))

    def _rekey(self, task: DocumentTask) -> None:
        self.task, self.keys = task, task.keys

    @property
    def cut(self) -> str:
        return self.task.cut

    @property
    def setup(self) -> WorkerSetup:
        return self.task.setup

    @property
    def source(self) -> Source:
        return self.task.source

    @property
    def artifacts(self) -> ArtifactStore:
        return self.task.setup.artifacts

    def kept(self, stage: str, key: str, type: type[T]) -> T | None:
        """Return the value of an artifact, or None if it is missing or damaged; a damaged one is removed."""
        data = self.artifacts.get(stage, key)
        if data is None:
            return None
        try:
            return codec.decode(data, type)
        except (codec.DecodeError, ValueError):
            self.artifacts.remove(stage, key)
            return None

    def keep(self, stage: str, key: str, value: object) -> None:
        """Store `value` as an artifact."""
        self.artifacts.put(stage, key, codec.encode(value))

    def keep_unfinished(self, stage: str, key: str, value: object) -> None:
        """Store an unfinished result for the next job of this document, under a different key."""
        self.drop_unfinished(stage, key)
        self.keep(stage, unfinished_key(key), value)

    def unfinished(self, stage: str, key: str, type: type[T]) -> T | None:
        """Return the unfinished result of an earlier job of this run, or None if there is none."""
        return self.kept(stage, unfinished_key(key), type) if Stage(stage) in self.task.reported else None

    def drop_unfinished(self, stage: str, key: str) -> None:
        """Remove the unfinished result of an earlier job."""
        if self.task.reported:
            self.artifacts.remove(stage, unfinished_key(key))

    def send_partial(self, compiled: Compiled) -> None:
        """Send a partial result to the parent, which uses it if this process dies."""
        self.job.keep(codec.pack(compiled))

    def tell(self, stage: Stage, phase: Phase, detail: str = "") -> None:
        """Report an event of this document, unless an earlier job has reported this stage."""
        if stage not in self.task.reported:
            self.job.tell(codec.pack(StageEvent(stage, phase, detail)))

    def next_part(self) -> None:
        """Restart the limits of the job for a further part of a large file."""
        self.job.begin(Stage.PARSE.value)

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """Restart the limits of the job for a stage; raise an error of the document as `StageFailed`."""
        self.job.begin(stage)
        try:
            yield
        except _ENDS_THE_RUN:
            raise
        except StrataError as error:
            name, again = type(error).__name__, error.retryable
            raise StageFailed(stage, Status.FAILED, error.message, name, again) from error
        except MemoryError as error:
            reason = f"{DOING[stage]} ran out of memory"
            raise StageFailed(stage, Status.TOO_LARGE, reason, "MemoryError") from error
        except RecursionError as error:
            reason = f"nested too deep for {DOING[stage]}"
            raise StageFailed(stage, Status.TOO_LARGE, reason, "RecursionError") from error
        except Exception as error:
            if isinstance(error, OSError) and error.errno in _FULL:
                raise StoreError(f"{DOING[stage]} cannot write: {error.strerror}") from error
            reason = f"{DOING[stage]} failed: {_line(error)}"
            raise StageFailed(stage, Status.FAILED, reason, type(error).__name__) from error


def _line(error: Exception) -> str:
    """Return an error as one line that any store accepts: its text may quote the document."""
    text = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    return " ".join(text.replace("\0", "").split())[:_LONGEST_REASON]
