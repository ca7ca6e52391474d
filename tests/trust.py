"""The long robustness test as one table: tried, survived, lost, let in.

    python -m tests.trust [--size 1000000] [--quick]

It ingests and queries hostile files of all kinds (among them texts of a million characters), each with a good file;
tries 60 kills and all other faults, with Neo4j if it is available; and checks wrong figures in claims. The exit code is
1 if anything was lost or let in.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from deploy.neo4j import server
from pipelines.store.neo4j.connection import Neo4jAddress
from tests.faults.bench import Outcome
from tests.faults.faults import try_all

LIMITS = ("parse.limits.cpu_s=120", "parse.limits.memory_mb=2000", "parse.limits.output_mb=20")
"""Limits for a hostile file, so that the test takes an hour."""
TOGETHER = 20
"""Hostile files per ingest."""
FIGURES, FIGURES_LET_IN = 400, 3.0
"""Wrong figures of each kind, tried with 20 right ones, and the maximum percentage that may pass."""


def hostile(size: int) -> Iterator[Outcome]:
    """Try the hostile files; yield a row for each family."""
    os.environ["HOSTILE_SIZE"] = str(size)
    from tests.hostile.all_cases import FAMILIES
    from tests.hostile.attack import attack

    for family, cases in FAMILIES.items():
        verdicts = []
        for start in range(0, len(cases), TOGETHER):
            with tempfile.TemporaryDirectory(prefix="strata-attack-") as work:
                verdicts += attack(cases[start : start + TOGETHER], Path(work), LIMITS)
        lost, let_in = sum(bool(one.lost or one.wrong) for one in verdicts), sum(bool(one.let_in) for one in verdicts)
        told = [f"{one.name}: {what}" for one in verdicts for what in (*one.wrong, *one.lost, *one.let_in)]
        survived = sum(one.survived for one in verdicts)
        yield Outcome(f"hostile files: {family}", len(verdicts), survived, lost, let_in, tuple(told))


def figures() -> Outcome:
    """Try wrong figures in claims with 20 figures of real evidence, of which few may pass."""
    sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))
    from figures_in_claims import EXAMPLES, sentences_with_figures, share_passing, wrong_in_sentence, wrong_stated

    lines = sentences_with_figures(EXAMPLES)
    shares = [share_passing(kind, 20, lines, FIGURES, seed=12) for kind in (wrong_in_sentence, wrong_stated)]
    passed = round(sum(shares) / 100 * FIGURES)
    told = tuple(f"{share:.1f} of 100 wrong figures pass" for share in shares if share > FIGURES_LET_IN)
    return Outcome("wrong figures in claims", 2 * FIGURES, 2 * FIGURES - passed, 0, passed, told)


@contextmanager
def neo4j() -> Iterator[Neo4jAddress | None]:
    """Yield the address of a Neo4j server, or None if none is available."""
    if server.available() is None:
        yield None
        return
    with server.temporary(heap="1g") as running:
        yield Neo4jAddress(running.bolt, running.user, running.password or "")


def tried(size: int, quick: bool) -> Iterator[Outcome]:
    yield figures()
    with neo4j() as address:
        yield from try_all(random.randrange(1 << 30), few=quick, neo4j=address)
    yield from hostile(size)


def main() -> None:
    """Print each row when it is done, with what was lost or let in."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=1_000_000, help="characters of a text trap")
    parser.add_argument("--quick", action="store_true", help="try each fault as often as in the test suite")
    chosen = parser.parse_args()
    print(f"{'':44}{'tried':>8}{'survived':>10}{'lost':>8}{'let in':>8}")
    sums = [0, 0, 0, 0]
    sound = True
    for row in tried(chosen.size, chosen.quick):
        counts = (row.tried, row.survived, row.lost, row.let_in)
        print(f"{row.name:44}{row.tried:8}{row.survived:10}{row.lost:8}{row.let_in:8}", flush=True)
        for line in row.told:
            print(f"    {line}", flush=True)
        sums = [one + other for one, other in zip(sums, counts, strict=True)]
        sound = sound and not row.told
    print(f"{'in all':44}{sums[0]:8}{sums[1]:10}{sums[2]:8}{sums[3]:8}")
    sys.exit(0 if sound else 1)


if __name__ == "__main__":
    main()
