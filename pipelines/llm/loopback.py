"""An OpenAI-compatible HTTP server on loopback that answers by a function and fails as it is told."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR
from typing import Protocol

from pipelines.llm.embedder import Embedder
from pipelines.llm.faults import Fault, FaultScript
from pipelines.llm.hashing import HashingEmbedder
from pipelines.llm.tokens import estimate_tokens

Json = dict[str, object]


@dataclass(frozen=True, slots=True)
class Turn:
    """One message as it came in; `content` is its text, `images` the number of pictures with it."""

    role: str
    content: str
    images: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """A request as it came in. `schema` is the JSON schema that was sent with it, None where there was none."""

    model: str
    turns: tuple[Turn, ...]
    schema: Json | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    key: str = ""


class Faults(Protocol):
    """Says what befalls a request."""

    def fault(self, words: bytes, times: int) -> Fault: ...


@dataclass(frozen=True, slots=True)
class Behaviour:
    """How the server is. `latency` and `retry_after` are in seconds, the latter for the header of 429.

    `schemas` off refuses `response_format` with 400, as endpoints without it do; `usage` off tells no tokens.
    """

    faults: Faults = field(default_factory=lambda: FaultScript([]))
    latency: float = 0.0
    retry_after: str = "0"
    schemas: bool = True
    usage: bool = True
    embedder: Embedder = field(default_factory=HashingEmbedder)


class LoopbackServer:
    """Serves from the constructor to `close`, also as a context manager.

    `answer` gives the text for a call, in any of several threads. `calls` are those that got a reply, in order of
    arrival; `faults` counts what befell the others.
    """

    def __init__(self, answer: Callable[[Call], str], behaviour: Behaviour = Behaviour(), port: int = 0) -> None:
        self.answer, self.behaviour = answer, behaviour
        self.calls: list[Call] = []
        self.faults: Counter[Fault] = Counter()
        self._sent: Counter[bytes] = Counter()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL for a client."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> LoopbackServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def befalls(self, words: bytes) -> Fault:
        """Return what befalls a request with this body, and count it."""
        with self._lock:
            fault = self.behaviour.faults.fault(words, self._sent[words])
            self._sent[words] += 1
            self.faults[fault] += 1
        return fault

    def reply(self, call: Call) -> Json:
        """Return the body of a completion."""
        with self._lock:
            self.calls.append(call)
        return _completion(call, self.answer(call), self.behaviour.usage)

    def embeddings(self, body: Json) -> Json:
        """Return the body of an embedding reply."""
        given = body.get("input")
        texts = [given] if isinstance(given, str) else [str(text) for text in given] if isinstance(given, list) else []
        return _vectors(str(body.get("model")), texts, self.behaviour.embedder)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], loopback: LoopbackServer) -> None:
        self.loopback = loopback
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is its own affair."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    def do_POST(self) -> None:
        loopback = self.server.loopback
        words = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = json.loads(words)
        fault = loopback.befalls(words)
        time.sleep(loopback.behaviour.latency)
        if fault in (Fault.TOO_MANY, Fault.SERVER_ERROR):
            self._refuse(fault)
        elif self.path.endswith("/embeddings"):
            self._answer(fault, lambda: loopback.embeddings(body))
        elif "response_format" in body and not loopback.behaviour.schemas:
            self._send(400, _error("response_format is not supported by this model"))
        else:
            call = _call(body, self.headers.get("Authorization", ""))
            self._answer(fault, lambda: loopback.reply(call))

    def _answer(self, fault: Fault, body: Callable[[], Json]) -> None:
        if fault is Fault.GARBLED:
            call = Call("loopback", ())
            self._send(200, _completion(call, '{"garbled": tru', usage=True))
            return
        if fault is Fault.MALFORMED:
            self._send_bytes(200, b'{"choices": [{"message": ')
            return
        data = json.dumps(body() if fault is Fault.NONE else {}).encode()
        self._send_bytes(200, data, cut=fault is Fault.CUT)

    def _refuse(self, fault: Fault) -> None:
        if fault is Fault.TOO_MANY:
            self._send(429, _error("too many requests"), {"Retry-After": self.server.loopback.behaviour.retry_after})
        else:
            self._send(500, _error("the server had an error"))

    def _send(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), headers)

    def _send_bytes(
        self, status: int, data: bytes, headers: dict[str, str] | None = None, *, cut: bool = False
    ) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) + (100 if cut else 0)))
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)
        if cut:
            self.wfile.flush()
            self.connection.shutdown(SHUT_RDWR)
            self.close_connection = True

    def log_message(self, format: str, *args: object) -> None:
        """Silent."""


def _call(body: Json, key: str) -> Call:
    messages = body["messages"]
    turns = tuple(_turn(message) for message in messages) if isinstance(messages, list) else ()
    shape = body.get("response_format")
    wanted = shape.get("json_schema") if isinstance(shape, dict) else None
    schema = wanted.get("schema") if isinstance(wanted, dict) else None
    temperature, limit = body.get("temperature"), body.get("max_tokens", body.get("max_completion_tokens"))
    return Call(
        str(body.get("model")),
        turns,
        schema,
        float(temperature) if isinstance(temperature, int | float) else None,
        limit if isinstance(limit, int) else None,
        key.removeprefix("Bearer "),
    )


def _turn(message: dict[str, object]) -> Turn:
    content = message.get("content")
    if not isinstance(content, list):
        return Turn(str(message["role"]), str(content or ""))
    text = "".join(str(part["text"]) for part in content if part["type"] == "text")
    return Turn(str(message["role"]), text, sum(part["type"] == "image_url" for part in content))


def _completion(call: Call, text: str, usage: bool) -> Json:
    read = sum(estimate_tokens(turn.content) for turn in call.turns)
    written = estimate_tokens(text)
    counts = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
    choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
    body: Json = {
        "id": "chatcmpl-loopback",
        "object": "chat.completion",
        "created": 0,
        "model": call.model,
        "choices": [choice],
    }
    return body | ({"usage": counts} if usage else {})


def _vectors(model: str, texts: Sequence[str], embedder: Embedder) -> Json:
    rows = embedder.embed(texts)
    data = [{"object": "embedding", "index": at, "embedding": row.tolist()} for at, row in enumerate(rows)]
    read = sum(map(estimate_tokens, texts))
    return {"object": "list", "model": model, "data": data, "usage": {"prompt_tokens": read, "total_tokens": read}}


def _error(message: str) -> Json:
    return {"error": {"message": message, "type": "loopback", "code": None, "param": None}}
