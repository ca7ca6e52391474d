"""Browser tests of opening a citation: on a scan, a slide, a sheet, a DOCX file and an HTML page."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

from pipelines import build
from serve.settings import ServeSettings
from tests.conftest import EXAMPLES
from tests.serve.conftest import Served, running

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
WAIT = 30_000
"""Milliseconds; long because the machine may be busy."""
SCAN, SHEET, SLIDES = "scans/DN-58213.pdf", "parts/price_list_2025.xlsx", "training/service_training_2023.pptx"
MANUAL, POLICY = "manuals/Maintenance Manual K-Series.docx", "policies/POL-008_isolation.html"


@pytest.fixture(scope="module")
def cited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over one document of each kind and a drawing, started before the browser (see `conftest.browser`)."""
    place = tmp_path_factory.mktemp("cited")
    for name in (SCAN, SHEET, SLIDES, MANUAL, POLICY):
        (place / "folder" / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / name, place / "folder" / name)
    drawing = '<svg xmlns="http://www.w3.org/2000/svg"><text>Vent screw M10</text></svg>'
    (place / "folder" / "drawing.svg").write_text(drawing, encoding="utf-8")
    build(place / "folder", place / "kb")
    with running(ServeSettings((place / "kb",), (place / "folder",))) as server:
        yield server


@pytest.fixture
def page(cited: Served, browser: Browser) -> Iterator[Page]:
    with browser.new_context(base_url=cited.url, viewport={"width": 1200, "height": 900}) as context:
        context.set_default_timeout(WAIT)
        yield context.new_page()


def open_citation(page: Page, document: str, question: str) -> None:
    """Ask about one document and open its first citation."""
    page.goto(f"/kb/kb/ask?document={document}&q={question}")
    page.locator(".cites a").first.click()
    page.wait_for_url("**/documents/**")


def test_a_citation_of_a_scan_marks_the_line_on_the_page_image(page: Page) -> None:
    page.goto(f"/kb/kb/ask?document={SCAN}&q=What is the gross weight?")
    page.get_by_role("button", name="Source 1").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("img").evaluate("image => image.decode()")
    sheet, row = dialog.get_by_role("img").bounding_box(), dialog.locator("rect.quoted").first.bounding_box()
    assert sheet is not None
    assert row is not None
    # The line is in the upper half of the page, which has about forty lines.
    assert sheet["y"] < row["y"] < sheet["y"] + sheet["height"] / 2
    assert row["height"] < sheet["height"] / 10
    dialog.get_by_role("link", name="Open the document here").click()
    page.wait_for_url("**/documents/**")
    assert "9.6 kg" in page.locator("mark").first.inner_text()
    assert page.locator("rect.quoted").count() >= 1


@pytest.mark.parametrize(
    ("document", "question", "quoted", "place"),
    [
        (SHEET, "What does the impeller of bronze cost?", "540", "Spare parts"),
        (SLIDES, "Which fault is the most expensive?", "cavitation is the most expensive", "Why pumps fail"),
        (MANUAL, "Below which temperature has the casing to cool?", "50 °C", "2.2 Hot pumps"),
        (POLICY, "To whom does the policy apply?", "contractors", "2 Scope"),
    ],
)
def test_a_citation_without_a_page_image_marks_the_passage_in_the_text(
    page: Page, document: str, question: str, quoted: str, place: str
) -> None:
    open_citation(page, document, question)
    assert quoted in page.locator("mark").first.inner_text()
    passage = page.locator("article.chunk").filter(has=page.locator("mark")).inner_text()
    assert place in passage[: passage.index(quoted)]


def test_the_slide_or_sheet_of_a_citation_is_selected(page: Page) -> None:
    open_citation(page, SLIDES, "Which fault is the most expensive?")
    assert page.locator("#pages select").input_value() == "2"
    open_citation(page, SHEET, "What does the impeller of bronze cost?")
    assert "(Spare parts)" in page.locator("#pages option[selected]").inner_text()


def test_a_drawing_without_an_image_is_shown_as_text(page: Page) -> None:
    page.goto("/kb/kb/documents")
    page.get_by_role("link", name="drawing", exact=True).click()
    assert "Vent screw M10" in page.locator(".chunks").inner_text()
    assert page.locator(".sheet img").count() == 0
