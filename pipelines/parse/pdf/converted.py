"""Formats of pages that other programs convert to PDF: PostScript (Ghostscript) and DjVu (DjVuLibre)."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pipelines.core.document import Source
from pipelines.core.errors import TooLarge
from pipelines.core.provenance import Box
from pipelines.parse.magic import DJVU, PDF, POSTSCRIPT
from pipelines.parse.parsed import Parsed
from pipelines.parse.programs import output, program
from pipelines.parse.reader import signed
from pipelines.parse.registry import reader_for
from pipelines.parse.settings import ParseSettings

GHOSTSCRIPT, DDJVU = ("gs",), ("ddjvu",)
"""The names of the commands."""
_DJVULIBRE, _INSTEAD = "ddjvu (djvulibre-bin)", "convert it to PDF"
_BOX = r"(-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6})"
_PAGE = re.compile(rf"^\(page {_BOX}", re.MULTILINE)
_TEXT = re.compile(rf'{_BOX} "((?:[^"\\]|\\.)*+)"', re.DOTALL)
"""What has a text and a box: left, bottom, right and top in pixels, from the lower left (djvused, print-txt)."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class PostScriptReader:
    """Reads PostScript, and EPS, whose pages are as large as its drawing."""

    formats = (signed(POSTSCRIPT, ".ps", ".eps"),)
    name = "ghostscript"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            return reader_for(PDF, settings).read(convert(path, Path(folder), source), source, settings)


class DjvuReader:
    """Reads DjVu: scanned pages, with the text that is stored behind them."""

    formats = (signed(DJVU, ".djvu", ".djv"),)
    name = "djvulibre"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        from pipelines.parse.pdf.hidden_text import add_hidden_text

        djvused = f"{program(DDJVU, _DJVULIBRE, source, _INSTEAD).removesuffix('ddjvu')}djvused"
        pages = int(output([djvused, "-e", "n", str(path.resolve())], source) or 0)
        if pages > settings.limits.pages:
            raise TooLarge(f"{pages} pages, more than {settings.limits.pages}", ids=(source.uri,))
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            converted = convert(path, Path(folder), source)
            text = output([djvused, "-u", "-e", "print-txt", str(path.resolve())], source).decode("utf-8", "replace")
            add_hidden_text(converted, _words(text))
            return reader_for(PDF, settings).read(converted, source, settings)


def convert(path: Path, folder: Path, source: Source, page: int = 0) -> Path:
    """Return the path of a PDF, in an empty `folder`, of all pages or of one, counted from 1; without hidden text.

    Raises `Unsupported` if the program is not installed, `Malformed` or `TooLarge` if it fails.
    """
    converted, given = folder / "pages.pdf", str(path.resolve())
    if source.media_type == DJVU:
        ddjvu = program(DDJVU, _DJVULIBRE, source, _INSTEAD)
        output([ddjvu, "-format=pdf", *([f"-page={page}"] if page else []), given, str(converted)], source)
        return converted
    # Ghostscript lets a file read the others in the folder for temporary files.
    alone = ["env", f"TMPDIR={folder}", program(GHOSTSCRIPT, "Ghostscript", source, _INSTEAD)]
    options = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=pdfwrite"]
    options += [f"-dFirstPage={page}", f"-dLastPage={page}"] if page else []
    output([*alone, *options, f"-sOutputFile={converted}", given], source)
    return converted


def _words(written: str) -> Iterator[tuple[str, Box]]:
    """Yield the words of all pages with their boxes."""
    pages = list(_PAGE.finditer(written))
    ends = [page.start() for page in pages[1:]] + [len(written)]
    for number, (page, end) in enumerate(zip(pages, ends, strict=True), 1):
        left, bottom, right, top = map(int, page.groups())
        wide, high = right - left, top - bottom
        if wide > 0 and high > 0:  # they are 0 for a page without text
            for x0, y0, x1, y1, text in _TEXT.findall(written, page.start(), end):
                sides = (
                    (int(x0) - left) / wide,
                    (top - int(y1)) / high,
                    (int(x1) - left) / wide,
                    (top - int(y0)) / high,
                )
                yield _ESCAPED.sub(r"\1", text), Box(number, *sides)
