"""Retrieval with 10,000, 100,000 and 1,000,000 atoms and a tenth as many chunks, on two cores.

    python benchmarks/retrieval_scale.py [--atoms 10000 100000 1000000] [--keep FOLDER]

For each size, it makes a knowledge base of generated text (words by Zipf's law in topics, names shared by chunks),
opens it in a separate process, asks 200 questions, and prints the median and 95th percentile of the time, the median
processor time (which depends less on other load), the memory of that process, and the time for opening, for the first
time and with the cached index.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil

from pipelines.core.graph import CORPUS_OWNER, Edge, EdgeKind, Node, NodeKind, Subgraph
from pipelines.core.knowledge import Entity
from pipelines.resources import Stores, open_stores
from pipelines.retrieve.retriever import Retriever
from pipelines.settings import load
from pipelines.store.vector import EmbeddedRecords, Record, RecordKind

CHUNKS_A_DOCUMENT = 10
ATOMS_A_CHUNK = 10
WORDS_AN_ATOM = 11
NAMES_A_CHUNK = 4
QUESTIONS = 200
BATCH = 400
CORES = {0, 1}
SYLLABLES = (
    "ba",
    "cor",
    "den",
    "fel",
    "gri",
    "hol",
    "jan",
    "kem",
    "lor",
    "mar",
    "nes",
    "pol",
    "qui",
    "ras",
    "tol",
    "vin",
)


class Text:
    """Generated words and names, equal on every machine."""

    def __init__(self, chunks: int) -> None:
        self._dice = np.random.default_rng(7)
        self.words = [self._invented(3) for _ in range(20_000)]
        self.names = [f"{self._invented(2).title()} {self._invented(3).title()}" for _ in range(max(50, chunks // 2))]
        weights = 1 / np.arange(2, len(self.words) + 2)
        topics = [weights * np.where(self._dice.random(len(weights)) < 0.05, 15, 0.3) for _ in range(200)]
        self._topics = [np.cumsum(topic / topic.sum()) for topic in topics]

    def sentence(self, topic: int, words: int = WORDS_AN_ATOM) -> str:
        places = np.searchsorted(self._topics[topic], self._dice.random(words))
        return " ".join(self.words[min(place, len(self.words) - 1)] for place in places)

    def name(self) -> str:
        """Return a name; the first ones are more frequent."""
        return self.names[int(len(self.names) * self._dice.random() ** 2)]

    def topic(self) -> int:
        return int(self._dice.integers(len(self._topics)))

    def _invented(self, syllables: int) -> str:
        return "".join(SYLLABLES[place] for place in self._dice.integers(len(SYLLABLES), size=syllables))


@dataclass(frozen=True, slots=True)
class Made:
    """A document: its subgraph and its records."""

    subgraph: Subgraph
    records: tuple[Record, ...]


def make_document(number: int, text: Text) -> Made:
    id, title, topic = f"document:{number:08}", text.name(), text.topic()
    told = {"title": title, "uri": f"folder{number % 50}/{number:08}.md", "media_type": "text/markdown", "name": title}
    nodes = [Node(id, NodeKind.DOCUMENT, id, told)]
    edges: list[Edge] = []
    records = [Record(id, RecordKind.DOCUMENT, id, f"{title}\n{text.sentence(topic, 60)}")]
    for position in range(CHUNKS_A_DOCUMENT):
        chunk = f"chunk:{number:08}{position:02}"
        names = [text.name() for _ in range(NAMES_A_CHUNK)]
        atoms = [text.sentence(topic) for _ in range(ATOMS_A_CHUNK)]
        atoms[:NAMES_A_CHUNK] = [f"{name} {atom}" for name, atom in zip(names, atoms, strict=False)]
        body = ". ".join(atoms)
        place: Mapping[str, str | int] = {
            "text": body,
            "position": position,
            "start": 0,
            "end": len(body),
            "title": title,
            "section": "",
        }
        nodes.append(Node(chunk, NodeKind.CHUNK, id, place))
        edges.append(Edge(id, EdgeKind.HAS_CHUNK, chunk, id))
        edges += [Edge(chunk, EdgeKind.MENTIONS, Entity.make_id(name), id) for name in set(names)]
        if position:
            edges.append(Edge(f"chunk:{number:08}{position - 1:02}", EdgeKind.NEXT, chunk, id))
        records.append(Record(chunk, RecordKind.CHUNK, id, f"{title}\n{body}", chunk))
        records.append(Record(chunk, RecordKind.SUMMARY, id, f"{title}: {atoms[0]}", chunk))
        records += [
            Record(f"atom:{chunk[6:]}{place:02}", RecordKind.ATOM, id, f"{title}: {atom}", chunk)
            for place, atom in enumerate(atoms)
        ]
    return Made(Subgraph(id, tuple(nodes), tuple(edges)), tuple(records))


def fill(stores: Stores, chunks: int) -> None:
    text = Text(chunks)
    documents = chunks // CHUNKS_A_DOCUMENT
    for start in range(0, documents, BATCH):
        batch = [make_document(number, text) for number in range(start, min(documents, start + BATCH))]
        with stores.catalog.transaction():
            for made in batch:
                stores.graph.write(made.subgraph)
        records = tuple(record for made in batch for record in made.records)
        vectors = stores.embedder.embed([record.text for record in records])
        stores.vectors.write([], EmbeddedRecords(records, vectors))
    entities = [Node(Entity.make_id(name), NodeKind.ENTITY, CORPUS_OWNER, {"name": name}) for name in set(text.names)]
    stores.graph.write(Subgraph(CORPUS_OWNER, tuple(entities)))
    stores.vectors.optimize()


def questions(chunks: int) -> Iterator[str]:
    """Return questions with a name and words of the same chunk."""
    text = Text(chunks)
    for _ in range(QUESTIONS):
        topic = text.topic()
        yield f"What is the {text.sentence(topic, 4)} of the {text.sentence(topic, 3)} where {text.name()} was built?"


def measure(kb: Path, chunks: int) -> dict[str, float]:
    os.sched_setaffinity(0, CORES & os.sched_getaffinity(0))
    with open_stores(kb, load(None).settings) as stores:
        cache = kb / "retrieval"
        began = time.perf_counter()
        retriever = Retriever(stores.graph, stores.vectors, stores.embedder, cache=cache)
        retriever.retrieve("warm up", 10)
        opened = time.perf_counter() - began
        times, work = [], []
        for question in questions(chunks):
            began, worked = time.perf_counter(), time.process_time()
            retriever.retrieve(question, 10)
            times.append(1000 * (time.perf_counter() - began))
            work.append(1000 * (time.process_time() - worked))
        return {
            "open": opened,
            "median": float(np.median(times)),
            "p95": float(np.percentile(times, 95)),
            "cpu": float(np.median(work)),
            "memory": psutil.Process().memory_info().rss / 2**30,
        }


def in_a_process(kb: Path, chunks: int) -> dict[str, float]:
    command = [sys.executable, __file__, "--measure", str(kb), str(chunks)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--atoms", type=int, nargs="*", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--keep", type=Path, help="a folder that keeps the knowledge bases for the next time")
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.measure:
        print(json.dumps(measure(Path(args.measure[0]), int(args.measure[1]))))
        return
    print(
        f"{'atoms':>10}{'chunks':>9}{'median ms':>11}{'95% ms':>9}{'CPU ms':>9}{'GB':>7}"
        f"{'first open s':>14}{'open s':>8}{'made in s':>11}"
    )
    with tempfile.TemporaryDirectory(prefix="strata-") as temporary:
        for atoms in args.atoms:
            chunks = atoms // ATOMS_A_CHUNK
            kb = (args.keep or Path(temporary)) / f"kb-{atoms}"
            began = time.perf_counter()
            if not kb.exists():
                with open_stores(kb, load(None).settings, create=True) as stores:
                    fill(stores, chunks)
            made = time.perf_counter() - began
            first, again = in_a_process(kb, chunks), in_a_process(kb, chunks)
            print(
                f"{atoms:>10,}{chunks:>9,}{again['median']:>11.1f}{again['p95']:>9.1f}{again['cpu']:>9.1f}{again['memory']:>7.2f}"
                f"{first['open']:>14.1f}{again['open']:>8.1f}{made:>11.1f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
