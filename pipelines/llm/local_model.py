"""A chat with a GGUF file, served on loopback by llama.cpp in a child process that exits with its parent."""

from __future__ import annotations

import asyncio
import os
import secrets
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from pipelines.core.codec import decode, encode
from pipelines.core.errors import CallFailed, MissingExtra, SettingsError
from pipelines.llm.chat import Reply, Request
from pipelines.llm.settings import LlmSettings

if TYPE_CHECKING:
    from xllamacpp import Server

_END_SECONDS = 10.0
"""Seconds for the child to exit by itself after its input is closed."""
_REPLY_SECONDS = 900.0
"""Time-out of a reply: a slow processor is not a lost connection, and a retry would start from scratch."""
_LOG_SHOWN = 600
"""Characters at the end of the child's log that an error shows."""


def check_gguf(settings: LlmSettings) -> Path:
    """Return the file to serve. Raises `SettingsError` if it does not exist, `MissingExtra` without the package."""
    path = Path(settings.gguf).expanduser()
    if not path.is_file():
        hint = "`make local-model` downloads a small one"
        raise SettingsError(f"no GGUF file at {path}", ids=(str(path),), hint=hint)
    if find_spec("xllamacpp") is None:
        raise MissingExtra("local", "serving a GGUF file")
    return path


@dataclass(frozen=True, slots=True)
class Serving:
    """The settings of the child process.

    `context` is the context size in tokens for each of `parallel` calls; `threads` is 0 for llama.cpp's default.
    """

    path: str
    alias: str
    key: str
    context: int
    threads: int
    parallel: int


class LocalServer:
    """llama.cpp's server for one file, from the constructor to `close`.

    The child imports the same modules as this process, never modules of the current folder. It exits when its standard
    input ends, also if this process is killed. It answers only requests with the `key`, which is random for each
    server. Raises `CallFailed` if the file cannot be served.
    """

    def __init__(self, settings: LlmSettings) -> None:
        serving = Serving(
            path=str(check_gguf(settings)),
            alias=settings.model_of(""),
            key=secrets.token_hex(16),
            context=settings.gguf_context,
            threads=settings.gguf_threads,
            parallel=settings.gguf_parallel,
        )
        self.key = serving.key
        self._log = tempfile.TemporaryFile("w+b")  # noqa: SIM115
        self._child = subprocess.Popen(
            [sys.executable, "-P", "-m", "pipelines.llm.local_model"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
        )
        self.url = self._address(serving)

    def close(self) -> None:
        """Stop the child; closing twice is allowed."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._child.wait(_END_SECONDS)
        except subprocess.TimeoutExpired:
            self._child.kill()
            self._child.wait()
        self._log.close()

    def _address(self, serving: Serving) -> str:
        assert self._child.stdin is not None and self._child.stdout is not None  # noqa: PT018, S101
        try:
            self._child.stdin.write(encode(serving) + b"\n")
            self._child.stdin.flush()
            address = self._child.stdout.readline().decode().strip()
        except BrokenPipeError:
            address = ""
        if not address:
            self._child.wait(_END_SECONDS)
            reason = self._log_tail()
            self.close()
            raise CallFailed(f"{serving.path} cannot be served: {reason}", ids=(serving.path,))
        return f"{address}/v1"

    def _log_tail(self) -> str:
        self._log.seek(0)
        words = " ".join(self._log.read().decode("utf-8", "replace").split())
        return words[-_LOG_SHOWN:] or "llama.cpp does not say why"


class LocalChat:
    """A chat with a server of its own: construction starts it, which takes seconds, and `close` stops it."""

    def __init__(self, settings: LlmSettings) -> None:
        from pipelines.llm.openai_chat import OpenAIChat

        self._server = LocalServer(settings)
        served = LlmSettings(
            base_url=self._server.url,
            api_key=SecretStr(self._server.key),
            timeout=max(settings.timeout, _REPLY_SECONDS),
        )
        self._client = OpenAIChat(served)

    async def complete(self, request: Request) -> Reply:
        return await self._client.complete(request)

    async def close(self) -> None:
        await self._client.close()
        await asyncio.to_thread(self._server.close)


def main() -> None:
    """Run as the child process: serve a GGUF file by llama.cpp's own OpenAI-compatible server.

    Reads the settings (`Serving`) as one line of JSON from standard input, writes the server's address as one line, and
    exits when standard input ends: when the parent closes it or has died.
    """
    serving = decode(sys.stdin.readline(), Serving)
    server = _server(serving)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # The server's own threads would keep the interpreter alive.
    os._exit(0)


def _server(serving: Serving) -> Server:
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path = serving.path
    params.model_alias = {serving.alias}
    params.hostnames = ["127.0.0.1"]
    params.port = 0
    params.api_keys = [serving.key]
    params.n_parallel = serving.parallel
    params.n_ctx = serving.context * serving.parallel
    params.ui = False
    params.verbosity = 0
    params.sampling.seed = 0  # equal requests have equal replies, at any temperature
    if serving.threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = serving.threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
