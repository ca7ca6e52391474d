"""Retrieval of passages by their text, atoms, tags and summaries, separately and combined."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from evaluate.questions import Question
from pipelines.atomize.self_recall import DocumentRecords, SearchRecords, SelfRecall, rank, self_recall
from pipelines.core.document import Document
from pipelines.core.knowledge import Distillate
from pipelines.core.vectors import Vectors
from pipelines.lang.bm25 import Bm25
from pipelines.llm.embedder import Embedder
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind

KINDS = ("chunk", "atoms", "tags", "summaries")
VARIANTS = (
    ("chunk",),
    ("chunk", "atoms"),
    ("chunk", "tags"),
    ("chunk", "summaries"),
    ("chunk", "atoms", "summaries"),
    ("chunk", "atoms", "tags", "summaries"),
)
DEPTH = 5


@dataclass(frozen=True, slots=True)
class DistilledPassage:
    """A passage as a document with one chunk, and its distillate."""

    document: Document
    distillate: Distillate

    def texts(self, kind: str, quarantined: Collection[str] = ()) -> list[str]:
        """Return the texts for retrieval."""
        (chunk,) = self.distillate.chunks
        match kind:
            case "atoms":
                return [atom.text for atom in self.distillate.atoms if atom.id not in quarantined]
            case "tags":
                return [" ; ".join(tag.text for tag in self.distillate.tags)]
            case "summaries":
                return [chunk.summary]
            case _:
                return [f"{self.document.title}\n{chunk.text}"]


@dataclass(frozen=True, slots=True)
class TextScores:
    """Return the score of each passage's best text for each question, shape (questions, passages)."""

    dense: Vectors
    lexical: Vectors


def gate(found: Sequence[DistilledPassage], embedder: Embedder) -> SelfRecall:
    """Return which atoms find their own passage."""
    atoms = [
        Record(atom.id, RecordKind.ATOM, one.document.id, atom.text, atom.chunk)
        for one in found
        for atom in one.distillate.atoms
    ]
    chunks = [
        Record(one.distillate.chunks[0].id, RecordKind.CHUNK, one.document.id, one.texts("chunk")[0]) for one in found
    ]
    records = [SearchRecords.of(_embedded(part, embedder)) for part in (atoms, chunks)]
    documents = {"": DocumentRecords(*records)}
    return self_recall(documents, rank(documents))


def table(
    found: Sequence[DistilledPassage], asked: Sequence[Question], embedder: Embedder, quarantined: Collection[str] = ()
) -> str:
    """Return recall@5 of the gold passages for each variant, by dense and by lexical scores and by both."""
    scores = {kind: _scores(found, kind, asked, embedder, quarantined) for kind in KINDS}
    ids = [one.document.source.uri for one in found]
    lines = [f"{'recall@5 by':34}{'dense':>8}{'lexical':>9}{'both':>8}{'dense + chunk lexical':>23}"]
    for variant in VARIANTS:
        dense = np.max([scores[kind].dense for kind in variant], axis=0)
        lexical = np.max([scores[kind].lexical for kind in variant], axis=0)
        combinations = (
            dense,
            lexical,
            _scaled(dense) + _scaled(lexical),
            _scaled(dense) + _scaled(scores["chunk"].lexical),
        )
        figures = [f"{100 * _recall(one, asked, ids):.1f}" for one in combinations]
        lines.append(f"{' + '.join(variant):34}{figures[0]:>8}{figures[1]:>9}{figures[2]:>8}{figures[3]:>23}")
    return "\n".join(lines)


def _scores(
    found: Sequence[DistilledPassage],
    kind: str,
    asked: Sequence[Question],
    embedder: Embedder,
    quarantined: Collection[str],
) -> TextScores:
    texts = [(number, text) for number, one in enumerate(found) for text in one.texts(kind, quarantined)]
    owners = np.array([number for number, _ in texts], dtype=np.intp)
    index = Bm25([text for _, text in texts])
    dense = embedder.embed([question.question for question in asked]) @ embedder.embed([text for _, text in texts]).T
    lexical = np.stack([index.scores(question.question) for question in asked])
    return TextScores(_best(dense, owners, len(found)), _best(lexical, owners, len(found)))


def _best(scores: Vectors, owners: np.ndarray, size: int) -> Vectors:
    best = np.zeros((size, len(scores)), dtype=np.float32)
    np.maximum.at(best, owners, scores.T)
    return best.T


def _scaled(scores: Vectors) -> Vectors:
    """Scale each question's scores to [0, 1]."""
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    scaled: Vectors = (scores - low) / np.maximum(high - low, 1e-9)
    return scaled


def _recall(scores: Vectors, asked: Sequence[Question], ids: Sequence[str]) -> float:
    place = {name: number for number, name in enumerate(ids)}
    top = np.argsort(-scores, axis=1, kind="stable")[:, :DEPTH]
    wanted = [{place[name] for name in question.gold_passages} for question in asked]
    return float(np.mean([len(gold & set(row.tolist())) / len(gold) for gold, row in zip(wanted, top, strict=True)]))


def _embedded(records: Sequence[Record], embedder: Embedder) -> EmbeddedRecords:
    return EmbeddedRecords(tuple(records), embedder.embed([record.text for record in records]))
