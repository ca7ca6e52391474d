"""What every embedder owes its vectors: length 1, and a zero row for a text with nothing in it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from pipelines.core.vectors import Vectors


def unit_rows(vectors: Vectors) -> Vectors:
    """Return the rows at length 1, as float32; a row of zeros, or with anything not finite, becomes zeros."""
    rows = np.asarray(vectors, dtype=np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    sound = np.isfinite(lengths) & (lengths > 0)
    units: Vectors = np.divide(rows, lengths, out=np.zeros_like(rows), where=sound)
    return units


def embed_filled(texts: Sequence[str], dimension: int, embed: Callable[[list[str]], Vectors]) -> Vectors:
    """Return unit rows for `texts`, asking `embed` only for those that are not blank."""
    vectors = np.zeros((len(texts), dimension), dtype=np.float32)
    filled = [number for number, text in enumerate(texts) if text.strip()]
    if filled:
        vectors[filled] = unit_rows(embed([_plain(texts[number]) for number in filled]))
    return vectors


def _plain(text: str) -> str:
    """`text` without what no tokenizer takes: NUL, which ends a C string, and lone surrogates."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
