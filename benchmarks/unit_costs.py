"""Cost of a document by step and by store, extrapolated to a million documents.

    python benchmarks/unit_costs.py FOLDER [--parts 4 1] [--documents 1000000]

Ingests the first quarter of a folder's files and then all of them (`--parts`), each into a new knowledge base. For
each, prints processor seconds of every step, peak memory of the main process, and bytes of every store, by table, stage
and folder; then the growth of each relative to the number of documents, and the extrapolation to a million.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import resource
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from pathlib import Path

import msgspec

from pipelines.ingest.build import open_run
from pipelines.ingest.run import IngestRun
from pipelines.ingest.steps import PLAIN, RunStep, Work, execute
from pipelines.ingest.task import SourceItem


class TimedSteps:
    """Runs the steps locally, and measures the processor seconds of each in the main process."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)

    async def compile(self, run: IngestRun, items: Sequence[SourceItem]) -> Sequence[SourceItem]:
        start = time.process_time()
        inside = await PLAIN.compile(run, items)
        self.seconds["compile, main process"] += time.process_time() - start
        return inside

    async def take(self, step: RunStep, work: Work, subject: str = "") -> None:
        start = time.process_time()
        await PLAIN.take(step, work, subject)
        self.seconds[step.value] += time.process_time() - start

    def writing(self) -> AbstractAsyncContextManager[None]:
        return PLAIN.writing()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--parts", type=int, nargs=2, default=(4, 1), help="take one of so many files")
    parser.add_argument("--documents", type=int, default=1_000_000)
    parser.add_argument("--one", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        sys.stdout.buffer.write(msgspec.json.encode(measured(args.folder, args.one)))
        return
    files = sorted(path for path in args.folder.rglob("*") if path.is_file())
    with tempfile.TemporaryDirectory() as name:
        costs = [in_a_process(files[::part], args.folder, Path(name) / str(part)) for part in args.parts]
    print_costs(costs, args.documents)


def in_a_process(files: Sequence[Path], folder: Path, place: Path) -> dict[str, float]:
    """Return the cost of ingesting these files, in a separate process."""
    for file in files:
        target = place / "folder" / file.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        os.link(file, target) if file.stat().st_dev == place.stat().st_dev else shutil.copy(file, target)
    command = [sys.executable, __file__, str(place / "folder"), "--one", str(place / "kb")]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE)
    return msgspec.json.decode(done.stdout, type=dict[str, float])


def measured(folder: Path, kb: Path) -> dict[str, float]:
    """Ingest a folder; return counts, processor seconds and bytes by name."""
    steps = TimedSteps()
    with open_run(folder, kb) as run:
        report = asyncio.run(execute(run, run.prepare(), steps))
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    steps.seconds["compile, workers"] = usage.ru_utime + usage.ru_stime
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
    counts = {"documents": sum(report.documents.values()), **report.contents, **sizes_of(kb)}
    return {
        **{f"count of {name}": number for name, number in counts.items()},
        **{f"s of {name}": seconds for name, seconds in steps.seconds.items()},
        "bytes of memory": peak,
        **{f"bytes of {name}": size for name, size in bytes_of(kb).items()},
    }


def sizes_of(kb: Path) -> dict[str, int]:
    """Return the numbers of nodes and edges of the graph."""
    with sqlite3.connect(f"file:{kb / 'strata.db'}?mode=ro", uri=True) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in ("nodes", "edges")}


def bytes_of(kb: Path) -> dict[str, float]:
    """Return the bytes of a knowledge base by kind."""
    found: Counter[str] = Counter()
    for path in kb.rglob("*"):
        if path.is_file() and path.name != "strata.db":
            parts = path.relative_to(kb).parts
            found["/".join(parts[: 2 if parts[0] == "artifacts" else 1])] += path.stat().st_size
    with sqlite3.connect(f"file:{kb / 'strata.db'}?mode=ro", uri=True) as connection:
        for name, size in connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"):
            found[f"strata.db/{name}"] += size
    return dict(found)


def print_costs(costs: Sequence[dict[str, float]], many: int) -> None:
    small, large = costs
    times = large["count of documents"] / small["count of documents"]
    print(f"{'':42}{'part':>14}{'whole':>14}{'growth':>8}{f'for {many:,}':>18}")
    for name, value in sorted(large.items()):
        before, all_of_them = small.get(name, 0.0), value / large["count of documents"] * many
        growth = value / before / times if before else 0.0
        print(f"{name:42}{before:14,.1f}{value:14,.1f}{growth:8.2f}{all_of_them:18,.0f}")


if __name__ == "__main__":
    main()
