"""What an index of vectors finds of what is nearest, what it takes, and how large it is.

    python benchmarks/vector_index.py KB [--samples 32 256] [--wanted 50] [--questions 200]

Takes the vectors of a knowledge base's atoms into a table of its own, with an index that is learned from so many
vectors for each partition, and asks for what is nearest to some of them, a little moved. Prints the share that the
table finds of what comparing with all of them does, processor seconds, and bytes of rows and of indexes.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from pathlib import Path

import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.resources import open_stores
from pipelines.settings import load
from pipelines.store.lancedb import table
from pipelines.store.lancedb.store import LanceVectorStore
from pipelines.store.vector import EmbeddedRecords, RecordKind, join_records

MOVED = 0.02
"""How far each number of a question's vector is from that of the atom which it was made from, in the mean."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kb", type=Path)
    parser.add_argument("--samples", type=int, nargs="+", default=[table.SAMPLED, 256])
    parser.add_argument("--wanted", type=int, default=50)
    parser.add_argument("--questions", type=int, default=200)
    args = parser.parse_args()
    with open_stores(args.kb, load(args.kb).settings) as stores:
        atoms = join_records(list(stores.vectors.records((RecordKind.ATOM,))))
    chance = np.random.default_rng(0)
    asked = atoms.vectors[chance.integers(0, len(atoms.records), args.questions)]
    asked = asked + chance.normal(0, MOVED, asked.shape).astype(np.float32)
    print(f"{len(atoms.records):,} vectors")
    for samples in args.samples:
        table.SAMPLED = samples
        with tempfile.TemporaryDirectory() as place:
            print(f"learned from {samples} for a partition: {tried(Path(place), atoms, asked, args.wanted)}")


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
    """The share of the best cosines that was found; equal texts have equal ones, so ids do not count."""
    cosines = atoms.vectors @ vector / np.linalg.norm(vector)
    least = np.sort(cosines / np.linalg.norm(atoms.vectors, axis=1))[-len(scores)]
    return float(np.mean(np.array(scores) >= least - 0.001))


def size_of(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())


if __name__ == "__main__":
    main()
