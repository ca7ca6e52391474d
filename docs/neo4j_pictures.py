"""Pictures of the example knowledge base in Neo4j Browser, by a real browser from a real server.

    python docs/neo4j_pictures.py [--kb kb] [--only NAME]

Starts a Neo4j of its own without a password, on free ports and in a temporary folder, loads the knowledge base into
it (ingesting examples/documents where there is none), and writes docs/pictures/NAME.png for each saved query. Needs
Chromium (`apt-get install chromium`) and what `make neo4j` needs.
"""

from __future__ import annotations

import argparse
import json
import shutil
from contextlib import closing
from pathlib import Path
from urllib.parse import urlencode

from playwright.sync_api import Page, sync_playwright

from deploy.neo4j import server
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import sync
from pipelines.store.neo4j.browser import saved_query
from pipelines.store.neo4j.browser import style as browser_style
from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
MANUAL = "manuals/Maintenance Manual K-Series.docx"
STANDARD = "standards/STD-014_suction_piping.pdf"
SHOWN: dict[str, dict[str, str]] = {
    "tree": {"uri": MANUAL},
    "answer": {"quote": "NPSHa shall exceed NPSHr"},
    "references": {},
    "tag": {"tag": "suction head margin"},
    "entity": {"entity": "K65-200"},
    "page": {"uri": STANDARD, "page": "2"},
}
SIZE, SCALE = {"width": 1300, "height": 860}, 1.5
ALONE = {"autoComplete": False}
"""Only the edges that a query returns, not all between its nodes: "Connect result nodes" in the Browser's settings."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kb", type=Path, default=ROOT / "kb")
    parser.add_argument("--only", choices=sorted(SHOWN), default=None)
    args = parser.parse_args()
    if not (args.kb / "strata.db").is_file():
        from pipelines import build

        build(ROOT / "examples" / "documents", args.kb)
    PICTURES.mkdir(exist_ok=True)
    with server.temporary(heap="768m") as running:
        bolt, http = running.bolt, running.http
        load(args.kb, bolt)
        take(bolt, http, [args.only] if args.only else list(SHOWN))


def load(kb: Path, bolt: str) -> None:
    source = EmbeddedStore.open(kb / "strata.db", create=False)
    with closing(source), closing(Neo4jStore.open(Neo4jAddress(bolt), "examples")) as target:
        print(sync(source.graph, target))


def take(bolt: str, http: str, names: list[str]) -> None:
    """Draw each query's result in Neo4j Browser and keep the picture."""
    path = next(found for name in ("chromium", "chromium-browser") if (found := shutil.which(name)))
    style = json.dumps(browser_style())
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        for name in names:
            page = browser.new_page(viewport=SIZE, device_scale_factor=SCALE)
            page.add_init_script(f"localStorage.setItem('neo4j.grass', JSON.stringify({style}))")
            page.add_init_script(f"localStorage.setItem('neo4j.settings', JSON.stringify({json.dumps(ALONE)}))")
            draw(page, bolt, http, saved_query(name).inlined("examples", **SHOWN[name]))
            page.screenshot(path=PICTURES / f"{name}.png")
            print(f"docs/pictures/{name}.png")
            page.close()
        browser.close()


def draw(page: Page, bolt: str, http: str, cypher: str) -> None:
    address = {"dbms": bolt, "preselectAuthMethod": "NO_AUTH", "cmd": "edit", "arg": " ".join(cypher.split())}
    page.goto(f"{http}/browser/?{urlencode(address)}")
    page.wait_for_timeout(6000)
    page.keyboard.press("Control+Enter")
    page.wait_for_selector("svg .node", timeout=60_000)
    page.locator("button[title='Fullscreen']").first.click()
    page.locator("[title='Collapse the node properties display']").first.click()
    page.wait_for_timeout(5000)  # until the nodes have found their places
    page.locator("[aria-label='zoom-to-fit']").first.click()
    page.mouse.move(2, 2)
    page.wait_for_timeout(1500)


if __name__ == "__main__":
    main()
