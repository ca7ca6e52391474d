"""The section tree of a document, built from its headings in order."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pipelines.core.document import Block, BlockKind, Section
from pipelines.core.ids import content_id
from pipelines.core.provenance import Span
from pipelines.lang.word_lists import any_of

_NUMBER = re.compile(
    rf"(?:{any_of('section', 'appendix')}\s+)?"
    r"(\d{1,3}(?:\.\d{1,3}){0,7}|[A-Z](?:\.\d{1,3}){1,6}|[A-Z](?=[.):]\s)|[IVXL]{1,7}(?=[.):]\s))[.):]?(?=\s|$|[–—-]\s)",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"{any_of('appendix')}\s+([A-Z])\b", re.IGNORECASE)
_CHINESE = re.compile(r"第?\s*([一二三四五六七八九十百0-9]{1,5})\s*[章节節条條部分、]")


def number_depth(number: str) -> int:
    """Return the depth of a section with this number: 1 for "4", "4.0" and "B", 2 for "4.2" and "B.1"."""
    parts = number.split(".")
    while len(parts) > 1 and parts[-1] == "0":
        parts.pop()
    return len(parts)


def section_number(title: str) -> str:
    """Return the number that a heading begins with ("4.2", "A.1", "三"), or ''."""
    # 60 characters contain the longest number of the patterns (31), the word before it, and blanks.
    head = title.strip()[:60]
    if match := _NAMED.match(head) or _CHINESE.match(head):
        return match.group(1)
    match = _NUMBER.match(head)
    if match is None or (match.group(1).isdigit() and len(match.group(1)) > 2):
        return ""
    return match.group(1)


@dataclass(slots=True)
class _Open:
    block: Block
    raw_level: int
    depth: int
    id: str
    path: tuple[str, ...]
    parent: str


def build_sections(document: str, blocks: Sequence[Block], length: int) -> tuple[Section, ...]:
    """Return the root section and one for each heading, in order of their start.

    Levels of headings may be skipped (1, then 3); depths of sections are not: the depth is one more than that of the
    nearest preceding heading with a smaller level.
    """
    root = Section(content_id("section", document, 0), "", 0, Span(0, length))
    stack: list[_Open] = []
    found: list[tuple[_Open, int]] = []
    ends: dict[str, int] = {}
    for block in blocks:
        if block.kind is not BlockKind.HEADING:
            continue
        start = block.provenance.span.start
        while stack and stack[-1].raw_level >= block.level:
            ends[stack.pop().id] = start
        section = _open(document, block, stack, root.id, len(found) + 1)
        stack.append(section)
        found.append((section, start))
    return (root, *(_close(section, start, ends.get(section.id, length)) for section, start in found))


def _open(document: str, block: Block, stack: list[_Open], root: str, number: int) -> _Open:
    parent = stack[-1] if stack else None
    title = " ".join(block.text.split())
    return _Open(
        block=block,
        raw_level=block.level,
        depth=parent.depth + 1 if parent else 1,
        id=content_id("section", document, number),
        path=(*(parent.path if parent else ()), title),
        parent=parent.id if parent else root,
    )


def _close(section: _Open, start: int, end: int) -> Section:
    title = section.path[-1]
    span = Span(start, max(start, end))
    page = section.block.provenance.page
    return Section(section.id, title, section.depth, span, section.parent, section_number(title), section.path, page)
