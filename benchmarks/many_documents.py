"""How time, memory and disk grow with the number of documents: the sections of HTML manuals as documents.

    python benchmarks/many_documents.py /usr/share/doc/linux-doc-6.1/html ... [--documents 5000 50000] [--work FOLDER]

Every heading of the pages in the folders, with the paragraphs, lists and tables up to the next heading, becomes an HTML
file. Their order is random but fixed, so that a smaller number of documents is a sample of a larger one. If there are
fewer sections than documents asked for, they come again with other numbers in them. Each number of documents is
ingested into its own knowledge base, by its own process; then one document is edited, and a question is asked. Prints
seconds, processor seconds, disk, and the peak memory of the main process and of it and its workers together.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import lxml.html
import psutil
from lxml.etree import tostring

HEADINGS = frozenset(("h1", "h2", "h3", "h4"))
BLOCKS = HEADINGS | {"p", "pre", "table", "ul", "ol", "dl", "blockquote"}
LEAST = 300
"""Characters of a section that becomes a document: a paragraph of three lines."""
_NUMBER = re.compile(r"(?<=[\s>(])\d+\b")
"""A number in the text, not the one in the name of a tag."""
_MEBIBYTE = 1 << 20
_INGEST = "from pipelines import build; import sys; r = build(*sys.argv[1:]); print(r.contents); sys.exit(r.exit_code)"
_QUESTION = "How is the memory of a device mapped?"


def blocks(element: lxml.html.HtmlElement) -> Iterator[lxml.html.HtmlElement]:
    """Yield the outermost blocks below an element, in order."""
    for child in element:
        if child.tag in BLOCKS:
            yield child
        elif isinstance(child.tag, str):
            yield from blocks(child)


def sections(folders: Sequence[Path]) -> Iterator[str]:
    """Yield the sections of all pages as HTML."""
    for path in (path for folder in folders for path in sorted(folder.rglob("*.html"))):
        page = lxml.html.fromstring(path.read_bytes())
        title = (page.findtext(".//title") or path.stem).strip()
        part: list[str] = []
        size = 0
        for block in [*blocks(page), None]:
            if block is None or block.tag in HEADINGS:
                if size >= LEAST:
                    yield f"<html><head><title>{title}</title></head><body>{''.join(part)}</body></html>"
                part, size = [], 0
            if block is not None:
                part.append(tostring(block, encoding="unicode", with_tail=False))
                size += len(block.text_content())


def write(folders: Sequence[Path], count: int, into: Path) -> int:
    """Write `count` documents, and return the number of different sections."""
    found = sorted(set(sections(folders)), key=lambda text: hashlib.sha256(text.encode()).digest())
    for number in range(count):
        revision, place = divmod(number, len(found))
        text = _NUMBER.sub(rf"\g<0>{revision}", found[place]) if revision else found[place]
        path = into / f"{number % 100:02}" / f"{number:06}.html"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return len(found)


class Watch(threading.Thread):
    """Samples the resident memory of a process and of all that it started, every quarter of a second."""

    def __init__(self, process: psutil.Process) -> None:
        super().__init__(daemon=True)
        self._process = process
        self.main = self.all = 0

    def run(self) -> None:
        while True:
            try:
                self.main = max(self.main, self._process.memory_info().rss)
                family = [self._process, *self._process.children(recursive=True)]
                self.all = max(self.all, sum(one.memory_info().rss for one in family if one.is_running()))
            except psutil.Error:
                if not self._process.is_running():
                    return
            time.sleep(0.25)


def measured(arguments: Sequence[str]) -> dict[str, float]:
    """Run Python with these arguments, and return seconds, processor seconds and peak memory in MiB."""
    began, used = time.perf_counter(), os.times()
    process = subprocess.Popen([sys.executable, *arguments])
    watch = Watch(psutil.Process(process.pid))
    watch.start()
    if process.wait():
        raise SystemExit(f"exit code {process.returncode}")
    now = os.times()
    processor = now.children_user + now.children_system - used.children_user - used.children_system
    seconds = time.perf_counter() - began
    return {
        "s": seconds,
        "processor s": processor,
        "main MiB": watch.main / _MEBIBYTE,
        "all MiB": watch.all / _MEBIBYTE,
    }


def run(folders: Sequence[Path], count: int, work: Path) -> None:
    folder, kb = work / f"folder-{count}", work / f"kb-{count}"
    shutil.rmtree(kb, ignore_errors=True)
    if not folder.exists():
        print(f"{count} documents of {write(folders, count, folder)} sections", flush=True)
    print(f"{count} first", _shown(measured(["-c", _INGEST, str(folder), str(kb)])), flush=True)
    disk = sum(path.stat().st_size for path in kb.rglob("*") if path.is_file())
    print(f"{count} disk {disk / _MEBIBYTE:.0f} MiB", flush=True)
    print(f"{count} unchanged", _shown(measured(["-c", _INGEST, str(folder), str(kb)])), flush=True)
    edited = folder / "07" / "000007.html"
    edited.write_text(edited.read_text().replace("</body>", "<p>The valve opens at 45 bar.</p></body>"))
    print(f"{count} edit", _shown(measured(["-c", _INGEST, str(folder), str(kb)])), flush=True)
    ask = ["-m", "flows.cli.app", "ask", _QUESTION, "--kb", str(kb)]
    print(f"{count} question", _shown(measured(ask)), flush=True)


def _shown(figures: dict[str, float]) -> str:
    return ", ".join(f"{value:,.1f} {name}" for name, value in figures.items())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folders", type=Path, nargs="+")
    parser.add_argument("--documents", type=int, nargs="+", default=[5_000, 50_000])
    parser.add_argument("--work", type=Path, default=None, help="keep folders and knowledge bases here")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="strata-many-") as place:
        for count in args.documents:
            run(args.folders, count, args.work or Path(place))


if __name__ == "__main__":
    main()
