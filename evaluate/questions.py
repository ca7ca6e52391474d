"""Questions with answers, and passages of benchmarks, as JSON Lines; conversion from published formats."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from pipelines.core import codec
from pipelines.core.errors import SourceError
from pipelines.core.ids import content_id
from pipelines.ingest.feedback import Feedback

T = TypeVar("T")
_SUFFIX = ".html"
_UNSAFE = re.compile(r"[^\w.-]|^[.~]")
PublishedRecord = dict[str, Any]
"""One record of a published file of any benchmark."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage of a benchmark's corpus, which is ingested as a separate document."""

    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class GoldSource:
    """The place of a right answer: the file name, the page (a number, a sheet's name, or None), and the quote."""

    file: str
    page: int | str | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its right answers, and the passages (`gold_passages`) or places (`sources`) that have them.

    `type` is defined by the benchmark ("bridge", "table", "unanswerable", ...); `hops` is 0 if unknown.
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
        """The right answers, from `answers` or `answer`."""
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
        """The places of the answer: the sources, or the documents of the gold passages."""
        return self.sources or tuple(map(GoldSource, self.gold_uris))


def passage_uri(id: str) -> str:
    """Return the URI of a passage's document: its id, with "_" for characters not allowed in file names."""
    return f"{_UNSAFE.sub('_', id)}{_SUFFIX}"


def passage_id(uri: str) -> str:
    """Return the id of the passage whose document has this URI, with "_" as in the URI."""
    return uri.removesuffix(_SUFFIX)


def read_questions(path: Path) -> tuple[Question, ...]:
    """Return the questions of a JSON Lines file in order. Raises `SourceError` with the number of an invalid line."""
    return tuple(_read(path, Question))


def read_passages(path: Path) -> tuple[Passage, ...]:
    """Return the passages of a JSON Lines file in order. Raises `SourceError` with the number of an invalid line."""
    return tuple(_read(path, Passage))


def write_lines(path: Path, values: Iterable[object]) -> None:
    """Write questions, passages or results as JSON Lines."""
    path.write_bytes(b"".join(codec.encode(value) + b"\n" for value in values))


def lines_of(path: Path) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line) for the non-blank lines of a file. Raises `SourceError`."""
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


def questions_of(feedback: Iterable[Feedback]) -> list[Question]:
    """Return the questions of feedback with a known right answer, with the places of right answers."""
    return [_question(one) for one in feedback if one.expected or (one.right and one.answer)]


def _question(one: Feedback) -> Question:
    places = dict.fromkeys((place.uri.rsplit("/", 1)[-1], place.page) for place in one.places if one.right)
    sources = tuple(GoldSource(file, page) for file, page in places)
    return Question(one.id, one.question, answer=one.expected or one.answer, sources=sources, type="feedback")


@dataclass(frozen=True, slots=True)
class Converted:
    """Questions, and their passages without duplicates, in order of first occurrence."""

    questions: tuple[Question, ...]
    passages: tuple[Passage, ...]


def convert_benchmark(name: str, path: Path) -> Converted:
    """Return the contents of a published file in the format `name`, a key of `FORMATS`. Raises `SourceError`."""
    if name not in FORMATS:
        raise SourceError(f"no such format: {name}", hint=f"one of {', '.join(FORMATS)}")
    pairs: list[tuple[Question, list[Passage]]] = []
    for number, record in enumerate(_records(path), 1):
        try:
            pairs.append(FORMATS[name](record, path))
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise SourceError(f"{path}, record {number}: not of the format {name} ({error!r})") from error
    passages = {passage.id: passage for _, found in pairs for passage in found}
    return Converted(tuple(question for question, _ in pairs), tuple(passages.values()))


def write(converted: Converted, folder: Path) -> None:
    """Write `questions.jsonl`, and `corpus.jsonl` if there are passages, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "questions.jsonl", converted.questions)
    if converted.passages:
        write_lines(folder / "corpus.jsonl", converted.passages)


def _records(path: Path) -> Iterator[PublishedRecord]:
    """Yield the records of a file: JSON Lines, or one list."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise SourceError(f"cannot read {path}: {error.strerror}") from error
    try:
        if text.lstrip().startswith("["):
            yield from json.loads(text)
        else:
            yield from (json.loads(line) for line in text.splitlines() if line.strip())
    except json.JSONDecodeError as error:
        raise SourceError(f"{path} is not JSON: {error}") from error


def _hotpotqa(record: PublishedRecord, path: Path) -> tuple[Question, list[Passage]]:
    """HotpotQA and 2WikiMultiHopQA: {_id, question, answer, type, supporting_facts, context: [[title, sentences]]}."""
    passages = [_passage(title, _joined(sentences)) for title, sentences in _pairs(record["context"])]
    wanted = {title for title, _ in _pairs(record["supporting_facts"])}
    gold = tuple(dict.fromkeys(passage.id for passage in passages if passage.title in wanted))
    question = Question(
        str(record.get("_id") or record["id"]), record["question"], (str(record["answer"]),), record.get("type", ""),
        gold_passages=gold,
    )  # fmt: skip
    return question, passages


def _pairs(field: Any) -> list[tuple[str, Any]]:
    """Return pairs, from pairs as in the published files, or from two named lists as in copies on dataset hubs."""
    if isinstance(field, dict):
        return list(zip(field["title"], field["sentences"] if "sentences" in field else field["sent_id"], strict=True))
    return [(title, rest) for title, rest in field]


def _musique(record: PublishedRecord, path: Path) -> tuple[Question, list[Passage]]:
    """MuSiQue: {id, question, answer, answer_aliases, paragraphs: [{title, paragraph_text, is_supporting}]}."""
    marked = [(_passage(one["title"], one["paragraph_text"]), one["is_supporting"]) for one in record["paragraphs"]]
    gold = tuple(dict.fromkeys(passage.id for passage, supports in marked if supports))
    labels = tuple(dict.fromkeys([str(record["answer"]), *map(str, record.get("answer_aliases", ()))]))
    kind = "" if record.get("answerable", True) else "unanswerable"
    hops = len(record.get("question_decomposition", ()))
    question = Question(record["id"], record["question"], labels, kind, hops, gold)
    return question, [passage for passage, _ in marked]


def _blendqa(record: PublishedRecord, path: Path) -> tuple[Question, list[Passage]]:
    """BlendQA: {index, question, answers}; the file's name gives the blended sources ("kg-web_132")."""
    kind = path.stem.rpartition("_")[0] or path.stem
    labels = record["answers"] if isinstance(record["answers"], list) else [record["answers"]]
    return Question(f"{kind}-{record['index']}", record["question"], tuple(map(str, labels)), kind), []


def _passage(title: str, text: str) -> Passage:
    return Passage(content_id("passage", title, text).partition(":")[2][:16], title, text)


def _joined(sentences: Iterable[str]) -> str:
    """Join sentences; those of HotpotQA begin with a blank, those of 2WikiMultiHopQA do not."""
    return " ".join(sentence.strip() for sentence in sentences if sentence.strip())


FORMATS: dict[str, Callable[[PublishedRecord, Path], tuple[Question, list[Passage]]]] = {
    "hotpotqa": _hotpotqa,
    "2wikimultihopqa": _hotpotqa,
    "musique": _musique,
    "blendqa": _blendqa,
}
