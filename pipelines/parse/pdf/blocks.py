"""Lines of a page joined to items: headings, list items, captions, footnotes, code, paragraphs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pipelines.core.document import BlockKind
from pipelines.parse.captions import is_caption
from pipelines.parse.columns import read_columns
from pipelines.parse.lines import BULLET, BULLET_GLYPHS, LEADER, Line, around, join_lines
from pipelines.parse.outline import section_number
from pipelines.parse.paragraphs import group_paragraphs, paragraph_text
from pipelines.parse.pdf.headings import Outline, is_body_style, is_heading
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.page import RegionKind
from pipelines.parse.pdf.survey import Survey

_LABEL = re.compile(r"[^\W\d_]+\.?\s*\d{1,3}(?:[.\-]\d{1,3}){0,3}[a-z]?[.:]?")
_LONGEST_LABEL = 60
"""Maximum characters of a label in a figure."""
_LONGEST_TITLE = 200
"""Maximum characters of a caption's title."""
_INSIDE_LISTS = (BlockKind.FIGURE, BlockKind.CAPTION, BlockKind.FOOTNOTE)
_INDENT = 4.0
"""Minimum indentation of a nested list in points."""
_MOST_INDENT = 72.0
"""Maximum indentation of a level of a list in points, an inch: browsers indent by 30 points, word processors by 18."""
_NOTE_MARK = re.compile(r"(?:\d{1,3}|[*†‡§a-z])[.)]?\s")
_KINDS = {
    RegionKind.HEADING: BlockKind.HEADING,
    RegionKind.TITLE: BlockKind.HEADING,
    RegionKind.CAPTION: BlockKind.CAPTION,
    RegionKind.FOOTNOTE: BlockKind.FOOTNOTE,
    RegionKind.FORMULA: BlockKind.FORMULA,
    RegionKind.HEADER: BlockKind.PAGE_HEADER,
    RegionKind.FOOTER: BlockKind.PAGE_FOOTER,
}


class BlockMaker:
    """Makes items from the lines of one page."""

    def __init__(self, page: int, height: float, survey: Survey, outline: Outline) -> None:
        self.page = page
        self.height = height
        self.survey = survey
        self.outline = outline

    def columns(self, lines: Sequence[Line]) -> list[PageItem]:
        """Return the items of lines that are laid out in plain columns, in reading order."""
        return [item for group in read_columns(lines, self.survey.gutters) for item in self.column(group)]

    def labels(self, lines: Sequence[Line]) -> list[PageItem]:
        """Return the items of the text in a figure: labels as one paragraph, longer text unchanged, then captions."""
        items = self.columns(lines)
        text = [replace(i, kind=BlockKind.PARAGRAPH) for i in items if i.kind is not BlockKind.CAPTION]
        captions = [item for item in items if item.kind is BlockKind.CAPTION]
        if len(text) < 2 or any(len(item.text) > _LONGEST_LABEL for item in text):
            return [*text, *captions]
        joined = "\n".join(item.text for item in text)
        return [replace(text[0], text=joined, rect=around(item.rect for item in text)), *captions]

    def column(self, lines: Sequence[Line]) -> list[PageItem]:
        """Return the items of one column of the text layer, from the top."""
        groups = [part for group in group_paragraphs(lines) for part in self._split(group)]
        right = max((line.rect.right for line in lines), default=0.0)
        items: list[PageItem] = []
        for position, group in enumerate(groups):
            before = groups[position - 1] if position else None
            after = groups[position + 1] if position + 1 < len(groups) else None
            items.append(self.item(self._kind(group, before, after), group, right))
        return _with_joined_captions(items)

    def region(self, region: RegionKind, lines: Sequence[Line]) -> list[PageItem]:
        """Return the items of a region whose kind was determined by a layout model."""
        return [replace(item, region=region) for item in self._region_items(region, lines)]

    def _region_items(self, region: RegionKind, lines: Sequence[Line]) -> list[PageItem]:
        kind = _KINDS.get(region)
        if kind is BlockKind.HEADING:
            return [self.item(self._heading_kind(group), group) for group in _split_by_size(lines)]
        if kind is not None:
            return [self.item(kind, lines)]
        groups = [run for group in group_paragraphs(lines) for run in self._split(group)]
        return [self.item(self._body_kind(group, region), group) for group in groups]

    def item(self, kind: BlockKind, lines: Sequence[Line], right: float | None = None) -> PageItem:
        """Return the item of these lines; `right` is the right edge of their column, if it is known."""
        if kind is BlockKind.CODE:
            text = code_text(lines)
        elif kind is BlockKind.PARAGRAPH:
            text = paragraph_text(lines, right, self.survey.vocabulary)
        else:
            text = join_lines([line.text for line in lines], self.survey.vocabulary)
        confidence = sum(line.confidence for line in lines) / len(lines)
        rect = around(line.rect for line in lines)
        return PageItem(kind, text, self.page, rect, lines[0].style, confidence=confidence)

    def _kind(self, group: Sequence[Line], before: Sequence[Line] | None, after: Sequence[Line] | None) -> BlockKind:
        text = join_lines([line.text for line in group], self.survey.vocabulary)
        if group[0].marked or text[:1] in BULLET_GLYPHS or LEADER.search(text):
            return BlockKind.LIST_ITEM
        if all(line.style.mono for line in group) and not self.survey.body.mono:
            return BlockKind.CODE
        if is_caption(text):
            return BlockKind.CAPTION
        # A heading with a bookmark has at most three lines: more are text that begins like it.
        marked = len(group) <= 3 and self.outline.level(self.page, text) > 0
        if marked or is_heading(group, text, self.survey.body, _is_alone(group, before, after)):
            return BlockKind.HEADING
        return self._running_kind(group, text)

    def _running_kind(self, group: Sequence[Line], text: str) -> BlockKind:
        if self._is_footnote(group, text):
            return BlockKind.FOOTNOTE
        return BlockKind.LIST_ITEM if BULLET.match(text) else BlockKind.PARAGRAPH

    def _heading_kind(self, group: Sequence[Line]) -> BlockKind:
        """Return the kind of a heading found by the model: it may also be text, a list item or a caption."""
        text = join_lines([line.text for line in group])
        # Three full lines of 80 characters: the model sometimes classifies a longer paragraph as a heading.
        if not any(character.isalpha() for character in text) or len(text) > 250:
            return BlockKind.PARAGRAPH
        if group[0].marked:
            return BlockKind.LIST_ITEM
        if is_caption(text):
            return BlockKind.CAPTION
        # A sentence of more than a line (about twelve words) is text.
        if text.endswith((".", ";")) and (len(text.split()) > 12 or is_body_style(group[0].style, self.survey.body)):
            return BlockKind.PARAGRAPH
        return BlockKind.HEADING

    def _body_kind(self, group: Sequence[Line], region: RegionKind) -> BlockKind:
        kind = self._kind(group, None, None)
        if kind is BlockKind.FOOTNOTE:
            kind = BlockKind.PARAGRAPH
        if region is RegionKind.LIST_ITEM and kind in (BlockKind.PARAGRAPH, BlockKind.HEADING):
            text = group[0].text
            return kind if kind is BlockKind.HEADING and self.outline.level(self.page, text) else BlockKind.LIST_ITEM
        return kind

    def _is_footnote(self, group: Sequence[Line], text: str) -> bool:
        """Whether a paragraph is small print in the lower half of the page that begins with a mark."""
        first = group[0]
        # Notes are a step smaller, at most 8 to 9 points (0.89); rounding to half points gives up to 0.92.
        small = first.size <= 0.92 * self.survey.body.size
        low = first.rect.top > 0.5 * self.height
        return small and low and (first.raised or _NOTE_MARK.match(text) is not None)

    def _split(self, group: Sequence[Line]) -> list[Sequence[Line]]:
        """Return a paragraph split after its first line if this is the title of a bookmark."""
        if len(group) > 1 and self.outline.level(self.page, group[0].text):
            return [group[:1], group[1:]]
        return [group]


