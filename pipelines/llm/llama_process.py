"""The program of the child process that serves a GGUF file: llama.cpp's own OpenAI-compatible server.

It reads its settings as one line of JSON, answers with one line that is its address, and ends when its standard
input does: when the parent closes it, or is gone.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pipelines.core.codec import decode

if TYPE_CHECKING:
    from xllamacpp import Server


@dataclass(frozen=True, slots=True)
class Serving:
    """What to serve and how.

    `context` is in tokens for each of `parallel` calls; `threads` is 0 for as many as llama.cpp chooses.
    """

    path: str
    alias: str
    key: str
    context: int
    threads: int
    parallel: int


def main() -> None:
    serving = decode(sys.stdin.readline(), Serving)
    server = _server(serving)
    print(server.listening_address, flush=True)
    sys.stdin.read()
    # Threads of the server's own would keep the interpreter alive.
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
    params.sampling.seed = 0  # the same question has the same answer, at any temperature
    if serving.threads:
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = serving.threads
    return xllamacpp.Server(params)


if __name__ == "__main__":
    main()
