"""Office documents printed to PDF by LibreOffice, and the search for the position of a passage on the pages.

Page breaks may differ from those of the original program. White space, hyphens at line ends and the order of cells
also differ from the parsed text, so only letters and digits are compared; a passage that is not found as a whole is
searched in pieces near the longest one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
import unicodedata
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from pipelines.core import codec
from pipelines.core.errors import Malformed
from pipelines.core.provenance import Box
from pipelines.core.work.job import JobContext
from pipelines.parse.office.libreoffice import convert
from pipelines.parse.pdf.mupdf import PdfFile

_OOXML = "application/vnd.openxmlformats-officedocument."
_ODF = "application/vnd.oasis.opendocument."
_SHEETS = frozenset({f"{_OOXML}spreadsheetml.sheet", f"{_ODF}spreadsheet", "application/vnd.ms-excel"})
_TEXTS = frozenset({f"{_OOXML}wordprocessingml.document", f"{_ODF}text", "application/msword", "application/rtf"})
_SLIDES = frozenset({f"{_OOXML}presentationml.presentation", f"{_ODF}presentation", "application/vnd.ms-powerpoint"})
PRINTABLE = _SHEETS | _TEXTS | _SLIDES
"""Media types that can be printed to PDF."""
_SHEET_OPTIONS = 'calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}'
"""Prints each sheet on one page, so that rows are not split (LibreOffice 7.4 and later)."""
_LARGEST_SHEET = 1684.0
"""Points: the longer side of A2 (ISO 216). A larger sheet is split into pages, to be readable."""
_MOST_PAGES = 400
"""Maximum pages in which a passage is searched."""
_MOST_MB = 64
"""Maximum size of the PDF in MiB; that of a report of about a thousand pages."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A document as PDF, with the width and height of its pages in points."""

    pdf: bytes
    sizes: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PrintedPlace:
    """The position of a passage: its page, from 1, and boxes; page 0 if it was not found."""

    page: int
    boxes: tuple[Box, ...] = ()


def print_in_worker(job: JobContext, path: Path, media_type: str, uri: str, cpu_s: float) -> bytes:
    """Job: print a document and return a packed `Printed`.

    Raises the errors of `convert`, and `Malformed` if the PDF is too large.
    """
    job.begin("print")
    with tempfile.TemporaryDirectory(dir=job.scratch) as folder:
        # A copy, because the path may be a link with another suffix, and LibreOffice locks the file that it reads.
        copy = Path(folder) / f"printed{PurePosixPath(uri).suffix[:16]}"
        shutil.copyfile(path, copy)
        if media_type in _SHEETS:
            printed = _with_whole_sheets(copy, uri, cpu_s)
            if printed is not None:
                return codec.pack(printed)
        return codec.pack(_as_pdf(copy, uri, cpu_s))


def _with_whole_sheets(path: Path, uri: str, cpu_s: float) -> Printed | None:
    """Print each sheet on one page; None if a sheet is too large, or LibreOffice does not support it."""
    try:
        printed = _as_pdf(path, uri, cpu_s, _SHEET_OPTIONS)
    except Malformed:
        return None
    return printed if max(map(max, printed.sizes)) <= _LARGEST_SHEET else None


def _as_pdf(path: Path, uri: str, cpu_s: float, options: str = "") -> Printed:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        converted = convert(path, "pdf", Path(folder), uri, cpu_s, options)
        if converted.stat().st_size >> 20 >= _MOST_MB:  # bytes to MiB
            raise Malformed(f"its pages take more than {_MOST_MB} MiB", ids=(uri,))
        with PdfFile(converted) as file:
            sizes = tuple(file.size(number) for number in range(1, file.pages + 1))
        return Printed(converted.read_bytes(), sizes)


def find_in_worker(job: JobContext, pdf: Path, passage: str) -> bytes:
    """Job: find a passage on the pages of a PDF and return a packed `PrintedPlace`."""
    job.begin("find")
    with PdfFile(pdf) as file:
        pages = [
            [PrintedWord(word.text, *word.rect) for word in file.words(number)]
            for number in range(1, min(file.pages, _MOST_PAGES) + 1)
        ]
        page, found = find_passage(pages, passage)
        if not found:
            return codec.pack(PrintedPlace(0))
        width, height = file.size(page)
    boxes = (Box(page, *word.within(width, height)) for word in found)
    return codec.pack(PrintedPlace(page, tuple(boxes)))


_CELLS = re.compile(r"[\n\t|()（）]+")
"""Separators of cells in the text of a table, and the parentheses around the displayed form of a number."""
_LEAST_LETTERS = 12
"""Minimum letters of each half of a split piece: two words of six letters, enough to identify a line."""
_MOST_ANCHORS, _MOST_RUNS = 50, 500
"""Maximum occurrences tried of the longest piece, and of each other one: a limit of time for repetitive pages."""
_MOST_LINES_AWAY = 3.0
"""Maximum distance of a piece from the pieces found before, in line heights."""


