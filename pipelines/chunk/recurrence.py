"""One stretch of a document, cut chunk by chunk from its beginning (PIKE-RAG figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from pipelines.chunk.group import Group
from pipelines.chunk.plan import Plan
from pipelines.chunk.settings import ChunkSettings
from pipelines.chunk.splitter import Cut, Splitter, Window
from pipelines.chunk.summary import summarize
from pipelines.chunk.unit import Unit, units
from pipelines.core.block_index import BlockIndex
from pipelines.core.chunk import Chunk
from pipelines.core.document import Section
from pipelines.core.outcome import Failure
from pipelines.core.provenance import Span
from pipelines.lang.identify import language_of


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk to be: its place and what it is given along."""

    span: Span
    section: Section
    context: str = ""
    summary: str = ""
    forward_summary: str = ""


@dataclass(slots=True)
class Recurrence:
    """The state of cutting one group: what is left, and the forward summary that leads into it.

    The splitter is asked once for each chunk but the last, and what it answers is followed only where the plan
    allows; so every reply ends in a chunk, and the sizes hold. `spare` further tries there are in all, for replies of
    no use: never are there more calls than chunks.
    """

    layout: BlockIndex
    group: Group
    splitter: Splitter
    settings: ChunkSettings
    pieces: list[Piece] = field(default_factory=list)
    failures: list[Failure] = field(default_factory=list)
    spare: int = 1

    async def run(self) -> None:
        found = units(self.layout, self.group.span, self.settings.max_tokens)
        plan = Plan(found, self.settings.min_tokens, self.settings.max_tokens)
        start, forward = 0, ""
        while start < len(found):
            cut = await self._cut(found, plan, start, forward)
            own = found[start : start + cut.end]
            summary = cut.summary or self._quoted(own)
            span = Span(own[0].span.start, own[-1].span.end)
            self.pieces.append(Piece(span, self.group.section, own[0].context, summary, forward))
            self.failures.extend([cut.failure] if cut.failure else [])
            forward = cut.forward_summary or summary
            start += cut.end

    async def _cut(self, found: Sequence[Unit], plan: Plan, start: int, forward: str) -> Cut:
        if plan.rest(start) <= self.settings.max_tokens:
            return Cut(len(found) - start)
        choices = plan.choices(start)
        cut = await self.splitter.cut(self._window(found, start, choices, forward))
        self.spare = max(0, self.spare - cut.tries + 1)
        return cut if cut.end in choices else Cut(choices[-1], "", "", cut.failure)

    def _window(self, found: Sequence[Unit], start: int, choices: Sequence[int], forward: str) -> Window:
        size, end = 0, start
        while end < len(found) and (end <= start + choices[-1] or size <= self.settings.window_tokens):
            size += found[end].tokens
            end += 1
        document = self.layout.document
        texts = tuple(unit.span.slice(document.text) for unit in found[start:end])
        return Window(
            subject=Chunk.make_id(document.id, found[start].span.start, found[end - 1].span.end),
            title=document.title,
            heading_path=self.group.section.path,
            language=language_of(" ".join(texts), document.language),
            forward_summary=forward,
            sentences=texts,
            units=tuple(found[start:end]),
            choices=tuple(choices),
            tries=1 + self.spare,
            document=document.id,
        )

    def _quoted(self, own: Sequence[Unit]) -> str:
        document = self.layout.document
        prose = [unit.span.slice(document.text) for unit in own if unit.prose]
        lines = prose or [(own[0].context or own[0].span.slice(document.text)).split("\n")[0]]
        about = " ".join((document.title, *self.group.section.path))
        return summarize(lines, self.settings.summary_sentences, about)
