"""HTTP endpoints on loopback that return scripted responses, including the broken ones of failing models."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Sent:
    """A response; if `hold` is given, it is sent after that event is set."""

    status: int = 200
    body: str = ""
    media_type: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)
    hold: threading.Event | None = None


class Endpoint(ThreadingHTTPServer):
    """Answers call number n (from 0) with `answer(n)` and records the requested paths and API keys."""

    daemon_threads = True

    def __init__(self, answer: Callable[[int], Sent]) -> None:
        self.answer, self.paths, self.keys = answer, list[str](), list[str]()
        super().__init__(("127.0.0.1", 0), _Handler)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Endpoint

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        sent = self.server.answer(len(self.server.paths))
        self.server.paths.append(self.path)
        self.server.keys.append(self.headers.get("Authorization", "").removeprefix("Bearer "))
        if sent.hold is not None:
            sent.hold.wait(60)
        data = sent.body.encode()
        self.send_response(sent.status)
        for name, value in {"Content-Type": sent.media_type, "Content-Length": str(len(data)), **sent.headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def do_GET(self) -> None:
        self.do_POST()

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


@contextmanager
def endpoint(*sent: Sent) -> Iterator[Endpoint]:
    """An endpoint that sends the given responses in turn and then repeats the last one."""
    server = Endpoint(lambda number: sent[min(number, len(sent) - 1)])
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def error(status: int, message: str) -> Sent:
    return Sent(status, json.dumps({"error": {"message": message, "type": "x", "code": None}}))


def completion(text: str) -> Sent:
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    return Sent(
        body=json.dumps({"id": "0", "object": "chat.completion", "created": 0, "model": "m", "choices": [choice]})
    )


PAGE = Sent(body="<html><body>Welcome</body></html>", media_type="text/html")
REFUSED = error(401, "Incorrect API key provided: sk-***")
NO_MODEL = error(404, "The model `m` does not exist")
NO_CHOICES = Sent(body=json.dumps({"id": "0", "object": "chat.completion", "created": 0, "model": "m", "choices": []}))
GARBLED = Sent(body='{"choices": [{"message": ')
