"""Formats of pages that other programs convert to PDF: PostScript (Ghostscript) and DjVu (DjVuLibre)."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from pipelines.core.document import Source
from pipelines.core.errors import Malformed, TooLarge
from pipelines.core.provenance import Box
from pipelines.parse.gallery import page_numbers
from pipelines.parse.limits import MEBIBYTE, most_unpacked
from pipelines.parse.magic import DJVU, PDF, POSTSCRIPT
from pipelines.parse.parsed import Parsed
from pipelines.parse.programs import output, program, write_into
from pipelines.parse.reader import signed
from pipelines.parse.registry import reader_for
from pipelines.parse.settings import Limits, ParseSettings

GHOSTSCRIPT, DDJVU = ("gs",), ("ddjvu",)
"""The names of the commands."""
_DJVULIBRE, _INSTEAD = "ddjvu (djvulibre-bin)", "convert it to PDF"
_BOX = r"(-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6}) (-?\d{1,6})"
_PAGE = re.compile(rf"^\(page {_BOX}", re.MULTILINE)
_TEXT = re.compile(rf'{_BOX} "((?:[^"\\]|\\.)*+)"', re.DOTALL)
"""What has a text and a box: left, bottom, right and top in pixels, from the lower left (djvused, print-txt)."""
_DAMAGED = re.compile(r"Cannot decode page (\d{1,6})")
"""A message of ddjvu."""
_NO_TEXT = "(page 0 0 0 0"
"""How djvused prints a page without text begins."""
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)


class PostScriptReader:
    """Reads PostScript, and EPS, whose pages are as large as its drawing."""

    formats = (signed(POSTSCRIPT, ".ps", ".eps"),)
    name = "ghostscript"

    def read(self, path: Path, source: Source, settings: ParseSettings) -> Parsed:
        with tempfile.TemporaryDirectory(prefix="strata-") as folder:
            converted = _postscript(path, Path(folder), source, most_unpacked(source.size, settings.limits))
            return _read(converted, source, settings)


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
            converted = _djvu(path, Path(folder), source, most_unpacked(source.size, settings.limits))
            if converted.missing:
                _add_empty_pages(converted)
            add_hidden_text(converted.path, _words(_stored_text(djvused, path, source, pages)))
            return _read(converted, source, settings)


def _stored_text(djvused: str, path: Path, source: Source, pages: int) -> str:
    """Return the text behind all pages; of a damaged file page by page, without that of damaged ones."""

    def printed(choice: str) -> str:
        return output([djvused, "-u", "-e", f"{choice}print-txt", str(path.resolve())], source).decode(
            "utf-8", "replace"
        )

    try:
        return printed("")
    except Malformed:
        texts = []
        for number in range(1, pages + 1):
            texts.append(_NO_TEXT)
            with contextlib.suppress(Malformed):
                texts[-1] = printed(f"select {number}; ")
        return "\n".join(texts)


class _Converted(NamedTuple):
    """A PDF, the pages that it lacks because they are damaged, and what is to be said about them."""

    path: Path
    missing: tuple[int, ...] = ()
    issue: str = ""


def convert(path: Path, folder: Path, source: Source, page: int) -> Path:
    """Return the path of a PDF, in an empty `folder`, of one page, counted from 1; without hidden text.

    Raises `Unsupported` if the program is not installed, `Malformed` or `TooLarge` if it fails.
    """
    convert_page = _djvu if source.media_type == DJVU else _postscript
    return convert_page(path, folder, source, Limits().total_mb * MEBIBYTE, page).path


def _djvu(path: Path, folder: Path, source: Source, most: int, page: int = 0) -> _Converted:
    ddjvu, pages = program(DDJVU, _DJVULIBRE, source, _INSTEAD), [f"-page={page}"] if page else ["-skip"]
    converted = folder / "pages.pdf"
    said = write_into(folder, [ddjvu, "-format=pdf", *pages, str(path.resolve()), str(converted)], source, most)
    missing = tuple(sorted({int(number) for number in _DAMAGED.findall(said)}))
    if not converted.exists():
        raise Malformed("no page can be decoded", ids=(source.uri,))
    return _Converted(converted, missing, f"{page_numbers(missing)}: damaged" if missing else "")


def _postscript(path: Path, folder: Path, source: Source, most: int, page: int = 0) -> _Converted:
    """Convert PostScript as far as it can be run."""
    converted, given = folder / "pages.pdf", folder / "given"
    # Ghostscript lets a file read and write all others in the folder for temporary files, and what links there lead to.
    shutil.copyfile(path, given)
    alone = ["env", f"TMPDIR={folder}", program(GHOSTSCRIPT, "Ghostscript", source, _INSTEAD)]
    options = ["-q", "-dSAFER", "-dBATCH", "-dNOPAUSE", "-dEPSCrop", "-sDEVICE=pdfwrite", "-sstdout=%stderr"]
    options += [f"-dFirstPage={page}", f"-dLastPage={page}"] if page else []
    # After an error, Ghostscript only completes the PDF if it is told to.
    run = [f"-sGiven={given}", "-c", "Given {run} stopped {handleerror clear 1 .quit} if quit"]
    try:
        write_into(folder, [*alone, *options, f"-sOutputFile={converted}", *run], source, most + path.stat().st_size)
    except Malformed as error:
        if not _has_pages(converted):
            raise
        return _Converted(converted, issue=error.message)
    return _Converted(converted)


def _has_pages(path: Path) -> bool:
    from pipelines.parse.pdf.library import FAULTS, pymupdf

    with contextlib.suppress(*FAULTS), pymupdf.open(path) as file:
        return len(file) > 0
    return False


def _add_empty_pages(converted: _Converted) -> None:
    """Add the missing pages, so that the others have their numbers."""
    from pipelines.parse.pdf.library import pymupdf

    with pymupdf.open(converted.path) as file:
        for number in converted.missing:
            file.new_page(number - 1)
        file.saveIncr()


def _read(converted: _Converted, source: Source, settings: ParseSettings) -> Parsed:
    parsed = reader_for(PDF, settings).read(converted.path, source, settings)
    if not converted.issue:
        return parsed
    if parsed.document is None:
        raise Malformed(converted.issue, ids=(source.uri,))
    return parsed.in_part(f"damaged, and read as far as it goes: {converted.issue}")


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
