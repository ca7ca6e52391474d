"""A section group to chunks: recurrent splitting from its beginning (PIKE-RAG 5.2.1, figure 5).

`SectionChunker` asks a splitter where each chunk ends, among the ends that `CutPlan` allows, and hands the forward
summary on to the next chunk. `summarize` quotes a summary where the splitter gives none.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from pipelines.chunk.section_groups import SectionGroup
from pipelines.chunk.segments import Break, Segment, segments
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, Splitter, Window
from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.document import Section
from pipelines.core.outcome import Failure
from pipelines.core.provenance import Span
from pipelines.lang.identify import language_of
from pipelines.lang.terms import terms

_TORN = 1000
"""Cost of a cut between a heading and its text, in chunks below `min_tokens`: such a cut is the last resort."""
_BULLET = re.compile(r"^(?:[●○•▪◦·*–-]\s*)+")
_FEWEST_TERMS = 4
"""Minimum terms of a sentence in a summary, unless all sentences are shorter."""
_DAMPING = 6
"""Terms added to a sentence's length, so that very short sentences do not win."""
_FIRST = 1.3
"""Factor of the opening sentence's score: it often says what the rest is about."""


@dataclass(frozen=True, slots=True)
class ChunkDraft:
    """A chunk before it is given its id: its span, section, table context and summaries."""

    span: Span
    section: Section
    context: str = ""
    summary: str = ""
    forward_summary: str = ""


@dataclass(slots=True)
class SectionChunker:
    """Cuts one section group into `drafts`, and notes the `failures` of the splitter.

    The splitter is asked once for each chunk but the last. A cut that the plan does not allow is replaced by the last
    one allowed, so that sizes hold. `spare` is the number of further tries for unusable replies in the whole group:
    a model is called at most once for each chunk.
    """

    block_index: BlockIndex
    group: SectionGroup
    splitter: Splitter
    settings: ChunkSettings
    drafts: list[ChunkDraft] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    spare: int = 1

    async def run(self) -> None:
        """Fill `drafts` and `failures`; call it once."""
        found = segments(self.block_index, self.group.span, self.settings.max_tokens)
        plan = CutPlan(found, self.settings.min_tokens, self.settings.max_tokens)
        start, forward = 0, ""
        while start < len(found):
            cut = await self._cut(found, plan, start, forward)
            own = found[start : start + cut.end]
            summary = cut.summary or self._quoted(own)
            span = Span(own[0].span.start, own[-1].span.end)
            self.drafts.append(ChunkDraft(span, self.group.section, own[0].context, summary, forward))
            self.failures.extend([cut.failure] if cut.failure else [])
            forward = cut.forward_summary or summary
            start += cut.end

    async def _cut(self, found: Sequence[Segment], plan: CutPlan, start: int, forward: str) -> Cut:
        if plan.rest(start) <= self.settings.max_tokens:
            return Cut(len(found) - start)
        choices = plan.choices(start)
        cut = await self.splitter.cut(self._window(found, start, choices, forward))
        self.spare = max(0, self.spare - cut.tries + 1)
        return cut if cut.end in choices else Cut(choices[-1], "", "", cut.failure)

    def _window(self, found: Sequence[Segment], start: int, choices: Sequence[int], forward: str) -> Window:
        size, end = 0, start
        while end < len(found) and (end <= start + choices[-1] or size <= self.settings.window_tokens):
            size += found[end].tokens
            end += 1
        document = self.block_index.document
        texts = tuple(segment.span.slice(document.text) for segment in found[start:end])
        return Window(
            subject=Chunk.make_id(document.id, found[start].span.start, found[end - 1].span.end),
            title=document.title,
            heading_path=self.group.section.path,
            language=language_of(" ".join(texts), document.language),
            forward_summary=forward,
            sentences=texts,
            segments=tuple(found[start:end]),
            choices=tuple(choices),
            tries=1 + self.spare,
            document=document.id,
        )

    def _quoted(self, own: Sequence[Segment]) -> str:
        document = self.block_index.document
        prose = [segment.span.slice(document.text) for segment in own if segment.prose]
        lines = prose or [(own[0].context or own[0].span.slice(document.text)).split("\n")[0]]
        about = " ".join((document.title, *self.group.section.path))
        return summarize(lines, self.settings.summary_sentences, about, document.language)


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


def summarize(sentences: Sequence[str], count: int = 1, about: str = "", language: str = "") -> str:
    """Return an extractive summary: the `count` best sentences in their order, joined by blanks.

    A sentence scores the frequency of its terms in all sentences, relative to its length; terms in `about`, a title or
    heading, count double. `language` is that of the sentences. Empty without sentences.
    """
    sentences = [_BULLET.sub("", " ".join(sentence.split())) for sentence in sentences]
    sentences = [one for one in sentences if len(terms(one, language)) >= _FEWEST_TERMS] or sentences[:count]
    found = [set(terms(sentence, language)) for sentence in sentences]
    weights = Counter(term for one in found for term in one)
    for term in set(terms(about, language)):
        weights[term] *= 2
    scores = [sum(weights[term] for term in one) / (len(one) + _DAMPING) for one in found]
    if scores:
        scores[0] *= _FIRST
    best = sorted(range(len(scores)), key=lambda index: (-scores[index], index))[:count]
    return " ".join(sentences[index] for index in sorted(best))
