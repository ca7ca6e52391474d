"""Recall, time and size of a vector index.

    python benchmarks/vector_index.py KB [--samples 32 256] [--partitions 0.25 1] [--wanted 50] [--questions 200]

Copies the vectors of a knowledge base's atoms into a separate table, with an index of `--partitions` per square root of
the rows that is trained on `--samples` vectors per partition, and searches for the nearest of some of them, slightly
changed. Prints the recall relative to an exhaustive search, processor seconds, and bytes of rows and indexes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from itertools import product
from pathlib import Path

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.resources import open_stores
from pipelines.settings import load
from pipelines.store.lancedb import table
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.vector import EmbeddedRecords, RecordKind, join_records

MOVED = 0.02
"""Mean distance of each component of a query vector from that of its atom."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kb", type=Path)
    parser.add_argument("--samples", type=int, nargs="+", default=[table.SAMPLED, 256])
    parser.add_argument("--partitions", type=float, nargs="+", default=[table.PARTITIONED, 1])
    parser.add_argument("--wanted", type=int, default=50)
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    with open_stores(args.kb, load(args.kb).settings) as stores:
        atoms = join_records(list(stores.vectors.records((RecordKind.ATOM,))))
    chance = np.random.default_rng(0)
    asked = atoms.vectors[chance.integers(0, len(atoms.records), args.questions)]
    asked = asked + chance.normal(0, MOVED, asked.shape).astype(np.float32)
    print(f"{len(atoms.records):,} vectors")
    for samples, partitions in product(args.samples, args.partitions):
        table.SAMPLED, table.PARTITIONED = samples, partitions
        with tempfile.TemporaryDirectory() as place:
            figures = tried(Path(place), atoms, asked, args.wanted)
        print(f"learned from {samples} for each of {partitions:g} partitions a root: {figures}")


def tried(place: Path, atoms: EmbeddedRecords, asked: Vectors, wanted: int) -> str:
    store = LanceVectorStore(place, atoms.vectors.shape[1])
    store.write([], atoms)
    start = time.process_time()
    store.optimize()
    made, start = time.process_time() - start, time.process_time()
    found = [store.search(RecordKind.ATOM, vector, wanted) for vector in asked]
    took = (time.process_time() - start) / len(asked)
    store.close()
    share = np.mean(
        [recall(atoms, vector, [one.score for one in of_it]) for vector, of_it in zip(asked, found, strict=True)]
    )
    rows, indexes = (size_of(place / "atom.lance" / name) for name in ("data", "_indices"))
    return (
        f"{100 * share:.2f} % found, {1000 * took:.1f} ms of processors a question, made in {made:.1f} s of them,"
        f" {rows:,} bytes of rows, {indexes:,} of indexes"
    )


def recall(atoms: EmbeddedRecords, vector: Vectors, scores: list[float]) -> float:
    """Return the share of the best cosines found; ids are not compared, since equal texts have equal cosines."""
    cosines = atoms.vectors @ vector / np.linalg.norm(vector)
    least = np.sort(cosines / np.linalg.norm(atoms.vectors, axis=1))[-len(scores)]
    return float(np.mean(np.array(scores) >= least - 0.001))


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
