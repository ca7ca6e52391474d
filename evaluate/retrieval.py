"""Evaluation of retrieval: recall at several depths, compared with flat searches as baselines."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from evaluate.metrics import all_gold_at, percent, recall_at
from evaluate.questions import Question, passage_id
from pipelines.chunk.segments import base_split
from pipelines.core.document import Document
from pipelines.core.vectors import Vectors
from pipelines.lang.bm25 import Bm25
from pipelines.llm.embedder import Embedder, Side
from pipelines.resources import Stores
from pipelines.retrieve.flat_search import Mode
from pipelines.retrieve.retriever import Retriever
from pipelines.store.artifact import read_document
from qa.answer import Found

PIECE_TOKENS = 200
"""Maximum tokens of a piece for flat search: about 700 characters of English, as in the first measurements."""
FUSED_DEPTH = 100
"""Depth of the fused rankings, equal to `retrieve.candidates`."""
DEPTHS = (2, 5, 10, 20)
ALL_GOLD = 5
"""Depth for the figure all_gold and for self-recall."""
SAMPLED_ATOMS = 200
"""Atoms sampled for self-recall: within 3 points of the value for all atoms, with 95 % probability."""
BASELINES = (Mode.BM25, Mode.DENSE, Mode.HYBRID)


@dataclass(frozen=True, slots=True)
class FlatText:
    """A text for flat search, and its place."""

    text: str
    uri: str
    page: int | None = None
    label: str = ""

    @property
    def found(self) -> Found:
        """The place, in the form used in answers."""
        return Found("", self.uri, () if self.page is None else (self.page,), 0.0, self.label)


def whole_texts(stores: Stores) -> list[FlatText]:
    """Return the text of each document, or of each of its pages; the first one begins with the title."""
    searchable = [entry for entry in stores.catalog.entries() if entry.status.searchable]
    return [text for entry in searchable for text in _pages(entry.uri, read_document(stores.artifacts, entry))]


def pieces_of(texts: Sequence[FlatText], tokens: int = PIECE_TOKENS) -> list[FlatText]:
    """Return the non-blank pieces of the texts with at most `tokens`."""
    pieces = (
        replace(one, text=one.text[span.start : span.end]) for one in texts for span in base_split(one.text, tokens)
    )
    return [piece for piece in pieces if piece.text.strip()]


class TermSearch:
    """BM25 search over texts, with the terms of one language."""

    def __init__(self, texts: Sequence[FlatText], language: str) -> None:
        self._texts = Bm25([one.text for one in texts], language, whole=True)

    def rank(self, query: str, limit: int) -> list[int]:
        """Return the numbers of the best texts that share a term with the query, best first, ties by number."""
        scores = self._texts.scores(query)
        return [place for place in _order(scores, limit) if scores[place] > 0]


class VectorSearch:
    """Search by cosine over texts."""

    def __init__(self, texts: Sequence[FlatText], embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = embedder.embed([one.text for one in texts])

    def rank(self, query: str, limit: int) -> list[int]:
        """Return the numbers of the nearest texts, nearest first, ties by number."""
        return _order(self._vectors @ self._embedder.embed([query], Side.QUERY)[0], limit)


def _order(scores: Vectors, limit: int) -> list[int]:
    return [int(place) for place in np.argsort(-scores, kind="stable")[:limit]]


def _pages(uri: str, document: Document) -> Iterator[FlatText]:
    texts: dict[tuple[int | None, str], list[str]] = {}
    for block in document.blocks:
        texts.setdefault((block.provenance.page, block.provenance.label), []).append(block.text)
    for number, ((page, label), parts) in enumerate(texts.items()):
        yield FlatText("\n\n".join([document.title, *parts] if not number else parts), uri, page, label)


@dataclass(frozen=True, slots=True)
class Ranked:
    """The ids of the passages found for one question in one mode, best first, and of the gold passages."""

    id: str
    mode: str
    ranked: tuple[str, ...]
    gold: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """Means over the questions in percent; `milliseconds` is the median time per question."""

    recall: dict[str, float]
    all_gold: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """The scores of retrieval over all layers, and of the baselines by name.

    `passages` is the number of chunks, `self_recall` the percentage of `SAMPLED_ATOMS` that find their own chunk.
    """

    questions: int
    passages: int
    embedder: str
    graph: RetrievalScores
    baselines: dict[str, RetrievalScores]
    each: tuple[Ranked, ...] = field(default=())
    self_recall: float = 0.0

    @property
    def title(self) -> str:
        """What was measured, on one line."""
        measured = f"{self.questions} questions, {self.passages:,} passages, {self.embedder}"
        return f"{measured}, self-recall@{ALL_GOLD} {self.self_recall:.1f}"

    def rows(self) -> dict[str, dict[str, float]]:
        """Return the figures by mode, all layers first."""
        return {"all layers": figures(self.graph)} | {name: figures(one) for name, one in self.baselines.items()}

    def shares(self) -> dict[str, dict[str, float]]:
        """Return the percentages of `rows`."""
        return {
            row: {name: value for name, value in values.items() if "@" in name} for row, values in self.rows().items()
        }

    def flat(self) -> dict[str, object]:
        """Return the output of `strata eval retrieval --json`."""
        return {
            "questions": self.questions,
            "passages": self.passages,
            "embedder": self.embedder,
            **figures(self.graph),
            f"self_recall@{ALL_GOLD}": self.self_recall,
            "baselines": {name: figures(scores) for name, scores in self.baselines.items()},
        }


def figures(scores: RetrievalScores) -> dict[str, float]:
    """Return the scores by their printed names."""
    return {**scores.recall, f"all_gold@{ALL_GOLD}": scores.all_gold, "milliseconds": scores.milliseconds}


def evaluate_retrieval(
    retriever: Retriever,
    questions: Sequence[Question],
    embedder: str,
    baselines: Iterable[Mode] = BASELINES,
) -> RetrievalReport:
    """Return the results of retrieval over all layers and of `baselines` for the gold passages of `questions`.

    The knowledge base must be one created by `evaluate.sets`.
    """
    modes = (Mode.GRAPH, *baselines)
    by_mode = {mode: [_ranked(retriever, question, mode) for question in questions] for mode in modes}
    scores = {mode.value: score(each) for mode, each in by_mode.items()}
    return RetrievalReport(
        len(questions),
        retriever.index.size,
        embedder,
        scores.pop(Mode.GRAPH.value),
        scores,
        tuple(one for each in by_mode.values() for one in each),
        measure_self_recall(retriever),
    )


def measure_self_recall(retriever: Retriever) -> float:
    """Return the percentage of atoms that, as queries, find their own chunk among the first (PIKE-RAG 5.3.1)."""
    found = [
        any(hit.chunk.id == chunk for hit in retriever.retrieve(text, ALL_GOLD))
        for text, chunk in retriever.sample_atoms(SAMPLED_ATOMS)
    ]
    return percent(found)


def score(each: Sequence[Ranked]) -> RetrievalScores:
    """Return the means over results."""
    recall = {f"recall@{k}": percent([recall_at(one.ranked, one.gold, k) for one in each]) for k in DEPTHS}
    times = sorted(one.seconds for one in each)
    median = times[len(times) // 2] if times else 0.0
    all_gold = percent([all_gold_at(one.ranked, one.gold, ALL_GOLD) for one in each])
    return RetrievalScores(recall, all_gold, round(1000 * median, 1))


def _ranked(retriever: Retriever, question: Question, mode: Mode) -> Ranked:
    started = time.perf_counter()
    hits = retriever.retrieve(question.question, max(DEPTHS), mode=mode)
    seconds = time.perf_counter() - started
    found, gold = (tuple(map(passage_id, uris)) for uris in ((hit.uri for hit in hits), question.gold_uris))
    return Ranked(question.id, mode.value, found, gold, seconds)
