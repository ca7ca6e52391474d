"""The final score of a chunk, and what it is made of (PIKE-RAG 5.2.3, figure 8: S = f(g(Q, I), g(Q, C), g(Q, D))).

    x = sum over layers of weight * (lexical * similarity by terms + (1 - lexical) * similarity by vector)
        + entity * rarity of a shared name + title * rarity of a title named + tag * tags shared
        + gains of propagation, round by round (`qa.retrieval.spread`)
    score = x / (1 + x)

The similarities are on the scale of `qa.retrieval.scale`; each chunk has that of its best atom, with `soft_count` of
the others', its summary's and its document's. All weights are settings (`[qa.retrieve]`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from qa.retrieval.asked import Asked
from qa.retrieval.atlas import Atlas, Weights
from qa.retrieval.layers import Layer, Layers
from qa.retrieval.settings import RetrieveSettings
from qa.retrieval.spread import Wave, spread


@dataclass(frozen=True, slots=True)
class Scores:
    """`total` is x for each chunk; `direct` its part by layer, `waves` the rest."""

    total: Weights
    direct: dict[str, Weights]
    waves: list[Wave]


def combine(
    asked: Asked, covered: Weights, layers: Layers, atlas: Atlas, settings: RetrieveSettings, allowed: Weights | None = None
) -> Scores:
    """Return the scores of all chunks; where `allowed` is 0 a chunk neither scores nor passes anything on."""
    direct = {name: part for name, part in _parts(layers, settings).items() if part is not None}
    base = np.sum(list(direct.values()), axis=0, dtype=np.float32) if direct else np.zeros(atlas.size, np.float32)
    if allowed is not None:
        base = base * allowed
    waves = spread(asked, covered, base, atlas, settings) if settings.hop and settings.rounds else []
    total = base + np.sum([wave.gain + settings.back * wave.back for wave in waves], axis=0, dtype=np.float32) if waves else base
    return Scores(total if allowed is None else total * allowed, direct, waves)


def squash(x: float) -> float:
    """Return x on [0, 1)."""
    return x / (1.0 + x)


def _parts(layers: Layers, settings: RetrieveSettings) -> dict[str, Weights | None]:
    return {
        "chunk": _mixed(layers.chunk, settings.chunk, settings),
        "summary": _mixed(layers.summary, settings.summary, settings),
        "atom": _mixed(layers.atom, settings.atom, settings),
        "document": _mixed(layers.document, settings.document, settings),
        "title": layers.title * np.float32(settings.title) if settings.title else None,
        "called": layers.called * np.float32(settings.called) if settings.called else None,
        "entity": layers.entity * np.float32(settings.entity) if settings.entity else None,
        "tag": layers.tag * np.float32(settings.tag) if settings.tag else None,
    }


def _mixed(layer: Layer, weight: float, settings: RetrieveSettings) -> Weights | None:
    if not weight:
        return None
    lexical, soft = settings.lexical, settings.soft_count
    best: Weights = np.float32(weight * lexical) * layer.lexical + np.float32(weight * (1 - lexical)) * layer.dense
    if soft:
        best = best + np.float32(weight * soft) * (lexical * layer.more_lexical + (1 - lexical) * layer.more_dense)
    return best.astype(np.float32)
