"""Browser tests of the HTML pages that Strata writes: hostile text is not executed and makes no request."""

from __future__ import annotations

import io
import os
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from PIL import Image

from evaluate.answers import AnswerResult
from evaluate.report import answers_page, page
from flows.cli.answer_page import answer_page
from pipelines.core.document import BlockKind, Page, Source
from pipelines.core.graph import Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.provenance import Box, Span
from pipelines.core.table import Cell
from pipelines.graph.views import write_page
from pipelines.parse.assemble import DocumentBuilder, Place
from pipelines.parse.render import to_html
from pipelines.parse.settings import ParseSettings
from pipelines.store.embedded_store import EmbeddedStore
from qa.answer import Answer, Citation, Claim, Step

if TYPE_CHECKING:
    from playwright.sync_api import Browser

OWNED = "document.title='owned'"
HOSTILE = (
    f'</title></style></script><script>{OWNED}</script>"\'><img src=http://127.0.0.1:{{port}}/a onerror="{OWNED}">'
    f'<a id=bait href="javascript:{OWNED}">x</a><base href=http://127.0.0.1:{{port}}/><svg onload="{OWNED}"></svg>'
    "<style>body{{background:url(http://127.0.0.1:{port}/b)}}</style><link rel=stylesheet href=http://127.0.0.1:{port}/c>"
    "<meta http-equiv=refresh content='0;url=http://127.0.0.1:{port}/d'><iframe src=http://127.0.0.1:{port}/e></iframe>"
    '<form action=http://127.0.0.1:{port}/f><input autofocus onfocus="' + OWNED + '"></form>'
)


def the_answer(text: str, folder: Path) -> str:
    where = Citation(1, "document:1", text, text, text, "chunk:1", Span(0, 1), 1, text, text, (text,))
    citation = replace(where, context=text, superseded_by=text)
    step = Step(text, text, 0.5, (Step(text, text),))
    answer = Answer(text, text, text, (Claim(text, (1,)),), (citation,), short=text, conflicts=(text,), dropped=(text,))
    return answer_page(replace(answer, trace=(step, Step("round", text, steps=(step,)))))


def the_parsed_file(text: str, folder: Path) -> str:
    path = folder / "a.png"
    Image.new("RGB", (60, 40), "white").save(path)
    builder = DocumentBuilder(Source(f"{text}.png", "image/png", 1, "d"), ParseSettings(), text)
    builder.page(Page(1, label=text, issue=text, text_source=text))
    for number in (1, 2, 3):
        builder.heading(text, number, Place(1, boxes=(Box(1, 0.1, 0.1, 0.2, 0.2),)))
    builder.paragraph(text, Place(1))
    builder.table([Cell(0, 0, text, header=True), Cell(0, 1, text)], Place(1))
    builder.furniture(BlockKind.PAGE_FOOTER, text, Place(1))
    return to_html(builder.build(), path)


def the_graph(text: str, folder: Path) -> str:
    store = EmbeddedStore.open(folder / "graph.db")
    names = {"name": text, "uri": text, "text": text, "title": text}
    nodes = [Node("document:1", NodeKind.DOCUMENT, "document:1", names), Node("c", NodeKind.CHUNK, "document:1", names)]
    edge = Edge("document:1", EdgeKind.HAS_CHUNK, "c", "document:1", text, {"evidence": text, "type": text})
    store.graph.write(Subgraph("document:1", tuple(nodes), (edge,)))
    out = io.StringIO()
    write_page(store.graph, text, out)
    store.close()
    return out.getvalue()


def the_evaluation(text: str, folder: Path) -> str:
    answered = AnswerResult(text, text, text, text, True, (text,), text, text)
    each = [answered, replace(answered, id="2", error=text)]
    rows = {text: {text: 50.0}}
    html = page(text, rows, rows, "")
    return html.replace("</html>", re.sub(r"(?s).*(<h2>Questions)", r"\1", answers_page(_Report(each))))


@dataclass(frozen=True)
class _Report:
    """The parts of a report that a page needs."""

    each: list[AnswerResult]
    title: str = "run"
    rows: dict[str, dict[str, float]] = field(default_factory=dict)

    def shares(self) -> dict[str, dict[str, float]]:
        return self.rows

    figures = shares


PAGES = (the_answer, the_parsed_file, the_graph, the_evaluation)
Make = Callable[[str, Path], str]


@dataclass
class Seen:
    """What happened when a page was opened in the browser."""

    title: str
    told: list[str]
    reached: list[str]
    asked: list[str]


@pytest.fixture(scope="module")
def recorder() -> Iterator[tuple[int, list[str]]]:
    reached: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reached.append(self.path)
            self.send_response(204)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
        yield server.server_address[1], reached
        server.shutdown()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    names = ("chromium", "chromium-browser", "google-chrome")
    path = next((found for name in names if (found := shutil.which(name))), None)
    if path is None:
        reason = "no Chromium here: install the package chromium"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield opened
        opened.close()


@pytest.fixture
def look(browser: Browser, recorder: tuple[int, list[str]], tmp_path: Path) -> Callable[[str], Seen]:
    """Opens a page, clicks the bait link in it, and returns what happened."""

    def looked(page: str) -> Seen:
        reached = recorder[1]
        reached.clear()
        file = tmp_path / "page.html"
        file.write_text(page, "utf-8")
        opened = browser.new_page()
        told: list[str] = []
        asked: list[str] = []
        opened.on("console", lambda message: told.append(message.text))
        opened.on("pageerror", lambda error: told.append(str(error)))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(file.as_uri())
        if opened.locator("#bait").count():
            opened.locator("#bait").first.click(force=True, no_wait_after=True)
        opened.wait_for_timeout(300)
        seen = Seen(opened.title(), told, list(reached), asked)
        opened.close()
        return seen

    return looked


@pytest.mark.browser
@pytest.mark.parametrize("make", PAGES)
def test_text_of_documents_is_escaped_and_the_page_complies_with_its_policy(
    make: Make, look: Callable[[str], Seen], recorder: tuple[int, list[str]], tmp_path: Path
) -> None:
    page = make(HOSTILE.format(port=recorder[0]), tmp_path)
    seen = look(page)
    assert seen.title != "owned"
    assert seen.told == []
    assert seen.reached == []
    assert [url for url in seen.asked if not url.startswith(("file:", "data:"))] == []
    assert "<script>document" not in page


@pytest.mark.browser
@pytest.mark.parametrize("make", PAGES)
def test_injected_markup_is_not_executed_and_makes_no_request(
    make: Make, look: Callable[[str], Seen], recorder: tuple[int, list[str]], tmp_path: Path
) -> None:
    hostile = HOSTILE.format(port=recorder[0])
    without_refresh = re.sub(r"<meta[^>]*>", "", hostile)
    page = make("plain", tmp_path)
    assert page.count("</html>") == 1
    seen = look(page.replace("</html>", f"{without_refresh}</html>"))
    assert seen.title != "owned"
    assert seen.reached == []
    assert any("Content Security Policy" in line for line in seen.told)


@pytest.mark.parametrize("make", PAGES)
def test_every_page_has_a_strict_content_security_policy(make: Make, tmp_path: Path) -> None:
    page = make("plain", tmp_path)
    policy = re.search(r'<meta http-equiv="Content-Security-Policy" content="([^"]+)">', page)
    assert policy is not None
    assert page.index(policy[0]) < page.index("<style") < page.index("</style")
    assert policy[1].startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe-inline" not in policy[1].replace("style-src-attr 'unsafe-inline'", "")
    assert "http:" not in policy[1]
