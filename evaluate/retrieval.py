"""How well passages are found: recall at several depths, beside the flat baselines of the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from evaluate.metrics import all_gold_at, percent, recall_at
from evaluate.questions import Question
from pipelines.retrieve.retriever import Mode, Retriever

DEPTHS = (2, 5, 10, 20)
ALL_GOLD = 5
SELF = 5
PROBES = 200
"""Atoms that are asked as questions."""
BASELINES = (Mode.BM25, Mode.DENSE, Mode.HYBRID)


@dataclass(frozen=True, slots=True)
class Ranked:
    """What one way of retrieval gave for one question: passage ids, best first, beside those wanted."""

    id: str
    mode: str
    ranked: tuple[str, ...]
    gold: tuple[str, ...]
    seconds: float


@dataclass(frozen=True, slots=True)
class Scores:
    """Means over the questions, in percent; `milliseconds` for one question, in the median."""

    recall: dict[str, float]
    all_gold: float
    milliseconds: float


@dataclass(frozen=True, slots=True)
class RetrievalReport:
    """The scores of retrieval, and of the baselines by name; `self_recall` is a percentage of `PROBES` atoms."""

    questions: int
    passages: int
    embedder: str
    graph: Scores
    baselines: dict[str, Scores]
    each: tuple[Ranked, ...] = field(default=())
    self_recall: float = 0.0

    @property
    def title(self) -> str:
        """What was measured, on one line."""
        told = f"{self.questions} questions, {self.passages:,} passages, {self.embedder}"
        return f"{told}, self-recall@{SELF} {self.self_recall:.1f}"

    def rows(self) -> dict[str, dict[str, float]]:
        """Return the figures by way of retrieval, all layers first."""
        return {"all layers": figures(self.graph)} | {name: figures(one) for name, one in self.baselines.items()}

    def shares(self) -> dict[str, dict[str, float]]:
        """Return of `rows` those figures that are percentages."""
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
            f"self_recall@{SELF}": self.self_recall,
            "baselines": {name: figures(scores) for name, scores in self.baselines.items()},
        }


def figures(scores: Scores) -> dict[str, float]:
    """Return scores by the names under which they are printed."""
    return {**scores.recall, f"all_gold@{ALL_GOLD}": scores.all_gold, "milliseconds": scores.milliseconds}


def evaluate_retrieval(
    retriever: Retriever,
    questions: Sequence[Question],
    embedder: str,
    modes: Iterable[Mode] = (Mode.GRAPH, *BASELINES),
    tell: Callable[[Ranked], None] = lambda ranked: None,
) -> RetrievalReport:
    """Return how well the gold passages of `questions` are found, in each of `modes`; `tell` hears of each result."""
    each: list[Ranked] = []
    for mode in modes:
        for question in questions:
            each.append(_ranked(retriever, question, mode))
            tell(each[-1])
    by_mode = {mode: score([one for one in each if one.mode == mode.value]) for mode in modes}
    baselines = {mode.value: scores for mode, scores in by_mode.items() if mode is not Mode.GRAPH}
    graph = by_mode[Mode.GRAPH]
    size, own = retriever.atlas.size, self_recall(retriever)
    return RetrievalReport(len(questions), size, embedder, graph, baselines, tuple(each), own)


def self_recall(retriever: Retriever) -> float:
    """Return how many atoms, asked as questions, bring back their own chunk among the first, in percent (5.3.1)."""
    found = [
        any(hit.chunk.id == chunk for hit in retriever.retrieve(text, SELF)) for text, chunk in retriever.sample(PROBES)
    ]
    return percent(found)


def score(each: Sequence[Ranked]) -> Scores:
    """Return the means of some results."""
    recall = {f"recall@{k}": percent([recall_at(one.ranked, one.gold, k) for one in each]) for k in DEPTHS}
    times = sorted(one.seconds for one in each)
    median = times[len(times) // 2] if times else 0.0
    return Scores(
        recall, percent([all_gold_at(one.ranked, one.gold, ALL_GOLD) for one in each]), round(1000 * median, 1)
    )


def _ranked(retriever: Retriever, question: Question, mode: Mode) -> Ranked:
    started = time.perf_counter()
    hits = retriever.retrieve(question.question, max(DEPTHS), mode=mode)
    seconds = time.perf_counter() - started
    return Ranked(question.id, mode.value, tuple(hit.uri for hit in hits), question.gold_passages, seconds)
