"""Benefit of a second machine: documents per second with one and two Dask workers, and a run that loses a worker.

    python benchmarks/two_machines.py [--scans 24] [--reports 24]

Needs root, Linux, two processor cores and the extra `dask`. A machine is a network namespace with its own address and
core. A third one runs the scheduler and the ingest, and shares the cores. All have the folder and the knowledge base at
the same path. The folder has scanned pages, which need OCR, and PDF files with text. Each row is an ingest: seconds
from the start of the first document to the embedding of the last, documents per second, the ratio to one worker, failed
documents, and whether graph and vectors equal those of an ingest without a cluster.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pymupdf

from benchmarks.folder_cycle import contents
from pipelines import build
from pipelines.ingest.report import Event, Phase, Stage

COORDINATOR, WORKERS = "strata-run", ("strata-w1", "strata-w2")
NETWORK = "10.203.{}.{}"
PORT = 8786
WORDS = (
    "pump valve seal bearing torque flange inlet pressure gauge rotor gasket shaft coupling motor filter drain".split()
)
BIN = Path(sys.executable).parent


def write_folder(folder: Path, scans: int, reports: int) -> Path:
    """Write the documents; equal numbers give equal documents."""
    folder.mkdir(parents=True)
    chosen = random.Random(7)
    for number in range(scans):
        with written(chosen, pages=1) as scan:
            scan[0].get_pixmap(dpi=150).save(folder / f"scan-{number:03}.png")
    for number in range(reports):
        with written(chosen, pages=8) as report:
            report.save(folder / f"report-{number:03}.pdf")
    return folder


def written(chosen: random.Random, pages: int) -> pymupdf.Document:
    made = pymupdf.open()
    for _ in range(pages):
        page = made.new_page()
        for line in range(30):
            words = " ".join(chosen.choices(WORDS, k=9)).capitalize()
            page.insert_text((60, 80 + 22 * line), f"{words} {chosen.randint(10, 990)} mm.", fontsize=11)
    return made


@contextmanager
def machines() -> Iterator[None]:
    """Make the namespaces; the coordinator is connected to each worker."""
    try:
        for name in (COORDINATOR, *WORKERS):
            ip("netns", "add", name)
            ip("-n", name, "link", "set", "lo", "up")
        for number, worker in enumerate(WORKERS, 1):
            here, there = f"run{number}", f"worker{number}"
            ip("-n", COORDINATOR, "link", "add", here, "type", "veth", "peer", "name", there, "netns", worker)
            for name, end, host in ((COORDINATOR, here, 1), (worker, there, 2)):
                ip("-n", name, "address", "add", NETWORK.format(number, host) + "/24", "dev", end)
                ip("-n", name, "link", "set", end, "up")
        yield
    finally:
        for name in (COORDINATOR, *WORKERS):
            subprocess.run(["ip", "netns", "delete", name], check=False, capture_output=True)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, capture_output=True)


@contextmanager
def program(machine: str, *command: str) -> Iterator[subprocess.Popen[bytes]]:
    """Run a program on a machine during the block."""
    quiet = subprocess.DEVNULL
    entered = ["ip", "netns", "exec", machine, *command]
    with subprocess.Popen(entered, stdout=quiet, stderr=quiet, start_new_session=True) as started:
        try:
            yield started
        finally:
            kill(started)


def kill(started: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children."""
    if started.poll() is None:
        os.killpg(started.pid, signal.SIGKILL)


@contextmanager
def cluster(workers: int) -> Iterator[list[subprocess.Popen[bytes]]]:
    """Start a scheduler and workers with one thread and one core each."""
    with ExitStack() as started:
        started.enter_context(
            program(COORDINATOR, str(BIN / "dask"), "scheduler", "--port", str(PORT), "--no-dashboard")
        )
        yield [
            started.enter_context(
                program(
                    machine, "taskset", "-c", str(number - 1), str(BIN / "dask"), "worker",
                    f"tcp://{NETWORK.format(number, 1)}:{PORT}", "--nthreads", "1", "--no-nanny", "--no-dashboard",
                )
            )
            for number, machine in enumerate(WORKERS[:workers], 1)
        ]  # fmt: skip


def ingest(folder: Path, kb: Path, cluster_address: str) -> None:
    """Ingest, and print the start and embedding times of all documents as JSON; runs on the coordinator."""
    times: list[float] = []

    def note(event: Event) -> None:
        begun = event.stage is Stage.PARSE and event.phase is Phase.STARTED
        if begun or (event.stage is Stage.EMBED and event.phase is Phase.DONE):
            times.append(time.perf_counter())
            print(event.phase.value, flush=True)

    report = build(folder, kb, progress=note, cluster=cluster_address)
    print(json.dumps({"seconds": times[-1] - times[0], "failed": len(report.failures)}), flush=True)


def timed(folder: Path, kb: Path, workers: int, kill_at: int = 0) -> dict[str, float]:
    """Ingest with `workers`; the last one is killed when `kill_at` documents are embedded."""
    with cluster(workers) as started:
        command = [
            "ip", "netns", "exec", COORDINATOR, sys.executable, __file__, "--ingest", str(folder), str(kb),
            "--address", f"tcp://127.0.0.1:{PORT}",
        ]  # fmt: skip
        done = 0
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as running:
            assert running.stdout is not None
            for line in running.stdout:
                done += line.strip() == Phase.DONE.value
                if kill_at and done == kill_at:
                    kill(started[-1])
        return dict(json.loads(line))


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scans", type=int, default=24, help="pictures of a page")
    parser.add_argument("--reports", type=int, default=24, help="PDF files of eight pages of text")
    parser.add_argument("--ingest", nargs=2, metavar=("FOLDER", "KB"), help=argparse.SUPPRESS)
    parser.add_argument("--address", help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    args = parsed()
    if args.ingest:
        folder, kb = args.ingest
        ingest(Path(folder), Path(kb), args.address)
        return
    documents = args.scans + args.reports
    with tempfile.TemporaryDirectory() as work, machines():
        folder = write_folder(Path(work) / "documents", args.scans, args.reports)
        build(folder, Path(work) / "plain")
        plain = contents(Path(work) / "plain")
        alone = 0.0
        for name, workers, kill_at in (("1 worker", 1, 0), ("2 workers", 2, 0), ("2, 1 killed", 2, documents // 3)):
            figures = timed(folder, kb := Path(work) / name, workers, kill_at)
            speed = documents / figures["seconds"]
            alone = alone or speed
            same = "equal" if contents(kb) == plain else "NOT EQUAL"
            print(
                f"{name:<14}{figures['seconds']:7.1f} s {speed:6.2f} documents/s {speed / alone:5.2f} times"
                f"   failed {figures['failed']}   {same}",
                flush=True,
            )


if __name__ == "__main__":
    main()
