"""Where a worker makes one document: its limits, events, artifacts, and what it says of errors."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TypeVar

from pipelines.core import codec
from pipelines.core.document import Source
from pipelines.core.errors import BudgetExceeded, MissingExtra, SettingsError, StoreError, StrataError
from pipelines.core.outcome import Status
from pipelines.core.work.job import JobContext
from pipelines.ingest.keys import StageKeys
from pipelines.ingest.progress import Phase, Stage
from pipelines.ingest.task import DESCRIBE, DOING, Made, Means, Task, Told
from pipelines.store.artifact import ArtifactStore

T = TypeVar("T")

_ENDS_THE_RUN = (BudgetExceeded, StoreError, SettingsError, MissingExtra)
"""What no document is to blame for."""
_FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EROFS))
_LONGEST_REASON = 300


class StageFailed(Exception):
    """A document made a stage fail."""

    def __init__(self, stage: str, status: Status, reason: str, error: str, retryable: bool = False) -> None:
        super().__init__(reason)
        self.stage, self.status, self.reason, self.error, self.retryable = stage, status, reason, error, retryable


@dataclass(slots=True)
class Bench:
    """One document being made. `keys` change where a figure's description is missing, or its parse is cut short."""

    desk: JobContext
    task: Task
    keys: StageKeys
    cut: str = ""

    @staticmethod
    def of(desk: JobContext, task: Task) -> Bench:
        return Bench(desk, task, task.keys, task.cut)

    def cut_short(self, cut: str) -> None:
        """Have all that is made from here on lie under the keys of a parse that was cut short (see `StageKeys`)."""
        self.cut, self.keys = cut, self.means.keys(self.source, cut=cut)

    @property
    def means(self) -> Means:
        return self.task.means

    @property
    def source(self) -> Source:
        return self.task.source

    @property
    def artifacts(self) -> ArtifactStore:
        return self.task.means.artifacts

    def kept(self, stage: str, key: str, type: type[T]) -> T | None:
        """Return the value of an artifact; one that is damaged counts as absent, and goes."""
        data = self.artifacts.get(stage, key)
        if data is None:
            return None
        try:
            return codec.decode(data, type)
        except (codec.DecodeError, ValueError):
            self.artifacts.remove(stage, key)
            return None

    def keep(self, stage: str, key: str, value: object) -> None:
        self.artifacts.put(stage, key, codec.encode(value))

    def tell(self, stage: Stage, phase: Phase, detail: str = "") -> None:
        self.desk.tell(codec.pack(Told(stage, phase, detail)))

    @contextmanager
    def stage(self, stage: str) -> Iterator[None]:
        """Count the limits anew, and say of an error in which stage it was. Raises `StageFailed`."""
        self.desk.begin(stage)
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

    def failed(self, made: Made, failed: StageFailed) -> Made:
        """Return what is left of the document, and tell so."""
        if failed.stage != DESCRIBE:
            self.tell(Stage(failed.stage), Phase.FAILED, failed.reason)
        return made.failed(failed.stage, failed.status, failed.reason, failed.error, failed.retryable)


def _line(error: Exception) -> str:
    """The error in one line that any store takes: its text may quote the document."""
    text = f"{type(error).__name__}: {error}".encode("utf-8", "backslashreplace").decode()
    return " ".join(text.replace("\0", "").split())[:_LONGEST_REASON]
