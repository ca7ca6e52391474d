"""Results and failures of work over many documents; and which errors fail one document, which end the run.

`each` runs a function over documents: an exception becomes a `Failure` of that document, and the others are still
processed. Errors of the machine, of a store or of the settings end the run.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

from pipelines.core.errors import (
    ArtifactUnreadable,
    BudgetExceeded,
    DocumentsFailed,
    MissingExtra,
    SettingsError,
    StoreError,
)

T = TypeVar("T")
R = TypeVar("R")


class Status(StrEnum):
    """The processing status of a file."""

    INDEXED = "indexed"
    PARTIAL = "partial"
    EMPTY = "empty"
    ENCRYPTED = "encrypted"
    UNSUPPORTED = "unsupported"
    TOO_LARGE = "too_large"
    MALFORMED = "malformed"
    SKIPPED = "skipped"
    FAILED = "failed"

    @property
    def searchable(self) -> bool:
        return self in (Status.INDEXED, Status.PARTIAL)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why an input has no result. `subject` is its id or URI, `reason` a sentence, `error` the error class."""

    subject: str
    stage: str
    reason: str
    error: str = ""
    status: Status = Status.FAILED
    retryable: bool = False


@dataclass(frozen=True, slots=True)
class Outcome(Generic[T]):
    """Results and failures of many inputs; each input is in exactly one of the two."""

    results: tuple[T, ...] = ()
    failures: tuple[Failure, ...] = ()

    def __add__(self, other: Outcome[T]) -> Outcome[T]:
        return Outcome(self.results + other.results, self.failures + other.failures)


_EXHAUSTED = frozenset(
    (errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN)
)
_LONGEST_REASON = 300


def ends_the_run(error: BaseException) -> bool:
    """Whether an error is caused by the machine, a store or the settings, and not by a single document.

    True for anything that `except Exception` does not catch, an exhausted resource, a store error, an exceeded budget.
    False for an unreadable artifact, which concerns its document only.
    """
    if not isinstance(error, Exception) or isinstance(error, MemoryError | BudgetExceeded | SettingsError):
        return True
    if isinstance(error, MissingExtra) or (isinstance(error, StoreError) and not isinstance(error, ArtifactUnreadable)):
        return True
    return any(isinstance(one, OSError) and one.errno in _EXHAUSTED for one in (error, error.__cause__))


def as_failure(subject: str, stage: str, error: Exception) -> Failure:
    """Return `error` as the failure of `subject`, the id of a document; re-raise it if it `ends_the_run`.

    A failure is retryable if its cause may be something other than the document's content.
    """
    if ends_the_run(error):
        raise error
    retryable = isinstance(error, OSError | ArtifactUnreadable)
    return Failure(subject, stage, f"{stage}: {_one_line(error)}", type(error).__name__, Status.FAILED, retryable)


def _one_line(error: Exception) -> str:
    """Return an error as one line that any store accepts: its text may quote the document."""
    name = type(error).__name__
    text = " ".join(f"{name}: {error}".encode("utf-8", "backslashreplace").decode().replace("\0", "").split())
    return text if len(text) <= _LONGEST_REASON else text[: _LONGEST_REASON - 1] + "…"


def each(stage: str, items: Iterable[T], subject: Callable[[T], str], work: Callable[[T], R]) -> list[R]:
    """Return the results of `work` for all items, in order; `subject` returns the id of an item's document.

    Raises `DocumentsFailed` with all failed documents after the last item has been processed.
    """
    results: list[R] = []
    failures: list[Failure] = []
    for item in items:
        try:
            results.append(work(item))
        except Exception as error:
            failures.append(as_failure(subject(item), stage, error))
    if failures:
        raise DocumentsFailed(tuple(failures))
    return results
