"""What a splitter is: it decides where a chunk ends, and sums up both sides (PIKE-RAG 5.2.1, figure 5)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from pipelines.chunk.unit import Unit
from pipelines.core.outcome import Failure


@dataclass(frozen=True, slots=True)
class Window:
    """The beginning of what is left of a section, as numbered sentences.

    `sentences` are their texts and `units` what they are, both numbered from 1. `choices` are the numbers, ascending
    and never empty, of the sentences with which the chunk may end. `forward_summary` says what came before. `tries` is
    how often a model may be asked about the window, `document` the id of the one that it is of.
    """

    subject: str
    title: str
    heading_path: tuple[str, ...]
    language: str
    forward_summary: str
    sentences: tuple[str, ...]
    units: tuple[Unit, ...]
    choices: tuple[int, ...]
    tries: int = 1
    document: str = ""


@dataclass(frozen=True, slots=True)
class Cut:
    """The chunk ends with sentence `end`; `summary` is of the chunk, `forward_summary` of what the rest should know.

    Empty summaries are replaced by extracted ones. `failure` says why a splitter that asks a model had to decide
    without it, `tries` how often it asked.
    """

    end: int
    summary: str = ""
    forward_summary: str = ""
    failure: Failure | None = None
    tries: int = 1


@runtime_checkable
class Splitter(Protocol):
    """Anything that can choose among the places where a chunk may end."""

    async def cut(self, window: Window) -> Cut:
        """Return where the chunk that begins the window ends.

        An `end` that is none of the window's choices counts as the last of them. Raises `BudgetExceeded` alone.
        """
        ...
