"""Office documents as PDF, for their pages to be looked at, and where a passage of the text stands on them.

The pages are LibreOffice's: the document itself says nothing of them, or has them broken otherwise. The letters of a
passage are the same there, and little else: white space, hyphens at the ends of lines and the order of cells differ.
So letters and digits alone are compared; what is not found in one piece is found in smaller ones near its longest.
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
"""The types of which LibreOffice makes pages."""
_WHOLE_SHEETS = 'calc_pdf_Export:{"SinglePageSheets":{"type":"boolean","value":"true"}}'
"""A sheet is one page, so that a row stays whole (LibreOffice 7.4 and later)."""
_LARGEST_SHEET = 1684.0
"""Points: the longer side of A2 (ISO 216). A sheet that is larger is parted as a printer would, to be readable."""
_SEARCHED = 400
"""Pages in which a passage is looked for."""
_MOST_MB = 64
"""MiB of the PDF that pages are drawn from; a report of some thousand pages has as many."""


@dataclass(frozen=True, slots=True)
class Printed:
    """A document as PDF, and the width and height of its pages in points."""

    pdf: bytes
    sizes: tuple[tuple[float, float], ...]


@dataclass(frozen=True, slots=True)
class PrintedPlace:
    """Where a passage stands: its page from 1 and its boxes; page 0 where it is not found."""

    page: int
    boxes: tuple[Box, ...] = ()


def print_in_worker(job: JobContext, path: Path, media_type: str, uri: str, cpu_s: float) -> bytes:
    """The job that makes a PDF: a packed `Printed`. Raises what `convert` does, `Malformed` for too large a result."""
    job.begin("print")
    with tempfile.TemporaryDirectory(dir=job.scratch) as folder:
        # A copy: the path may be a link to what has another name, and LibreOffice locks the file that it reads.
        copy = Path(folder) / f"printed{PurePosixPath(uri).suffix[:16]}"
        shutil.copyfile(path, copy)
        if media_type in _SHEETS:
            printed = _whole_sheets(copy, uri, cpu_s)
            if printed is not None:
                return codec.pack(printed)
        return codec.pack(_printed(copy, uri, cpu_s))


def _whole_sheets(path: Path, uri: str, cpu_s: float) -> Printed | None:
    """The sheets as a page each; None where one is too large for that, or this LibreOffice cannot."""
    try:
        printed = _printed(path, uri, cpu_s, _WHOLE_SHEETS)
    except Malformed:
        return None
    return printed if max(map(max, printed.sizes)) <= _LARGEST_SHEET else None


def _printed(path: Path, uri: str, cpu_s: float, options: str = "") -> Printed:
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        converted = convert(path, "pdf", Path(folder), uri, cpu_s, options)
        if converted.stat().st_size >> 20 >= _MOST_MB:  # bytes to MiB
            raise Malformed(f"its pages take more than {_MOST_MB} MiB", ids=(uri,))
        with PdfFile(converted) as file:
            sizes = tuple(file.size(number) for number in range(1, file.pages + 1))
        return Printed(converted.read_bytes(), sizes)


def find_in_worker(job: JobContext, pdf: Path, passage: str) -> bytes:
    """The job that finds a passage on the pages of a PDF: a packed `PrintedPlace`."""
    job.begin("find")
    with PdfFile(pdf) as file:
        pages = [_words(file, number) for number in range(1, min(file.pages, _SEARCHED) + 1)]
        page, found = find_passage(pages, passage)
        if not found:
            return codec.pack(PrintedPlace(0))
        width, height = file.size(page)
    boxes = (Box(page, *word.within(width, height)) for word in found)
    return codec.pack(PrintedPlace(page, tuple(boxes)))


def _words(file: PdfFile, number: int) -> list[PrintedWord]:
    return [PrintedWord(word.text, *word.rect) for word in file.words(number)]


_CELLS = re.compile(r"[\n\t|()（）]+")
"""Between cells, and around the value of a cell as it is shown, which stands behind its number."""
_SHORTEST = 12
"""Letters below which a piece is not parted further: two words of six letters, enough to tell one line from others."""
_ANCHORS, _RUNS = 50, 500
"""Places that are tried of the longest piece, and of each other one: bounds the time on a page that repeats itself."""
_LINES_AWAY = 3.0
"""Heights of a line that a piece may stand from where those before it do."""


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
    """The letters of a page, and for each word where its own begin."""

    words: Sequence[PrintedWord]
    letters: str
    starts: Sequence[int]

    def runs(self, letters: str) -> Iterator[tuple[int, int]]:
        """Yield where these letters stand, as places of the first word and after the last."""
        at = self.letters.find(letters)
        while at >= 0:
            yield bisect_right(self.starts, at) - 1, bisect_right(self.starts, at + len(letters) - 1)
            at = self.letters.find(letters, at + 1)


def find_passage(pages: Sequence[Sequence[PrintedWord]], passage: str) -> tuple[int, list[PrintedWord]]:
    """Return the page, from 1, on which a passage begins or most of it stands, and its lines as one word each.

    Page 0 and nothing where it is not found.
    """
    read = [_page(words) for words in pages]
    whole = _letters(passage)
    for number, page in enumerate(read, 1):
        for first, last in page.runs(whole) if whole else ():
            return number, _lines(page.words[first:last])
    found = [_pieces(page, passage) for page in read]
    best = max(range(len(found)), key=lambda place: (found[place][0], -place), default=-1)
    # Less than half of the letters may be another passage's.
    if best < 0 or 2 * found[best][0] < len(whole) or not whole:
        return 0, []
    return best + 1, _lines(found[best][1])


def _page(words: Sequence[PrintedWord]) -> _Page:
    starts: list[int] = []
    letters: list[str] = []
    length = 0
    for word in words:
        own = _letters(word.text)
        starts.append(length)
        letters.append(own)
        length += len(own)
    return _Page(words, "".join(letters), starts)


def _letters(text: str) -> str:
    """Letters and digits, in one form of those that look alike (Unicode TR 15) and one case."""
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def _pieces(page: _Page, passage: str) -> tuple[int, list[PrintedWord]]:
    """How many letters of a passage a page has in pieces that stand together, and their words."""
    cells = [cell for cell in _CELLS.split(passage) if _letters(cell)]
    parts = sorted((part for cell in cells for part in _parted(page, cell)), key=len, reverse=True)
    if not parts:
        return 0, []
    anchors = islice(page.runs(parts[0]), _ANCHORS)
    found = [_beside(page, anchor, parts) for anchor in anchors]
    return max(found, key=lambda one: one[0], default=(0, []))


def _beside(page: _Page, anchor: tuple[int, int], parts: Sequence[str]) -> tuple[int, list[PrintedWord]]:
    """How many letters stand around a place where the first of the parts does, and their words."""
    chosen = set(range(*anchor))
    count = len(parts[0])
    for part in parts[1:]:
        away = {run: _distance(page, run[0], chosen) for run in islice(page.runs(part), _RUNS)}
        best = min(away, key=lambda run: away[run], default=None)
        if best is not None and away[best] <= _LINES_AWAY:
            count += len(part)
            chosen |= set(range(*best))
    return count, [page.words[place] for place in sorted(chosen)]


def _parted(page: _Page, text: str) -> Iterator[str]:
    """The letters of a text as one piece where the page has them, else those of its halves."""
    letters = _letters(text)
    if letters in page.letters:
        yield letters
    elif len(letters) >= 2 * _SHORTEST and len(words := text.split()) > 1:
        middle = len(words) // 2
        yield from _parted(page, " ".join(words[:middle]))
        yield from _parted(page, " ".join(words[middle:]))


def _distance(page: _Page, place: int, others: Collection[int]) -> float:
    """How many of its heights a word stands above or below the nearest of others."""
    word = page.words[place]
    height = max(word.bottom - word.top, 1.0)
    return min(abs(word.top - page.words[other].top) for other in others) / height


def _lines(words: Sequence[PrintedWord]) -> list[PrintedWord]:
    """Words side by side as one, cells of a row too; words of other lines stay apart."""
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
