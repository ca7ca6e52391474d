"""Many users query a server while an ingest writes its knowledge base: errors, latencies, memory.

    python benchmarks/serve_load.py [FOLDER] [--askers 200] [--seconds 300]

FOLDER is ingested into a new knowledge base, which `strata serve` serves in a separate process. Each user sends one of
some questions, half of them as streams, reads the whole reply, checks that each citation is in the knowledge base as
quoted, and waits for `--think` seconds. Meanwhile, files are repeatedly added to a copy of the folder and ingested over
HTTP.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

import httpx2
import psutil

from pipelines import build

QUESTIONS = (
    "What torque do the casing bolts need?",
    "Which O-ring material suits mineral oil?",
    "What is the efficiency of the K80-250?",
    "How long may EPDM rings be stored?",
    "Who was the king of Sweden in 1632?",
    "What does the pump weigh?",
)
PORT = 8431
EXAMPLES = Path(__file__).parents[1] / "examples" / "documents"


@dataclass
class Seen:
    """Results of the users; seconds to the complete reply and, for streams, to its first byte."""

    whole: list[float] = field(default_factory=list)
    first: list[float] = field(default_factory=list)
    wrong: Counter[str] = field(default_factory=Counter)
    ingests: int = 0


async def ask(client: httpx2.AsyncClient, number: int, until: float, think: float, seen: Seen) -> None:
    """Ask repeatedly until a deadline."""
    chance = random.Random(number)
    await asyncio.sleep(chance.random() * think)
    while time.monotonic() < until:
        began = time.monotonic()
        try:
            answer = await _streamed(client, chance, began, seen) if number % 2 else await _asked(client, chance, seen)
        except httpx2.HTTPError as error:
            seen.wrong[type(error).__name__] += 1
        else:
            seen.whole.append(time.monotonic() - began)
            if answer:
                await _check(client, answer, seen)
        await asyncio.sleep(think * (0.5 + chance.random()))


async def _asked(client: httpx2.AsyncClient, chance: random.Random, seen: Seen) -> dict[str, object]:
    reply = await client.post("/ask", json={"question": chance.choice(QUESTIONS)})
    if reply.status_code != 200:
        seen.wrong[f"status {reply.status_code}"] += 1
        return {}
    return dict(reply.json())


async def _streamed(client: httpx2.AsyncClient, chance: random.Random, began: float, seen: Seen) -> dict[str, object]:
    last = ""
    async with client.stream("POST", "/ask/stream", json={"question": chance.choice(QUESTIONS)}) as reply:
        async for line in reply.aiter_lines():
            if not last:
                seen.first.append(time.monotonic() - began)
            last = line if line.startswith("data: ") else last or " "
    told = json.loads(last.removeprefix("data: ")) if last.strip() else {}
    if "ending" not in told:
        seen.wrong[f"stream: {told.get('detail', 'nothing')}"] += 1
        return {}
    return dict(told)


async def _check(client: httpx2.AsyncClient, answer: dict[str, object], seen: Seen) -> None:
    """Check for one answer in ten that the document of its first citation has the quoted text."""
    citations = answer["citations"]
    if not isinstance(citations, list) or not citations or len(seen.whole) % 10:
        return
    cited = citations[0]
    reply = await client.get(f"/documents/{cited['document']}/chunks", params={"limit": 200})
    chunks = reply.json().get("items", ())
    begin, end = cited["start"], cited["end"]
    around = [one for one in chunks if one["start"] <= begin < one["end"]]
    if not any(one["text"][begin - one["start"] : end - one["start"]] in cited["quote"] for one in around):
        seen.wrong["a citation that is not there"] += 1


async def ingest(client: httpx2.AsyncClient, until: float, seen: Seen) -> None:
    """Repeatedly add a file and ingest."""
    while time.monotonic() < until:
        text = f"# Note {seen.ingests}\n\nPump P-{seen.ingests} was looked at and found in order.\n"
        await client.put(f"/files/load/{seen.ingests}.md", content=text.encode())
        await client.post("/ingest")
        await client.get("/ingest/events")
        seen.ingests += 1


async def watch_memory(server: psutil.Process, until: float, every: float = 30) -> list[int]:
    """Return the memory of the server in MiB, measured each `every` seconds until a deadline."""
    held = []
    while (left := until - time.monotonic()) > 0:
        await asyncio.sleep(min(every, left))
        held.append(server.memory_info().rss >> 20)
    return held


async def load(url: str, askers: int, seconds: float, think: float, server: psutil.Process) -> None:
    """Query a server, and print the results."""
    seen, before = Seen(), server.memory_info().rss
    limits = httpx2.Limits(max_connections=askers + 8)
    async with httpx2.AsyncClient(base_url=url, timeout=120, limits=limits, trust_env=False) as client:
        await client.post("/ask", json={"question": QUESTIONS[0]})
        warm, used = server.memory_info().rss, sum(server.cpu_times()[:2])
        until = time.monotonic() + seconds
        watching = asyncio.create_task(watch_memory(server, until))
        asking = (ask(client, number, until, think, seen) for number in range(askers))
        await asyncio.gather(ingest(client, until, seen), *asking)
        held = await watching
    after, spent = server.memory_info().rss, sum(server.cpu_times()[:2]) - used
    print(f"askers {askers}, seconds {seconds:g}, replies {len(seen.whole)}, ingests {seen.ingests}")
    print(f"errors {sum(seen.wrong.values())} {dict(seen.wrong)}")
    for name, values in (("whole reply", seen.whole), ("first byte of a stream", seen.first)):
        if len(values) > 1:
            cuts = statistics.quantiles(values, n=100)
            print(f"{name}, seconds: median {cuts[49]:.3f}, 95 % {cuts[94]:.3f}, most {max(values):.3f}")
    print(f"processor seconds of the server for a reply: {spent / max(1, len(seen.whole)):.3f}")
    print(f"memory of the server, MiB: {before >> 20} at the start, {warm >> 20} warm, {after >> 20} at the end")
    print(f"memory of the server each half minute, MiB: {', '.join(map(str, held))}")


def main() -> None:
    """Ingest, serve and query."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("folder", type=Path, nargs="?", default=EXAMPLES)
    parser.add_argument("--askers", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--think", type=float, default=20)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as place:
        folder, kb = Path(shutil.copytree(given.folder, Path(place) / "folder")), Path(place) / "kb"
        build(folder, kb)
        command = [sys.executable, "-c", "from flows.cli.app import main; main()", "serve", "--kb", str(kb)]
        command += ["--folder", str(folder), "--allow-changes", "--port", str(PORT)]
        with subprocess.Popen(command, env=os.environ, stderr=subprocess.PIPE, text=True) as server:
            assert server.stderr is not None
            server.stderr.readline()
            time.sleep(2)
            url = f"http://127.0.0.1:{PORT}/api/kb/kb"
            asyncio.run(load(url, given.askers, given.seconds, given.think, psutil.Process(server.pid)))
            server.terminate()


if __name__ == "__main__":
    main()
