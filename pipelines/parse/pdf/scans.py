"""Pages without a usable text layer: read by OCR before the file is surveyed, and given the text as their layer."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from pipelines.core.document import BlockKind
from pipelines.core.errors import MissingExtra
from pipelines.lang.characters import CJK_CHARACTER
from pipelines.lang.numbers import FIGURE
from pipelines.parse.columns import Gutters
from pipelines.parse.limits import ParseTask
from pipelines.parse.lines import ASCENT, DESCENT, Line, Projection, Rect, around
from pipelines.parse.ocr.engine import SIDEWAYS, ocr_engine
from pipelines.parse.ocr.pictures import read_page
from pipelines.parse.ocr.stored import StoredText
from pipelines.parse.parsed import PictureText, page_name
from pipelines.parse.pdf.fragments import BOLD, WORD_GAP, FontRun, Fragment, lines_of
from pipelines.parse.pdf.garble import garble_score
from pipelines.parse.pdf.items import PageItem
from pipelines.parse.pdf.library import FAULTS
from pipelines.parse.pdf.mupdf import PdfFile
from pipelines.parse.pdf.page import PageGrid, PageRegion, PageWord, RawPage, RegionKind, TextLayer
from pipelines.parse.scan_tables import ScanTable, part_tables
from pipelines.parse.settings import ParseSettings

_OCR_SHARE = 0.25
"""Share of the processor time of a part that OCR may take, less than the survey: in the rest, the file is surveyed and
its pages are read if there is no further part."""
_FEW_CHARACTERS = 200
"""A page that is mostly a picture is read by OCR if its text layer has fewer characters."""
_SCAN_SHARE = 0.55
"""Share of a page covered by bitmaps from which it is a scan: even one without margins covers more than half."""
_SCAN, _SEARCHABLE = "a scan", "a searchable scan"
_MOST_HIDDEN = 0.5
"""Share of the characters of a scan from which its text layer is that of OCR: invisible, behind the picture."""
_DRAWING_DPI = 300
"""Dots per inch for labels of a drawing: 4 points, the smallest type on drawings, are 16 pixels high."""
_STEP = 1.2
"""Ratio of type sizes that are told apart: of 98 % of the lines of a scan, the size is measured within it."""
_BOX_TYPE = 0.7
"""Type size relative to the height of a line's box in OCR (see `ocr.ink`)."""
_TEXT_SHARE = 1 / 3
"""Share of a table's lines that are headings or items of lists from which it is columns of text: seven of eleven in
features beside applications, none or a title of a group in a table."""
_NO_ROWS = (RegionKind.TITLE, RegionKind.HEADING, RegionKind.LIST_ITEM)
_MOST_HELD = 0.8
"""Share of a table's lines in a grid from which they are the same table; of a plate of six rows, the model finds three.
"""
_LITRES = re.compile(r"I[.,;:)]{0,2}")
_LEAST_VERTICAL = 3
"""Minimum characters of vertical text."""


@dataclass(frozen=True, slots=True)
class _Scan:
    """The lines of a page before their type sizes are compared with those of other pages, in points."""

    fragments: tuple[Fragment, ...]
    rules: tuple[Rect, ...]
    turn: int
    projection: Projection | None


@dataclass(frozen=True, slots=True)
class OcrPage:
    """The result of OCR of a page, and why it was needed.

    `replaced` says that its text, which may be empty, replaces the text layer; `unread` that a limit prevented OCR;
    `illegible` that OCR cannot read the page; `is_stored` that the text is that of the text layer, which is right.
    """

    why: str
    issue: str = ""
    replaced: bool = False
    unread: bool = False
    illegible: bool = False
    is_stored: bool = False


