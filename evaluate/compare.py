"""Two runs on the same questions: the difference of their means, with the interval of a paired bootstrap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Figures = Mapping[str, Mapping[str, float]]
SEED = 0


@dataclass(frozen=True, slots=True)
class Difference:
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


def compare_results(one: Figures, two: Figures, samples: int = 10_000) -> tuple[Difference, ...]:
    """Return the differences of all figures that both runs have, in the order of the first.

    The questions are drawn anew with replacement, both runs' together (Efron and Tibshirani 1993, section 16.4); the
    same input gives the same intervals.
    """
    return tuple(
        _difference(name, one[name], two[name], samples) for name in one if one[name].keys() & two.get(name, {}).keys()
    )


def _difference(name: str, one: Mapping[str, float], two: Mapping[str, float], samples: int) -> Difference:
    shared = sorted(one.keys() & two.keys())
    first, second = (np.array([run[id] for id in shared]) for run in (one, two))
    low, high = np.percentile(_resampled(second - first, samples), [2.5, 97.5])
    means = float(first.mean()), float(second.mean())
    return Difference(name, len(shared), *means, means[1] - means[0], float(low), float(high))


def _resampled(differences: NDArray[np.float64], samples: int) -> NDArray[np.float64]:
    """The mean difference in each sample; sample by sample, so that memory does not grow with their number."""
    dice = np.random.default_rng(SEED)
    size = len(differences)
    return np.array([differences[dice.integers(size, size=size)].mean() for _ in range(samples)])
