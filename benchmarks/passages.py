"""The passages and questions of ../shared/data/multihop, as documents and as what is asked of them."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipelines.core.document import Block, BlockKind, Document, Source
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.bm25 import Bm25

DATA = Path(__file__).parents[2] / "shared" / "data" / "multihop"


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the ids of the passages that answer it."""

    text: str
    gold: tuple[str, ...]


def passages(name: str) -> list[Document]:
    """Return the passages of a set ("musique", "hotpotqa"); ends the program where the data are absent."""
    return [_passage(record) for record in _records(name, "corpus")]


def questions(name: str) -> list[Question]:
    return [Question(str(one["question"]), tuple(one["gold_passages"])) for one in _records(name, "questions")]


def pool(documents: Sequence[Document], asked: Sequence[Question], size: int) -> list[Document]:
    """Return the gold passages of the questions, and of the others those that BM25 finds nearest, `size` in all."""
    index = Bm25([f"{document.title}\n{document.text}" for document in documents])
    nearest = np.max([index.scores(question.text) for question in asked], axis=0)
    gold = {name for question in asked for name in question.gold}
    order = sorted(range(len(documents)), key=lambda n: (documents[n].source.uri not in gold, -nearest[n], n))
    return [documents[number] for number in sorted(order[: max(size, len(gold))])]


def _records(name: str, file: str) -> list[dict[str, list[str] | str]]:
    path = DATA / name / f"{file}.jsonl"
    if not path.is_file():
        sys.exit(f"no data at {path}: this benchmark needs the shared folder beside the repository")
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def _passage(record: dict[str, list[str] | str]) -> Document:
    name, title, text = (str(record[key]) for key in ("id", "title", "text"))
    source = Source(name, "text/plain", len(text), name)
    place = Provenance(source.document_id, Span(0, len(text)))
    block = Block(f"block:{name}", BlockKind.PARAGRAPH, text, place)
    return Document(source.document_id, source, title, text, (block,), language="en")
