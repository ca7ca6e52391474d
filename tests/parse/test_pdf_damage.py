"""Tests of damaged PDF files: what is left is read, and what is missing is reported."""

from __future__ import annotations

import re
import zlib

import pymupdf
import pytest

from pipelines.core.outcome import Status
from tests.parse.conftest import ParseBytes

PAGES = ("The relief valve opens at 12 bar.", "The pump delivers 40 l/min.", "Change the oil every 500 hours.")
DAMAGED = "damaged, and read as far as it goes"


def pdf_of(texts: tuple[str, ...]) -> bytes:
    """A file with a page for each text, and the list of its pages at the end, as most programs write it."""
    with pymupdf.open() as file:
        for text in texts:
            file.new_page(width=400, height=300).insert_text((40, 60), text)
        data = file.tobytes(deflate=False)
    tree = re.search(rb"\d+ 0 obj\s*<<[^>]*/Type\s*/Pages.*?endobj\n", data, re.DOTALL)
    assert tree is not None
    return data.replace(tree[0], b"", 1) + tree[0]


def test_the_pages_of_a_file_that_is_cut_short_are_found(parse_bytes: ParseBytes) -> None:
    data = pdf_of(PAGES)
    parsed = parse_bytes("a.pdf", data[: data.rindex(b"/Kids")])
    assert parsed.document is not None
    assert parsed.document.text.split("\n\n") == list(PAGES)
    assert [page.number for page in parsed.document.pages] == [1, 2, 3]
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == "damaged: the list of its pages is lost, and pages may be too"


def test_a_file_whose_end_is_missing_is_reported(parse_bytes: ParseBytes) -> None:
    parsed = parse_bytes("a.pdf", pdf_of(PAGES).replace(b"startxref", b"endobj"))
    assert parsed.document is not None
    assert len(parsed.document.pages) == 3
    assert (parsed.status, parsed.reason) == (
        Status.PARTIAL,
        "damaged: it does not end as a PDF file does, and parts may be missing",
    )


def test_a_file_without_any_page_is_malformed(parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.pdf", b"%PDF-1.7\n1 0 obj <</Type/Catalog>> endobj\n").status is Status.MALFORMED


@pytest.mark.parametrize("damage", ["stream", "content"])
def test_a_page_whose_content_is_damaged_is_reported(damage: str, parse_bytes: ParseBytes) -> None:
    with pymupdf.open() as file:
        for text in PAGES:
            file.new_page(width=400, height=300).insert_text((40, 60), text)
        content = file[1].get_contents()[0]
        if damage == "stream":
            packed = bytearray(zlib.compress(file.xref_stream(content) * 9))
            packed[len(packed) // 2] ^= 0xFF
            file.update_stream(content, bytes(packed), compress=False)
            file.xref_set_key(content, "Filter", "/FlateDecode")
        else:
            file.update_object(content, "<</Lost true>>")
        data = file.tobytes()
    parsed = parse_bytes("a.pdf", data)
    assert parsed.document is not None
    assert PAGES[0] in parsed.document.text
    assert PAGES[2] in parsed.document.text
    assert parsed.status is Status.PARTIAL
    assert parsed.reason == f"page 2: {DAMAGED}"


@pytest.mark.parametrize("padding", [b"", bytes(9000), b"\n" * 9000])
def test_an_intact_file_is_not_reported(padding: bytes, parse_bytes: ParseBytes) -> None:
    assert parse_bytes("a.pdf", pdf_of(PAGES) + padding).status is Status.INDEXED
