"""Cost and benefit of distilling with a model, on gold passages of MuSiQue questions and their nearest neighbours.

    python -m benchmarks.distill_model (--gguf FILE | --base-url URL) [--model NAME] [--questions 12] [--passages 150]

Tokens are counted by the server. Replies are cached, so that an interrupted run can be continued.
"""

from __future__ import annotations

import argparse
import asyncio
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from benchmarks.distill import distil
from benchmarks.passages import passages, pool, questions
from benchmarks.representations import DistilledPassage, gate, table
from pipelines.atomize.model_distiller import ModelDistiller
from pipelines.atomize.settings import AtomizeSettings
from pipelines.llm.embedders import default_embedder
from pipelines.llm.ledger import Ledger
from pipelines.llm.settings import LlmSettings
from pipelines.llm.stack import open_chat

_AT_ONCE = 2
INPUT_LIMIT, OUTPUT_LIMIT = 400, 257
"""Maximum tokens per passage; the output limit is what HippoRAG 2 needs for its triples."""


def report(found: Sequence[DistilledPassage], ledger: Ledger, seconds: float) -> None:
    """Print calls and tokens per passage, and what the checks dropped."""
    for role, totals in ledger.roles.items():
        took = totals.usage + totals.saved
        print(
            f"{role}: {took.calls / len(found):.2f} calls, {took.input_tokens / len(found):.0f} tokens in (limit"
            f" {INPUT_LIMIT}) and {took.output_tokens / len(found):.0f} out (limit {OUTPUT_LIMIT}) a passage"
        )
    unfinished = sum(bool(one.distillate.unfinished) for one in found)
    dropped = sum((Counter(one.distillate.dropped) for one in found), Counter[str]())
    print(f"{len(found)} passages in {seconds:.0f} s, {unfinished} unfinished")
    for name in ("atoms", "tags", "entities", "relations"):
        print(f"  {name}: {sum(len(getattr(one.distillate, name)) for one in found) / len(found):.1f} a passage")
    for reason, count in dropped.most_common():
        print(f"  dropped {count}: {reason}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--gguf", default="", help="a file to serve while this runs")
    parser.add_argument("--base-url", default="", help="an endpoint that serves already")
    parser.add_argument("--model", default="", help="the model's name there")
    parser.add_argument("--questions", type=int, default=12)
    parser.add_argument("--passages", type=int, default=150)
    parser.add_argument("--cache", type=Path, default=Path(".cache/distill_model.db"))
    chosen = parser.parse_args()
    chosen.cache.parent.mkdir(parents=True, exist_ok=True)
    asked = questions("musique")[: chosen.questions]
    documents = pool(passages("musique"), asked, chosen.passages)
    ledger, settings, embedder = Ledger({}), AtomizeSettings(), default_embedder()
    served = LlmSettings(
        gguf=chosen.gguf, base_url=chosen.base_url, model=chosen.model, concurrency=_AT_ONCE, timeout=1800
    )
    chat = open_chat(served, chosen.cache, ledger=ledger)
    started = time.perf_counter()

    async def work() -> list[DistilledPassage]:
        try:
            return await distil(documents, ModelDistiller(chat, settings, embedder), settings)
        finally:
            await chat.close()

    found = asyncio.run(work())
    report(found, ledger, time.perf_counter() - started)
    recalled = gate(found, embedder)
    print(f"{100 * recalled.share:.1f}% of the atoms bring back their own passage")
    print("all atoms:", table(found, asked, embedder), sep="\n")
    print("without those quarantined:", table(found, asked, embedder, set(recalled.quarantined)), sep="\n")


if __name__ == "__main__":
    main()