def read_scans(file: PdfFile, settings: ParseSettings, task: ParseTask) -> dict[int, OcrPage]:
    """Read the pages that need OCR, give their text to `file`, and return the results by page number.

    A long scan takes several parts of the time that a file may take, and reading the pages afterwards a further one.
    """
    found: dict[int, OcrPage] = {}
    read: dict[int, PictureText] = {}
    for number in range(1, file.pages + 1):
        try:
            if why := _wants_ocr(file, number, settings):
                found[number], text = _read(file, number, why, settings, task)
                if text is not None:
                    read[number] = text
        except FAULTS as error:
            found[number] = OcrPage("", f"not readable: {error}")
    layers = {number: _layer(text, file.size(number)) for number, text in read.items()}
    usual = _usual_size(layers.values())
    for number, layer in layers.items():
        file.set_text(number, _with_sizes(layer, usual))
    if found:
        task.next_part()
    return found


def _wants_ocr(file: PdfFile, number: int, settings: ParseSettings) -> str:
    """Return why a page should be read by OCR, empty if its text layer is sufficient."""
    if settings.ocr.when == "always":
        return "asked for"
    lines, _ = file.lines(number)
    text = "\n".join(line.text for line in lines)
    if lines and garble_score(text) >= settings.pdf.garble:
        return "the text layer is garbled"
    hidden = file.hidden_share(number) > _MOST_HIDDEN
    if len(text) >= _FEW_CHARACTERS and not hidden:
        return ""
    raw = file.page(number)
    if not lines:
        # Up to three shapes are no content: a rule above and below an empty page, and a frame.
        return "no text layer" if raw.images or len(raw.paint.shapes) > 3 or raw.paint.vertical else ""
    scanned = sum(image.rect.area for image in raw.images) > _SCAN_SHARE * raw.rect.area
    return (_SEARCHABLE if hidden else _SCAN) if scanned else ""


def _read(
    file: PdfFile, number: int, why: str, settings: ParseSettings, task: ParseTask
) -> tuple[OcrPage, PictureText | None]:
    """Return the result of OCR of a page, and its text if it replaces that of the text layer."""
    known = task.found(page_name(number)) is not None
    if not known and task.clock.past(_OCR_SHARE) and not task.next_part():
        return OcrPage(why, f"{why}, and no time is left for OCR", unread=True), None
    try:
        engine = ocr_engine(settings.ocr)
    except MissingExtra as error:
        return OcrPage(why, f"{why}, and {error.message}"), None
    if engine is None:
        return OcrPage(why, "" if why == _SEARCHABLE else f"{why}, and OCR is switched off"), None
    raw = file.page(number)
    dpi = _dpi(raw, settings)
    stored = StoredText([_in_pixels(word, dpi) for word in file.words(number)]) if why == _SEARCHABLE else None
    read = read_page(number, lambda: file.pixels(number, dpi), engine, settings.ocr, task, stored)
    characters = sum(len(line.text) for line in read.lines)
    replaced = stored is not None and not read.is_stored
    if replaced:
        why = f"{why} whose text layer is not what it shows"
    if (replaced and read.issue) or (why == _SCAN and characters <= len(raw.text)):
        return OcrPage(why, read.issue, illegible=bool(read.issue)), None
    issue = read.issue or ("" if read.lines or not raw.lines else f"{why}, and OCR finds nothing")
    return OcrPage(why, issue, replaced=True, illegible=bool(read.issue), is_stored=read.is_stored), read


def _in_pixels(word: PageWord, dpi: int) -> Line:
    scale = dpi / 72  # points per inch
    return Line(word.text, _scaled(word.rect, scale, scale))


def _dpi(raw: RawPage, settings: ParseSettings) -> int:
    """Return the resolution for OCR: that of the settings, lower for a page that would be scaled down.

    A page without a bitmap has a higher one: its letters are drawn as curves, and are small if it is a drawing.
    """
    # 72 points per inch.
    longest = max(raw.width, raw.height, 1.0) / 72
    wanted = settings.ocr.dpi if raw.images else _DRAWING_DPI
    # At 36 dpi, a sheet of 72 inches fits into `max_side` (2600); at less, no letter is legible.
    return max(36, min(wanted, int(settings.ocr.max_side / longest)))


