"""Office documents as PDF, for their pages to be looked at, and where a passage of the text stands on them.

The pages are LibreOffice's: the document itself says nothing of them, or has them broken otherwise.
"""

from __future__ import annotations

import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from pipelines.core import codec
from pipelines.core.errors import Malformed
from pipelines.core.provenance import Box
from pipelines.core.work.job import JobContext
from pipelines.parse.office.libreoffice import convert
from pipelines.parse.office.passage import PrintedWord, find_passage
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
