"""Compares two runs on the same questions: differences of means with paired bootstrap intervals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from evaluate.metrics import all_gold_at, recall_at
from evaluate.questions import lines_of
from evaluate.retrieval import ALL_GOLD, DEPTHS, Ranked
from pipelines.core import codec
from pipelines.core.errors import SourceError

QuestionFigures = Mapping[str, Mapping[str, float]]
"""Values by figure and question: {"graph recall@5": {"q1": 0.5, ...}, ...}."""
SEED = 0
_SHARES = (
    "first_document", "document_recall", "page_recall", "answer_cited", "em", "f1", "precision", "recall",
    "correct", "abstained",
)  # fmt: skip
"""The compared figures of an `AnswerResult`."""
_OF_ALL = ("abstained",)
"""Those that unanswerable questions have too; the others are of answerable questions, as in `strata eval answers`."""


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """One figure in two runs, on their common questions: means, difference, and its 95 % bootstrap interval."""

    name: str
    questions: int
    one: float
    two: float
    difference: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the interval excludes 0."""
        return self.low > 0 or self.high < 0


def compare_results(one: QuestionFigures, two: QuestionFigures, samples: int = 10_000) -> tuple[FigureDifference, ...]:
    """Return the differences of all figures common to both runs, in the order of the first.

    Questions are resampled with replacement, in pairs (Efron and Tibshirani 1993, section 16.4); equal input gives
    equal intervals.
    """
    return tuple(
        _difference(name, one[name], two[name], samples) for name in one if one[name].keys() & two.get(name, {}).keys()
    )


def _difference(name: str, one: Mapping[str, float], two: Mapping[str, float], samples: int) -> FigureDifference:
    shared = sorted(one.keys() & two.keys())
    first, second = (np.array([run[id] for id in shared]) for run in (one, two))
    low, high = np.percentile(_resampled(second - first, samples), [2.5, 97.5])
    means = float(first.mean()), float(second.mean())
    return FigureDifference(name, len(shared), *means, means[1] - means[0], float(low), float(high))


def _resampled(differences: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    """Return the mean difference of each bootstrap sample; drawn one by one to save memory."""
    rng = np.random.default_rng(SEED)
    size = len(differences)
    return np.array([differences[rng.integers(size, size=size)].mean() for _ in range(samples)])


def read_figures(path: Path) -> QuestionFigures:
    """Return the figures of each question in an output file of `strata eval --out`. Raises `SourceError`.

    Failed questions have none.
    """
    found: dict[str, dict[str, float]] = {}
    for number, line in lines_of(path):
        try:
            plain = msgspec.json.decode(line)
        except msgspec.DecodeError as error:
            raise SourceError(f"{path}, line {number}: {error}") from error
        if not isinstance(plain, dict) or "id" not in plain:
            raise SourceError(f"{path}, line {number}: not a result of `strata eval`")
        for name, value in _figures_of(plain).items():
            found.setdefault(name, {})[str(plain["id"])] = value
    return found


def _figures_of(plain: dict[str, object]) -> dict[str, float]:
    if "ranked" in plain:
        one = codec.convert(plain, Ranked)
        recall = {f"{one.mode} recall@{k}": recall_at(one.ranked, one.gold, k) for k in DEPTHS}
        return recall | {f"{one.mode} all_gold@{ALL_GOLD}": all_gold_at(one.ranked, one.gold, ALL_GOLD)}
    if plain.get("error"):
        return {}
    strategy = str(plain.get("strategy", ""))
    return {
        f"{strategy} {name}".strip(): float(value)
        for name in (_SHARES if plain.get("answerable", True) else _OF_ALL)
        if isinstance(value := plain.get(name), bool | int | float)
    }