def _layer(text: PictureText, size: tuple[float, float]) -> _Scan:
    """Return the lines of a page of `size` in points; those of OCR are in pixels of the page after `turn`."""
    width, height = size if text.turn in (0, 180) else size[::-1]
    across, down = width / max(1, text.width), height / max(1, text.height)
    rules = tuple(_scaled(rule, across, down) for rule in text.rules)
    fragments = tuple(
        fragment
        for words in text.words
        for fragment in _fragments([_scaled_word(word, across, down) for word in words])
    )
    return _Scan(fragments, rules, text.turn, text.projection)


def _scaled(rect: Rect, across: float, down: float) -> Rect:
    left, top, right, bottom = rect
    return Rect(left * across, top * down, right * across, bottom * down)


def _scaled_word(word: Line, across: float, down: float) -> Line:
    return replace(word, rect=_scaled(word.rect, across, down), style=replace(word.style, size=word.size * down))


def _fragments(words: Sequence[Line]) -> Iterator[Fragment]:
    """Yield the words of a line, parted at gaps that are too wide for blanks."""
    parts: list[list[Line]] = []
    for word in words:
        before = parts[-1][-1].rect if parts else word.rect
        gap = max(word.rect.left - before.right, before.left - word.rect.right)
        if not parts or gap > WORD_GAP * word.size:
            parts.append([])
        parts[-1].append(word)
    for part in parts:
        rect, size = around(word.rect for word in part), part[0].size
        horizontal = rect.height <= SIDEWAYS * rect.width or len(part[0].text) < _LEAST_VERTICAL
        flags = BOLD if part[0].style.bold else 0
        texts = map(_with_blank, _with_litres([word.text for word in part]))
        runs = tuple(FontRun(text, "", size, flags, 0, word.rect) for text, word in zip(texts, part, strict=True))
        yield Fragment(runs, rect, rect.bottom - DESCENT * size, horizontal, confidence=part[0].confidence)


def _with_litres(words: Sequence[str]) -> list[str]:
    """Return the words of a line with "l", for litres, in place of an "I" behind a figure: they look alike."""
    return [
        word.replace("I", "l") if _LITRES.fullmatch(word.strip()) and FIGURE.fullmatch(before.strip()) else word
        for before, word in zip(("", *words), words, strict=False)
    ]


def _with_blank(word: str) -> str:
    """Return a word with a blank behind it, except after a CJK character; boxes of OCR may touch the next ones."""
    return word if word[-1:].isspace() or CJK_CHARACTER.search(word[-1:]) else f"{word} "


def _usual_size(scans: Iterable[_Scan]) -> float:
    """Return the median type size of all characters."""
    runs = (run for scan in scans for fragment in scan.fragments for run in fragment.runs)
    sizes = [run.size for run in runs for _ in run.text]
    return median(sizes) if sizes else 0.0


def _with_sizes(scan: _Scan, usual: float) -> TextLayer:
    """Return the text layer of a page, with sizes in steps from the usual one, since those of boxes vary."""
    fragments = [_resized(fragment, _step(fragment.runs[0].size, usual)) for fragment in scan.fragments]
    words = tuple(
        PageWord(run.text.strip(), run.rect, bool(run.flags & BOLD)) for fragment in fragments for run in fragment.runs
    )
    return TextLayer(tuple(lines_of(fragments)), words, scan.rules, scan.turn, scan.projection)


def _step(size: float, usual: float) -> float:
    steps = int(math.log(size / usual, _STEP)) if size > 0 and usual > 0 else 0
    return usual * _STEP**steps


