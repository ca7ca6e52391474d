"""Browser tests of the explorer: answers, citations, pages, the graph, narrow screens and hostile text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

import pytest

from tests.serve.conftest import Served

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

pytestmark = pytest.mark.browser
EFFICIENCY = "What is the efficiency of the K80-250?"
WAIT = 120_000
"""Milliseconds; long because the machine may be busy."""


@pytest.fixture
def page(browser: Browser, served: Served) -> Iterator[Page]:
    """A page that must log nothing and send no request to another host."""
    context = browser.new_context(base_url=served.url, viewport={"width": 1200, "height": 900})
    context.set_default_timeout(WAIT)
    opened = context.new_page()
    told: list[str] = []
    asked: list[str] = []
    opened.on("console", lambda message: told.append(message.text))
    opened.on("pageerror", lambda error: told.append(str(error)))
    opened.on("request", lambda request: asked.append(request.url))
    yield opened
    context.close()
    assert told == []
    assert [url for url in asked if not url.startswith((served.url, "data:"))] == []


def test_an_answer_is_streamed_and_a_citation_opens_its_page_with_the_quote_marked(page: Page) -> None:
    page.goto("/")
    page.get_by_label("Question").fill(EFFICIENCY)
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("heading", name="Sources").wait_for()
    assert "79" in page.locator("#answer .claim").first.inner_text()
    page.get_by_role("button", name="Source 1").first.click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("img").wait_for()
    page.wait_for_function("document.querySelector('#source-page').naturalWidth > 0")
    assert dialog.locator("rect.quoted").count() >= 1
    assert "K80-250" in dialog.locator("#source-context").inner_text()  # the names of the row's columns
    row, sheet = dialog.locator("rect.quoted").first.bounding_box(), dialog.get_by_role("img").bounding_box()
    assert row is not None
    assert sheet is not None
    assert sheet["y"] < row["y"] < sheet["y"] + sheet["height"]
    assert row["height"] < sheet["height"] / 10
    dialog.get_by_role("link", name="Open the document here").click()
    page.wait_for_url("**/documents/**")
    assert "79" in page.locator("mark").inner_text()
    assert page.locator("rect.quoted").count() >= 1


def test_a_citation_without_pages_opens_the_marked_text(page: Page) -> None:
    page.goto("/kb/kb/ask?q=How long may EPDM rings be stored?")
    page.locator(".cites a").first.click()
    page.wait_for_url("**/documents/**")
    assert "7 years" in page.locator("mark").inner_text()


def test_a_refusal_is_shown_without_sources(page: Page) -> None:
    page.goto("/kb/kb/ask?q=Who was the king of Sweden in 1632?")
    page.locator("#answer .claim").wait_for()
    assert page.locator("#answer .claim").inner_text() == "The documents do not say."
    assert page.get_by_role("heading", name="Sources").count() == 0


def test_arrow_keys_turn_pages_and_boxes_are_drawn_over_the_image(page: Page, id_of: Callable[[str], str]) -> None:
    page.goto(f"/kb/kb/documents/{id_of('DS-2041_rev_D.pdf')}")
    page.wait_for_function("document.querySelector('.sheet img').naturalWidth > 0")
    assert page.locator("rect.box").count() > 5
    page.locator("main").press("ArrowRight")
    page.wait_for_url("**page=2")
    page.locator("main").press("ArrowLeft")
    page.wait_for_url("**page=1")


def test_activating_a_node_of_the_graph_opens_its_neighbourhood(page: Page, id_of: Callable[[str], str]) -> None:
    manual = id_of("manual.md")
    page.goto(f"/kb/kb/graph?node={manual}")
    page.locator("#drawing circle").first.wait_for()
    assert page.locator("#drawing .InformationResource").count() >= 2
    page.locator("#drawing a.Corpus").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(lambda url: "node=" in url and manual not in url)
    page.locator("#drawing .center.Corpus").wait_for()
    page.get_by_label("Edges from the node").select_option("2")
    page.locator("#drawing .DistilledKnowledge circle").first.wait_for()
    page.go_back()
    page.locator("#drawing .center.InformationResource").wait_for()


def test_hostile_text_is_never_executed(page: Page, id_of: Callable[[str], str]) -> None:
    hostile = id_of("onmouseover")
    for path in (f"documents/{hostile}", "documents", f"graph?node={hostile}", "tags", "entities"):
        page.goto(f"/kb/kb/{path}")
        page.wait_for_load_state("networkidle")
        assert page.title() != "owned"
    page.goto("/kb/kb/ask?q=What does the hostile pump weigh?")
    page.locator(".cites li").first.wait_for()
    assert page.title() != "owned"
    assert page.locator("#answer img, #answer script").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_narrow_screen_and_has_landmarks_and_labels(
    browser: Browser, served: Served, id_of: Callable[[str], str], scheme: str
) -> None:
    with browser.new_context(
        base_url=served.url,
        viewport={"width": 360, "height": 700},
        color_scheme=scheme,  # type: ignore[arg-type]
    ) as context:
        page = context.new_page()
        document = f"/documents/{id_of('DS-2041_rev_D.pdf')}"
        for path in ("", "/ask", "/documents", document, "/entities", "/tags", "/graph", "/failures", "/runs"):
            page.goto(f"/kb/kb{path}")
            page.wait_for_load_state("networkidle")
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
            assert page.get_by_role("main").count() == page.get_by_role("banner").count() == 1
            assert page.get_by_role("heading", level=1).count() == 1
            nameless = "[...document.querySelectorAll('input, select, button, img')].filter(e => !(e.labels?.length"
            nameless += " || e.ariaLabel || e.alt || e.textContent.trim() || e.closest('dialog')))"
            assert page.evaluate(f"{nameless}.length") == 0, path


def test_names_are_readable_on_a_narrow_screen(browser: Browser, served: Served) -> None:
    with browser.new_context(base_url=served.url, viewport={"width": 400, "height": 900}) as context:
        context.set_default_timeout(WAIT)
        page = context.new_page()
        page.goto("/kb/kb/graph")
        names = page.locator("#drawing text")
        names.first.wait_for()
        heights = names.evaluate_all("all => all.map(one => one.getBoundingClientRect().height)")
        assert min(heights) > 8
        for path in ("documents", "entities", "tags"):
            page.goto(f"/kb/kb/{path}")
            widths = page.locator("tbody th").evaluate_all("all => all.map(one => one.clientWidth)")
            assert min(widths) >= 0.44 * 400


def test_an_unknown_document_gets_a_suggestion_and_filters_are_kept_in_the_url(page: Page) -> None:
    page.goto("/kb/kb/ask?q=Who stops pump B-03?&document=polices/stop.txt")
    page.get_by_text("did you mean policies/stop.txt?").wait_for()
    page.get_by_label("Document").fill("policies/stop.txt")
    page.get_by_label("Type").fill("txt")
    page.get_by_role("button", name="Ask").click()
    page.locator(".claim").filter(has_text="shift leader").wait_for()
    assert "document=policies" in page.url
