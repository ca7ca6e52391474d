"""Cost of parsing by kind of file: pages per second, processor seconds per page, memory; with and without OCR.

usage: python -m benchmarks.parse_cost FOLDER ... [--without-ocr] [--files]

The kinds are PDF files by content (text; figures, if on at least two in five pages; scans and drawings without a text
layer), pictures, sheets, slides, and other text. A sheet counts as a page, and so does a file without pages. Each kind
is read in a separate process, for its memory; what is loaded with the first file is not counted. On a busy machine,
processor seconds are more reliable than elapsed seconds.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import time
from pathlib import Path

import pymupdf

from pipelines.core.document import BlockKind
from pipelines.parse.parse import parse, source_of
from pipelines.parse.parsed import Parsed
from pipelines.parse.settings import OcrSettings, ParseSettings

_KINDS = {
    "sheets": (".xlsx", ".xlsm", ".xls", ".ods", ".csv"),
    "slides": (".pptx", ".odp"),
    "scans": (".png", ".jpg", ".jpeg", ".tif", ".tiff"),
}
_ILLUSTRATED = 0.4
_LEAST_SIDE = 100
"""Minimum pixels of a picture; smaller ones are icons and rules."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--without-ocr", action="store_true")
    parser.add_argument("--files", action="store_true", help="a line for each file, too")
    parser.add_argument("--one", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        _measure(args.folders, ocr=not args.without_ocr, told=args.files)
        return
    files = [path for folder in args.folders for path in sorted(folder.rglob("*")) if path.is_file()]
    by_kind: dict[str, list[Path]] = {}
    for path in files:
        by_kind.setdefault(kind_of(path), []).append(path)
    print(f"{'':10}{'files':>6}{'pages':>7}{'figures':>9}{'pages/s':>9}{'CPU s':>8}{'CPU s/page':>12}{'MiB':>7}")
    for kind, group in sorted(by_kind.items()):
        options = [*(["--without-ocr"] if args.without_ocr else []), *(["--files"] if args.files else [])]
        command = [sys.executable, "-m", "benchmarks.parse_cost", "--one", *options, *map(str, group)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
        *lines, last = done.stdout.strip().splitlines()
        print("\n".join([*lines, ""]) if lines else "", end="")
        pages, figures, cpu, wall, memory = json.loads(last)
        row = f"{len(group):6}{pages:7}{figures:9}{pages / wall:9.2f}{cpu:8.1f}{cpu / max(1, pages):12.3f}{memory:7}"
        print(f"{kind:10}{row}", flush=True)


def kind_of(path: Path) -> str:
    """Return the kind of a file; for a PDF, by its pages."""
    suffix = path.suffix.lower()
    if suffix != ".pdf":
        return next((kind for kind, suffixes in _KINDS.items() if suffix in suffixes), "text")
    with pymupdf.open(path) as document:
        texts = sum(bool(page.get_text().strip()) for page in document)
        pictures = sum(
            min(image[2:4]) >= _LEAST_SIDE for page in document for image in page.get_images() if page.get_text()
        )
        if 2 * texts <= len(document):
            return "scans"
        return "figures" if pictures >= _ILLUSTRATED * len(document) else "text PDF"


def _measure(files: list[Path], *, ocr: bool, told: bool) -> None:
    settings = ParseSettings(ocr=OcrSettings(when="auto" if ocr else "never"))
    _read(files[0], settings)
    pages = figures = 0
    wall, cpu = time.perf_counter(), time.process_time()
    for path in files:
        began = time.process_time()
        parsed = _read(path, settings)
        own = max(1, len(parsed.document.pages)) if parsed.document else 1
        pages += own
        figures += sum(block.kind is BlockKind.FIGURE for block in parsed.document.blocks) if parsed.document else 0
        if told:
            spent = time.process_time() - began
            print(f"    {path.name[:60]:60}{own:5} pages{spent:8.2f} CPU s{spent / own:8.3f} a page", flush=True)
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    print(json.dumps([pages, figures, cpu, wall, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024]))


def _read(path: Path, settings: ParseSettings) -> Parsed:
    from pipelines.parse.ocr.figure_reader import RECENT

    RECENT.clear()
    return parse(path, source_of(path, path.name), settings)


if __name__ == "__main__":
    main()
