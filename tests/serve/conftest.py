"""Fixtures of a varied knowledge base served on loopback by a real server."""

from __future__ import annotations

import os
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import httpx2
import pytest
import uvicorn
from fastapi import FastAPI

from pipelines import build
from serve.access import Access, Key
from serve.app import create_app, open_services
from serve.settings import ServeSettings
from tests.conftest import EXAMPLES

if TYPE_CHECKING:
    from playwright.sync_api import Browser

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
HIDDEN = "\u202etxt.exe"
KEY = "0123456789abcdef-a-key"
FILES = {
    "manual.md": "# Manual of the K65\n\n## Storage\n\nEPDM rings may be stored for 7 years. "
    "See data sheet DS-2041.\n\n## Bolts\n\n| Joint | Torque, Nm |\n|---|---|\n"
    "| Casing bolts | 68 |\n| Seal cover | 18 |\n",
    "<b onmouseover=alert(1)>.md": f"# Hostile pump\n\nIt weighs 999 kg. It shows `{HOSTILE}` at its start.\n",
    "policies/stop.txt": "Stop of pumps\n\nPump B-03 is stopped by the shift leader alone.\n",
}
COPIED = ("datasheets/DS-2041_rev_D.pdf", "mail/2025-02-04_wrong_o-rings.eml")


@dataclass(frozen=True)
class Served:
    """A running server."""

    url: str
    settings: ServeSettings
    app: FastAPI | None = None

    def client(self, **options: object) -> httpx2.Client:
        return httpx2.Client(base_url=self.url, timeout=120, trust_env=False, **options)  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder and its knowledge base, side by side; must not be changed."""
    place = tmp_path_factory.mktemp("served")
    for name, text in FILES.items():
        path = place / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name in COPIED:
        path = place / "folder" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / name, path)
    (place / "folder" / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    build(place / "folder", place / "kb")
    return place


@contextmanager
def running(settings: ServeSettings) -> Iterator[Served]:
    """Serve on a free port of loopback as `serve.app.run` does, in a thread of this process."""
    with open_services(settings) as services:
        app = create_app(settings, services)
        config = uvicorn.Config(app, port=0, access_log=False, log_level="warning")
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run)
        thread.start()
        while not server.started and thread.is_alive():
            time.sleep(0.02)
        port = server.servers[0].sockets[0].getsockname()[1]
        yield Served(f"http://127.0.0.1:{port}", settings, app)
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def served(made: Path) -> Iterator[Served]:
    with running(ServeSettings((made / "kb",), (made / "folder",))) as server:
        yield server


@pytest.fixture(scope="session")
def guarded(made: Path) -> Iterator[Served]:
    """A server of the same knowledge base that requires a key and has no folder of documents."""
    with running(ServeSettings((made / "kb",), keys=(Key(KEY, Access()),))) as server:
        yield server


@pytest.fixture
def client(served: Served) -> Iterator[httpx2.Client]:
    with served.client() as opened:
        yield opened


@pytest.fixture
def api(served: Served) -> Iterator[httpx2.Client]:
    """A client whose base URL is that of the knowledge base."""
    with replace(served, url=f"{served.url}/api/kb/kb").client() as opened:
        yield opened


@pytest.fixture
def id_of(api: httpx2.Client) -> Callable[[str], str]:
    """Returns the id of the only document whose path contains the given words."""

    def found(words: str) -> str:
        (one,) = api.get("/documents", params={"q": words}).json()["items"]
        return str(one["id"])

    return found


@pytest.fixture(scope="module")
def browser(served: Served) -> Iterator[Browser]:
    """A browser, started after the server: Playwright's event loop runs in this thread, where an ingest cannot."""
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
