"""Overhead of Prefect: the same folder ingested directly, and as a flow on a dedicated server.

    python benchmarks/flow.py [--documents 400] [--rounds 3]

Writes the plant of `folder_cycle.py`, starts a Prefect server in its own folder, and ingests alternately directly and
as a flow, each time in a new process and knowledge base. Prints elapsed seconds, and processor seconds of the run with
its workers and of the server, as the minimum over all rounds. Processor seconds are less affected by other load.
"""

from __future__ import annotations

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import psutil

from benchmarks.folder_cycle import Plant
from deploy.prefect import server

RUN = "import sys; from {module} import {name}; print({name}(sys.argv[1], sys.argv[2]).documents)"
WAYS = {
    "plain": RUN.format(module="pipelines", name="build"),
    "flow": RUN.format(module="flows.ingest", name="ingest"),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=400)
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        folder = place / "folder"
        plant = Plant(args.documents)
        for number in range(args.documents):
            plant.write(folder, number)
        with server.temporary() as running:
            os.environ["PREFECT_API_URL"] = running.api
            costs: dict[str, list[tuple[float, float, float]]] = {way: [] for way in WAYS}
            for turn in range(args.rounds):
                for way in WAYS:
                    costs[way].append(measured(way, folder, place / f"{way}-{turn}", running.pid))
    for way, rounds in costs.items():
        clock, own, served = (min(column) for column in zip(*rounds, strict=True))
        print(f"{way}: {clock:.1f} s by the clock, {own:.1f} processor seconds, {served:.1f} of the server")
    idle = min(served / clock for clock, _, served in costs["plain"])  # of the server, with nothing to do
    plain = min(own for _, own, _ in costs["plain"])
    flow = min(own + served - idle * clock for clock, own, served in costs["flow"])
    print(f"the flow takes {100 * (flow / plain - 1):.0f} % more processor seconds")


def measured(way: str, folder: Path, kb: Path, pid: int) -> tuple[float, float, float]:
    """Ingest in a new process; return elapsed seconds, its processor seconds, and those of the server."""
    before, at_server = resource.getrusage(resource.RUSAGE_CHILDREN), processor_seconds(pid)
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", WAYS[way], str(folder), str(kb)], check=True)
    clock, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    own = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return clock, own, processor_seconds(pid) - at_server


def processor_seconds(pid: int) -> float:
    """Return the processor seconds of a process and its children."""
    family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
    return sum(sum(one.cpu_times()[:2]) for one in family)


if __name__ == "__main__":
    main()
