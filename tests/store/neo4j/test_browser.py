"""Tests of the proxy for Neo4j Browser, which adds a script with a style and saved queries."""

from __future__ import annotations

import http.client
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from pipelines.core.errors import StoreUnavailable
from pipelines.store.neo4j.browser import SCRIPT, BrowserServer, browser_link, favorites, saved_queries, style
from pipelines.store.neo4j.schema import LABELS, PENDING

PAGE = b'<html><head lang="en"><title>Neo4j Browser</title></head></html>'


class Upstream(BaseHTTPRequestHandler):
    """Responds as Neo4j Browser does."""

    def do_GET(self) -> None:
        found = {"/browser/": PAGE, "/browser/app.js": b"app"}.get(self.path)
        self.send_response(200 if found else 404)
        self.send_header("Content-Security-Policy", "script-src 'self'")
        self.end_headers()
        self.wfile.write(found or b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def serving(server: HTTPServer) -> Iterator[int]:
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield int(server.server_address[1])
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def get(port: int, path: str, host: str = "127.0.0.1") -> tuple[int, bytes, str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=10)
    connection.request("GET", path, headers={"Host": host})
    reply = connection.getresponse()
    told = reply.status, reply.read(), reply.getheader("Content-Security-Policy") or ""
    connection.close()
    return told


def test_the_page_gets_one_added_script_with_style_and_queries() -> None:
    saved = favorites(list(saved_queries().values()), "kb", {"uri": 'a"</script>.pdf'})
    with (
        serving(HTTPServer(("127.0.0.1", 0), Upstream)) as upstream,
        serving(BrowserServer(f"http://127.0.0.1:{upstream}/browser/", saved)) as port,
    ):
        status, page, policy = get(port, "/browser/")
        assert (status, policy) == (200, "script-src 'self'")
        own = f'<script src="{SCRIPT}"></script>'.encode()
        assert page == PAGE.replace(b'<head lang="en">', b'<head lang="en">' + own)
        assert get(port, "/browser/app.js")[:2] == (200, b"app")
        assert get(port, "/browser/none.js")[0] == 404
        script = get(port, f"/browser/{SCRIPT}")[1].decode()
        assert get(port, "/browser/", host="evil.example")[0] == 403
    assert "</script>" not in script
    kept = json.loads(re.findall(r'put\("neo4j.documents", (.*)\);', script)[0])
    assert [one["id"] for one in kept] == [f"strata-{name}" for name in saved_queries()]
    assert kept[0]["content"].startswith("// tree: one document")


def test_a_neo4j_without_a_browser_is_reported() -> None:
    with pytest.raises(StoreUnavailable, match="no Neo4j Browser") as caught:
        BrowserServer("http://127.0.0.1:1/browser/", [])
    assert "make up" in caught.value.hint


def test_every_label_but_that_of_pending_nodes_has_a_style() -> None:
    named = {selector.removeprefix("node.") for selector in style() if selector.startswith("node.")}
    assert LABELS - {PENDING, "AtomicStatement"} <= named


def test_the_link_has_server_user_and_query() -> None:
    address = browser_link(
        "http://127.0.0.1:1/browser/", "bolt://host:7687", "neo4j", "MATCH (n)\nRETURN n", password=False
    )
    assert "dbms=bolt%3A%2F%2Fneo4j%40host%3A7687" in address
    assert "arg=MATCH+%28n%29+RETURN+n" in address
    assert address.endswith("preselectAuthMethod=NO_AUTH")
