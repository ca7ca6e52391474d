"""Pictures of the explorer's pages over the example documents, by a real browser from a real server.

    python docs/explorer_pictures.py [--kb kb] [--only NAME]

Ingests examples/documents where there is no knowledge base yet, serves it as `strata serve --allow-changes` does, and
writes docs/pictures/explorer-NAME.png for each page. Needs Chromium (`apt-get install chromium`) and
LibreOffice.
"""

from __future__ import annotations

import argparse
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import uvicorn
from playwright.sync_api import Page, sync_playwright

from pipelines import build
from serve.app import create_app, open_services
from serve.library import document_key
from serve.services import Services
from serve.settings import ServeSettings

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
EXAMPLES = ROOT / "examples" / "documents"
QUESTION = "What is the efficiency of the K80-250?"
PRICE = "What does the impeller of bronze cost?"
SHEET = "datasheets/DS-2041_rev_D.pdf"
SIZE = {"width": 1200, "height": 800}


def answer(page: Page, at: str, services: Services) -> None:
    page.goto(f"{at}/ask?q={QUESTION}")
    page.get_by_role("heading", name="Sources").wait_for()


def citation(page: Page, at: str, services: Services) -> None:
    answer(page, at, services)
    page.get_by_role("button", name="Source 1").first.click()
    page.wait_for_function("() => document.querySelector('#source-page').naturalWidth > 0")


def document(page: Page, at: str, services: Services) -> None:
    (base,) = services.library.whole.values()
    (entry,) = (entry for entry in base.entries() if entry.uri == SHEET)
    page.goto(f"{at}/documents/{document_key(entry)}")
    page.wait_for_function("() => document.querySelector('.sheet img').naturalWidth > 0")


def office(page: Page, at: str, services: Services) -> None:
    page.goto(f"{at}/ask?q={PRICE}")
    page.locator(".cites a").first.click()
    page.wait_for_function("() => document.querySelector('#printed img')?.naturalWidth > 0")


def entity(page: Page, at: str, services: Services) -> None:
    page.goto(f"{at}/entities")
    page.get_by_role("row").nth(1).get_by_role("link").click()
    page.locator("#verdicts summary").click()


def graph(page: Page, at: str, services: Services) -> None:
    document(page, at, services)
    page.locator("main").get_by_role("link", name="In the graph").click()
    page.locator("#drawing circle").first.wait_for()


def plain(path: str) -> Callable[[Page, str, Services], None]:
    """Return a function that opens a page without further interaction."""
    return lambda page, at, services: page.goto(f"{at}{path}") and None


SHOWN: dict[str, Callable[[Page, str, Services], None]] = {
    "overview": plain(""),
    "answer": answer,
    "citation": citation,
    "documents": plain("/documents"),
    "document": document,
    "office": office,
    "entity": entity,
    "tags": plain("/tags"),
    "graph": graph,
    "failures": plain("/failures"),
    "runs": plain("/runs"),
}


@contextmanager
def serving(kb: Path) -> Iterator[tuple[str, Services]]:
    """Serve on a free port; yield the address of the knowledge base's pages."""
    settings = ServeSettings((kb,), (EXAMPLES,), changes=True)
    with open_services(settings) as services:
        server = uvicorn.Server(uvicorn.Config(create_app(settings, services), port=0, log_level="warning"))
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started:
            time.sleep(0.05)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield f"http://127.0.0.1:{port}/kb/{kb.name}", services
        server.should_exit = True
        thread.join()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", type=Path, default=ROOT / "build" / "explorer-kb")
    parser.add_argument("--only", choices=SHOWN)
    asked = parser.parse_args()
    if not asked.kb.exists():
        build(EXAMPLES, asked.kb)
    with serving(asked.kb) as (at, services), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for name, show in SHOWN.items():
            if asked.only in (None, name):
                page = browser.new_page(viewport=SIZE, locale="en")  # type: ignore[arg-type]
                page.set_default_timeout(120_000)
                show(page, at, services)
                page.screenshot(path=PICTURES / f"explorer-{name}.png")
                page.close()
        browser.close()


if __name__ == "__main__":
    main()
