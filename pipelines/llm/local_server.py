"""A GGUF file served on loopback by a child process that ends with this one."""

from __future__ import annotations

import os
import secrets
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from pathlib import Path

from pipelines.core.codec import encode
from pipelines.core.errors import CallFailed, MissingExtra, SettingsError
from pipelines.llm.llama_process import Serving
from pipelines.llm.settings import LlmSettings

_PATIENCE = 10.0
"""Seconds for the child to end by itself once its input is closed."""
_LOG_SHOWN = 600


def check_gguf(settings: LlmSettings) -> Path:
    """Return the file to serve. Raises `SettingsError` where it is not there, `MissingExtra` without the package."""
    path = Path(settings.gguf).expanduser()
    if not path.is_file():
        hint = "`make local-model` fetches a small one"
        raise SettingsError(f"no GGUF file at {path}", ids=(str(path),), hint=hint)
    if find_spec("xllamacpp") is None:
        raise MissingExtra("local", "serving a GGUF file")
    return path


class LocalServer:
    """llama.cpp's server for one file, from the constructor to `close`.

    Its modules are this process's, never those of the folder that one happens to be in. The child ends when its
    standard input does, so it is gone even when this process is killed. Only who knows the
    `key`, made anew each time, is answered. Raises `CallFailed` where the file cannot be served.
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
            [sys.executable, "-P", "-m", "pipelines.llm.llama_process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(entry for entry in sys.path if entry)},
        )
        self.url = self._address(serving)

    def close(self) -> None:
        """End the child; closing twice is allowed."""
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                pipe.close()
        try:
            self._child.wait(_PATIENCE)
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
            self._child.wait(_PATIENCE)
            reason = self._last_words()
            self.close()
            raise CallFailed(f"{serving.path} cannot be served: {reason}", ids=(serving.path,))
        return f"{address}/v1"

    def _last_words(self) -> str:
        self._log.seek(0)
        words = " ".join(self._log.read().decode("utf-8", "replace").split())
        return words[-_LOG_SHOWN:] or "llama.cpp does not say why"
