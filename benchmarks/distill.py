"""Effect of extractive atoms, tags and summaries on retrieval, over the passages of ../shared.

python -m benchmarks.distill [--set musique|hotpotqa]
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections.abc import Iterable

from benchmarks.passages import passages, questions
from benchmarks.representations import DistilledPassage, gate, table
from pipelines.atomize.atomize import atomize
from pipelines.atomize.distiller import Distiller
from pipelines.atomize.extractive_distiller import ExtractiveDistiller
from pipelines.atomize.settings import AtomizeSettings
from pipelines.chunk.chunk import chunk
from pipelines.chunk.settings import ChunkBy, ChunkSettings
from pipelines.chunk.splitter import StructuralSplitter
from pipelines.core.concurrent import gather
from pipelines.core.document import Document
from pipelines.llm.embedders import default_embedder

_AT_ONCE = 2


async def distil(
    documents: Iterable[Document], distiller: Distiller, settings: AtomizeSettings
) -> list[DistilledPassage]:
    """Return passages, each a chunk, with their distillates by `distiller`."""
    chunking = ChunkSettings(by=ChunkBy.DOCUMENT)
    splitter = StructuralSplitter(chunking)

    async def work(one: Document) -> DistilledPassage:
        return DistilledPassage(one, await atomize(one, await chunk(one, splitter, chunking), distiller, settings))

    return await gather(work, documents, _AT_ONCE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--set", choices=["musique", "hotpotqa"], default="musique")
    name = parser.parse_args().set
    documents, settings = passages(name), AtomizeSettings(statements=True)
    started = time.perf_counter()
    found = asyncio.run(distil(documents, ExtractiveDistiller(settings), settings))
    speed = len(documents) / (time.perf_counter() - started)
    print(f"{name}: {len(documents)} passages distilled, {speed:.0f} a second")
    embedder = default_embedder()
    print(f"{100 * gate(found, embedder).share:.1f}% of the atoms bring back their own passage")
    print(table(found, questions(name), embedder))


if __name__ == "__main__":
    main()
