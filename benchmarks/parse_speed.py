"""Pages per second and peak memory of PDF parsers on the same files, each in a separate process.

usage: python -m benchmarks.parse_speed [--engines NAME,...] [--long] [FILE ...]

Without files, it draws two PDFs of running text (one and two columns, numbered headings, running headers) with 60
pages in total; with --long a third one of 600 pages, to see whether memory stays constant. Start-up is not counted:
each engine first parses the first file once. CPU and elapsed seconds are shown; the former are more reliable on a busy
machine.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pymupdf

_TEXT = (
    "The compressor is stopped before any work on the relief line, and the drain is opened until the gauge reads zero. "
    "A leak at the flange is found with soapy water; tightening under pressure is not allowed. Records of the opening "
    "pressure, of the ambient temperature and of the tester's name are kept for ten years, in form QA-117. "
)
Parse = Callable[[Path], None]


@dataclass(frozen=True, slots=True)
class Cost:
    """The result of an engine for all files: elapsed and processor seconds, and peak memory in MiB."""

    wall: float
    cpu: float
    peak: int


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--engines", default=",".join(ENGINES))
    parser.add_argument("--long", action="store_true", help="a file of 600 pages besides")
    parser.add_argument("--one", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        print(json.dumps(asdict(_measure(ENGINES[args.one](), args.files))))
        return
    with tempfile.TemporaryDirectory() as folder:
        files = args.files or draw_files(Path(folder), long=args.long)
        pages = sum(len(pymupdf.open(file)) for file in files)
        print(f"{len(files)} files, {pages} pages")
        print(f"{'':22}{'pages/s':>9}{'wall s':>9}{'CPU s':>9}{'peak MiB':>10}")
        for name in args.engines.split(","):
            print(f"{name:22}{_row(name, files, pages)}", flush=True)


def _row(name: str, files: Sequence[Path], pages: int) -> str:
    command = [sys.executable, "-m", "benchmarks.parse_speed", "--one", name, *map(str, files)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        return "  " + (done.stderr.strip().splitlines() or ["failed"])[-1][:80]
    cost = Cost(**json.loads(done.stdout.strip().splitlines()[-1]))
    return f"{pages / cost.wall:9.1f}{cost.wall:9.1f}{cost.cpu:9.1f}{cost.peak:10}"


def _measure(parse: Parse, files: Sequence[Path]) -> Cost:
    parse(files[0])
    wall, cpu = time.perf_counter(), time.process_time()
    for file in files:
        parse(file)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Cost(time.perf_counter() - wall, time.process_time() - cpu, peak)


def _strata() -> Parse:
    from pipelines.parse.parse import parse, source_of
    from pipelines.parse.settings import ParseSettings

    settings = ParseSettings()

    def run(file: Path) -> None:
        parsed = parse(file, source_of(file, file.name), settings)
        if parsed.document is None:
            raise RuntimeError(f"{file.name}: {parsed.reason}")

    return run


def _raw_text() -> Parse:
    def run(file: Path) -> None:
        with pymupdf.open(file) as document:
            for page in document:
                page.get_text()

    return run


def _layout() -> Parse:
    import pymupdf4llm  # type: ignore[import-untyped]

    def run(file: Path) -> None:
        pymupdf4llm.to_markdown(str(file))

    return run


def _unstructured() -> Parse:
    from unstructured.partition.pdf import partition_pdf

    def run(file: Path) -> None:
        partition_pdf(str(file), strategy="fast")

    return run


def _docling() -> Parse:
    try:
        from docling_parse.pdf_parser import DoclingPdfParser
    except ImportError:
        return _docling_before_4()
    parser = DoclingPdfParser()

    def run(file: Path) -> None:
        for _ in parser.load(path_or_stream=str(file)).iterate_pages():
            pass

    return run


def _docling_before_4() -> Parse:
    from docling_parse.docling_parse import pdf_parser_v2

    parser = pdf_parser_v2("fatal")

    def run(file: Path) -> None:
        parser.load_document(file.name, str(file))
        for page in range(parser.number_of_pages(file.name)):
            parser.parse_pdf_from_key_on_page(file.name, page)
        parser.unload_document(file.name)

    return run


ENGINES: dict[str, Callable[[], Parse]] = {
    "strata": _strata,
    "pymupdf text": _raw_text,
    "pymupdf layout": _layout,
    "unstructured fast": _unstructured,
    "docling-parse": _docling,
}


def draw_files(folder: Path, *, long: bool) -> list[Path]:
    """Draw PDFs of running text into `folder`."""
    shapes = [("one column.pdf", 30, 1), ("two columns.pdf", 30, 2)]
    shapes += [("long.pdf", 600, 1)] if long else []
    return [_drawn(folder / name, pages, columns) for name, pages, columns in shapes]


def _drawn(path: Path, pages: int, columns: int) -> Path:
    document = pymupdf.open()
    width = (595 - 112 - 24 * (columns - 1)) / columns
    for number in range(1, pages + 1):
        page = document.new_page(width=595, height=842)
        page.insert_text((56, 40), "STD-014 Relief valves", fontsize=8)
        page.insert_text((285, 815), str(number), fontsize=8)
        for column in range(columns):
            left = 56 + column * (width + 24)
            for part in range(3):
                top = 80 + 235 * part
                page.insert_text((left, top), f"{number}.{3 * column + part + 1} Testing", fontsize=13, fontname="hebo")
                box = pymupdf.Rect(left, top + 8, left + width, top + 225)
                page.insert_textbox(box, _TEXT * (4 // columns), fontsize=10)
    document.save(path, deflate=True)
    return path


if __name__ == "__main__":
    main()