def _with_joined_captions(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with captions that are only a label ("Figure 1") joined with the title below."""
    done: list[PageItem] = []
    for item in items:
        if done and _completes(done[-1], item):
            label = done[-1]
            done[-1] = replace(label, text=f"{label.text} {item.text}", rect=around((label.rect, item.rect)))
        else:
            done.append(item)
    return done


def _completes(label: PageItem, title: PageItem) -> bool:
    if label.kind is not BlockKind.CAPTION or not _LABEL.fullmatch(label.text) or len(title.text) > _LONGEST_TITLE:
        return False
    plain = title.kind is BlockKind.PARAGRAPH or (title.kind is BlockKind.HEADING and not section_number(title.text))
    gap = title.rect.top - label.rect.bottom
    overlaps = min(label.rect.right, title.rect.right) > max(label.rect.left, title.rect.left)
    # The title is on the next line: the gap is half a line, and a little more for accents.
    return plain and overlaps and -1 < gap < 0.6 * max(label.style.size, 1.0)


def _is_alone(group: Sequence[Line], before: Sequence[Line] | None, after: Sequence[Line] | None) -> bool:
    """Whether nothing is beside a paragraph: the words of a table row are not headings."""
    middle = group[0].rect.middle[1]
    for other in (before, after):
        if other is not None and any(line.rect.top < middle < line.rect.bottom for line in other):
            return False
    return True


def _split_by_size(lines: Sequence[Line]) -> list[Sequence[Line]]:
    """Return the lines of a heading split where the type size changes, into several headings."""
    groups: list[list[Line]] = []
    for line in lines:
        # Sizes within a heading differ by small capitals and rounding; those of two headings by a step of type size.
        if groups and abs(groups[-1][-1].size - line.size) < max(1.2, 0.1 * line.size):
            groups[-1].append(line)
        else:
            groups.append([line])
    return list(groups)


def code_text(lines: Sequence[Line]) -> str:
    """Return code with each line indented by its distance from the left edge."""
    left = min(line.rect.left for line in lines)
    # Three characters are too few for a mean width.
    widths = sorted(line.rect.width / len(line.text) for line in lines if len(line.text) > 3)
    # A character of Courier is 0.6 of its size wide: 6 points at 10.
    wide = widths[len(widths) // 2] if widths else 6.0
    return "\n".join(" " * round((line.rect.left - left) / wide) + line.text for line in lines)


def list_levels(items: Sequence[PageItem]) -> list[PageItem]:
    """Return the items with the depth of each list item, from the indentation of consecutive items.

    One that begins much further right is in another column, where the list goes on.
    """
    done: list[PageItem] = []
    lefts: list[float] = []
    for item in items:
        if item.kind is not BlockKind.LIST_ITEM:
            lefts = lefts if item.kind in _INSIDE_LISTS else []
            done.append(item)
            continue
        while lefts and item.rect.left < lefts[-1] - _INDENT:
            lefts.pop()
        if lefts and item.rect.left > lefts[-1] + _MOST_INDENT:
            lefts = []
        if not lefts or item.rect.left > lefts[-1] + _INDENT:
            lefts.append(item.rect.left)
        done.append(replace(item, level=len(lefts)))
    return done
