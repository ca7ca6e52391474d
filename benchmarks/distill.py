"""What atoms, tags and summaries do for retrieval: each switched on and off over the passages of ../shared.

    python -m benchmarks.distill [--set musique|hotpotqa]

Recall@5 of the gold passages, by dense and lexical scores of each passage's best representation. No model is asked.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from pipelines.atomize.atomize import atomize
from pipelines.atomize.extractive import ExtractiveDistiller
from pipelines.atomize.lexical import Bm25
from pipelines.atomize.recall import self_recall
from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.chunk import chunk
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.structural import StructuralSplitter
from pipelines.core.document import Block, BlockKind, Document, Source
from pipelines.core.knowledge import Distillate
from pipelines.core.provenance import Provenance, Span
from pipelines.core.vectors import Vectors
from pipelines.llm.embedder import Embedder
from pipelines.llm.wordllama import WordLlamaEmbedder
from pipelines.store.vector import Embedded, Record, RecordKind

DATA = Path(__file__).parent.parent.parent / "shared" / "data" / "multihop"


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    gold: tuple[str, ...]


def passages(name: str) -> list[Document]:
    lines = (DATA / name / "corpus.jsonl").read_text("utf-8").splitlines()
    return [passage(json.loads(line)) for line in lines]


def passage(record: dict[str, str]) -> Document:
    source = Source(record["id"], "text/plain", len(record["text"]), record["id"])
    place = Provenance(source.document_id, Span(0, len(record["text"])))
    block = Block(f"block:{record['id']}", BlockKind.PARAGRAPH, record["text"], place)
    return Document(source.document_id, source, record["title"], record["text"], (block,), language="en")


def questions(name: str) -> list[Question]:
    lines = (DATA / name / "questions.jsonl").read_text("utf-8").splitlines()
    return [Question(q["question"], tuple(q["gold_passages"])) for q in map(json.loads, lines)]


async def distil_all(documents: Iterable[Document]) -> list[Distillate]:
    chunking, settings = ChunkSettings(by=ChunkBy.DOCUMENT), AtomizeSettings(statements=True)
    splitter, distiller = StructuralSplitter(chunking), ExtractiveDistiller(settings)
    return [await atomize(d, await chunk(d, splitter, chunking), distiller, settings) for d in documents]


@dataclass(frozen=True, slots=True)
class Keys:
    """Texts by which passages are found: `owners[i]` is the number of the passage that `texts[i]` leads to."""

    texts: list[str]
    owners: list[int]


def keys_of(documents: Sequence[Document], distillates: Sequence[Distillate], kind: str) -> Keys:
    found = Keys([], [])
    for number, (document, distillate) in enumerate(zip(documents, distillates, strict=True)):
        for text in _texts(document, distillate, kind):
            found.texts.append(text)
            found.owners.append(number)
    return found


def _texts(document: Document, distillate: Distillate, kind: str) -> list[str]:
    (one,) = distillate.chunks
    if kind == "atoms":
        return [atom.text for atom in distillate.atoms]
    if kind == "summaries":
        return [one.summary]
    if kind == "tags":
        return [" ; ".join(tag.text for tag in distillate.tags)]
    return [f"{document.title}\n{one.text}"]


@dataclass(frozen=True, slots=True)
class Scores:
    """For each question and passage the score of the passage's best key."""

    dense: Vectors
    lexical: Vectors


def score(keys: Keys, asked: Sequence[Question], embedder: Embedder, size: int) -> Scores:
    vectors = embedder.embed(keys.texts)
    queries = embedder.embed([question.text for question in asked])
    index = Bm25(keys.texts)
    lexical = np.stack([index.scores(question.text) for question in asked])
    owners = np.array(keys.owners)
    return Scores(_best(queries @ vectors.T, owners, size), _best(lexical, owners, size))


def _best(scores: Vectors, owners: np.ndarray, size: int) -> Vectors:
    best = np.zeros((len(scores), size), dtype=np.float32)
    np.maximum.at(best.T, owners, scores.T)
    return best


def scaled(scores: Vectors) -> Vectors:
    """Bring each question's scores to 0 to 1."""
    low, high = scores.min(axis=1, keepdims=True), scores.max(axis=1, keepdims=True)
    return (scores - low) / np.maximum(high - low, 1e-9)


def recall(scores: Vectors, asked: Sequence[Question], ids: Sequence[str], depth: int) -> float:
    place = {name: number for number, name in enumerate(ids)}
    top = np.argsort(-scores, axis=1, kind="stable")[:, :depth]
    wanted = [{place[name] for name in question.gold} for question in asked]
    return float(np.mean([len(gold & set(row.tolist())) / len(gold) for gold, row in zip(wanted, top, strict=True)]))


def passing(documents: Sequence[Document], distillates: Sequence[Distillate], embedder: Embedder) -> float:
    """Return the share of the atoms that pass the self-recall gate."""
    atoms = [
        Record(atom.id, RecordKind.ATOM, one.document, atom.text, atom.chunk)
        for one in distillates
        for atom in one.atoms
    ]
    chunks = [
        Record(one.chunks[0].id, RecordKind.CHUNK, one.document, _texts(document, one, "chunk")[0], one.chunks[0].id)
        for document, one in zip(documents, distillates, strict=True)
    ]
    return self_recall(_embedded(atoms, embedder), _embedded(chunks, embedder)).share


def _embedded(records: Sequence[Record], embedder: Embedder) -> Embedded:
    return Embedded(tuple(records), embedder.embed([record.text for record in records]))


VARIANTS = (
    ("chunk",),
    ("chunk", "atoms"),
    ("chunk", "tags"),
    ("chunk", "summaries"),
    ("chunk", "atoms", "summaries"),
    ("chunk", "atoms", "tags", "summaries"),
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=["musique", "hotpotqa"], default="musique")
    name = parser.parse_args().set
    documents, asked = passages(name), questions(name)
    started = time.perf_counter()
    distillates = asyncio.run(distil_all(documents))
    speed = len(documents) / (time.perf_counter() - started)
    print(f"{name}: {len(documents)} passages distilled, {speed:.0f} a second")
    embedder = WordLlamaEmbedder()
    kinds = ("chunk", "atoms", "tags", "summaries")
    ids = [document.source.uri for document in documents]
    scores = {k: score(keys_of(documents, distillates, k), asked, embedder, len(documents)) for k in kinds}
    print(f"{100 * passing(documents, distillates, embedder):.1f}% of the atoms bring back their own passage")
    print(f"{'recall@5 by':34}{'dense':>8}{'lexical':>9}{'both':>8}{'dense + chunk lexical':>23}")
    for variant in VARIANTS:
        dense = np.max([scores[kind].dense for kind in variant], axis=0)
        lexical = np.max([scores[kind].lexical for kind in variant], axis=0)
        both, apart = scaled(dense) + scaled(lexical), scaled(dense) + scaled(scores["chunk"].lexical)
        figures = [f"{100 * recall(one, asked, ids, 5):.1f}" for one in (dense, lexical, both, apart)]
        print(f"{' + '.join(variant):34}{figures[0]:>8}{figures[1]:>9}{figures[2]:>8}{figures[3]:>23}")


if __name__ == "__main__":
    main()
