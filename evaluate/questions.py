"""Questions with their right answers, and the passages of a benchmark, as JSON Lines files.

{"id": "q1", "question": "Who ...?", "answers": ["..."], "gold_passages": ["p1", "p2"]}
{"id": "q2", "question": "What ...?", "answer": "...", "sources": [{"file": "a.pdf", "page": 3, "quote": "..."}]}
{"id": "p1", "title": "...", "text": "..."}
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pipelines.core import codec
from pipelines.core.errors import SourceError
from pipelines.ingest.feedback import Feedback

T = TypeVar("T")
_SUFFIX = ".html"
_UNSAFE = re.compile(r"[^\w.-]|^[.~]")


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a benchmark's corpus; it is ingested as a document of its own."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GoldSource:
    """Where a right answer stands: the file's name, its page (a number, a sheet's name, or None), and the words."""

    file: str
    page: int | str | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answers, and the passages (`gold_passages`) or places (`sources`) that say them.

    `type` is the benchmark's own ("bridge", "table", "unanswerable", ...), `hops` 0 where it does not say.
    """

    id: str
    question: str
    answers: tuple[str, ...] = ()
    type: str = ""
    hops: int = 0
    gold_passages: tuple[str, ...] = ()
    sources: tuple[GoldSource, ...] = ()
    answer: str = ""

    @property
    def labels(self) -> tuple[str, ...]:
        """The right answers, by whichever name the file gives them."""
        return self.answers or ((self.answer,) if self.answer else ())

    @property
    def answerable(self) -> bool:
        return self.type != "unanswerable"

    @property
    def gold_uris(self) -> tuple[str, ...]:
        """The URIs of the gold passages' documents."""
        return tuple(map(passage_uri, self.gold_passages))

    @property
    def gold_sources(self) -> tuple[GoldSource, ...]:
        """Where the answer stands: the sources, or the documents of the gold passages."""
        return self.sources or tuple(map(GoldSource, self.gold_uris))


def passage_uri(id: str) -> str:
    """Return the URI of the document that a passage is ingested as: its id, "_" for what a file name may not hold."""
    return f"{_UNSAFE.sub('_', id)}{_SUFFIX}"


def passage_id(uri: str) -> str:
    """Return the id of the passage whose document has this URI, "_" in it as in the URI."""
    return uri.removesuffix(_SUFFIX)


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a JSON Lines file, in its order. Raises `SourceError` naming the line at fault."""
    return tuple(_read(path, Question))


def read_passages(path: Path) -> tuple[Passage, ...]:
    """Return the passages of a JSON Lines file, in its order. Raises `SourceError` naming the line at fault."""
    return tuple(_read(path, Passage))


def write_lines(path: Path, values: Iterable[object]) -> None:
    """Write questions, passages or results as JSON Lines."""
    path.write_bytes(b"".join(codec.encode(value) + b"\n" for value in values))


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield the lines of a file that are not blank, with their numbers from 1. Raises `SourceError`."""
    try:
        lines = path.read_bytes().splitlines()
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from error
    yield from ((number, line) for number, line in enumerate(lines, 1) if line.strip())


def _read(path: Path, type: type[T]) -> Iterator[T]:
    for number, line in lines_of(path):
        try:
            yield codec.decode(line, type)
        except codec.DecodeError as error:
            raise SourceError(f"{path}, line {number}: {error}") from error


def questions_of(said: Iterable[Feedback]) -> list[Question]:
    """Return the questions whose right answer is known, and where a right answer was found."""
    return [_question(one) for one in said if one.expected or (one.right and one.answer)]


def _question(one: Feedback) -> Question:
    places = dict.fromkeys((place.uri.rsplit("/", 1)[-1], place.page) for place in one.places if one.right)
    sources = tuple(GoldSource(file, page) for file, page in places)
    return Question(one.id, one.question, answer=one.expected or one.answer, sources=sources, type="feedback")
