"""What a run tells while it goes on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Stage(StrEnum):
    SCAN = "scan"
    SERVER = "starting Prefect's server"
    PARSE = "parse"
    CHUNK = "chunk"
    ATOMIZE = "atomize"
    EMBED = "embed"
    LINK = "link"
    LOAD = "load"
    PROJECT = "project"
    LEARN = "learn"


class Phase(StrEnum):
    STARTED = "started"
    DONE = "done"
    REUSED = "reused"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Event:
    """Something happened to `subject` (a URI, empty for the whole corpus) in a stage.

    `total` is the number of documents to do, told with the end of what comes before the first of them.
    """

    stage: Stage
    phase: Phase
    subject: str = ""
    detail: str = ""
    total: int = 0


Progress = Callable[[Event], None]


def silent(event: Event) -> None:
    """Tell nobody."""
