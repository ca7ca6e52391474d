"""What every stage of a document is given in a worker process: task, keys, artifacts, limits and events."""

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
"""What no document is to blame for."""
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))
_LONGEST_REASON = 300
"""Characters of an error's text that the catalog and the report show: a few lines of a terminal."""


def held(key: str) -> str:
    """Return the key of what is held of an artifact until the document is compiled (see `WorkerContext.hold`)."""
    return f"{key}-unfinished"


class StageFailed(Exception):
    """A document made a stage fail."""

    def __init__(self, stage: str, status: Status, reason: str, error: str, retryable: bool = False) -> None:
        super().__init__(reason)
        self.stage, self.status, self.reason, self.error, self.retryable = stage, status, reason, error, retryable


@dataclass(slots=True)
class WorkerContext:
    """What every stage of a document is given: its task, its keys, and the way to its artifacts and its parent.

    `keys` become others where a figure's description is missing, or the parse is cut short.
    """

    job: JobContext
    task: DocumentTask
    keys: StageKeys = field(init=False)

    def __post_init__(self) -> None:
        self.keys = self.task.keys

    def cut_short(self, cut: str) -> None:
        """Put all that is made from here on under the keys of a parse that was cut short (see `StageKeys`)."""
        self._rekey(replace(self.task, cut=cut))

    def leave_undescribed(self, figures: str) -> None:
        """Put all that is made from here on under keys that the whole would not have: the next run looks for that."""
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
        """Return the value of an artifact; one that is damaged counts as absent, and is removed."""
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

    def hold(self, stage: str, key: str, value: object) -> None:
        """Store what is not whole, and so not what the key stands for, for the next job of this document."""
        self.drop_held(stage, key)
        self.keep(stage, held(key), value)

    def held(self, stage: str, key: str, type: type[T]) -> T | None:
        """Return what an earlier job of this run held, None where the stage was not done by one."""
        return self.kept(stage, held(key), type) if Stage(stage) in self.task.told else None

    def drop_held(self, stage: str, key: str) -> None:
        """Remove what an earlier job held."""
        if self.task.told:
            self.artifacts.remove(stage, held(key))

    def hand_out(self, compiled: Compiled) -> None:
        """Give the parent what there is so far: it is what is left where this process is lost."""
        self.job.keep(codec.pack(compiled))

    def tell(self, stage: Stage, phase: Phase, detail: str = "") -> None:
        """Report an event of this document, but for a stage that an earlier job reported."""
        if stage not in self.task.told:
            self.job.tell(codec.pack(StageEvent(stage, phase, detail)))

    def next_part(self) -> None:
        """Count the limits anew for a further part of a large file."""
        self.job.begin(Stage.PARSE.value)

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """Count the limits anew, and say of an error in which stage it was. Raises `StageFailed`."""
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
    """The error in one line that any store takes: its text may quote the document."""
    text = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    return " ".join(text.replace("\0", "").split())[:_LONGEST_REASON]
