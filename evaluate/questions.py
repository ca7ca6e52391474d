"""Questions with what is known of their answers, and the passages of a benchmark, in Strata's own formats."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipelines.core import codec
from pipelines.core.errors import SourceError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Passage:
    """One passage of a benchmark's corpus; it is ingested as a document of one chunk."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Place:
    """Where an answer stands: the file's name, its page (a number, a sheet's name, or None), and the words."""

    file: str
    page: int | str | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answers, and the passages (`gold_passages`) or places (`sources`) they rest on.

    `type` is the benchmark's own ("bridge", "table", "unanswerable", ...), `hops` 0 where it does not say.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    type: str = ""
    hops: int = 0
    gold_passages: tuple[str, ...] = ()
    sources: tuple[Place, ...] = ()
    answer: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The right answers, however the file gives them."""
        return self.answers or ((self.answer,) if self.answer else ())

    @property
    def answerable(self) -> bool:
        return self.type != "unanswerable"


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a JSON Lines file, in its order. Raises `SourceError` naming the line at fault."""
    return tuple(_lines(path, Question))


def read_passages(path: Path) -> tuple[Passage, ...]:
    """Return the passages of a JSON Lines file {id, title, text}, in its order. Raises `SourceError`."""
    return tuple(_lines(path, Passage))


def _lines(path: Path, type: type[T]) -> Iterator[T]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            yield codec.decode(line, type)
        except codec.DecodeError as error:
            raise SourceError(f"{path}, line {number}: {error}") from error
