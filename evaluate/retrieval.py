"""How well passages are found: recall at several depths, beside the flat searches, which are its baselines."""

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
"""Tokens of a flat piece at most: the 700 characters or so of English with which the data sets were first measured."""
FUSED_DEPTH = 100
"""Places of each ranking that are fused: as many as `retrieve.candidates`."""
DEPTHS = (2, 5, 10, 20)
ALL_GOLD = 5
"""Depth at which all gold passages have to be found, and at which self-recall is measured."""
SAMPLED_ATOMS = 200
"""Atoms that are asked as questions to measure self-recall: within 3 points of that of all, 19 times of 20."""
BASELINES = (Mode.BM25, Mode.DENSE, Mode.HYBRID)


@dataclass(frozen=True, slots=True)
class FlatText:
    """A text that is searched as one, and where it stands."""

    text: str
    uri: str
    page: int | None = None
    label: str = ""

    @property
    def found(self) -> Found:
        """The place, as an answer lists what it found."""
        return Found("", self.uri, () if self.page is None else (self.page,), 0.0, self.label)


def whole_texts(stores: Stores) -> list[FlatText]:
    """Return the text of every document as one, or of each page where it has pages; the title before the first."""
    searchable = [entry for entry in stores.catalog.entries() if entry.status.searchable]
    return [text for entry in searchable for text in _pages(entry.uri, read_document(stores.artifacts, entry))]


def pieces_of(texts: Sequence[FlatText], tokens: int = PIECE_TOKENS) -> list[FlatText]:
    """Return the texts cut into pieces of at most so many tokens, blank ones left out."""
    pieces = (
        replace(one, text=one.text[span.start : span.end]) for one in texts for span in base_split(one.text, tokens)
    )
    return [piece for piece in pieces if piece.text.strip()]


class TermSearch:
    """BM25 over texts, by the terms of one language."""

    def __init__(self, texts: Sequence[FlatText], language: str) -> None:
        self._texts = Bm25([one.text for one in texts], language, whole=True)

    def rank(self, query: str, limit: int) -> list[int]:
        """Return the numbers of the best texts that share a term with the query, best first, ties by number."""
        scores = self._texts.scores(query)
        return [place for place in _order(scores, limit) if scores[place] > 0]


class VectorSearch:
    """Cosine over texts."""

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
    """The passages of the chunks found for one question in one mode, by id, best first, beside the gold ones."""

    id: str
    mode: str
    ranked: tuple[str, ...]
    gold: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class RetrievalScores:
    """Means over the questions, in percent; `milliseconds` is the median time of a question."""

    recall: dict[str, float]
    all_gold: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """The scores of retrieval by all layers, and of the baselines by name.

    `passages` counts chunks. `self_recall` is the percentage of `SAMPLED_ATOMS` that find their own chunk.
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
        """Return those figures of `rows` that are percentages."""
        return {
            row: {name: value for name, value in values.items() if "@" in name} for row, values in self.rows().items()
        }

    def flat(self) -> dict[str, object]:
        """Return the figures as `strata eval retrieval --json` prints them."""
        return {
            "questions": self.questions,
            "passages": self.passages,
            "embedder": self.embedder,
            **figures(self.graph),
            f"self_recall@{ALL_GOLD}": self.self_recall,
            "baselines": {name: figures(scores) for name, scores in self.baselines.items()},
        }


def figures(scores: RetrievalScores) -> dict[str, float]:
    """Return scores by the names under which they are printed."""
    return {**scores.recall, f"all_gold@{ALL_GOLD}": scores.all_gold, "milliseconds": scores.milliseconds}


def evaluate_retrieval(
    retriever: Retriever,
    questions: Sequence[Question],
    embedder: str,
    baselines: Iterable[Mode] = BASELINES,
) -> RetrievalReport:
    """Return how well the gold passages of `questions` are found, by all layers and by each of `baselines`.

    The knowledge base is one that `evaluate.sets` made.
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
    """Return how many atoms, asked as questions, find their own chunk among the first, in percent (PIKE-RAG 5.3.1)."""
    found = [
        any(hit.chunk.id == chunk for hit in retriever.retrieve(text, ALL_GOLD))
        for text, chunk in retriever.sample_atoms(SAMPLED_ATOMS)
    ]
    return percent(found)


def score(each: Sequence[Ranked]) -> RetrievalScores:
    """Return the means of some results."""
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
