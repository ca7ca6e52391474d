"""A document with texts put into its figures: everything behind them moves along."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace

from pipelines.core.document import Block, BlockKind, Document, Reference, Section
from pipelines.core.provenance import Provenance, Span


def with_descriptions(document: Document, texts: Mapping[str, str]) -> Document:
    """Return `document` with the description `texts[digest]` in each figure of that digest that has none.

    All spans still cut their own text out of the document's; ids stay as they are.
    """
    told = [_told(block, texts) for block in document.blocks]
    if all(new is old for new, old in zip(told, document.blocks, strict=True)):
        return document
    text, spans = _join(told)
    blocks = tuple(_at(block, span) for block, span in zip(told, spans, strict=True))
    moves = _Moves(document.blocks, blocks, len(document.text), len(text))
    return replace(
        document,
        text=text,
        blocks=blocks,
        sections=tuple(moves.section(section) for section in document.sections),
        references=tuple(moves.reference(reference) for reference in document.references),
    )


def _told(block: Block, texts: Mapping[str, str]) -> Block:
    figure = block.figure
    if figure is None or figure.description or not texts.get(figure.digest):
        return block
    described = texts[figure.digest]
    text = "\n".join(part for part in (block.text, described) if part)
    return replace(block, text=text, figure=replace(figure, description=described))


def _at(block: Block, span: Span) -> Block:
    return replace(block, provenance=replace(block.provenance, span=span))


def _join(blocks: Sequence[Block]) -> tuple[str, list[Span]]:
    """Items of a list stand below one another, all else has a blank line between, as when it was put together."""
    parts: list[str] = []
    spans: list[Span] = []
    end, last = 0, None
    for block in blocks:
        if block.text and last is not None:
            parts.append("\n" if last is block.kind is BlockKind.LIST_ITEM else "\n\n")
            end += len(parts[-1])
        spans.append(Span(end, end + len(block.text)))
        if block.text:
            parts.append(block.text)
            end, last = end + len(block.text), block.kind
    return "".join(parts), spans


class _Moves:
    """How far what begins at a place of the old text has moved."""

    def __init__(self, old: Sequence[Block], new: Sequence[Block], old_end: int, new_end: int) -> None:
        pairs = [(a.provenance.span.start, b.provenance.span.start) for a, b in zip(old, new, strict=True) if a.text]
        self._starts = [start for start, _ in pairs]
        self._shifts = [after - before for before, after in pairs]
        self._old_end, self._new_end = old_end, new_end

    def _moved(self, place: int) -> int:
        if place >= self._old_end:
            return self._new_end
        found = bisect_right(self._starts, place) - 1
        return place + self._shifts[found] if found >= 0 else place

    def section(self, section: Section) -> Section:
        start = 0 if section.level == 0 else self._moved(section.span.start)
        return replace(section, span=Span(start, max(start, self._moved(section.span.end))))

    def reference(self, reference: Reference) -> Reference:
        provenance: Provenance = reference.provenance
        if not len(provenance.span):
            return reference
        start = self._moved(provenance.span.start)
        return replace(reference, provenance=replace(provenance, span=Span(start, start + len(provenance.span))))
