"""Groups: what the sections of a document are before any of them is cut, small neighbours joined."""

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
class Group:
    """A stretch of the document under one section; `bare` where it is nothing but headings."""

    span: Span
    section: Section
    tokens: int
    bare: bool = False


def group_sections(layout: BlockIndex, settings: ChunkSettings) -> list[Group]:
    """Return the groups of a document in order; every character that is not blank lies in exactly one.

    Each section's own text, without its subsections, is a group. A group below `min_tokens` is joined to the next
    one under the same parent, or else to the one before, as long as both fit into one chunk; bare headings are
    joined to what they open whatever its size.
    """
    tree = _Tree(layout.document)
    groups: list[Group] = []
    for group in _own_texts(layout, tree):
        if groups and _opens(groups[-1], group, tree, settings):
            groups[-1] = _joined(groups[-1], group, tree)
        else:
            groups.append(group)
    return _leftovers_joined(groups, tree, settings)


class _Tree:
    """The sections of a document by id, with a root where the parser gave none."""

    def __init__(self, document: Document) -> None:
        self.root = root_section(document)
        self.sections = sorted(document.sections, key=lambda s: (s.span.start, -s.span.end, s.level))
        self._by_id = {section.id: section for section in self.sections}

    def line(self, section: Section) -> list[str]:
        """Return the ids from `section` up to the root."""
        ids = [section.id]
        while section.parent in self._by_id and section.parent not in ids:
            section = self._by_id[section.parent]
            ids.append(section.id)
        return ids

    def common(self, one: Section, other: Section) -> Section:
        line = set(self.line(one))
        shared = next((name for name in self.line(other) if name in line), self.root.id)
        return self._by_id.get(shared, self.root)


def root_section(document: Document) -> Section:
    """Return the section that spans the document, one without an id where the parser gave none."""
    roots = [section for section in document.sections if not section.parent]
    return roots[0] if roots else Section("", "", 0, Span(0, len(document.text)))


def _own_texts(layout: BlockIndex, tree: _Tree) -> Iterator[Group]:
    """Yield for each stretch of text the deepest section that holds it; blank stretches are left out."""
    text = layout.document.text
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
            yield Group(Span(start, end), section, tokens, _is_bare(layout, Span(start, end), tokens))


def _is_bare(layout: BlockIndex, span: Span, tokens: int) -> bool:
    kinds = (BlockKind.TITLE, BlockKind.HEADING)
    headings = [block for block in layout.touching(span) if block.kind in kinds]
    return bool(headings) and sum(count_tokens(block.text) for block in headings) >= tokens


def _opens(before: Group, after: Group, tree: _Tree, settings: ChunkSettings) -> bool:
    """Whether `before` is too small to stand without `after`."""
    if before.bare:
        return before.section.id in tree.line(after.section)
    return before.tokens < settings.min_tokens and _fit(before, after, tree, settings)


def _leftovers_joined(groups: list[Group], tree: _Tree, settings: ChunkSettings) -> list[Group]:
    kept: list[Group] = []
    for group in groups:
        small = group.tokens < settings.min_tokens and bool(kept) and _fit(kept[-1], group, tree, settings)
        if kept and (small or group.bare or kept[-1].bare):
            kept[-1] = _joined(kept[-1], group, tree)
        else:
            kept.append(group)
    return kept


def _fit(before: Group, after: Group, tree: _Tree, settings: ChunkSettings) -> bool:
    """Whether two groups fit into one chunk, and one is the parent of the other or both have the same parent."""
    if before.tokens + after.tokens > settings.max_tokens:
        return False
    common = tree.common(before.section, after.section).id
    return common in (before.section.id, after.section.id) or (before.section.parent == after.section.parent == common)


def _joined(before: Group, after: Group, tree: _Tree) -> Group:
    section = tree.common(before.section, after.section)
    if before.bare and section.id == before.section.id:
        section = after.section
    if after.bare and not before.bare:
        section = before.section
    bare = before.bare and after.bare
    span = Span(before.span.start, after.span.end)
    return replace(before, span=span, section=section, tokens=before.tokens + after.tokens, bare=bare)
