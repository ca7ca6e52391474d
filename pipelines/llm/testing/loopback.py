"""An OpenAI-compatible HTTP server on loopback, with answers from a function and injected faults."""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import SHUT_RDWR

from pipelines.llm.embedder import Embedder, HashingEmbedder
from pipelines.llm.testing.loopback_wire import (
    Call,
    Fault,
    Faults,
    FaultScript,
    Json,
    completion,
    embeddings,
    read_call,
    refusal,
)


@dataclass(frozen=True, slots=True)
class Behaviour:
    """The behaviour of the server. `latency` and `slow` (of slow replies) are in seconds; `retry_after` is the header
    of a 429.

    Without `schemas`, `response_format` is rejected with 400; without `usage`, replies have no token counts.
    """

    faults: Faults = field(default_factory=lambda: FaultScript([]))
    latency: float = 0.0
    slow: float = 1.0
    retry_after: str = "0"
    schemas: bool = True
    usage: bool = True
    embedder: Embedder = field(default_factory=HashingEmbedder)


class LoopbackServer:
    """Serves chat completions and embeddings, from the constructor to `close`; also a context manager.

    `answer` returns the text for a call, and is called from several threads. `calls` has the answered calls in order,
    if `keep_calls`; `faults` counts the faults of all requests.
    """

    def __init__(
        self,
        answer: Callable[[Call], str],
        behaviour: Behaviour = Behaviour(),
        port: int = 0,
        keep_calls: bool = True,
    ) -> None:
        self.behaviour = behaviour
        self._keep_calls = keep_calls
        self.calls: list[Call] = []
        self.faults: Counter[Fault] = Counter()
        self._answer = answer
        self._sent: Counter[int] = Counter()
        self._lock = threading.Lock()
        self._http = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """The base URL for clients."""
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def close(self) -> None:
        self._http.shutdown()
        self._http.server_close()
        self._thread.join()

    def __enter__(self) -> LoopbackServer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def next_fault(self, words: bytes) -> Fault:
        """Return the fault of a request with this body, and count it."""
        with self._lock:
            fault = self.behaviour.faults.fault(words, self._sent[hash(words)])
            self._sent[hash(words)] += 1
            self.faults[fault] += 1
        return fault

    def reply(self, call: Call) -> Json:
        """Return the body of the answer to a call."""
        if self._keep_calls:
            with self._lock:
                self.calls.append(call)
        return completion(call, self._answer(call), self.behaviour.usage)


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def __init__(self, address: tuple[str, int], loopback: LoopbackServer) -> None:
        self.loopback = loopback
        super().__init__(address, _Handler)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore clients that disconnect."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        self._send(200, {"object": "list", "data": [{"id": "loopback", "object": "model"}]})

    def do_POST(self) -> None:
        loopback = self.server.loopback
        words = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        fault = loopback.next_fault(words)
        time.sleep(loopback.behaviour.slow if fault is Fault.SLOW else loopback.behaviour.latency)
        if fault in (Fault.NONE, Fault.SLOW):
            self._answer(json.loads(words))
        else:
            self._fail(fault)

    def _answer(self, body: Json) -> None:
        loopback = self.server.loopback
        if self.path.endswith("/embeddings"):
            self._send(200, embeddings(body, loopback.behaviour.embedder))
        elif "response_format" in body and not loopback.behaviour.schemas:
            self._send(400, refusal("response_format is not supported by this model"))
        else:
            self._send(200, loopback.reply(read_call(body, self.headers.get("Authorization", ""))))

    def _fail(self, fault: Fault) -> None:
        match fault:
            case Fault.TOO_MANY:
                wait = {"Retry-After": self.server.loopback.behaviour.retry_after}
                self._send(429, refusal("too many requests"), wait)
            case Fault.SERVER_ERROR:
                self._send(500, refusal("the server had an error"))
            case Fault.GARBLED:
                self._send(200, completion(Call("loopback", ()), '{"garbled": tru', usage=True))
            case Fault.MALFORMED:
                self._send_bytes(200, b'{"choices": [{"message": ', {})
            case _:
                self._send_bytes(200, b'{"choices": [', {}, missing=100)
                self.connection.shutdown(SHUT_RDWR)
                self.close_connection = True

    def _send(self, status: int, body: Json, headers: dict[str, str] | None = None) -> None:
        self._send_bytes(status, json.dumps(body).encode(), headers or {})

    def _send_bytes(self, status: int, data: bytes, headers: dict[str, str], missing: int = 0) -> None:
        """Send `data`, after a header that announces `missing` more bytes."""
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data) + missing))
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing."""


def main() -> None:
    """Serve until interrupted: `python -m pipelines.llm.testing.loopback --port 8008 --fault-rate 0.3`."""
    from argparse import ArgumentParser

    from pipelines.llm.testing.fakes import answer_by_schema
    from pipelines.llm.testing.loopback_wire import FaultRates

    parser = ArgumentParser(description="An OpenAI-compatible server without a model, with injected faults.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault-rate", type=float, default=0.0, help="share of calls that fail")
    parser.add_argument("--seed", type=int, default=0, help="seed that selects the failing calls")
    parser.add_argument("--latency", type=float, default=0.0, help="seconds before each reply")
    given = parser.parse_args()
    behaviour = Behaviour(FaultRates.evenly(given.fault_rate, given.seed), given.latency)
    with LoopbackServer(answer_by_schema, behaviour, given.port, keep_calls=False) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main()