@dataclass(frozen=True, slots=True)
class PrintedWord:
    """A word and its box, in points."""

    text: str
    left: float
    top: float
    right: float
    bottom: float

    def within(self, width: float, height: float) -> tuple[float, float, float, float]:
        """Return the box in fractions of a page."""
        return self.left / width, self.top / height, self.right / width, self.bottom / height


@dataclass(frozen=True, slots=True)
class _Page:
    """The letters of a page, and the offset of each word in them."""

    words: Sequence[PrintedWord]
    letters: str
    starts: Sequence[int]

    def runs(self, letters: str) -> Iterator[tuple[int, int]]:
        """Yield the occurrences of the letters as the indices of the first word and after the last one."""
        at = self.letters.find(letters)
        while at >= 0:
            yield bisect_right(self.starts, at) - 1, bisect_right(self.starts, at + len(letters) - 1)
            at = self.letters.find(letters, at + 1)


def find_passage(pages: Sequence[Sequence[PrintedWord]], passage: str) -> tuple[int, list[PrintedWord]]:
    """Return the page, from 1, where a passage or most of it begins, and its lines, each merged to one word.

    Page 0 and no lines if it is not found.
    """
    read = [_page(words) for words in pages]
    whole = _normalized(passage)
    for number, page in enumerate(read, 1):
        for first, last in page.runs(whole) if whole else ():
            return number, _lines(page.words[first:last])
    found = [_match_pieces(page, passage) for page in read]
    best = max(range(len(found)), key=lambda place: (found[place][0], -place), default=-1)
    # If fewer than half of the letters match, it may be another passage.
    if best < 0 or 2 * found[best][0] < len(whole) or not whole:
        return 0, []
    return best + 1, _lines(found[best][1])


def _page(words: Sequence[PrintedWord]) -> _Page:
    starts: list[int] = []
    letters: list[str] = []
    length = 0
    for word in words:
        own = _normalized(word.text)
        starts.append(length)
        letters.append(own)
        length += len(own)
    return _Page(words, "".join(letters), starts)


def _normalized(text: str) -> str:
    """Return the letters and digits of a text, in compatibility form (Unicode TR 15) and lower case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _match_pieces(page: _Page, passage: str) -> tuple[int, list[PrintedWord]]:
    """Return how many letters of a passage a page has in pieces close together, and the words of these."""
    cells = [cell for cell in _CELLS.split(passage) if _normalized(cell)]
    parts = sorted((part for cell in cells for part in _split_to_pieces(page, cell)), key=len, reverse=True)
    if not parts:
        return 0, []
    anchors = islice(page.runs(parts[0]), _MOST_ANCHORS)
    found = [_match_around(page, anchor, parts) for anchor in anchors]
    return max(found, key=lambda one: one[0], default=(0, []))


def _match_around(page: _Page, anchor: tuple[int, int], parts: Sequence[str]) -> tuple[int, list[PrintedWord]]:
    """Return how many letters of the parts are found near an occurrence of the first one, and their words."""
    chosen = set(range(*anchor))
    count = len(parts[0])
    for part in parts[1:]:
        away = {run: _distance(page, run[0], chosen) for run in islice(page.runs(part), _MOST_RUNS)}
        best = min(away, key=lambda run: away[run], default=None)
        if best is not None and away[best] <= _MOST_LINES_AWAY:
            count += len(part)
            chosen |= set(range(*best))
    return count, [page.words[place] for place in sorted(chosen)]


def _split_to_pieces(page: _Page, text: str) -> Iterator[str]:
    """Yield the letters of a text as one piece if the page contains them, else those of its halves."""
    letters = _normalized(text)
    if letters in page.letters:
        yield letters
    elif len(letters) >= 2 * _LEAST_LETTERS and len(words := text.split()) > 1:
        middle = len(words) // 2
        yield from _split_to_pieces(page, " ".join(words[:middle]))
        yield from _split_to_pieces(page, " ".join(words[middle:]))


def _distance(page: _Page, place: int, others: Collection[int]) -> float:
    """Return the vertical distance of a word from the nearest of the others, in word heights."""
    word = page.words[place]
    height = max(word.bottom - word.top, 1.0)
    return min(abs(word.top - page.words[other].top) for other in others) / height


def _lines(words: Sequence[PrintedWord]) -> list[PrintedWord]:
    """Return the words with those of one line merged, also across the cells of a row."""
    lines: list[PrintedWord] = []
    for word in words:
        last = lines[-1] if lines else None
        middle = (word.top + word.bottom) / 2
        if last and last.top <= middle <= last.bottom and word.left >= last.left:
            lines[-1] = PrintedWord(
                f"{last.text} {word.text}",
                last.left,
                min(last.top, word.top),
                word.right,
                max(last.bottom, word.bottom),
            )
        else:
            lines.append(word)
    return lines
