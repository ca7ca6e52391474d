"""Time for finding the titles of all documents in the text of all documents.

    python benchmarks/reference_matching.py [--titles 100000] [--megabytes 100]

Makes titles and a text from a fixed vocabulary, with one title in every few thousand characters, and prints the seconds
for building the automaton and for searching the text, the hits, and whether every inserted title was found.
"""

from __future__ import annotations

import argparse
import random
import time
from collections.abc import Iterator

from pipelines.graph.document_names import fold_name
from pipelines.graph.mentions import ChunkText, NameMatcher

WORDS = (
    "pump valve bearing seal shaft impeller casing motor coupling flange gasket sensor transmitter pressure suction"
    " discharge vibration temperature alignment lubrication maintenance inspection report manual standard procedure"
    " installation commissioning operation safety isolation storage delivery spare part drawing assembly torque the of"
    " and for with is are was shall must before after every hour 离心泵 维护 手册 压力 变送器 安装 说明 轴承 密封"
).split()
DOCUMENT = 20_000
"""Characters of a passage."""


def titles(count: int, chance: random.Random) -> list[str]:
    """Return distinct titles of two to seven words, every tenth with a number."""
    found: dict[str, None] = {}
    while len(found) < count:
        words = " ".join(chance.choice(WORDS).capitalize() for _ in range(chance.randint(2, 7)))
        number = f"DS-{chance.randint(1000, 999_999)} " if len(found) % 10 == 0 else ""
        found[f"{number}{words} {chance.randint(1, 9999)}"] = None
    return list(found)


def passages(characters: int, names: list[str], chance: random.Random) -> Iterator[tuple[ChunkText, list[str]]]:
    """Yield passages with this many characters in total, each with its inserted titles."""
    filler = " ".join(chance.choice(WORDS) for _ in range(200_000))
    start = 0
    while start < characters:
        put, pieces = [], []
        for _ in range(5):
            at = chance.randrange(len(filler) - DOCUMENT)
            put.append(chance.choice(names))
            pieces.append(f"{filler[at : at + DOCUMENT // 5]}. See {put[-1]}. ")
        text = "".join(pieces)
        yield ChunkText("chunk", 0, text), put
        start += len(text)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--titles", type=int, default=100_000)
    parser.add_argument("--megabytes", type=int, default=100)
    args = parser.parse_args()
    chance = random.Random(7)
    wanted = titles(args.titles, chance)
    started = time.perf_counter()
    names = NameMatcher(fold_name(title) for title in wanted)
    made = time.perf_counter() - started
    print(f"{len(wanted):,} titles, automaton in {made:.1f} s")
    seconds, hits, missed, characters = 0.0, 0, 0, 0
    for passage, put in passages(args.megabytes * 1_000_000, wanted, chance):
        started = time.perf_counter()
        found = names.find([passage])
        seconds += time.perf_counter() - started
        hits += len(found)
        missed += len({fold_name(title) for title in put} - {hit.name for hit in found})
        characters += len(passage.text)
    print(f"{characters / 1e6:.0f} million characters in {seconds:.1f} s, {hits:,} hits, {missed} missed")
    print(f"together {made + seconds:.1f} s")


if __name__ == "__main__":
    main()
