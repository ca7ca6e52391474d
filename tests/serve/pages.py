"""The pages of the explorer to test, and the text a browser shows on a page."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

_SHOWN = """() => {
  for (const one of document.querySelectorAll("details")) one.open = true;
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) if (!walker.currentNode.parentElement.closest("[lang=en]")) {
    found.push(walker.currentNode.textContent.trim());
  }
  for (const name of ["alt", "aria-label", "placeholder"])
    for (const one of document.querySelectorAll(`[${name}]`)) found.push(one.getAttribute(name));
  return found;
}"""


def pages(id_of: Callable[[str], str]) -> list[str]:
    """The paths of the pages over the test's knowledge base, one of each kind."""
    sheet, manual = id_of("DS-2041_rev_D.pdf"), id_of("manual.md")
    named = ("", "/ask", "/documents", "/entities", "/tags", "/graph", "/failures", "/runs", "/corrections")
    lists = [f"/kb/kb{path}" for path in named]
    return [*lists, f"/kb/kb/documents/{sheet}", f"/kb/kb/documents/{manual}", f"/kb/kb/graph?node={manual}",
            "/kb/none", "/login"]  # fmt: skip


def text_of(page: Page) -> list[str]:
    """The texts of a page, except those marked as English."""
    shown: list[str] = page.evaluate(_SHOWN)
    return shown
