"""Tests of a document with more pages and sections than a reply may list."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pymupdf
import pytest

from pipelines import build
from serve.settings import RequestLimits, ServeSettings
from tests.serve.conftest import running

PAGES = RequestLimits().results + 5


@pytest.fixture(scope="module")
def long(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx2.Client]:
    place: Path = tmp_path_factory.mktemp("long")
    (place / "folder").mkdir()
    with pymupdf.open() as document:
        for number in range(1, PAGES + 1):
            document.new_page().insert_text((72, 300), [f"Part {number}", f"The valve closes at {number} bar."])
        document.set_toc([[1, f"Part {number}", number] for number in range(1, PAGES + 1)])
        document.save(place / "folder" / "long.pdf")
    build(place / "folder", place / "kb")
    with running(ServeSettings((place / "kb",), (place / "folder",))) as served, served.client() as client:
        yield client


def test_a_truncated_list_is_reported(long: httpx2.Client) -> None:
    (line,) = long.get("/api/kb/kb/documents").json()["items"]
    told = long.get(f"/api/kb/kb/documents/{line['id']}").json()
    assert len(told["pages"]) == len(told["sections"]) == RequestLimits().results
    assert {"pages", "sections"} <= set(told["cut"])


def test_every_page_of_a_long_document_can_be_selected(long: httpx2.Client) -> None:
    (line,) = long.get("/api/kb/kb/documents").json()["items"]
    page = long.get(f"/kb/kb/documents/{line['id']}", params={"page": PAGES}).text
    assert f"of {PAGES} <button>" in page
    assert f'<option value="{PAGES}" selected>' in page
    assert f"closes at {PAGES} bar" in page
    assert f"Structure ({RequestLimits().results}+)" in page
