"""Regions of a page filled with the lines of the text layer, and the decision whether a page needs a layout model."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from pipelines.lang.sentences import is_complete
from pipelines.parse.captions import is_table_caption
from pipelines.parse.columns import Gutters, in_rows, read_columns, reading_order
from pipelines.parse.lines import Line, Rect, TextStyle, around
from pipelines.parse.near import Near
from pipelines.parse.pdf.fragments import TYPE3
from pipelines.parse.pdf.headings import is_larger
from pipelines.parse.pdf.page import PageRegion, RawPage, RegionKind

_LEAST_ROWS = 3
"""Minimum rows whose second parts are left-aligned that form a table: a header and two rows."""
_LEAST_RULES = 4
"""Minimum horizontal lines that are not underlines: a table has three, above, below its header and at its end, and a
page one more. 3 to 6 have the same result for the annotated PDFs."""
_LARGEST_BULLET, _BULLET_GAP, _OFF_CENTRE = 6.0, 20.0, 0.25
"""Maximum size of a drawn bullet in points, half of 12-point type, and distance to its text; and how far it may be from
the middle of the line, in line heights: CSS centres it on lower-case letters."""

_SHORTEST_SENTENCE = 20
"""Minimum characters of a sentence, about four words: "Page 3 of 7." has fewer."""
_UNREAD = (RegionKind.PICTURE, RegionKind.TABLE)
"""Kinds of regions whose lines are read otherwise."""
ACROSS = 0.6
"""Minimum width of a table or picture that ends the columns above it, as a share of the width of the page's text: more
than a column of two."""
_NOTE_MARK = re.compile(r"\s(?:\d{1,3}|[*†‡]{1,3})$")
"""The mark of a footnote behind a sentence."""


@dataclass(frozen=True, slots=True)
class FilledRegion:
    """A region with its lines, from the top."""

    kind: RegionKind
    rect: Rect
    lines: tuple[Line, ...]


def needs_model(page: RawPage, gutters: Gutters = ()) -> bool:
    """Whether a layout model should be used, because a page may have tables or is not laid out in plain columns.

    Signs are a table's caption, rules, boxes around text, drawings, and lines side by side that do not form columns.
    """
    return bool(page.lines) and (
        _has_table_caption(page) or _has_rules(page) or _has_drawing(page) or _is_irregular(page.lines, gutters)
    )


def with_bullets(page: RawPage) -> RawPage:
    """Return a page whose lines are `marked` if a bullet is drawn as a shape before them, as browsers do."""
    near = Near(range(len(page.lines)), lambda number: page.lines[number].rect)
    marked: set[int] = set()
    for left, top, right, bottom in page.paint.shapes:
        if max(right - left, bottom - top) > _LARGEST_BULLET:
            continue
        for number in near.at(Rect(right, (top + bottom) / 2, right + _BULLET_GAP, (top + bottom) / 2)):
            line = page.lines[number]
            centred = abs(line.rect.middle[1] - (top + bottom) / 2) < _OFF_CENTRE * line.rect.height
            if centred and 0 < line.rect.left - right < _BULLET_GAP:
                marked.add(number)
    lines = (replace(line, marked=number in marked) for number, line in enumerate(page.lines))
    return replace(page, lines=tuple(lines)) if marked else page


def _has_rules(page: RawPage) -> bool:
    """Whether there are rules that neither underline text nor separate the margins."""
    # 30 points: five characters, the narrowest column; fraction bars are shorter.
    rules = [rect for rect in page.paint.horizontal if rect.width > 30 and not underlines(rect, page.lines)]
    # Rules below a running header and above a page number are in the margins: 8 and 7 % of the height.
    inner = [rect for rect in rules if 0.08 * page.height < rect.top < 0.93 * page.height]
    # 10 points: a line of text; 7 has the same result.
    upright = [rect for rect in page.paint.vertical if rect.height > 10]
    return len(inner) >= _LEAST_RULES or (len(upright) >= 2 and len(inner) >= 2)


def underlines(rule: Rect, lines: Sequence[Line]) -> bool:
    """Whether a horizontal rule is below one of the lines and not wider."""
    return any(
        # From the baseline (0.22 of the size above the bottom, see `fragments`) down by a third of the size; 3 points,
        # the width of a thick line, on each side.
        -2 < rule.top - (line.rect.bottom - 0.22 * line.size) < 0.35 * line.size
        and rule.left > line.rect.left - 3
        and rule.right < line.rect.right + 3
        for line in lines
    )


def _has_drawing(page: RawPage) -> bool:
    """Whether there are shapes around text, such as boxes of a table or diagram, or many shapes."""
    holding = sum(_shapes_with_text(page))
    # Three boxes around text are a table or diagram, one or two are notes; 60 shapes are a drawing without text. With 2
    # boxes, headings of the annotated PDFs are lost; 42 to 84 shapes have the same result.
    return holding >= 3 or len(shapes_of(page)) > 60


def needs_image(page: RawPage) -> bool:
    """Whether the model should also use an image of the page: if it has captioned tables, or figures, or no fonts.

    A shape without text may be part of a figure.
    """
    return _has_table_caption(page) or without_fonts(page) or not all(_shapes_with_text(page))


def without_fonts(page: RawPage) -> bool:
    """Whether most lines are in Type 3 fonts, of which neither weight nor family is known.

    Browsers write them for some fonts of Chinese and Japanese.
    """
    return 2 * sum(line.style.font.startswith(TYPE3) for line in page.lines) > len(page.lines)


def _has_table_caption(page: RawPage) -> bool:
    return any(is_table_caption(line.text) for line in page.lines)


def shapes_of(page: RawPage) -> list[Rect]:
    """Return the shapes of a page that are larger than bullets."""
    # 8 points: smaller ones are bullets and check boxes.
    return [rect for rect in page.paint.shapes if rect.width > 8 and rect.height > 8]


def _shapes_with_text(page: RawPage) -> list[bool]:
    """Return for each shape whether it contains text."""
    # If fewer than three of the first 400 shapes contain text, the page is a drawing.
    return [any(rect.holds(*line.rect.middle) for line in page.lines) for rect in shapes_of(page)[:400]]


def _is_irregular(lines: Sequence[Line], gutters: Gutters) -> bool:
    """Whether many lines of a column are side by side, or enough of them are left-aligned to form a table."""
    beside = 0
    flush: Counter[int] = Counter()
    for group in read_columns(lines, gutters):
        for above, line in pairwise(group):
            # On one line if they differ by less than a third of the size.
            if abs(above.rect.middle[1] - line.rect.middle[1]) < 0.3 * max(above.size, 1.0):
                beside += 1
                # Within 2 points, since side bearings differ; fewer than four characters are the number of an item.
                flush[round(line.rect.left / 2)] += len(above.text) > 3
    if max(flush.values(), default=0) >= _LEAST_ROWS:
        return True
    # A formula with its number is one such pair, so at least four and one line in ten. 3 to 6 have the same result for
    # the annotated PDFs.
    return beside >= 4 and beside > 0.1 * len(lines)


def fill_regions(
    regions: Sequence[PageRegion], lines: Sequence[Line], body: TextStyle, gutters: Gutters = ()
) -> list[FilledRegion]:
    """Return the regions with their lines, in reading order; lines outside all regions become text regions.

    A line is assigned to the region that contains the largest share of it, more than half, or to the smallest one
    inside this region that does: a heading between two tables is in the region of both. The model's own order is not
    used, because it crosses columns on difficult pages. A page header or footer that is a sentence is a text region,
    one in larger type than the `body` is a heading: text at the edge of a page is not to be lost.
    """
    assigned: dict[int, list[Line]] = {}
    unassigned: list[Line] = []
    for line in lines:
        home = _best_region(line, regions)
        if home is None:
            unassigned.append(line)
        else:
            assigned.setdefault(home, []).append(line)
    filled = [
        FilledRegion(
            _kind(region, assigned.get(number, []), body), region.rect, _ordered(assigned.get(number, []), region)
        )
        for number, region in enumerate(regions)
        if number in assigned or region.kind in _UNREAD
    ]
    for group in read_columns(unassigned, gutters):
        filled += [
            FilledRegion(RegionKind.TEXT, around(line.rect for line in run), tuple(run))
            for run in _split_at_gaps(group)
        ]
    return in_reading_order(filled, gutters)


def with_joined_text(regions: Sequence[FilledRegion]) -> list[FilledRegion]:
    """Return the regions with text regions joined that are one below the other without a gap.

    On a scan, or without fonts, the model divides paragraphs where it should not; rules find their ends.
    """
    joined: list[FilledRegion] = []
    for region in regions:
        above = joined[-1] if joined else region
        if joined and above.kind is region.kind is RegionKind.TEXT and above.lines and _continues(above, region):
            joined[-1] = replace(above, rect=around((above.rect, region.rect)), lines=above.lines + region.lines)
        else:
            joined.append(region)
    return joined


def _continues(above: FilledRegion, region: FilledRegion) -> bool:
    gap = region.rect.top - above.rect.bottom
    overlap = min(above.rect.right, region.rect.right) - max(above.rect.left, region.rect.left)
    narrower = min(above.rect.width, region.rect.width)
    # Gaps are 0.2 of the type size, and 0.8 at most; at half of the narrower one's width, they are in one column.
    return -region.lines[0].size < gap < 0.8 * region.lines[0].size and overlap > 0.5 * narrower


def _kind(region: PageRegion, lines: Sequence[Line], body: TextStyle) -> RegionKind:
    if region.kind not in (RegionKind.HEADER, RegionKind.FOOTER):
        return region.kind
    text = " ".join(line.text for line in lines)
    if any(is_larger(line.style, body) for line in lines):
        return RegionKind.HEADING
    text = _NOTE_MARK.sub("", text)
    is_sentence = len(text) >= _SHORTEST_SENTENCE and is_complete(text) and not text.endswith("…")
    return RegionKind.TEXT if is_sentence else region.kind


def in_reading_order(filled: Sequence[FilledRegion], gutters: Gutters = ()) -> list[FilledRegion]:
    """Return regions in reading order; a table or picture across the columns is between those above and those below.

    Headings directly above it are read before it, behind the columns above. Where the document has no columns, those of
    a part of the page may end at a table as wide as the page: features and applications above the technical data.
    """
    found: list[FilledRegion] = []
    width = around(region.rect for region in filled).width if filled else 0.0
    wide = [region for region in filled if region.kind in _UNREAD and _is_across(region.rect, width, gutters)]
    rest = [region for region in filled if region not in wide]
    for divider in sorted(wide, key=lambda region: region.rect.top):
        above = [region for region in rest if region.rect.middle[1] < divider.rect.middle[1]]
        heads = _last_headings(above)
        found += [*_by_columns([region for region in above if region not in heads], gutters), *heads, divider]
        rest = [region for region in rest if region not in above]
    return [*found, *_by_columns(rest, gutters)]


def _is_across(rect: Rect, width: float, gutters: Gutters) -> bool:
    if gutters:
        return any(rect.left < start and end < rect.right for start, end in gutters)
    return rect.width > ACROSS * width


def _last_headings(filled: Sequence[FilledRegion]) -> list[FilledRegion]:
    """Return the headings below all other regions, from the top."""
    ordered = sorted(filled, key=lambda region: region.rect.top)
    bottoms = list(accumulate((region.rect.bottom for region in ordered), max, initial=0.0))
    start = len(ordered)
    while start and ordered[start - 1].kind is RegionKind.HEADING and ordered[start - 1].rect.top >= bottoms[start - 1]:
        start -= 1
    return ordered[start:]


def _by_columns(filled: Sequence[FilledRegion], gutters: Gutters) -> list[FilledRegion]:
    """Return regions in reading order, each ordered by the first of its proxy lines."""
    owner: dict[Line, int] = {}
    for number, region in enumerate(filled):
        for line in _proxy_lines(region, number):
            owner[line] = number
    ranks: dict[int, int] = {}
    for group in read_columns(list(owner), gutters):
        for line in group:
            ranks.setdefault(owner[line], len(ranks))
    return [filled[number] for number in sorted(range(len(filled)), key=lambda number: ranks[number])]


def _proxy_lines(region: FilledRegion, number: int) -> list[Line]:
    """Return lines as wide as the region at the heights of its lines, or every 12 points for a picture or table."""
    rect = region.rect
    if region.kind in _UNREAD or not region.lines:
        # 12 points: a line of text with its leading.
        count = max(1, int(rect.height / 12))
        step = rect.height / count
        tops = [rect.top + step * position for position in range(count)]
        # 20 characters and nine tenths of a step, as `reading_order` expects of a line of text with a gap below.
        return [Line(f"{number} {'x' * 20}", Rect(rect.left, top, rect.right, top + 0.9 * step)) for top in tops]
    return [
        Line(f"{number} {line.text}", Rect(rect.left, line.rect.top, rect.right, line.rect.bottom))
        for line in region.lines
    ]


def _best_region(line: Line, regions: Sequence[PageRegion]) -> int | None:
    shares = [(line.rect.share_in(region.rect.grown(1.0)), -region.rect.area) for region in regions]
    holding = [number for number, (share, _) in enumerate(shares) if share > 0.5]
    if not holding:
        return None
    best = regions[max(holding, key=lambda number: shares[number])]
    # Nine tenths: the model's edges differ by a point or two.
    inside = (number for number in holding if regions[number] is best or regions[number].rect.share_in(best.rect) > 0.9)
    return min(inside, key=lambda number: regions[number].rect.area)


def _ordered(lines: Sequence[Line], region: PageRegion) -> tuple[Line, ...]:
    if region.kind is RegionKind.PICTURE:
        return tuple(line for group in reading_order(lines) for line in group)
    return tuple(in_rows(lines))


def _split_at_gaps(lines: Sequence[Line]) -> list[list[Line]]:
    """Return the unassigned lines of a column, split at gaps of more than two lines, where other regions are."""
    runs: list[list[Line]] = []
    for line in lines:
        # Gaps are up to 1 type size between lines in double spacing, and 1.5 between paragraphs.
        if runs and 0 <= line.rect.top - runs[-1][-1].rect.bottom < 1.6 * line.size:
            runs[-1].append(line)
        else:
            runs.append([line])
    return runs
