"""Tests of printed pages of office documents, with a scripted converter and with LibreOffice if installed."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx2
import pytest

from pipelines import build
from serve.settings import ServeSettings
from tests.conftest import EXAMPLES
from tests.parse.office.files import docx, p
from tests.serve.conftest import Served, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser

SHEET, SLIDES = "parts/price_list_2025.xlsx", "training/service_training_2023.pptx"
PRINTED = EXAMPLES / "datasheets/DS-2041_rev_D.pdf"
QUOTE = "This revision replaces revision B."
WAIT = 60_000
"""Milliseconds; LibreOffice takes some seconds to start."""
libreoffice = pytest.mark.skipif(shutil.which("soffice") is None, reason="no LibreOffice here")


@pytest.fixture(scope="module")
def made_of_office(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("office")
    for name in (SHEET, SLIDES):
        (place / "folder" / name).parent.mkdir(parents=True)
        shutil.copy(EXAMPLES / name, place / "folder" / name)
    (place / "folder" / "letter.docx").write_bytes(docx(p(f"{QUOTE} So it is printed.")))
    (place / "folder" / "note.md").write_text("# Note\n\nNothing to print.\n")
    build(place / "folder", place / "kb")
    return place


@pytest.fixture
def office(made_of_office: Path) -> Iterator[Served]:
    """A separate server for each test, because its worker processes keep the environment they were started with."""
    place = made_of_office
    with running(ServeSettings((place / "kb",), (place / "folder",))) as server:
        yield server


@pytest.fixture
def api(office: Served) -> Iterator[httpx2.Client]:
    with office.client() as client:
        client.base_url = f"{office.url}/api/kb/kb"
        yield client


def script(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put a program named soffice first on the PATH."""
    (folder / "soffice").write_text(f"#!/bin/sh\n{body}\n")
    (folder / "soffice").chmod(0o700 | stat.S_IEXEC)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def id_of(api: httpx2.Client, uri: str) -> str:
    return next(str(one["id"]) for one in api.get("/documents").json()["items"] if one["uri"] == uri)


def test_without_a_converter_the_missing_pages_have_a_reason(
    office: Served, api: httpx2.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    id = id_of(api, "letter.docx")
    told = api.get(f"/documents/{id}").json()
    assert (told["printed"], "LibreOffice (soffice) is not installed" in told["not_printed"]) == ("", True)
    refused = api.get(f"/documents/{id}/printed")
    assert (refused.status_code, refused.json()["detail"]) == (404, told["not_printed"])
    with office.client() as client:
        page = client.get(f"/kb/kb/documents/{id}").text
    assert "LibreOffice (soffice) is not installed" in page
    assert QUOTE in page
    note = api.get(f"/documents/{id_of(api, 'note.md')}").json()
    assert (note["printed"], note["not_printed"]) == ("", "")


def test_a_document_is_converted_once_and_a_failure_has_a_reason(
    api: httpx2.Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    id, calls = id_of(api, "letter.docx"), tmp_path / "calls"
    converted = f'echo x >> {calls}; for last; do :; done; while [ "$1" != --outdir ]; do shift; done; '
    script(tmp_path, f'{converted} cp "{PRINTED}" "$2/printed.pdf"', monkeypatch)
    asked = {"start": 0, "end": len(QUOTE)}
    told = api.get(f"/documents/{id}/printed", params=asked).json()
    assert told["found"]
    assert {box["page"] for box in told["boxes"]} == {told["number"]}
    for number in range(1, told["pages"] + 1):
        assert api.get(f"/documents/{id}/printed/{number}.png").content.startswith(b"\x89PNG")
    assert api.get(f"/documents/{id}/printed/{told['pages'] + 1}.png").status_code == 404
    assert api.get(f"/documents/{id}/printed", params={"start": 5, "end": 9_999}).json()["number"] == 1
    assert calls.read_text() == "x\n"
    script(tmp_path, f"echo x >> {calls}; echo the file is broken >&2", monkeypatch)
    for _ in range(2):
        refused = api.get(f"/documents/{id_of(api, SLIDES)}/printed")
        assert (refused.status_code, "the file is broken" in refused.json()["detail"]) == (404, True)
    assert calls.read_text() == "x\nx\n"


@libreoffice
@pytest.mark.slow
def test_a_row_of_a_sheet_is_located_on_its_printed_page(api: httpx2.Client) -> None:
    asked = {"question": "What does the impeller of bronze cost?", "documents": [SHEET]}
    (cited, *_) = api.post("/ask", json=asked).json()["citations"]
    told = printed(api, cited)
    assert (told["number"], told["pages"], told["found"]) == (1, 2, True)
    (box,) = told["boxes"]
    assert box["right"] - box["left"] > 0.5  # from its number to its price
    assert box["bottom"] - box["top"] < 0.1


@libreoffice
@pytest.mark.slow
@pytest.mark.browser
def test_citations_of_a_slide_and_a_sheet_show_their_printed_pages(
    office: Served, api: httpx2.Client, browser: Browser
) -> None:
    asked = {"question": "Which fault is the most expensive?", "documents": [SLIDES]}
    (noted, *_) = api.post("/ask", json=asked).json()["citations"]
    told = printed(api, noted)
    assert (told["number"], told["found"]) == (2, False)  # the passage is in the notes, which are not printed
    with browser.new_context(base_url=office.url) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        amiss: list[str] = []
        page.on("pageerror", lambda error: amiss.append(str(error)))
        page.goto(f"/kb/kb/documents/{noted['document']}?start={noted['start']}&end={noted['end']}")
        page.get_by_text("The passage was not found on the printed pages.").wait_for()
        assert page.get_by_role("img").get_attribute("alt") == "Printed page 2 of 6"
        page.get_by_role("navigation", name="Printed pages").get_by_role("button", name="Next").click()
        page.get_by_role("img", name="Printed page 3 of 6").evaluate("image => image.decode()")
        page.goto("/kb/kb/ask?q=What does the impeller of bronze cost?")
        page.get_by_role("button", name="Source 1").first.click()
        dialog = page.get_by_role("dialog")
        dialog.get_by_role("img").evaluate("image => image.decode()")
        assert dialog.locator("rect.quoted").count() == 1
        assert amiss == []


def printed(api: httpx2.Client, cited: Any) -> Any:
    asked = {"start": cited["start"], "end": cited["end"], "page": cited["page"] or 0}
    return api.get(f"/documents/{cited['document']}/printed", params=asked).json()
