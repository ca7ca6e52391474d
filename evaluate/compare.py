"""Two runs on the same questions: the difference of their means, with the interval of a paired bootstrap."""

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
"""By name of the figure, by question: "graph recall@5" to {"q1": 0.5, ...}."""
SEED = 0
_SHARES = (
    "first_document", "document_recall", "page_recall", "answer_cited", "em", "f1", "precision", "recall",
    "correct", "abstained",
)  # fmt: skip
"""The figures of an `AnswerResult` that are compared."""


@dataclass(frozen=True, slots=True)
class FigureDifference:
    """One figure in two runs: its means, their difference, and the interval that holds 95 % of the resampled ones.

    Only questions that both runs have are counted.
    """

    name: str
    questions: int
    one: float
    two: float
    difference: float
    low: float
    high: float

    @property
    def differs(self) -> bool:
        """Whether the interval leaves out 0."""
        return self.low > 0 or self.high < 0


def compare_results(one: QuestionFigures, two: QuestionFigures, samples: int = 10_000) -> tuple[FigureDifference, ...]:
    """Return the differences of all figures that both runs have, in the order of the first.

    The questions are drawn anew with replacement, both runs' together (Efron and Tibshirani 1993, section 16.4); the
    same input gives the same intervals.
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
    """The mean difference in each sample; sample by sample, so that memory does not grow with their number."""
    dice = np.random.default_rng(SEED)
    size = len(differences)
    return np.array([differences[dice.integers(size, size=size)].mean() for _ in range(samples)])


def read_figures(path: Path) -> QuestionFigures:
    """Return the figures of each question in a file that `strata eval` wrote with --out. Raises `SourceError`."""
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
    strategy = str(plain.get("strategy", ""))
    return {
        f"{strategy} {name}".strip(): float(value)
        for name in _SHARES
        if isinstance(value := plain.get(name), bool | int | float)
    }
