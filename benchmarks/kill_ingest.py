"""An ingest with Neo4j is killed at random moments and restarted; the result must be the same as without a kill.

    python benchmarks/kill_ingest.py [--kills 30] [--seed 6]

Starts a Neo4j server without a password in a temporary folder, and uses twelve of the example documents. A first
ingest and an ingest after edits, removals, renames and additions alternate; each runs in a separate process that is
ended by SIGKILL after a random part of the usual time, and is then run again to its end. For each kill, prints the
state of the ingest, and whether the second run completed, `strata fsck` found nothing, and the exports of the embedded
graph and of Neo4j equal those of an undisturbed run.
"""

from __future__ import annotations

import argparse
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.folder_cycle import lines_of
from deploy.neo4j import server
from pipelines import build
from pipelines.ingest.fsck import fsck
from pipelines.resources import open_stores
from pipelines.settings import Settings
from pipelines.store.neo4j.connection import Neo4jAddress
from pipelines.store.neo4j.store import Neo4jStore

EXAMPLES = Path(__file__).parents[1] / "examples" / "documents"
TAKEN = (
    "datasheets/DS-2041_rev_D.pdf", "datasheets/archive/DS-2041_rev_B.pdf", "standards/STD-014_suction_piping.pdf",
    "manuals/Maintenance Manual K-Series.docx", "manuals/operator_handbook.epub", "parts/price_list_2025.xlsx",
    "parts/stock_list_2025-02-14.csv", "policies/POL-008_isolation.html", "reports/IR-2024-031_pump_noise.md",
    "reports/IR-2024-044_compressor_trip.txt", "meetings/2025-02-11_quality_meeting.md",
    "training/service_training_2023.pptx",
)  # fmt: skip
INGEST = """
import sys
from pathlib import Path
from pipelines import build
from pipelines.settings import load
kb = Path(sys.argv[2])
build(sys.argv[1], kb, load(kb, {"store.neo4j_uri": sys.argv[3]}).settings,
      progress=lambda event: print(event.stage.value, flush=True))
"""


@dataclass(frozen=True)
class Case:
    """A folder before (None: not yet ingested) and after, and the result of an undisturbed ingest."""

    name: str
    before: Path | None
    after: Path
    whole: str
    seconds: float


def first_folder(work: Path) -> Path:
    for name in TAKEN:
        target = work / "first" / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(EXAMPLES / name, target)
    return work / "first"


def changed_folder(work: Path, first: Path) -> Path:
    """Edit two documents, remove one, rename one and add one."""
    folder = work / "changed"
    shutil.copytree(first, folder)
    for name in ("reports/IR-2024-031_pump_noise.md", "policies/POL-008_isolation.html"):
        path = folder / name
        path.write_text(path.read_text().replace("pump", "feed pump", 3) + "\n\nSee DS-2041 and STD-014, section 2.\n")
    (folder / "reports/IR-2024-044_compressor_trip.txt").unlink()
    (folder / "parts/price_list_2025.xlsx").rename(folder / "parts/prices.xlsx")
    shutil.copy(EXAMPLES / "reports/IR-2025-007_oil_leak.md", folder / "reports")
    return folder


def embedded_lines(kb: Path) -> str:
    with open_stores(kb, Settings()) as stores:
        return lines_of(stores.graph)


def ingest(folder: Path, kb: Path, address: Neo4jAddress) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", INGEST, str(folder), str(kb), address.uri]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def until_done(process: subprocess.Popen[str]) -> float:
    """Wait for an undisturbed run; return the seconds since its first output."""
    assert process.stdout is not None
    process.stdout.readline()
    began = time.perf_counter()
    process.stdout.read()
    assert process.wait() == 0
    return time.perf_counter() - began


def killed(process: subprocess.Popen[str], after: float) -> str:
    """Kill a run some seconds after its first output; return its stage, or "" if it had ended before."""
    assert process.stdout is not None
    process.stdout.readline()
    try:
        process.wait(after)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
    told = process.stdout.read().split()
    return (told or ["scan"])[-1] if process.wait() == -signal.SIGKILL else ""


def case(name: str, before: Path | None, after: Path, work: Path, address: Neo4jAddress) -> Case:
    """Run it undisturbed; the duration is the median of three runs."""
    seconds = []
    for number in range(3):
        kb = work / f"{name}-whole-{number}"
        if before is not None:
            build(before, kb, settings_for(address))
        seconds.append(until_done(ingest(after, kb, address)))
    build(after, work / f"{name}-fresh")
    return Case(name, before, after, embedded_lines(work / f"{name}-fresh"), sorted(seconds)[1])


def settings_for(address: Neo4jAddress) -> Settings:
    return Settings.model_validate({"store": {"neo4j_uri": address.uri}})


def kill_once(case: Case, kb: Path, share: float, address: Neo4jAddress) -> tuple[str, list[str]]:
    """Return the stage in which the run was killed ("" if it had ended), and what is wrong after the next run."""
    if case.before is not None:
        build(case.before, kb, settings_for(address))
    stage = killed(ingest(case.after, kb, address), share * case.seconds)
    wrong = []
    second = ingest(case.after, kb, address)
    if second.communicate()[0] is None or second.returncode != 0:
        wrong.append(f"the second run ended with {second.returncode}")
    if not fsck(kb, settings_for(address)).clean:
        wrong.append("fsck has findings")
    if embedded_lines(kb) != case.whole:
        wrong.append("the embedded graph differs")
    with closing(Neo4jStore.open(address, kb.name)) as copy:
        if lines_of(copy) != case.whole:
            wrong.append("Neo4j differs")
    return stage, wrong


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=30)
    parser.add_argument("--seed", type=int, default=6)
    args = parser.parse_args()
    chance = random.Random(args.seed)
    with tempfile.TemporaryDirectory(prefix="strata-kill-") as place, server.temporary(heap="2g") as running:
        address = Neo4jAddress(running.bolt)
        work = Path(place)
        first = first_folder(work)
        changed = changed_folder(work, first)
        cases = [case("first", None, first, work, address), case("changed", first, changed, work, address)]
        for one in cases:
            print(f"{one.name}: an undisturbed ingest takes {one.seconds:.1f} s", flush=True)
        stages: Counter[str] = Counter()
        bad = attempts = 0
        while stages.total() < args.kills and attempts < 3 * args.kills:
            chosen, share = cases[attempts % 2], chance.random()
            attempts += 1
            stage, wrong = kill_once(chosen, work / f"kb-{attempts}", share, address)
            if not stage:
                continue
            stages[stage] += 1
            bad += bool(wrong)
            told = ", ".join(wrong) or "complete, clean, equal"
            print(f"{stages.total():3} {chosen.name:8} at {share:4.0%} in {stage:8} {told}", flush=True)
        print(f"{stages.total()} kills ({dict(stages)}), {bad} with a trace")


if __name__ == "__main__":
    main()
