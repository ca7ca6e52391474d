"""Section groups: the sections of a document with small neighbours joined, before splitting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from pipelines.chunk.settings import ChunkSettings
from pipelines.core.block_index import BlockIndex
from pipelines.core.document import BlockKind, Document, Section
from pipelines.core.provenance import Span
from pipelines.llm.tokens import count_tokens


@dataclass(frozen=True, slots=True)
class SectionGroup:
    """A span of the document in one section; `bare` if it contains headings only."""

    span: Span
    section: Section
    tokens: int
    bare: bool = False


def group_sections(block_index: BlockIndex, settings: ChunkSettings) -> list[SectionGroup]:
    """Return the section groups of a document in order; every character but white space is in exactly one.

    The own text of each section, without its subsections, is a group. A group below `min_tokens` is joined with the
    next one under the same parent, or else with the one before, if both fit into one chunk. Headings without text are
    joined with the group below them, whatever its size.
    """
    tree = _Tree(block_index.document)
    groups: list[SectionGroup] = []
    for group in _own_texts(block_index, tree):
        if groups and _opens(groups[-1], group, tree, settings):
            groups[-1] = _joined(groups[-1], group, tree)
        else:
            groups.append(group)
    return _joined_backwards(groups, tree, settings)


class _Tree:
    """The section tree of a document."""

    def __init__(self, document: Document) -> None:
        self.root = root_section(document)
        self.sections = sorted(document.sections, key=lambda s: (s.span.start, -s.span.end, s.level))
        self._by_id = {section.id: section for section in self.sections}

    def ancestry(self, section: Section) -> list[str]:
        """Return the ids of `section` and of its ancestors, the root last."""
        ids = [section.id]
        while section.parent in self._by_id and section.parent not in ids:
            section = self._by_id[section.parent]
            ids.append(section.id)
        return ids

    def common(self, one: Section, other: Section) -> Section:
        """Return the lowest common ancestor, the root if there is none."""
        ancestry = set(self.ancestry(one))
        shared = next((id for id in self.ancestry(other) if id in ancestry), self.root.id)
        return self._by_id.get(shared, self.root)


def root_section(document: Document) -> Section:
    """Return the root section of a document; if the parser gave none, one without an id."""
    roots = [section for section in document.sections if not section.parent]
    return roots[0] if roots else Section("", "", 0, Span(0, len(document.text)))


def whole_document(document: Document) -> SectionGroup:
    """Return one group with the whole text of a document."""
    return SectionGroup(Span(0, len(document.text)), root_section(document), count_tokens(document.text))


def _own_texts(block_index: BlockIndex, tree: _Tree) -> Iterator[SectionGroup]:
    """Yield the text between section boundaries, each span with the deepest section that contains it."""
    text = block_index.document.text
    marks = sorted({0, len(text)} | {mark for s in tree.sections for mark in (s.span.start, s.span.end)})
    waiting = list(reversed(tree.sections))
    open_sections: list[Section] = []
    for start, end in pairwise(marks):
        while waiting and waiting[-1].span.start <= start:
            open_sections.append(waiting.pop())
        while open_sections and open_sections[-1].span.end <= start:
            open_sections.pop()
        own = text[start:end]
        if own.strip():
            section = open_sections[-1] if open_sections else tree.root
            tokens = count_tokens(own)
            yield SectionGroup(Span(start, end), section, tokens, _is_bare(block_index, Span(start, end), tokens))


def _is_bare(block_index: BlockIndex, span: Span, tokens: int) -> bool:
    kinds = (BlockKind.TITLE, BlockKind.HEADING)
    headings = [block for block in block_index.touching(span) if block.kind in kinds]
    return bool(headings) and sum(count_tokens(block.text) for block in headings) >= tokens


def _opens(before: SectionGroup, after: SectionGroup, tree: _Tree, settings: ChunkSettings) -> bool:
    """Whether `before` is joined with `after`: it is small, or it is a heading above it."""
    if before.bare:
        return before.section.id in tree.ancestry(after.section)
    return before.tokens < settings.min_tokens and _fit(before, after, tree, settings)


def _joined_backwards(groups: list[SectionGroup], tree: _Tree, settings: ChunkSettings) -> list[SectionGroup]:
    kept: list[SectionGroup] = []
    for group in groups:
        small = group.tokens < settings.min_tokens and bool(kept) and _fit(kept[-1], group, tree, settings)
        if kept and (small or group.bare or kept[-1].bare):
            kept[-1] = _joined(kept[-1], group, tree)
        else:
            kept.append(group)
    return kept


def _fit(before: SectionGroup, after: SectionGroup, tree: _Tree, settings: ChunkSettings) -> bool:
    """Whether two groups fit into one chunk and are parent and child, or siblings."""
    if before.tokens + after.tokens > settings.max_tokens:
        return False
    common = tree.common(before.section, after.section).id
    return common in (before.section.id, after.section.id) or (before.section.parent == after.section.parent == common)


def _joined(before: SectionGroup, after: SectionGroup, tree: _Tree) -> SectionGroup:
    section = tree.common(before.section, after.section)
    if before.bare and section.id == before.section.id:
        section = after.section
    if after.bare and not before.bare:
        section = before.section
    bare = before.bare and after.bare
    span = Span(before.span.start, after.span.end)
    return replace(before, span=span, section=section, tokens=before.tokens + after.tokens, bare=bare)
