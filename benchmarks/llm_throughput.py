"""Throughput and memory of the language-model layer: the whole stack with a server that takes 500 ms per call.

Prints calls per second as a share of the maximum for the allowed concurrency, and the resident memory of this process
at every tenth of 5,000 requests. The server runs in a separate process.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil
from pydantic import BaseModel, Field, SecretStr

from pipelines.core.concurrent import gather
from pipelines.llm.ask import ask
from pipelines.llm.chat import Chat, Message
from pipelines.llm.ledger import Ledger
from pipelines.llm.prompt import fence
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat

MEGABYTE = 1 << 20
WARM_UP = 64


class Distilled(BaseModel):
    summary: str
    questions: list[str] = Field(max_length=4)


@contextmanager
def serving(latency: float, fault_rate: float) -> Iterator[str]:
    command = [
        sys.executable,
        "-m",
        "pipelines.llm.testing.loopback",
        f"--latency={latency}",
        f"--fault-rate={fault_rate}",
    ]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.terminate()
        server.wait()


async def distil(chat: Chat, number: int) -> None:
    text = f"Passage {number}. " + "The pump of the second stage was taken out of service for its seal. " * 10
    asked = await ask(chat, (Message("user", fence(text)),), Distilled, role="distill", max_tokens=200)
    assert asked.usable, asked.failure


async def throughput(url: str, requests: int, concurrency: int, latency: float) -> None:
    with tempfile.TemporaryDirectory() as folder:
        settings = LlmSettings(base_url=url, api_key=SecretStr("k"), concurrency=concurrency)
        chat = open_chat(settings, Path(folder) / "replies.db", Path(folder) / "trace.jsonl")
        await gather(lambda number: distil(chat, -number - 1), range(concurrency), concurrency)
        began = time.perf_counter()
        await gather(lambda number: distil(chat, number), range(requests), 4 * concurrency)
        rate = requests / (time.perf_counter() - began)
        await chat.close()
    possible = concurrency / latency
    print(f"{requests} requests, {concurrency} at a time, {latency * 1000:.0f} ms each:", end=" ")
    print(f"{rate:.1f} a second of {possible:.1f} possible ({rate / possible:.1%})")


async def memory(url: str, requests: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        ledger = Ledger()
        settings = LlmSettings(base_url=url, api_key=SecretStr("k"), concurrency=32, max_wait=0.05, tries=12)
        chat = open_chat(settings, Path(folder) / "replies.db", Path(folder) / "trace.jsonl", ledger=ledger)
        sizes = []
        for tenth in range(10):
            numbers = range(tenth * requests // 10, (tenth + 1) * requests // 10)
            await gather(lambda number: distil(chat, number), numbers, 64)
            gc.collect()  # otherwise the sizes depend on the time of the last full collection
            sizes.append(psutil.Process().memory_info().rss / MEGABYTE)
        await chat.close()
    print(f"resident megabytes at every tenth of {requests} requests, one call in ten going wrong:")
    print("  " + " ".join(f"{size:.1f}" for size in sizes))
    print(
        f"  growth from the second tenth to the last: {sizes[-1] - sizes[1]:+.1f} MB; {ledger.total.usage.calls} calls"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=640)
    parser.add_argument("--concurrency", type=int, default=32)
    parser.add_argument("--latency", type=float, default=0.5)
    parser.add_argument("--memory-requests", type=int, default=5000)
    given = parser.parse_args()
    with serving(given.latency, 0.0) as url:
        asyncio.run(throughput(url, given.requests, given.concurrency, given.latency))
    with serving(0.0, 0.1) as url:
        asyncio.run(memory(url, given.memory_requests))


if __name__ == "__main__":
    main()
