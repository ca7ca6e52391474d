"""Faults of a model's endpoint: nothing may be lost, and the next run must complete the work."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR

from pipelines import build
from pipelines.core.errors import StrataError
from pipelines.ingest.fsck import fsck
from pipelines.llm.testing.fakes import answer_by_schema
from pipelines.llm.testing.loopback import LoopbackServer
from pipelines.settings import Settings
from qa.knowledge_base import KnowledgeBase
from qa.settings import QaSettings
from tests.faults.bench import QUESTION, Account, Bench, Outcome, state_of

KEY = "sk-not-for-others"
WAYS = (
    "refuses", "forbids", "not found", "hangs", "cuts", "garbles", "page", "redirects", "too many", "too many, wait",
    "server error", "empty", "wrong json", "closed port",
)  # fmt: skip
_HANGS = 5.0


@dataclass(slots=True)
class Heard:
    """The keys received by the server that the endpoint redirects to."""

    keys: list[str] = field(default_factory=list)


def endpoint_at_fault(bench: Bench) -> Outcome:
    """Ingest and ask with a faulty endpoint, then ingest with a working one; compare with a run without faults."""
    account = Account("endpoints at fault")
    with LoopbackServer(answer_by_schema, keep_calls=False) as working:
        sound = _settings(working.url, timeout=60)  # a busy machine is no fault
        whole = bench.new()
        build(bench.folder, whole, sound)
        state = state_of(whole)
        ways = list(WAYS)
        bench.chance.shuffle(ways)
        for way in (ways[number % len(ways)] for number in range(bench.times)):
            kb = bench.new()
            with _endpoint(way) as (url, heard):
                lost, let_in = _tried(bench, kb, _settings(url))
            if heard.keys:
                let_in = "the key went to where the endpoint redirects"
            if not lost:
                report = build(bench.folder, kb, sound)
                finished = not report.unfinished and fsck(kb, sound).clean and state_of(kb) == state
                lost = "" if finished else "the next run does not finish it"
            account.note(way, lost, let_in)
    return account.outcome()


def _tried(bench: Bench, kb: object, settings: Settings) -> tuple[str, str]:
    """What an ingest loses, and what wrong answer a question gets."""
    try:
        report = build(bench.folder, kb, settings)  # type: ignore[arg-type]
    except StrataError as error:
        return f"the ingest ended: {error.message}", ""
    if report.documents.get("failed") or not report.unfinished:
        return f"documents {report.documents}, {report.unfinished} unfinished", ""
    return "", _asked(kb, settings)


def _asked(kb: object, settings: Settings) -> str:
    asking = QaSettings.model_validate({"llm": settings.llm.model_dump() | {"api_key": KEY}})
    try:
        with KnowledgeBase.open(kb, asking) as opened:  # type: ignore[arg-type]
            told = opened.ask(QUESTION)
    except StrataError:
        return ""
    return "it is told that the documents do not say" if told.text == "The documents do not say." else ""


def _settings(url: str, timeout: float = 0.5) -> Settings:
    return Settings.model_validate(
        {
            "llm": {
                "base_url": url, "model": "m", "api_key": KEY, "max_wait": 0.01, "tries": 2, "reply_tries": 2,
                "timeout": timeout,
            }
        }
    )  # fmt: skip


@contextmanager
def _endpoint(way: str) -> Iterator[tuple[str, Heard]]:
    heard = Heard()

    class Elsewhere(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            if key := self.headers.get("Authorization"):
                heard.keys.append(key)
            self.send_error(404)

        def do_GET(self) -> None:
            self.do_POST()

        def log_message(self, format: str, *args: object) -> None:
            """Log nothing."""

    with _served(Elsewhere) as elsewhere:

        class AtFault(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                _fail(self, way, elsewhere)

            def log_message(self, format: str, *args: object) -> None:
                """Log nothing."""

        with _served(AtFault) as url:
            yield (url if way != "closed port" else "http://127.0.0.1:9/v1"), heard


@contextmanager
def _served(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.handle_error = lambda *_: None  # type: ignore[method-assign]  # a client that disconnected
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def _fail(request: BaseHTTPRequestHandler, way: str, elsewhere: str) -> None:
    refusal = json.dumps({"error": {"message": f"the endpoint {way}", "type": "fault"}})
    codes = {"refuses": 401, "forbids": 403, "not found": 404, "too many": 429, "server error": 500}
    match way:
        case "hangs":
            time.sleep(_HANGS)
        case "cuts":
            _send(request, 200, '{"choices": [', longer=100)
            request.connection.shutdown(SHUT_RDWR)
            request.close_connection = True
        case "garbles":
            _send(request, 200, '{"choices": [{"message": ')
        case "page":
            _send(request, 200, "<html><body>Please log in.</body></html>", kind="text/html")
        case "redirects":
            _send(
                request,
                307,
                "",
                headers={"Location": f"{elsewhere}/chat/completions".replace("127.0.0.1", "localhost")},
            )
        case "too many, wait":
            _send(request, 429, refusal, headers={"Retry-After": "0"})
        case "empty":
            _send(request, 200, "")
        case "wrong json":
            _send(request, 200, '{"hello": "world"}')
        case _:
            _send(request, codes[way], refusal)


def _send(
    request: BaseHTTPRequestHandler,
    status: int,
    body: str,
    longer: int = 0,
    kind: str = "application/json",
    headers: dict[str, str] | None = None,
) -> None:
    """Send a body with a Content-Length that is `longer` than the body."""
    request.send_response(status)
    request.send_header("Content-Type", kind)
    request.send_header("Content-Length", str(len(body) + longer))
    for name, value in (headers or {}).items():
        request.send_header(name, value)
    request.end_headers()
    request.wfile.write(body.encode())
