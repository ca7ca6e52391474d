"""Where a row of units can be cut so that the sizes come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate

from pipelines.chunk.unit import Break, Unit

_TORN = 1000
"""What a cut that tears a heading from its text costs, in chunks that are too small."""


class Plan:
    """The cuts after which the rest can still be cut with the fewest chunks below `min_tokens`.

    No chunk is over `max_tokens` as long as no unit is. Where a chunk below `min_tokens` remains, it fits into one
    chunk with neither of its neighbours.
    """

    def __init__(self, units: Sequence[Unit], min_tokens: int, max_tokens: int) -> None:
        self._units = units
        self._min = min_tokens
        self._max = max_tokens
        self._rest = [*reversed([*accumulate((unit.tokens for unit in reversed(units)), initial=0)])]
        self._cost = [0] * (len(units) + 1)
        for start in reversed(range(len(units))):
            self._cost[start] = min(cost for _, cost in self._cuts(start))

    def rest(self, start: int) -> int:
        """Return the tokens of all units from `start` on."""
        return self._rest[start]

    def choices(self, start: int) -> list[int]:
        """Return the numbers of units, ascending, that a chunk which begins with unit `start` can have."""
        return [end - start for end, cost in self._cuts(start) if cost == self._cost[start]]

    def _cuts(self, start: int) -> Iterator[tuple[int, int]]:
        size = 0
        for end in range(start + 1, len(self._units) + 1):
            unit = self._units[end - 1]
            size += unit.tokens
            if size > self._max and end > start + 1:
                return
            torn = unit.end is Break.NEVER and end < len(self._units)
            yield end, self._cost[end] + (size < self._min) + torn * _TORN
