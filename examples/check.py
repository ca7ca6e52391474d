"""Checks that every quote in ``questions.jsonl`` stands in the named document, and that links lead somewhere.

Run ``python examples/check.py``.  Pages without a text layer and photos are read with RapidOCR when it is
installed, otherwise their generation source in ``generate/content`` takes its place.
"""

from __future__ import annotations

import csv
import json
import re
import sys
import unicodedata
import zipfile
from collections import Counter
from collections.abc import Iterator
from email import message_from_bytes, policy
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import docx
import lxml.html
import pymupdf
from openpyxl import load_workbook
from pptx import Presentation

HERE = Path(__file__).parent
DOCUMENTS = HERE / "documents"
OCR_SOURCES = {
    "scans/DN-58213.pdf": "delivery_note.toml",
    "photos/nameplate_P-12A.png": "nameplate.toml",
}
EXPECTED = {
    "factual": 15,
    "bridge": 9,
    "comparative": 4,
    "quantitative": 4,
    "summarizing": 3,
    "unanswerable": 5,
}
Page = int | str | None


def plain(text: str) -> str:
    """Text without differences of white space and of compatible characters."""
    return re.sub(r"\s+", "", unicodedata.normalize("NFKC", text))


@cache
def pages(name: str) -> dict[Page, str]:
    """The text of a document by page, slide or sheet; under ``None`` when it has no pages."""
    path = DOCUMENTS / name
    readers = {
        ".pdf": _pdf,
        ".docx": _docx,
        ".pptx": _pptx,
        ".xlsx": _xlsx,
        ".csv": _csv,
        ".epub": _epub,
        ".eml": _eml,
        ".html": _html,
        ".png": _image,
    }
    reader = readers.get(path.suffix)
    return reader(path) if reader else {None: path.read_text("utf-8")}


def _pdf(path: Path) -> dict[Page, str]:
    with pymupdf.open(path) as document:
        texts: dict[Page, str] = {number: page.get_text() for number, page in enumerate(document, 1)}
        if not any(texts.values()):
            picture = document[0].get_pixmap(dpi=200).tobytes("png")
            return {1: _ocr(path, picture)}
    return texts


def _image(path: Path) -> dict[Page, str]:
    return {None: _ocr(path, path.read_bytes())}


def _ocr(path: Path, picture: bytes) -> str:
    try:
        from rapidocr import RapidOCR
    except ImportError:
        source = OCR_SOURCES[path.relative_to(DOCUMENTS).as_posix()]
        return (HERE / "generate" / "content" / source).read_text("utf-8")
    return "\n".join(RapidOCR(params={"Global.log_level": "error"})(picture).txts or ())


def _docx(path: Path) -> dict[Page, str]:
    with zipfile.ZipFile(path) as archive:
        notes = re.sub(r"<[^>]+>", "", archive.read("word/footnotes.xml").decode("utf-8"))
    document = docx.Document(str(path))
    cells = (cell.text for table in document.tables for row in table.rows for cell in row.cells)
    body = "\n".join([*(paragraph.text for paragraph in document.paragraphs), *cells])
    return {None: f"{body}\n{notes}"}


def _pptx(path: Path) -> dict[Page, str]:
    return {number: "\n".join(_slide(slide)) for number, slide in enumerate(Presentation(str(path)).slides, 1)}


def _slide(slide: Any) -> Iterator[str]:
    for shape in slide.shapes:
        if shape.has_text_frame:
            yield shape.text_frame.text
        if shape.has_table:
            yield from (cell.text for row in shape.table.rows for cell in row.cells)
    yield slide.notes_slide.notes_text_frame.text


def _xlsx(path: Path) -> dict[Page, str]:
    book = load_workbook(path)
    return {
        sheet.title: "\n".join(str(value) for row in sheet.values for value in row if value is not None)
        for sheet in book.worksheets
    }


def _csv(path: Path) -> dict[Page, str]:
    with path.open(encoding="utf-8", newline="") as file:
        return {None: "\n".join(cell for row in csv.reader(file) for cell in row)}


def _epub(path: Path) -> dict[Page, str]:
    with zipfile.ZipFile(path) as archive:
        chapters = [archive.read(name) for name in archive.namelist() if name.endswith(".xhtml")]
    return {None: "\n".join(_markup(chapter) for chapter in chapters)}


def _eml(path: Path) -> dict[Page, str]:
    message = message_from_bytes(path.read_bytes(), policy=policy.default)
    body = message.get_body(("plain",))
    texts = [body.get_content() if body else ""]
    for attachment in message.iter_attachments():
        with pymupdf.open("pdf", attachment.get_content()) as document:
            texts += [page.get_text() for page in document]
    return {None: "\n".join(texts)}


def _html(path: Path) -> dict[Page, str]:
    return {None: _markup(path.read_bytes())}


def _markup(data: bytes) -> str:
    return "".join(str(text) for text in lxml.html.fromstring(data).itertext())


def quote_errors(questions: list[dict[str, Any]]) -> Iterator[str]:
    """Quotes that are not where they should be."""
    for question in questions:
        for source in question["sources"]:
            name, page = source["file"], source["page"]
            if not (DOCUMENTS / name).is_file():
                yield f"{question['id']}: no file {name}"
            elif page not in pages(name):
                yield f"{question['id']}: {name} has no page {page}"
            elif plain(source["quote"]) not in plain(pages(name)[page]):
                yield f"{question['id']}: not on {name}, page {page}: {source['quote']}"


def form_errors(questions: list[dict[str, Any]]) -> Iterator[str]:
    """Wrong numbers of questions, and answers without sources."""
    counts = Counter(question["type"] for question in questions)
    if counts != EXPECTED:
        yield f"types: {dict(counts)}"
    if [question["id"] for question in questions] != [f"ex-{number:02}" for number in range(1, 41)]:
        yield "the ids are not ex-01 to ex-40"
    for question in questions:
        if bool(question["sources"]) == (question["type"] == "unanswerable"):
            yield f"{question['id']}: sources do not fit the type"


def link_errors() -> Iterator[str]:
    """Relative links to files that do not exist."""
    for path in sorted(DOCUMENTS.rglob("*")):
        for target in _links(path):
            if ":" not in target and not target.startswith("#"):
                wanted = path.parent / unquote(target).split("#")[0]
                if not wanted.exists():
                    yield f"{path.relative_to(DOCUMENTS)}: dead link {target}"


def _links(path: Path) -> list[str]:
    if path.suffix == ".md":
        return re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8"))
    if path.suffix == ".html":
        return re.findall(r'href="([^"]+)"', path.read_text("utf-8"))
    if path.suffix == ".docx":
        return [rel.target_ref for rel in docx.Document(str(path)).part.rels.values() if rel.is_external]
    if path.suffix == ".pdf":
        with pymupdf.open(path) as document:
            links = [link for page in document for link in page.get_links()]
        return [str(link.get("uri") or link.get("file")) for link in links]
    return []


def main() -> int:
    """Print what is wrong; 0 when nothing is."""
    lines = (HERE / "questions.jsonl").read_text("utf-8").splitlines()
    questions = [json.loads(line) for line in lines]
    errors = [*form_errors(questions), *quote_errors(questions), *link_errors()]
    print("\n".join(errors) or f"{len(questions)} questions, all quotes and links found")
    return 1 if errors else 0


if __name__ == "__main__":
    sys.exit(main())
