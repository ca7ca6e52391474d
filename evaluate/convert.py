"""Converts benchmarks from their published formats to files of questions and passages."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evaluate.questions import Passage, Question, write_lines
from pipelines.core.errors import SourceError
from pipelines.core.ids import content_id

PublishedRecord = dict[str, Any]
"""One line of a published file, whatever its benchmark."""


@dataclass(frozen=True, slots=True)
class Converted:
    """Questions, and the union of their passages, each once, in order of first occurrence."""

    questions: tuple[Question, ...]
    passages: tuple[Passage, ...]


def convert(name: str, path: Path) -> Converted:
    """Return what a published file holds; `name` is a key of `FORMATS`. Raises `SourceError` naming what is missing."""
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
    """Write `questions.jsonl`, and `corpus.jsonl` where there are passages, into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    write_lines(folder / "questions.jsonl", converted.questions)
    if converted.passages:
        write_lines(folder / "corpus.jsonl", converted.passages)


def _records(path: Path) -> Iterator[PublishedRecord]:
    """The records of a file: JSON Lines, or one list."""
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


def _pairs(told: Any) -> list[tuple[str, Any]]:
    """Pairs as in the published files, or as two lists by name as in the copies on dataset hubs."""
    if isinstance(told, dict):
        return list(zip(told["title"], told["sentences"] if "sentences" in told else told["sent_id"], strict=True))
    return [(title, rest) for title, rest in told]


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
    """BlendQA: {index, question, answers}; the file's name tells the sources that are blended ("kg-web_132")."""
    kind = path.stem.rpartition("_")[0] or path.stem
    labels = record["answers"] if isinstance(record["answers"], list) else [record["answers"]]
    return Question(f"{kind}-{record['index']}", record["question"], tuple(map(str, labels)), kind), []


def _passage(title: str, text: str) -> Passage:
    return Passage(content_id("passage", title, text).partition(":")[2][:16], title, text)


def _joined(sentences: Iterable[str]) -> str:
    """HotpotQA's sentences begin with their blank, 2WikiMultiHopQA's do not."""
    return " ".join(sentence.strip() for sentence in sentences if sentence.strip())


FORMATS: dict[str, Callable[[PublishedRecord, Path], tuple[Question, list[Passage]]]] = {
    "hotpotqa": _hotpotqa,
    "2wikimultihopqa": _hotpotqa,
    "musique": _musique,
    "blendqa": _blendqa,
}
