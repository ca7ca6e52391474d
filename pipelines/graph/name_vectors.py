"""The vectors of names, kept from one linking to the next, so that only new names are embedded."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from pipelines.core import codec
from pipelines.core.ids import content_id
from pipelines.core.vectors import Vectors
from pipelines.graph.near_names import STAGE, STEPS
from pipelines.graph.resolve import Embed
from pipelines.llm.embedder import EmbedderInfo
from pipelines.store.artifact import ArtifactStore

Steps = NDArray[np.int16]
_KEY_BYTES = 16
"""128 bits of a digest, as in every id."""


class _Kept(NamedTuple):
    """The stored form: digests of names, and their vectors as numbers of steps. It contains no text."""

    digests: bytes
    steps: bytes


def kept_vectors(embed: Embed, embedder: EmbedderInfo, cache: ArtifactStore) -> Embed:
    """Return a function like `embed`, for which the vectors of the names of its last call are kept in `cache`.

    `embed` is not called without new names: it may load a model. The vectors are rounded as `nearest_pairs` rounds
    them, so that a kept vector is equal to a new one.
    """

    def embedded(names: Sequence[str]) -> Vectors:
        key = content_id(STAGE, "vectors", embedder.name, embedder.model, embedder.dimension).partition(":")[2]
        data = cache.get(STAGE, key)
        kept = codec.unpack(data, _Kept) if data is not None else _Kept(b"", b"")
        digests = [hashlib.sha256(name.encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES] for name in names]
        wanted = b"".join(digests)
        steps = np.frombuffer(kept.steps, "<i2").reshape(-1, embedder.dimension)
        if kept.digests != wanted:
            steps = _updated(steps, kept.digests, digests, names, embed)
            cache.remove(STAGE, key)
            cache.put(STAGE, key, codec.pack(_Kept(wanted, steps.tobytes())))
        rounded: Vectors = steps.astype(np.float32) / np.float32(STEPS)
        return rounded

    return embedded


def _updated(before: Steps, held: bytes, digests: Sequence[bytes], names: Sequence[str], embed: Embed) -> Steps:
    """Return the vectors of the names in steps: from those that are held, as far as they have the names."""
    places = {held[at : at + _KEY_BYTES]: at // _KEY_BYTES for at in range(0, len(held), _KEY_BYTES)}
    rows = np.array([places.get(digest, -1) for digest in digests], np.intp)
    new = np.flatnonzero(rows < 0)
    steps = before[rows] if len(before) else np.zeros((len(names), before.shape[1]), "<i2")
    if len(new):
        steps[new] = _steps(embed([names[place] for place in new]))
    return steps


def _steps(vectors: Vectors) -> Steps:
    steps: Steps = np.rint(vectors * np.float32(STEPS)).astype("<i2")
    return steps
