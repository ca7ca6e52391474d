"""How well passages are found: recall at several depths, beside the flat searches of the same run."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from evaluate.metrics import all_gold_at, percent, recall_at
from evaluate.questions import Question, passage_id
from pipelines.retrieve.retriever import Mode, Retriever

DEPTHS = (2, 5, 10, 20)
ALL_GOLD = 5
"""Depth at which all gold passages have to be found, and at which self-recall is measured."""
SAMPLED_ATOMS = 200
"""Atoms that are asked as questions to measure self-recall: within 3 points of that of all, 19 times of 20."""
BASELINES = (Mode.BM25, Mode.DENSE, Mode.HYBRID)


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

    The knowledge base is one that `evaluate.passages` made.
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
        self_recall(retriever),
    )


def self_recall(retriever: Retriever) -> float:
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
