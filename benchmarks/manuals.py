"""Short manuals in languages that few other sets have: questions about them, and how prints and scans are read.

usage: python -m benchmarks.manuals [--set pump|boiler] [--prints | --scans] [LANGUAGE ...]

The texts and questions are in `manuals.toml`. An answer is right if it has the words given there. With `--prints`,
LibreOffice and Chromium print each first document, and the sentences, headings and cells that are read exactly are
counted; the fonts of the languages have to be installed. With `--scans`, the print of Chromium is read as a scan, with
and without Tesseract, of which the models have to be installed.
"""

from __future__ import annotations

import argparse
import tempfile
import tomllib
import unicodedata
from collections.abc import Iterator, Sequence
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

import pymupdf

from benchmarks.make_prints import print_page
from pipelines import build
from pipelines.parse.office.libreoffice import convert
from pipelines.parse.parse import parse, source_of
from pipelines.parse.settings import OcrSettings, ParseSettings
from qa import KnowledgeBase

_SETTINGS = ParseSettings(ocr=OcrSettings(engine="none"))
_RIGHT_TO_LEFT = ("ar", "fa", "he")
_FONTS = (
    "Noto Sans",
    "Noto Sans Arabic",
    "Noto Sans Hebrew",
    "Noto Sans Thai",
    "Noto Sans Devanagari",
    "Noto Sans CJK KR",
)
_STYLE = (
    f"body {{ font: 11pt {', '.join(map(repr, _FONTS))} }} table {{ border-collapse: collapse }}"
    " td { border: 1px solid; padding: 3px 8px }"
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", default="pump", choices=("pump", "boiler"))
    parser.add_argument("--prints", action="store_true", help="read prints instead of asking questions")
    parser.add_argument("--scans", action="store_true", help="read scans instead of asking questions")
    parser.add_argument("languages", nargs="*", metavar="LANGUAGE")
    args = parser.parse_args()
    manuals = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))[args.set]
    counts, columns = _asked, "right refused of refused warned of"
    if args.prints:
        counts, columns = _printed, "LibreOffice Chromium of"
    elif args.scans:
        counts, columns = _scanned, "RapidOCR Tesseract of"
    print(f"{'':4}" + "".join(f"{column:>12}" for column in columns.split()))
    for language in args.languages or manuals:
        with tempfile.TemporaryDirectory() as folder:
            counted = counts(manuals[language], language, Path(folder))
        print(f"{language:4}" + "".join(f"{count:12}" for count in counted), flush=True)


def _asked(manual: Any, language: str, folder: Path) -> Sequence[int]:
    """Return right answers, refusals and questions with an answer; refusals, warnings and questions without one."""
    documents = folder / "documents"
    documents.mkdir()
    for number, text in enumerate(manual["documents"]):
        (documents / f"{number}.html").write_text(_page(text, language), "utf-8")
    build(documents, folder / "kb")
    with KnowledgeBase.open(folder / "kb") as opened:
        replies = [(opened.ask(question), words) for question, words in manual["questions"]]
    known = [(reply, words) for reply, words in replies if words]
    unknown = [reply for reply, words in replies if not words]
    right = sum(bool(reply.claims) and words.lower() in reply.text.lower() for reply, words in known)
    refused = sum(not reply.claims for reply in unknown)
    warned = sum(bool(reply.claims and reply.warnings) for reply in unknown)
    return right, sum(not reply.claims for reply, _ in known), len(known), refused, warned, len(unknown)


def _printed(manual: Any, language: str, folder: Path) -> Sequence[int]:
    """Return how many pieces of the text are read from the print of LibreOffice, of Chromium, and all."""
    text = manual["documents"][0]
    page = folder / "page.html"
    page.write_text(_page(text, language), "utf-8")
    places = [folder / name for name in ("docx", "pdf", "chromium.pdf")]
    for place in places[:2]:
        place.mkdir()
    by_office = convert(convert(page, "docx", places[0], "", options="MS Word 2007 XML"), "pdf", places[1], "")
    print_page(page.read_text("utf-8"), places[2])
    pieces = list(_pieces(text))
    return *(sum(piece in read for piece in pieces) for read in map(_read, (by_office, places[2]))), len(pieces)


def _scanned(manual: Any, language: str, folder: Path) -> Sequence[int]:
    """Return how many pieces of the text are read from a scan by RapidOCR, with Tesseract too, and all."""
    text, print_, scan = manual["documents"][0], folder / "print.pdf", folder / "scan.pdf"
    print_page(_page(text, language), print_)
    with pymupdf.open(print_) as pages, pymupdf.open() as scanned:
        for page in pages:
            grey = page.get_pixmap(dpi=200, colorspace=pymupdf.csGRAY)
            paper = scanned.new_page(width=page.rect.width, height=page.rect.height)
            paper.insert_image(paper.rect, stream=grey.tobytes("jpeg", jpg_quality=70))
        scanned.save(scan)
    pieces = list(_pieces(text))
    read = [_read(scan, ParseSettings(ocr=OcrSettings(tesseract=used))) for used in (False, True)]
    return *(sum(piece in text for piece in pieces) for text in read), len(pieces)


def _read(path: Path, settings: ParseSettings = _SETTINGS) -> str:
    document = parse(path, source_of(path, path.name), settings).document
    return _plain(" ".join(block.text for block in document.blocks)) if document is not None else ""


def _plain(text: str) -> str:
    return " ".join(unicodedata.normalize("NFC", text).replace("|", " ").split())


def _pieces(text: str) -> Iterator[str]:
    """Yield the headings, cells and paragraphs of a document."""
    for line in text.splitlines():
        yield from map(_plain, line.strip("| ").split(" | ") if line.startswith("| ") else [line.lstrip("# ")])


def _page(text: str, language: str) -> str:
    title = text.partition("\n")[0].lstrip("# ")
    direction = "rtl" if language in _RIGHT_TO_LEFT else "ltr"
    head = f'<meta charset="utf-8"><title>{escape(title)}</title><style>{_STYLE}</style>'
    return f'<!doctype html><html lang="{language}" dir="{direction}"><head>{head}</head><body>{"".join(_parts(text))}'


def _parts(text: str) -> Iterator[str]:
    for is_row, lines in groupby(text.splitlines(), key=lambda line: line.startswith("| ")):
        if is_row:
            rows = ("".join(f"<td>{escape(cell)}" for cell in line[2:].split(" | ")) for line in lines)
            yield f"<table>{''.join(f'<tr>{row}' for row in rows)}</table>"
            continue
        for line in lines:
            marks, _, heading = line.partition(" ") if line.startswith("#") else ("", "", line)
            tag = f"h{len(marks)}" if marks else "p"
            yield f"<{tag}>{escape(heading)}</{tag}>"


if __name__ == "__main__":
    main()
