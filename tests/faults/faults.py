"""All faults as data: the tests try each a few times, `python -m tests.faults.faults` many times."""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from pipelines.store.neo4j.connection import Neo4jAddress
from tests.faults.bench import Bench, Fault, Outcome
from tests.faults.clock import set_clock_back
from tests.faults.damage import damage_files, damage_rows
from tests.faults.disk import fill_disk, limit_files
from tests.faults.endpoint import endpoint_at_fault
from tests.faults.files import change_while_read
from tests.faults.kills import kill_changing_runs, kill_runs, kill_runs_with_a_model, kill_runs_with_neo4j, kill_workers
from tests.faults.meet import ask_while_ingesting, ingest_twice

FAULTS = (
    Fault("runs killed", kill_runs, few=1, many=15, slow=True),
    Fault("runs killed that change and remove", kill_changing_runs, few=1, many=15, slow=True),
    Fault("runs with a model killed", kill_runs_with_a_model, few=1, many=15, slow=True),
    Fault("runs with Neo4j killed", kill_runs_with_neo4j, few=1, many=5, slow=True),
    Fault("workers killed", kill_workers, few=1, many=10, slow=True),
    Fault("disks filled", fill_disk, few=1, many=6, slow=True),
    Fault("files that may not grow", limit_files, few=1, many=3, slow=True),
    Fault("clocks set back", set_clock_back, few=1, many=4, slow=True),
    Fault("files changed while they are read", change_while_read, few=3, many=10, slow=True),
    Fault("files of a knowledge base damaged", damage_files, few=3, many=400, slow=True),
    Fault("letters changed in the database", damage_rows, few=2, many=40),
    Fault("two ingests at once", ingest_twice, few=1, many=3, slow=True),
    Fault("askers while an ingest runs", ask_while_ingesting, few=1, many=3, slow=True),
    Fault("endpoints at fault", endpoint_at_fault, few=2, many=14, slow=True),
)
"""60 kills in total."""

_LONGEST_REASON = 300


def try_all(
    seed: int = 0, few: bool = False, neo4j: Neo4jAddress | None = None, names: tuple[str, ...] = ()
) -> Iterator[Outcome]:
    """Try every fault, or those with the given names, and yield the outcomes."""
    for fault in FAULTS:
        if not names or fault.name in names:
            with tempfile.TemporaryDirectory(prefix="strata-fault-") as work:
                yield _tried(fault, Bench(Path(work), fault.few if few else fault.many, seed, neo4j))


def _tried(fault: Fault, bench: Bench) -> Outcome:
    """The outcome of a fault. An attempt that fails or hangs itself counts as lost, and the others are still tried."""
    try:
        return fault.try_on(bench)
    except subprocess.TimeoutExpired as error:
        reason = f"a process did not end within {error.timeout:g} s"
    except AssertionError as error:
        reason = f"a run without a fault failed: {str(error)[-_LONGEST_REASON:]}"
    return Outcome(fault.name, 1, 0, lost=1, told=(reason,))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", help="only these faults")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--few", action="store_true", help="as often as the tests do")
    args = parser.parse_args()
    for outcome in try_all(args.seed, args.few, names=tuple(args.names)):
        counts = f"{outcome.tried} tried, {outcome.survived} survived, {outcome.lost} lost, {outcome.let_in} let in"
        print(f"{outcome.name}: {counts}", *outcome.told, sep="\n  ", flush=True)


if __name__ == "__main__":
    main()
