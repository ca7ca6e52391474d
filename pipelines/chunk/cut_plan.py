"""Where the chunks of a section may end, so that sizes hold: by dynamic programming."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from pipelines.chunk.segments import Break, Segment

_TORN = 1000
"""Cost of a cut between a heading and its text, in chunks below `min_tokens`: such a cut is the last resort."""


class CutPlan:
    """The allowed ends of each chunk, by dynamic programming: those that lead to the fewest chunks below `min_tokens`.

    No chunk is over `max_tokens`, unless a segment is. A chunk below `min_tokens` fits into one chunk with neither
    neighbour.
    """

    def __init__(self, segments: Sequence[Segment], min_tokens: int, max_tokens: int) -> None:
        sizes = np.cumsum([0, *(segment.tokens for segment in segments)])
        starts = np.arange(len(segments))
        self._rest = sizes[-1] - sizes
        self._large = np.maximum(np.searchsorted(sizes, sizes[:-1] + min_tokens), starts + 1)
        """For each start the first end with which a chunk has `min_tokens`."""
        self._past = np.maximum(np.searchsorted(sizes, sizes[:-1] + max_tokens, "right"), starts + 2)
        """For each start the end after the last one with which a chunk has at most `max_tokens`."""
        self._cost = np.array([0, *(_TORN * (segment.end is Break.NEVER) for segment in segments)])
        """The least cost of all chunks from each end on, and of a heading torn at that end."""
        self._cost[-1] = 0
        self._least = [0] * len(segments)
        for start in reversed(range(len(segments))):
            self._least[start] = int(self._costs(start).min())
            self._cost[start] += self._least[start]

    def rest(self, start: int) -> int:
        """Return the tokens of all segments from `start` on."""
        return int(self._rest[start])

    def choices(self, start: int) -> list[int]:
        """Return the allowed numbers of segments of a chunk that begins with segment `start`, ascending."""
        return [int(number) + 1 for number in np.flatnonzero(self._costs(start) == self._least[start])]

    def _costs(self, start: int) -> NDArray[np.int64]:
        """Return the cost of each end from `start + 1` on."""
        costs = self._cost[start + 1 : self._past[start]].copy()
        costs[: self._large[start] - start - 1] += 1
        return costs
