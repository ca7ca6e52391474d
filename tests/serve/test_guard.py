"""Tests of access control: hosts, keys, origins, body sizes, queueing and headers."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from http import HTTPStatus
from pathlib import Path

import anyio
import httpx2
import pytest

from pipelines.core.errors import SettingsError
from serve.access import COOKIE, Access, Key, Role, Scope, read_keys
from serve.guard import POLICY
from serve.problems import Busy, RequestQueue
from serve.render import STATIC
from serve.settings import ServeSettings
from tests.conftest import ROOT
from tests.serve.conftest import KEY, Served

INLINE = r"<script(?![^>]*\bsrc=)|\bstyle=|<style|\bon[a-z]+=|javascript:|\|\s*safe\b"
PAGES = ("", "/documents", "/entities", "/tags", "/graph", "/ask", "/failures", "/runs")


@pytest.fixture
def locked(guarded: Served) -> Iterator[httpx2.Client]:
    with guarded.client() as client:
        yield client


def routes(client: httpx2.Client) -> Iterator[tuple[str, str]]:
    """Every method and path of the API, with placeholder names filled in."""
    headers = {"x-api-key": KEY}
    for path, methods in client.get("/api/openapi.json", headers=headers).json()["paths"].items():
        for method in methods:
            yield method, re.sub(r"\{(\w+)\}", lambda found: {"kb": "kb", "number": "1"}.get(found[1], "x"), path)


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.0.7", "example.org", "127.0.0.1.example.org"])
def test_a_public_host_is_refused_without_a_key(host: str) -> None:
    with pytest.raises(SettingsError, match="there is no key"):
        ServeSettings((Path("kb"),), host=host).check()
    ServeSettings((Path("kb"),), host=host, keys=(Key(KEY, Access()),)).check()


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost"])
def test_a_loopback_host_needs_no_key(host: str) -> None:
    ServeSettings((Path("kb"),), host=host).check()


@pytest.mark.parametrize("key", ["short", "a key with a line\nbreak in it", "schlüssel-schlüssel"])
def test_a_weak_or_unprintable_key_is_refused(key: str) -> None:
    with pytest.raises(SettingsError, match="printable ASCII"):
        ServeSettings((Path("kb"),), keys=(Key(key, Access()),)).check()


def test_a_key_is_the_first_line_of_its_file(tmp_path: Path) -> None:
    (tmp_path / "key").write_text(f"{KEY}\nand a note\n")
    (tmp_path / "empty").write_text("\n")
    (key,) = read_keys(tmp_path / "key")
    assert (key.secret, key.access.role, key.access.scope) == (KEY, Role.READ, None)
    assert KEY not in repr(key)
    assert read_keys(None) == ()
    for name in ("empty", "missing"):
        with pytest.raises(SettingsError, match="key file"):
            read_keys(tmp_path / name)


def test_a_toml_file_of_keys_has_roles_and_folders(tmp_path: Path) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(
        f'[[keys]]\nname = "boss"\nkey = "{KEY}1"\nrole = "admin"\n'
        f'[[keys]]\nname = "shop"\nkey = "{KEY}2"\nfolders = ["pumps/", "seals/epdm"]\n'
    )
    boss, shop = read_keys(file)
    assert boss.access == Access("boss", Role.ADMIN)
    assert shop.access == Access("shop", Role.READ, Scope(("pumps", "seals/epdm")))
    ServeSettings((Path("kb"),), keys=(boss, shop)).check()


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('role = "root"', "not a valid Role"),
        ('folders = [""]', "not a path below"),
        ('folders = ["a/../b"]', "not a path below"),
        ('role = "admin"\nfolders = ["a"]', "an admin's and has folders"),
        ("folder = 1", "folder"),
        ("folders = 1", "folders"),
    ],
)
def test_an_invalid_file_of_keys_is_refused_without_showing_the_key(tmp_path: Path, line: str, told: str) -> None:
    file = tmp_path / "keys.toml"
    file.write_text(f'[[keys]]\nname = "one"\nkey = "{KEY}"\n{line}\n')
    with pytest.raises(SettingsError, match=told) as refused:
        ServeSettings((Path("kb"),), keys=read_keys(file)).check()
    assert KEY not in str(refused.value)


def test_duplicate_keys_are_refused() -> None:
    keys = (Key(KEY, Access("one")), Key(KEY, Access("two", Role.ADMIN)))
    with pytest.raises(SettingsError, match="two keys are the same"):
        ServeSettings((Path("kb"),), keys=keys).check()


def test_every_route_requires_the_key(locked: httpx2.Client) -> None:
    asked = list(routes(locked))
    assert len(asked) == 33
    for method, path in asked:
        for headers in ({}, {"x-api-key": KEY[:-1]}, {"authorization": f"Bearer {KEY}x"}, {"cookie": f"{COOKIE}=x"}):
            reply = locked.request(method, path, headers=headers)
            assert reply.status_code == HTTPStatus.UNAUTHORIZED, path
            assert reply.headers["www-authenticate"] == "Bearer"
    assert locked.post("/mcp", json={}).status_code == HTTPStatus.UNAUTHORIZED
    for page in PAGES:
        assert locked.get(f"/kb/kb{page}").headers["location"] == "/login"


@pytest.mark.parametrize("headers", [{"x-api-key": KEY}, {"authorization": f"bearer {KEY}"}])
def test_a_request_with_the_key_is_answered(locked: httpx2.Client, headers: dict[str, str]) -> None:
    assert locked.get("/api/kb", headers=headers).status_code == HTTPStatus.OK


def test_a_login_sets_a_cookie_other_than_the_key(locked: httpx2.Client) -> None:
    assert "Wrong key" in locked.post("/login", content="key=wrong").text
    done = locked.post("/login", content=f"key={KEY}")
    kept = done.headers["set-cookie"]
    assert (done.status_code, done.headers["location"]) == (HTTPStatus.SEE_OTHER, "/")
    assert KEY not in kept
    assert "HttpOnly" in kept
    assert "samesite=strict" in kept.lower()
    assert locked.get("/kb/kb").status_code == HTTPStatus.OK


def test_keys_are_not_logged(
    locked: httpx2.Client, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG, logger="uvicorn")
    caplog.set_level(logging.DEBUG, logger="strata.serve")
    locked.get("/api/kb", headers={"x-api-key": KEY})
    locked.post("/login", content=f"key={KEY}")
    locked.get("/api/kb/none", headers={"authorization": f"Bearer {KEY}"})
    printed = capfd.readouterr()
    assert KEY not in caplog.text + printed.out + printed.err


@pytest.mark.parametrize("host", ["example.org", "127.0.0.1.example.org:80", "", "[", "192.168.0.7"])
def test_a_request_for_an_unknown_host_name_is_refused(client: httpx2.Client, host: str) -> None:
    """The owner of a foreign name can let it resolve to this machine (DNS rebinding)."""
    assert client.get("/api/kb", headers={"host": host}).status_code in (400, 421)
    assert client.get("/api/kb", headers={"host": "localhost:1"}).status_code == HTTPStatus.OK


def test_a_cross_site_request_is_refused(client: httpx2.Client) -> None:
    elsewhere = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "cors", "origin": "http://example.org"}
    reply = client.get("/api/kb", headers=elsewhere)
    assert reply.status_code == HTTPStatus.FORBIDDEN
    assert "access-control-allow-origin" not in reply.headers
    old = client.post("/api/kb/kb/search", json={"question": "What?"}, headers={"origin": "http://example.org"})
    assert old.status_code == HTTPStatus.FORBIDDEN
    followed = {"sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate"}
    assert client.get("/kb/kb", headers=followed).status_code == HTTPStatus.OK


def test_a_form_post_is_not_accepted_as_json(client: httpx2.Client) -> None:
    body = b'{"question": "What?"}'
    for type in ("text/plain", "application/x-www-form-urlencoded", ""):
        reply = client.post("/api/kb/kb/ask", content=body, headers={"content-type": type})
        assert reply.status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_an_oversized_body_is_refused_with_and_without_a_content_length(client: httpx2.Client) -> None:
    json = {"content-type": "application/json"}
    big = b'{"question": "' + b"a" * 70_000 + b'"}'
    assert client.post("/api/kb/kb/ask", content=big, headers=json).status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    parts = (b"a" * 1000 for _ in range(100))
    assert client.post("/api/kb/kb/ask", content=parts, headers=json).status_code == HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    long = {"question": "a" * 5000}
    assert client.post("/api/kb/kb/ask", json=long).status_code == HTTPStatus.UNPROCESSABLE_ENTITY


def test_every_reply_has_a_content_security_policy_and_templates_have_no_inline_code(client: httpx2.Client) -> None:
    for path in ("/", "/api/kb", "/nothing", "/static/ask.js", "/login", *(f"/kb/kb{page}" for page in PAGES)):
        reply = client.get(path)
        assert reply.headers["content-security-policy"] == POLICY, path
        assert reply.headers["x-content-type-options"] == "nosniff"
    assert "unsafe" not in POLICY
    for template in (ROOT / "serve" / "templates").iterdir():
        text = template.read_text()
        assert not re.search(INLINE, text), template
        assert "https://" not in text


def test_static_files_are_served_only_from_their_folder(client: httpx2.Client) -> None:
    for path in ("../app.py", "%2e%2e/app.py", "..%2fapp.py", "/etc/passwd", ""):
        assert client.get(f"/static/{path}").status_code == HTTPStatus.NOT_FOUND, path
    assert client.get("/static/strata.css").text == (STATIC / "strata.css").read_text()


async def test_requests_beyond_the_queue_limit_are_refused() -> None:
    turns, inside = RequestQueue(at_once=1, waiting=1), 0
    release = anyio.Event()

    async def work() -> None:
        nonlocal inside
        async with turns.turn():
            inside += 1
            await release.wait()

    async with anyio.create_task_group() as tasks:
        tasks.start_soon(work)
        tasks.start_soon(work)
        await anyio.wait_all_tasks_blocked()
        assert inside == 1
        with pytest.raises(Busy):
            async with turns.turn():
                pass
        release.set()
    assert inside == 2
