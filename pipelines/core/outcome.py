"""What a stage returns for many inputs: its results and its failures."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

T = TypeVar("T")


class Status(StrEnum):
    """How a file of the folder ended (design, section 4)."""

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
    """Why one input has no result. `subject` is its id or URI, `reason` a sentence, `error` the class's name."""

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
