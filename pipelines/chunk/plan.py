"""Where a row of units can be cut so that the sizes come out."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.chunk.unit import Break, Unit

_TORN = 1000
"""What a cut that tears a heading from its text costs, in chunks that are too small."""


class Plan:
    """The cuts after which the rest can still be cut with the fewest chunks below `min_tokens`.

    No chunk is over `max_tokens` as long as no unit is. Where a chunk below `min_tokens` remains, it fits into one
    chunk with neither of its neighbours.
    """

    def __init__(self, units: Sequence[Unit], min_tokens: int, max_tokens: int) -> None:
        sizes = np.cumsum([0, *(unit.tokens for unit in units)])
        starts = np.arange(len(units))
        self._rest = sizes[-1] - sizes
        self._large = np.maximum(np.searchsorted(sizes, sizes[:-1] + min_tokens), starts + 1)
        """For each start the least end from which on a chunk is not below `min_tokens`."""
        self._behind = np.maximum(np.searchsorted(sizes, sizes[:-1] + max_tokens, "right"), starts + 2)
        """For each start the end behind the last one with which a chunk is not over `max_tokens`."""
        self._cost = np.array([0, *(_TORN * (unit.end is Break.NEVER) for unit in units)])
        """What the rest from each end on costs, a torn heading included."""
        self._cost[-1] = 0
        self._least = [0] * len(units)
        for start in reversed(range(len(units))):
            self._least[start] = int(self._costs(start).min())
            self._cost[start] += self._least[start]

    def rest(self, start: int) -> int:
        """Return the tokens of all units from `start` on."""
        return int(self._rest[start])

    def choices(self, start: int) -> list[int]:
        """Return the numbers of units, ascending, that a chunk which begins with unit `start` can have."""
        return [int(number) + 1 for number in np.flatnonzero(self._costs(start) == self._least[start])]

    def _costs(self, start: int) -> NDArray[np.int64]:
        """Return what each end from `start + 1` on costs."""
        costs = self._cost[start + 1 : self._behind[start]].copy()
        costs[: self._large[start] - start - 1] += 1
        return costs
