"""Entity resolution on the entities that a language model extracted from 1,890 passages.

    python benchmarks/entity_resolution.py [--show 40]

Prints the number of names, the number of merges by each rule, the time, and the first merges of each rule for review.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from pipelines.core.knowledge import Entity
from pipelines.graph.entities import EntityProfile
from pipelines.graph.resolve import Merge, resolve
from pipelines.graph.settings import GraphSettings
from pipelines.llm.embedders import default_embedder

TRIPLES = Path(__file__).parents[2] / "shared/data/multihop/musique/llm_triples.jsonl"


def profiles(path: Path) -> list[EntityProfile]:
    """Return a profile for each name that is an entity or an end of a triple."""
    where: dict[str, set[str]] = {}
    for passage, name in names(path):
        where.setdefault(name, set()).add(passage)
    found: dict[str, EntityProfile] = {}
    for name, passages in sorted(where.items(), key=lambda item: (-len(item[1]), item[0])):
        id = Entity.make_id(name)
        found.setdefault(id, EntityProfile(id, name, "", (), len(passages), tuple(sorted(passages))))
    return list(found.values())


def names(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8").splitlines():
        row = json.loads(line)
        ends = [end for triple in row["triples"] if len(triple) == 3 for end in (triple[0], triple[2])]
        for name in {*row["entities"], *ends} - {""}:
            yield row["passage"], name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", type=int, default=15, help="merges of each rule to print")
    shown = parser.parse_args().show
    if not TRIPLES.is_file():
        raise SystemExit(f"needs {TRIPLES}")
    found = profiles(TRIPLES)
    embedder = default_embedder()
    started = time.perf_counter()
    merges = resolve(found, GraphSettings(), embedder.embed)
    print(f"{len(found)} names, {len(merges)} merges, {time.perf_counter() - started:.1f} s")
    report(merges, shown)


def report(merges: tuple[Merge, ...], shown: int) -> None:
    for rule, count in Counter(merge.rule for merge in merges).most_common():
        print(f"\n{rule}: {count}")
        for merge in [merge for merge in merges if merge.rule == rule][:shown]:
            print(f"  {merge.merged_name}  ->  {merge.into_name}")


if __name__ == "__main__":
    main()
