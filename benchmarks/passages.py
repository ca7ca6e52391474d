"""The passages of ../shared/data/multihop as documents without ingest, and the questions about them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from evaluate.questions import Passage, Question, read_passages, read_questions
from pipelines.core.document import Block, BlockKind, Document, Source
from pipelines.core.provenance import Provenance, Span
from pipelines.lang.bm25 import Bm25

DATA = Path(__file__).parents[2] / "shared" / "data" / "multihop"


def passages(name: str) -> list[Document]:
    """Return the passages of a set ("musique", "hotpotqa"); exits if the data are missing."""
    return [_document(passage) for passage in read_passages(_file(name, "corpus"))]


def questions(name: str) -> tuple[Question, ...]:
    """Return the questions of a set; exits if the data are missing."""
    return read_questions(_file(name, "questions"))


def pool(documents: Sequence[Document], asked: Sequence[Question], size: int) -> list[Document]:
    """Return `size` passages: the gold passages of the questions, and the others with the best BM25 scores."""
    index = Bm25([f"{document.title}\n{document.text}" for document in documents])
    nearest = np.max([index.scores(question.question) for question in asked], axis=0)
    gold = {name for question in asked for name in question.gold_passages}
    order = sorted(range(len(documents)), key=lambda n: (documents[n].source.uri not in gold, -nearest[n], n))
    return [documents[number] for number in sorted(order[: max(size, len(gold))])]


def _file(name: str, kind: str) -> Path:
    path = DATA / name / f"{kind}.jsonl"
    if not path.is_file():
        sys.exit(f"no data at {path}: this benchmark needs the shared folder beside the repository")
    return path


def _document(passage: Passage) -> Document:
    source = Source(passage.id, "text/plain", len(passage.text), passage.id)
    place = Provenance(source.document_id, Span(0, len(passage.text)))
    block = Block(f"block:{passage.id}", BlockKind.PARAGRAPH, passage.text, place)
    return Document(source.document_id, source, passage.title, passage.text, (block,), language="en")
