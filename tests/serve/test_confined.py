"""Tests of a key restricted to some folders, over a knowledge base with links, copies and revisions across them."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from fastapi import APIRouter
from starlette.routing import Mount, Route

from pipelines import build
from pipelines.core.graph import CORPUS_OWNER
from pipelines.store.graph import GraphStore
from qa import KnowledgeBase
from serve.access import Access, Key, Role, Scope
from serve.settings import ServeSettings
from tests.serve.conftest import Served, running

ADMIN_KEY, RESTRICTED_KEY = "key-of-one-who-sees-all", "key-of-one-in-the-shop"
STORED = "EPDM rings of the K65 pump may be stored for 7 years. Marta Quist answers for them.\n"
OPEN = {
    "open/manual.md": f"# Manual of the K65\n\n## Storage\n\n{STORED}\nSee [the plan](../hidden/plan.md), [the drawing]"
    "(drawing.md) and DS-7711.\n\n## Bolts\n\n| Joint | Torque, Nm |\n|---|---|\n| Casing bolts | 68 |\n",
    "open/drawing.md": "# Drawing of the K65\n\nThe K65 pump has a casing of grey iron and EPDM rings.\n",
    "open/cleaning-rev-A.md": "# Cleaning of pumps Rev. A\n\nRevision: A\n\nFlush the K65 pump with water at 40 °C.\n",
}
HIDDEN = {
    "hidden/plan.md": "# Xylograph plan DS-7711\n\nThe K65 pump (Zibeline) is sold for 77123 euro. "
    "EPDM rings cost 4321. Marta Quist (the Oryxette) owns Vantablau GmbH. See [the manual](../open/manual.md).\n",
    "hidden/cleaning-rev-B.md": "# Cleaning of pumps Rev. B\n\nRevision: B\n\nFlush the K65 pump with Xylograph.\n",
    "hidden/copy.md": OPEN["open/drawing.md"],
    "hidden/xylograph-broken.pdf": "%PDF-1.7 nothing",
    "opened/xylograph.md": "# Xylograph beside\n\nA folder whose name only begins alike: the K65 pump, 77123.\n",
}
SECRET = re.compile(r"xylograph|zibeline|\beuro\b|oryxette|vantablau|rev-B|hidden/c|opened/|Rev\. B", re.IGNORECASE)
"""Words only in documents outside the key's folders; open/manual.md itself names hidden/plan.md and DS-7711."""


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def mixed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    place = tmp_path_factory.mktemp("tempting")
    build(write(place / "folder", OPEN | HIDDEN), place / "kb")
    keys = (
        Key(ADMIN_KEY, Access("seer", Role.ADMIN)),
        Key(RESTRICTED_KEY, Access("shop", Role.READ, Scope(("open",)))),
    )
    with running(ServeSettings((place / "kb",), (place / "folder",), keys=keys)) as server:
        yield server


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server over the open documents only."""
    place = tmp_path_factory.mktemp("alone")
    build(write(place / "folder", OPEN), place / "kb")
    with running(ServeSettings((place / "kb",), (place / "folder",))) as server:
        yield server


def as_(key: str, served: Served) -> httpx2.Client:
    return served.client(headers={"x-api-key": key})


def routes(router: APIRouter, before: str = "") -> Iterator[tuple[str, str]]:
    """Every method and path of the application, including its routers."""
    for route in router.routes:
        if isinstance(route, Route):
            yield from ((method, before + route.path) for method in sorted(route.methods or ("GET",)))
        elif not isinstance(route, Mount):
            yield from routes(route.original_router, before + router.prefix)  # type: ignore[attr-defined]


def ids_of(graph: GraphStore) -> tuple[list[str], list[str]]:
    """Ids of up to `OF_EACH` nodes of each kind: of hidden documents, and of the corpus."""
    hidden: dict[str, list[str]] = {}
    shared: dict[str, list[str]] = {}
    for node in graph.nodes():
        if node.owner == CORPUS_OWNER:
            shared.setdefault(node.kind, []).append(node.id)
        elif not str(node.properties["uri"]).startswith("open/"):
            hidden.setdefault(node.kind, []).append(node.id)
    return tuple([id for ids in found.values() for id in ids[:OF_EACH]] for found in (hidden, shared))  # type: ignore[return-value]


def filled(path: str, hidden: list[str], shared: list[str]) -> Iterator[str]:
    names = re.findall(r"{(\w+)[^}]*}", path)
    values = {"kb": ["kb"], "id": [*hidden, *shared], "number": ["1", "2"]}
    for chosen in itertools.product(*(values.get(name, hidden[:3]) for name in names)):
        told = path
        for name, value in zip(names, chosen, strict=True):
            told = re.sub(rf"{{{name}[^}}]*}}", value, told)
        yield told


OF_EACH = 6
QUERIES = [
    {},
    {"q": "x"},
    {"q": "hidden"},
    {"status": "malformed"},
    {"hops": "3", "limit": "200"},
    {"node": "document:0"},
]
QUESTIONS = [
    {"question": "What does the K65 pump cost?"},
    {"question": "What is the plan DS-7711 about?"},
    {"question": "What does Marta Quist own?", "limit": 200},
    {"question": "EPDM rings of the K65", "folders": ["hidden"]},
    {"question": "EPDM rings of the K65", "folders": ["open", "opened"]},
    {"question": "EPDM rings of the K65", "folders": [""], "strategy": "survey"},
    {"question": "Which documents are there?", "strategy": "survey"},
    {"question": "How is the pump cleaned?", "documents": ["hidden/plan.md"]},
    {"question": "How is the pump cleaned?", "documents": ["open/cleaning-rev-A.md"]},
]


def test_no_route_returns_data_of_folders_outside_the_key(mixed: Served) -> None:
    assert mixed.app is not None
    with KnowledgeBase.open(mixed.settings.knowledge_bases[0]) as knowledge:
        hidden, shared = ids_of(knowledge.stores.graph)
    assert len(hidden) > 10
    assert len(shared) > 10
    walked, told = set(), 0
    with as_(ADMIN_KEY, mixed) as seer, as_(RESTRICTED_KEY, mixed) as shop:
        for method, path in sorted(set(routes(mixed.app.router))):
            walked.add(path)
            if (method, path) == ("GET", "/mcp"):  # an endless stream; the MCP tools are tested below
                continue
            reads = method in ("GET", "HEAD")
            for one in filled(path, hidden, shared):
                for sent in QUERIES[: None if "{id}" not in path else 1] if reads else QUESTIONS:
                    asked = {"params": sent} if reads else {"json": sent}
                    reply = shop.request(method, one, **asked)  # type: ignore[arg-type]
                    said = reply.text + str(reply.headers)
                    for id in hidden:
                        said = said.replace(id, "") if id in one else said
                        assert id not in said, (method, one, sent)
                    assert not SECRET.search(said), (method, one, sent, SECRET.search(said))
                    if one.rsplit("/", 1)[-1] in hidden:
                        assert reply.status_code in (403, 404, 405), one
                    told += bool(SECRET.search(seer.request(method, one, **asked).text))  # type: ignore[arg-type]
    assert {"/api/kb/{kb}/ask", "/api/kb/{kb}/graph/{id}", "/kb/{kb}/documents/{id}", "/mcp", "/"} <= walked
    assert told > 100  # the hidden data does exist


def test_a_cached_page_image_is_not_returned_to_a_key_without_access(mixed: Served) -> None:
    with as_(ADMIN_KEY, mixed) as seer, as_(RESTRICTED_KEY, mixed) as shop:
        for one in seer.get("/api/kb/kb/documents").json()["items"]:
            path = f"/api/kb/kb/documents/{one['id']}/pages/1.png"
            seer.get(path)
            assert one["uri"].startswith("open/") or shop.get(path).json()["detail"] == "no document with that id"


def same(one: Any) -> Any:
    """A reply without values that must differ: times, ids, reasons of unresolved references, settings."""
    dropped = {"seconds", "reason", "reasons", "id", "other", "embedder", "settings"}
    if isinstance(one, dict):
        return {name: same(value) for name, value in one.items() if name not in dropped}
    if isinstance(one, list):
        return [same(value) for value in one]
    return round(one, 4) if isinstance(one, float) else one


def test_replies_to_a_restricted_key_equal_those_of_a_knowledge_base_of_its_folders(
    mixed: Served, alone: Served
) -> None:
    with as_(RESTRICTED_KEY, mixed) as shop, alone.client() as own:
        for path in ("", "/documents", "/failures", "/tags?limit=200", "/entities?limit=200"):
            assert same(shop.get(f"/api/kb/kb{path}").json()) == same(own.get(f"/api/kb/kb{path}").json()), path
        for document in own.get("/api/kb/kb/documents").json()["items"]:
            path = f"/api/kb/kb/documents/{document['id']}"
            for part in ("", "/chunks", "/tables", "/atoms", "/figures"):
                assert same(shop.get(path + part).json()) == same(own.get(path + part).json()), document["uri"]
        for question in ("EPDM rings of the K65 pump", "What torque do casing bolts need?", "A Xylograph of 77123?"):
            for way in ("search", "ask"):
                told = [one.post(f"/api/kb/kb/{way}", json={"question": question}).json() for one in (shop, own)]
                assert json.dumps(same(told[0])) == json.dumps(same(told[1])), (way, question)


def test_a_restricted_key_can_search_its_folders_and_no_others(mixed: Served) -> None:
    with as_(RESTRICTED_KEY, mixed) as shop, as_(ADMIN_KEY, mixed) as seer:
        asked = {"question": "How long may EPDM rings be stored?"}
        assert "7 years" in shop.post("/api/kb/kb/ask", json=asked).json()["text"]
        assert {hit["uri"] for hit in shop.post("/api/kb/kb/search", json=asked).json()["hits"]} <= OPEN.keys()
        narrowed = asked | {"folders": ["open"]}
        assert shop.post("/api/kb/kb/ask", json=narrowed).json()["citations"][0]["uri"] == "open/manual.md"
        assert shop.post("/api/kb/kb/ask", json=asked | {"folders": ["hidden"]}).status_code == 404
        assert seer.post("/api/kb/kb/ask", json=asked | {"folders": ["hidden"]}).status_code == 200


async def test_an_mcp_client_with_a_restricted_key_sees_only_its_folders(mixed: Served) -> None:
    pytest.importorskip("mcp")
    from mcp import Client, MCPError
    from mcp.client.streamable_http import streamable_http_client

    for key, sees in ((RESTRICTED_KEY, False), (ADMIN_KEY, True)):
        async with (
            httpx2.AsyncClient(headers={"x-api-key": key}, trust_env=False) as web,
            Client(streamable_http_client(f"{mixed.url}/mcp", http_client=web)) as client,
        ):
            told = []
            for tool, asked in (
                ("list_documents", {}),
                ("search", {"query": "Xylograph plan of the K65", "limit": 50}),
                ("ask", {"question": "What is the price of the K65 pump?"}),
                ("read_section", {"document": "hidden/plan.md"}),
                ("neighbours", {"node": "hidden/plan.md"}),
                ("neighbours", {"node": "K65", "hops": 3, "limit": 300}),
                ("neighbours", {"node": "open/manual.md", "hops": 3, "limit": 300}),
            ):
                said = str((await client.call_tool(tool, asked)).model_dump()).replace(str(asked), "")
                told.append(bool(SECRET.search(said.replace("Xylograph plan of the K65", ""))))
            listed = (await client.list_resources()).resources
            told.append(bool(SECRET.search(str(listed))))
            hidden = f"strata://kb/{quote('hidden/plan.md', safe='')}"
            with nullcontext() if sees else pytest.raises(MCPError):
                told.append(bool(SECRET.search(str(await client.read_resource(hidden)))))
            assert sum(told) >= 7 if sees else not any(told), told  # the hidden data does exist


def test_access_follows_documents_moved_into_and_out_of_a_folder(tmp_path: Path) -> None:
    folder, kb = write(tmp_path / "folder", OPEN | HIDDEN), tmp_path / "kb"
    build(folder, kb)
    key = Key(RESTRICTED_KEY, Access("shop", Role.READ, Scope(("open",))))
    with running(ServeSettings((kb,), (folder,), keys=(key,))) as server, as_(RESTRICTED_KEY, server) as shop:
        uris = lambda: [one["uri"] for one in shop.get("/api/kb/kb/documents").json()["items"]]  # noqa: E731
        asked = {"question": "What is the price of the K65 pump?", "limit": 20}
        assert uris() == sorted(OPEN)
        assert "77123" not in shop.post("/api/kb/kb/search", json=asked).text
        (folder / "hidden/plan.md").rename(folder / "open/plan.md")
        (folder / "open/drawing.md").rename(folder / "hidden/drawing.md")
        build(folder, kb)
        assert uris() == ["open/cleaning-rev-A.md", "open/manual.md", "open/plan.md"]
        hits = shop.post("/api/kb/kb/search", json=asked).json()["hits"]
        assert "77123" in str(hits)
        assert "drawing.md" not in {hit["uri"].rsplit("/", 1)[-1] for hit in hits}
