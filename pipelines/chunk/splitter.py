"""The splitter protocol, and the splitter without a model (PIKE-RAG 5.2.1, figure 5).

A splitter decides where a chunk ends, and summarizes it given the forward summary. `StructuralSplitter` splits at the
document's structure and where the topic changes, and quotes its summaries;
`pipelines.chunk.model_splitter.ModelSplitter` asks a model for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from math import sqrt
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from pipelines.chunk.passages import GroupSummary, PassageGroup, SplitPassage, carried, quoted, quoted_group
from pipelines.chunk.segments import Break, Segment
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.core.outcome import Failure
from pipelines.lang.terms import terms

_STRUCTURE = {
    Break.NEVER: -1.0,
    Break.LAST: -1.0,
    Break.PIECE: -0.2,
    Break.SENTENCE: 0.0,
    Break.ITEM: 0.05,
    Break.PARAGRAPH: 0.25,
}
"""Bonus of a cut by its boundary, added to the distance (0 to 1) of the sentences on its two sides."""
_SIZE = 0.4
"""Penalty of a chunk that deviates from the target size by 100 %."""


@dataclass(frozen=True, slots=True)
class Window:
    """The text from the start of the next chunk, as numbered sentences.

    `segments` are the segments of the text and `sentences` their texts, both numbered from 1. `choices` are the numbers
    of the sentences with which the chunk may end, ascending and not empty. `forward_summary` is that of the preceding
    text. `tries` is how often a model may be asked. `subject` is an id for traces, `document` the id of the document.
    """

    subject: str
    title: str
    heading_path: tuple[str, ...]
    language: str
    forward_summary: str
    sentences: tuple[str, ...]
    segments: tuple[Segment, ...]
    choices: tuple[int, ...]
    tries: int = 1
    document: str = ""

    def passage(self, end: int) -> SplitPassage:
        """Return the chunk that ends with sentence `end`."""
        return passage_of(self.segments[:end], self.sentences[:end], self.title, self.heading_path, self.language)


@dataclass(frozen=True, slots=True)
class Cut:
    """The end of a chunk, as the number of its last sentence (from 1, as in `Window`), with summaries.

    `summary` is the chunk's, `forward_summary` that of the text so far for a reader of the following text. `failure` is
    set if the model call failed, `tries` is the number of model calls.
    """

    end: int
    summary: str
    forward_summary: str
    failure: Failure | None = None
    tries: int = 0


def passage_of(
    segments: Sequence[Segment], texts: Sequence[str], title: str, heading_path: tuple[str, ...], language: str
) -> SplitPassage:
    """Return the passage of these segments; `texts` are their texts."""
    prose = tuple(text for segment, text in zip(segments, texts, strict=True) if segment.prose)
    text = "\n".join(filter(None, (segments[0].context, *texts)))
    return SplitPassage(text, heading_path, prose, " ".join((title, *heading_path)), language)


def quoted_cut(window: Window, end: int, count: int) -> Cut:
    """Return the cut after sentence `end` with quoted summaries, `count` sentences for the chunk."""
    passage = window.passage(end)
    summary = quoted(passage, count)
    return Cut(end, summary, carried(window.forward_summary, summary, window.language))


@runtime_checkable
class Splitter(Protocol):
    """Decides where chunks end, and summarizes them."""

    async def cut(self, window: Window) -> Cut:
        """Return the end of the window's first chunk, its summary and the forward summary.

        An `end` that is not among the window's choices is replaced by the last choice, and the summaries are discarded.
        Raises `BudgetExceeded` only.
        """
        ...

    async def summarize(self, group: PassageGroup) -> GroupSummary:
        """Return the summaries of passages whose ends are decided. Raises `BudgetExceeded` only."""
        ...


class StructuralSplitter:
    """Splits where the distance between the sentences before and after the cut is largest.

    The distance is one minus the cosine of the sentences' terms. Ends of paragraphs and sizes near `target_tokens` are
    preferred; with `by = "size"` only the size counts. The result is deterministic.
    """

    def __init__(self, settings: ChunkSettings) -> None:
        self._settings = settings

    async def cut(self, window: Window) -> Cut:
        return quoted_cut(window, self.end_of(window), self._settings.summary_sentences)

    async def summarize(self, group: PassageGroup) -> GroupSummary:
        return quoted_group(group, self._settings.summary_sentences)

    def end_of(self, window: Window) -> int:
        """Return the number of the sentence with which the first chunk of the window ends."""
        if len(window.choices) == 1:
            return window.choices[0]
        sizes = np.cumsum([segment.tokens for segment in window.segments])
        target = self._settings.target_tokens
        if self._settings.by is ChunkBy.SIZE:
            return min(window.choices, key=lambda end: abs(int(sizes[end - 1]) - target))
        distances = self._distances(window)

        def score(end: int) -> float:
            off = abs(int(sizes[end - 1]) - target) / target
            return distances[end] + _STRUCTURE[window.segments[end - 1].end] - _SIZE * off

        return max(window.choices, key=lambda end: (score(end), end))

    def _distances(self, window: Window) -> dict[int, float]:
        """Return for each choice the distance, 0 to 1, of the `cohesion_sentences` before and after it."""
        width = self._settings.cohesion_sentences
        first = max(0, window.choices[0] - width)
        near = slice(first, window.choices[-1] + width)
        if all(segment.table for segment in window.segments[near]):
            return dict.fromkeys(window.choices, 0.0)
        ends = [end - first for end in window.choices]
        return dict(zip(window.choices, _by_terms(window.sentences[near], ends, width), strict=True))


def _by_terms(sentences: Sequence[str], ends: Sequence[int], width: int) -> list[float]:
    said = [terms(sentence) for sentence in sentences]
    found: list[float] = []
    for end in ends:
        left = Counter(chain.from_iterable(said[max(0, end - width) : end]))
        right = Counter(chain.from_iterable(said[end : end + width]))
        shared = sum(left[term] * right[term] for term in left.keys() & right.keys())
        lengths = sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
        found.append(1 - shared / lengths if lengths else 0.0)
    return found


_TORN = {Break.NEVER: 1000, Break.LAST: 500}
"""Cost of a cut between a heading and its text, in units of chunks below `min_tokens`: a last resort. Above the last
headings, which have no text, it is half of that."""


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
        self._cost = np.array([0, *(_TORN.get(segment.end, 0) for segment in segments)])
        """The minimum cost of all chunks from each end on, plus the cost of a cut at that end."""
        self._cost[-1] = 0
        self._least = [0] * len(segments)
        for start in reversed(range(len(segments))):
            self._least[start] = int(self._costs(start).min())
            self._cost[start] += self._least[start]

    def rest(self, start: int) -> int:
        """Return the tokens of all segments from `start` on."""
        return int(self._rest[start])

    def choices(self, start: int) -> list[int]:
        """Return the allowed numbers of segments of a chunk that starts with segment `start`, ascending."""
        return [int(number) + 1 for number in np.flatnonzero(self._costs(start) == self._least[start])]

    def _costs(self, start: int) -> NDArray[np.int64]:
        """Return the cost of each end from `start + 1` on."""
        costs = self._cost[start + 1 : self._past[start]].copy()
        costs[: self._large[start] - start - 1] += 1
        return costs
