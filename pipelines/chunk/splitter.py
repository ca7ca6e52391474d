"""The splitter protocol, and the splitter without a model (PIKE-RAG 5.2.1, figure 5).

A splitter decides where a chunk ends. `StructuralSplitter` cuts at the document's structure and where the subject
changes; `pipelines.chunk.model_splitter.ModelSplitter` asks a model, which also summarizes both sides.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Protocol, runtime_checkable

import numpy as np

from pipelines.chunk.segments import Break, Segment
from pipelines.chunk.settings import ChunkSettings
from pipelines.core.outcome import Failure
from pipelines.core.vectors import Vectors
from pipelines.lang.terms import terms
from pipelines.llm.embedder import Embedder

_STRUCTURE = {Break.NEVER: -1.0, Break.PIECE: -0.2, Break.SENTENCE: 0.0, Break.ITEM: 0.05, Break.PARAGRAPH: 0.25}
"""Bonus of a cut for what ends there, added to the distance (0 to 1) of the sentences on its two sides."""
_SIZE = 0.4
"""Penalty of a chunk that is off the target size by 100 %."""


@dataclass(frozen=True, slots=True)
class Window:
    """The text from the beginning of the next chunk on, as numbered sentences.

    `segments` are the segments of the text and `sentences` their texts; both are numbered from 1. `choices` are the
    numbers of the sentences with which the chunk may end, ascending and not empty. `forward_summary` summarizes the
    text before. `tries` is how often a model may be asked. `subject` is an id for traces, `document` the document's.
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


@dataclass(frozen=True, slots=True)
class Cut:
    """The chunk ends with sentence `end`, numbered from 1 as in `Window`.

    `summary` is the chunk's, `forward_summary` what the text behind it needs of the text so far. Empty summaries are
    replaced by extracted ones. `failure` is that of a model call, `tries` the number of model calls.
    """

    end: int
    summary: str = ""
    forward_summary: str = ""
    failure: Failure | None = None
    tries: int = 1


@runtime_checkable
class Splitter(Protocol):
    """Decides where chunks end."""

    async def cut(self, window: Window) -> Cut:
        """Return the end of the chunk that begins the window.

        An `end` that is not among the window's choices counts as the last of them. Raises `BudgetExceeded` only.
        """
        ...


class StructuralSplitter:
    """Cuts where the distance between the sentences before and after the cut is largest.

    The distance is one minus the cosine: of the sentences' vectors, or without an `embedder` of their terms. Ends of
    paragraphs and sizes near `target_tokens` are preferred. The same window always gives the same cut.
    """

    def __init__(self, settings: ChunkSettings, embedder: Embedder | None = None) -> None:
        self._settings = settings
        self._embedder = embedder

    async def cut(self, window: Window) -> Cut:
        if len(window.choices) == 1:
            return Cut(window.choices[0])
        distances = self._distances(window)
        sizes = np.cumsum([segment.tokens for segment in window.segments])
        target = self._settings.target_tokens

        def score(end: int) -> float:
            off = abs(int(sizes[end - 1]) - target) / target
            return distances[end] + _STRUCTURE[window.segments[end - 1].end] - _SIZE * off

        return Cut(max(window.choices, key=lambda end: (score(end), end)))

    def _distances(self, window: Window) -> dict[int, float]:
        """Return for each choice the distance, 0 to 1, of the `cohesion_sentences` before and after it."""
        width = self._settings.cohesion_sentences
        first = max(0, window.choices[0] - width)
        near = slice(first, window.choices[-1] + width)
        if all(segment.table for segment in window.segments[near]):
            return dict.fromkeys(window.choices, 0.0)
        ends = [end - first for end in window.choices]
        sentences = window.sentences[near]
        if self._embedder is None:
            found = _by_terms(sentences, ends, width)
        else:
            found = _by_vectors(self._embedder.embed(sentences), ends, width)
        return dict(zip(window.choices, found, strict=True))


def _by_vectors(vectors: Vectors, ends: Sequence[int], width: int) -> list[float]:
    sums = np.vstack([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    found: list[float] = []
    for end in ends:
        left = sums[end] - sums[max(0, end - width)]
        right = sums[min(len(vectors), end + width)] - sums[end]
        lengths = float(np.linalg.norm(left) * np.linalg.norm(right))
        found.append(1 - float(left @ right) / lengths if lengths else 0.0)
    return found


def _by_terms(sentences: Sequence[str], ends: Sequence[int], width: int) -> list[float]:
    counts = [Counter(terms(sentence)) for sentence in sentences]
    found: list[float] = []
    for end in ends:
        left = sum(counts[max(0, end - width) : end], Counter[str]())
        right = sum(counts[end : end + width], Counter[str]())
        shared = sum(left[term] * right[term] for term in left)
        lengths = sqrt(sum(n * n for n in left.values()) * sum(n * n for n in right.values()))
        found.append(1 - shared / lengths if lengths else 0.0)
    return found
