"""Accessibility tests with axe in light and dark, wide and narrow pages, and of keyboard navigation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from serve.settings import ServeSettings
from tests.serve.conftest import Served, running
from tests.serve.pages import pages
from tests.serve.test_explorer import WAIT

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

axe = pytest.importorskip("axe_playwright_python.sync_playwright")
pytestmark = pytest.mark.browser
WIDE, NARROW = {"width": 1280, "height": 900}, {"width": 360, "height": 700}
ASKED = "/kb/kb/ask?q=What is the efficiency of the K80-250?"
OPEN = "for (const one of document.querySelectorAll('details')) one.open = true"
NUMBERED = """() => [...document.querySelectorAll('a[href], button, input, select, summary')].filter(
  (one) => !one.disabled && one.type !== 'hidden' && one.checkVisibility() && !one.closest('dialog:not([open])')
).map((one, place) => (one.dataset.place = place, one.outerHTML.slice(0, 120)))"""
FOCUSED = "document.activeElement.dataset.place ?? ''"


@pytest.fixture(scope="module")
def served(made: Path) -> Iterator[Served]:
    """A server that allows changes, so that the controls of an admin are shown."""
    with running(ServeSettings((made / "kb",), (made / "folder",), changes=True)) as server:
        yield server


def found(page: Page, where: str) -> list[str]:
    """The violations that axe finds on a page in its current state."""
    page.evaluate(OPEN)
    amiss = axe.Axe().run(page).response["violations"]
    return [f"{where}: {one['id']}: {node['html']}: {node['failureSummary']}" for one in amiss for node in one["nodes"]]


@pytest.mark.slow
@pytest.mark.parametrize(("scheme", "viewport"), [("light", WIDE), ("dark", NARROW)], ids=["light-wide", "dark-narrow"])
def test_axe_finds_no_violations(
    browser: Browser, served: Served, id_of: Callable[[str], str], scheme: str, viewport: dict[str, int]
) -> None:
    amiss = []
    with browser.new_context(base_url=served.url, color_scheme=scheme, viewport=viewport) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        for path in pages(id_of):
            page.goto(path)
            page.wait_for_load_state("networkidle")
            amiss += found(page, path)
        page.goto(ASKED)
        page.locator(".cites li").first.wait_for()
        amiss += found(page, "an answer")
        page.get_by_role("button", name="Source 1").first.click()
        page.get_by_role("dialog").get_by_role("img").wait_for()
        amiss += found(page, "a citation")
    assert amiss == []


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_every_clickable_element_can_be_reached_by_tab(
    browser: Browser, served: Served, id_of: Callable[[str], str], viewport: dict[str, int]
) -> None:
    with browser.new_context(base_url=served.url, viewport=viewport) as context:  # type: ignore[arg-type]
        page = context.new_page()
        page.set_default_timeout(WAIT)
        for path in [*pages(id_of), ASKED]:
            page.goto(path)
            page.wait_for_load_state("networkidle")
            if path == ASKED:
                page.locator(".cites li").first.wait_for()
            page.evaluate(OPEN)
            there = page.evaluate(NUMBERED)
            reached = set()
            page.evaluate("document.activeElement.blur()")
            for _ in range(2 * len(there) + 20):  # a file input has two tab stops, and the end of the page one
                page.keyboard.press("Tab")
                reached.add(page.evaluate(FOCUSED))
            assert [one for place, one in enumerate(there) if str(place) not in reached] == [], path


def test_a_citation_can_be_opened_and_closed_with_the_keyboard(browser: Browser, served: Served) -> None:
    with browser.new_context(base_url=served.url) as context:
        page = context.new_page()
        page.set_default_timeout(WAIT)
        page.goto("/kb/kb/ask")
        page.keyboard.type("What is the efficiency of the K80-250?")
        page.keyboard.press("Enter")
        mark = page.get_by_role("button", name="Source 1").first
        mark.focus()
        page.keyboard.press("Enter")
        page.get_by_role("dialog").wait_for()
        page.keyboard.press("Escape")
        page.get_by_role("dialog").wait_for(state="hidden")
        assert mark.evaluate("one => one === document.activeElement")