def _resized(fragment: Fragment, size: float) -> Fragment:
    """Return a fragment with this type size and the height of stored text, on the same baseline."""
    if not fragment.horizontal:
        return replace(fragment, runs=tuple(replace(run, size=size) for run in fragment.runs))
    top, bottom = fragment.baseline - ASCENT * size, fragment.baseline + DESCENT * size
    runs = (replace(run, size=size, rect=run.rect._replace(top=top, bottom=bottom)) for run in fragment.runs)
    return replace(fragment, runs=tuple(runs), rect=fragment.rect._replace(top=top, bottom=bottom))


def tables_of_lines(
    page: RawPage, grids: Sequence[PageGrid], gutters: Gutters, regions: Sequence[PageRegion]
) -> list[PageItem]:
    """Return the tables of a scan that are found by the gaps between its lines, unless a grid holds most of them.

    They are those that the layout model does not know, such as the labels and values of a form, or cuts short. Columns
    of text, which `gutters` separate, are looked at one by one. `regions` are those of the model: headings and items of
    lists side by side are no table, and a table does not take a part of another one that goes on.
    """
    ruled = [grid for grid in grids if not grid.gutters]
    lines = [line for line in page.lines if not any(grid.rect.holds(*line.rect.middle) for grid in ruled)]
    texts = [region.rect for region in regions if region.kind in _NO_ROWS]
    edges = [-math.inf, *((left + right) / 2 for left, right in gutters), math.inf]
    columns = [[_with_margin(line) for line in lines if a <= line.rect.left < b] for a, b in pairwise(edges)]
    found: list[PageItem] = []
    for column in columns:
        parts = part_tables(column, page.box)
        if whole := [grid.rect for grid in grids if _goes_on(grid.rect, column, parts)]:
            apart = [line for line in column if not any(rect.holds(*line.rect.middle) for rect in whole)]
            parts = part_tables(apart, page.box)
        for part in parts:
            if isinstance(part, ScanTable) and not (_is_known(part, grids) or _is_text(part, texts)):
                text = "\n".join(cell.text for cell in part.cells)
                found.append(PageItem(BlockKind.TABLE, text, page.number, part.rect, cells=part.cells))
    return found


def _goes_on(grid: Rect, lines: Sequence[Line], parts: Sequence[ScanTable | list[Line]]) -> bool:
    """Whether one of the tables by the gaps between lines has less than half of a grid, and lines outside it."""
    whole = sum(grid.holds(*line.rect.middle) for line in lines)
    held = [
        (sum(grid.holds(*line.rect.middle) for line in part.lines), len(part.lines))
        for part in parts
        if isinstance(part, ScanTable)
    ]
    return any(0 < inside < min(whole / 2, count) for inside, count in held)


def _is_text(table: ScanTable, texts: Sequence[Rect]) -> bool:
    """Whether many of a table's lines are headings or items of lists."""
    held = sum(any(rect.holds(*line.rect.middle) for rect in texts) for line in table.lines)
    return held >= _TEXT_SHARE * len(table.lines)


def _with_margin(line: Line) -> Line:
    """Return a line as high as its box in OCR, by which tables are found."""
    margin = (1 / _BOX_TYPE - ASCENT - DESCENT) / 2 * line.size
    left, top, right, bottom = line.rect
    return replace(line, rect=Rect(left, top - margin, right, bottom + margin))


def _is_known(table: ScanTable, grids: Sequence[PageGrid]) -> bool:
    """Whether a grid holds most of a table, or the table holds grids and the text between them."""
    held = sorted(
        (grid.rect for grid in grids if grid.rect.share_in(table.rect) > _MOST_HELD), key=lambda rect: rect.top
    )
    heights = [line.rect.middle[1] for line in table.lines]
    joined = any(above.bottom < height < below.top for above, below in pairwise(held) for height in heights)
    return joined or any(_share_within(table, grid) > _MOST_HELD for grid in grids)


def _share_within(table: ScanTable, grid: PageGrid) -> float:
    return sum(grid.rect.holds(*line.rect.middle) for line in table.lines) / len(table.lines)
