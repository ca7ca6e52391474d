from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.graph.views import examples, write_page
from pipelines.store.embedded_store import EmbeddedStore
from pipelines.store.graph import GraphStore
from pipelines.store.neo4j.browser import saved_queries

if TYPE_CHECKING:
    from playwright.sync_api import Page

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"


def document(number: int, chunks: int) -> Subgraph:
    id = f"document:{number}"
    nodes = [Node(id, NodeKind.DOCUMENT, id, {"name": f"Manual {number}", "uri": f"m/{number}.pdf"})]
    edges = []
    for place in range(chunks):
        chunk = f"chunk:{number}-{place}"
        told = {
            "name": f"Chunk {number}-{place}",
            "text": f"Text of {number}-{place}. {HOSTILE}",
            "page": place + 1,
            "uri": f"m/{number}.pdf",
        }
        nodes.append(Node(chunk, NodeKind.CHUNK, id, told))
        edges += [Edge(id, EdgeKind.HAS_CHUNK, chunk, id), Edge(chunk, EdgeKind.HAS_TAG, "tag:pump", id)]
    return Subgraph(id, tuple(nodes), tuple(edges))


CORPUS = Subgraph(
    CORPUS_OWNER,
    (Node("tag:pump", NodeKind.TAG, CORPUS_OWNER, {"name": "泵 pump"}),),
    (Edge("document:1", EdgeKind.REFERENCES, "document:2", CORPUS_OWNER, "", {"evidence": "see Manual 2"}),),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[GraphStore]:
    opened = EmbeddedStore.open(tmp_path / "kb")
    for part in (document(1, 4), document(2, 30), CORPUS):
        opened.graph.write(part)
    yield opened.graph
    opened.close()


def test_every_parameter_of_the_saved_queries_has_an_example_from_the_graph(store: GraphStore) -> None:
    names = {"a": ("DO-6", 3), "b": ("DO-7", 2), "c": ("DO-8", 1)}
    nodes = [
        Node(f"entity:{id}", NodeKind.ENTITY, CORPUS_OWNER, {"name": name, "mentions": mentions})
        for id, (name, mentions) in names.items()
    ]
    tag, reference = CORPUS.nodes[0], CORPUS.edges[0]
    store.write(Subgraph(CORPUS_OWNER, (tag, *nodes), (reference,)))
    wanted = {name for query in saved_queries().values() for name in query.parameters}
    assert examples(store).keys() >= wanted
    assert (examples(store)["words"], examples(store)["other"]) == ("泵 pump", "DO-7")
    related = Edge("entity:c", EdgeKind.RELATED, "entity:a", CORPUS_OWNER)
    store.write(Subgraph(CORPUS_OWNER, (tag, *nodes), (reference, related)))
    assert (examples(store)["entity"], examples(store)["other"]) == ("DO-6", "DO-8")


def page_of(store: GraphStore, most: int = 1000) -> str:
    out = io.StringIO()
    write_page(store, f"kb {HOSTILE}", out, most)
    return out.getvalue()


def data_of(page: str) -> dict[str, list[object]]:
    match = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert match is not None
    found: dict[str, list[object]] = json.loads(match[1])
    return found


def test_the_page_loads_nothing(store: GraphStore) -> None:
    page = page_of(store)
    assert "default-src 'none'" in page
    assert not re.search(r"<(?:script|link|img)[^>]+(?:src|href)=", page.replace(HOSTILE, ""))


def test_text_of_documents_cannot_end_the_data_element(store: GraphStore) -> None:
    page = page_of(store)
    assert page.count("<script") == page.count("</script>") == 3
    assert HOSTILE in json.dumps(data_of(page)).encode().decode("unicode_escape")


def test_all_nodes_and_edges_are_in_the_page(store: GraphStore) -> None:
    data = data_of(page_of(store))
    assert (len(data["nodes"]), len(data["edges"])) == (37, 69)


def test_a_page_of_a_large_graph_keeps_documents_and_reports_omitted_nodes(store: GraphStore) -> None:
    out = io.StringIO()
    shown = write_page(store, "kb", out, most=10)
    assert (shown.nodes, shown.left_out) == (10, 27)
    data = data_of(out.getvalue())
    assert data["leftOut"] == 27
    assert [node[0] for node in data["nodes"][:2]] == ["document:1", "document:2"]  # type: ignore[index]


@pytest.fixture(scope="module")
def browser_path() -> str:
    found = next(
        (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
    )
    if found is None:
        reason = "no Chromium here: install the package chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    return found


@pytest.fixture
def page(store: GraphStore, tmp_path: Path, browser_path: str) -> Iterator[Page]:
    from playwright.sync_api import sync_playwright

    file = tmp_path / "graph.html"
    file.write_text(page_of(store), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        opened = browser.new_page(viewport={"width": 1300, "height": 800})
        errors: list[str] = []
        opened.on("pageerror", lambda error: errors.append(str(error)))
        opened.goto(file.as_uri())
        yield opened
        title = opened.title()
        browser.close()
    assert errors == []
    assert title != "owned"


in_browser = pytest.mark.browser


@in_browser
def test_filters_by_layer_type_and_document_change_what_is_drawn(page: Page) -> None:
    counts = page.locator("#counts")
    assert counts.inner_text() == "37 nodes, 69 edges drawn"
    page.locator("#layers label", has_text="Corpus").locator("input").uncheck()
    assert counts.inner_text() == "3 nodes, 1 edges drawn"
    page.locator("#layers label", has_text="Corpus").locator("input").check()
    page.locator("#kinds label", has_text="Tag").locator("input").uncheck()
    assert counts.inner_text() == "36 nodes, 35 edges drawn"
    page.locator("#document").select_option(label="m/1.pdf")
    assert counts.inner_text() == "6 nodes, 5 edges drawn"


@in_browser
def test_search_opens_a_node_with_its_text_and_edges(page: Page) -> None:
    page.locator("#search").fill("text of 2-7")
    page.locator("#found button").first.click()
    assert page.locator("#name").inner_text() == "Chunk 2-7"
    assert page.locator("#text").inner_text().startswith("Text of 2-7. </script>")
    page.locator("#edges button", has_text="Manual 2").click()
    assert page.locator("#name").inner_text() == "Manual 2"
    assert "see Manual 2" in (page.locator("#edges button", has_text="Manual 1").get_attribute("title") or "")


@in_browser
def test_clicking_a_node_on_the_canvas_opens_it(page: Page) -> None:
    page.locator("#search").fill("Manual 1")
    page.locator("#found button").first.click()  # selecting it centers it
    page.wait_for_timeout(300)
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    page.locator("#close").click()
    assert page.locator("#panel").is_hidden()
    box = page.locator("#canvas").bounding_box()
    assert box is not None
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    assert page.locator("#name").inner_text() == "Manual 1"


@in_browser
def test_a_page_with_more_nodes_than_can_be_drawn_reports_so(
    store: GraphStore, tmp_path: Path, browser_path: str
) -> None:
    from playwright.sync_api import sync_playwright

    store.write(document(3, 2500))
    file = tmp_path / "large.html"
    file.write_text(page_of(store, most=2200), "utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        opened = browser.new_page()
        opened.goto(file.as_uri())
        notice = opened.locator("#notice").inner_text()
        opened.locator("#document").select_option(label="m/1.pdf")
        alone = opened.locator("#counts").inner_text()
        browser.close()
    assert "2,000 of 2,200 nodes are drawn" in notice
    assert "more nodes are not in this page" in notice
    assert alone == "6 nodes, 5 edges drawn"  # with the document it refers to; the tag node is not in the page
