"""Shares with their 95 % intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

_Z = 1.959964
"""The normal quantile of 0.975."""


@dataclass(frozen=True, slots=True)
class Proportion:
    """The mean of `count` values, and the interval that holds the true mean 95 times of 100; all in percent."""

    value: float
    low: float
    high: float
    count: int

    def __str__(self) -> str:
        return f"{self.value:.1f} ({self.low:.0f}-{self.high:.0f})"


def proportion(values: Sequence[float]) -> Proportion | None:
    """Return the mean of values in [0, 1] with its Wilson score interval (Wilson 1927); None of none.

    The interval is that of yes and no; values between have a smaller variance of the same mean, so that theirs is
    too wide rather than too narrow. Unlike a bootstrap's it does not shrink to nothing where all values are equal.

    >>> print(proportion([1, 1, 1, 0]))
    75.0 (30-95)
    """
    count = len(values)
    if not count:
        return None
    mean = sum(values) / count
    scale = 1 + _Z**2 / count
    middle = (mean + _Z**2 / (2 * count)) / scale
    reach = _Z * math.sqrt(mean * (1 - mean) / count + _Z**2 / (4 * count**2)) / scale
    return Proportion(100 * mean, 100 * max(0.0, middle - reach), 100 * min(1.0, middle + reach), count)
