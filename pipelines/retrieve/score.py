"""The final score of a chunk, and what it is made of (PIKE-RAG 5.2.3, figure 8: S = f(g(Q, I), g(Q, C), g(Q, D))).

    own   = sum over chunk, summary, atom of weight * (lexical * likeness by terms + (1 - lexical) * by vector)
            + entity * rarity of a shared name + tag * tags shared
    prior = document * likeness of its document + title * rarity of its title in the question
            + called * share of the question in words that a reader calls its document by
    base  = own + prior * (own / the highest own of its document) ** focus
    x     = base + gains of propagation (`pipelines.retrieve.propagate`), and `back` of what it passed on
    score = x / (1 + x)

Likenesses are on the scale of `pipelines.retrieve.scale`; an atom's is that of the chunk's best, with `soft_count` of
the others'. The chunks returned are chosen one after the other by x * (1 + fresh * share of the question that no chunk
before has spoken of). All weights are settings (`[retrieve]`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from pipelines.retrieve.index import Atlas, Weights
from pipelines.retrieve.layers import Layer, Layers
from pipelines.retrieve.propagate import Wave, best_of, spread
from pipelines.retrieve.query import Asked
from pipelines.sections import RetrieveSettings

POOL = 4
"""For each chunk that is wanted so many are looked at."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that the scores of a question are made from, whatever the weights.

    `covered` is `coverage(asked, atlas)`; where `allowed` is 0 a chunk neither scores nor passes anything on.
    """

    asked: Asked
    covered: Weights
    layers: Layers
    allowed: Weights | None = None


@dataclass(frozen=True, slots=True)
class Scores:
    """`total` is x for each chunk; `direct` its part by layer, `waves` the rest."""

    total: Weights
    direct: Mapping[str, Weights]
    waves: tuple[Wave, ...]


def combine(evidence: Evidence, atlas: Atlas, settings: RetrieveSettings) -> Scores:
    """Return the scores of all chunks."""
    own = _own(evidence.layers, settings)
    standing = _standing(_sum(own, atlas.size), atlas, settings.focus)
    direct = own | {name: part * standing for name, part in _prior(evidence.layers, settings).items()}
    base = _sum(direct, atlas.size)
    if evidence.allowed is not None:
        base = base * evidence.allowed
    waves = spread(evidence.asked, evidence.covered, base, standing, atlas, settings) if settings.hop else []
    total = base
    for wave in waves:
        total = total + wave.gain + np.float32(settings.back) * wave.back
    return Scores(total if evidence.allowed is None else total * evidence.allowed, direct, tuple(waves))


def choose(scores: Scores, evidence: Evidence, atlas: Atlas, limit: int, settings: RetrieveSettings) -> list[int]:
    """Return the numbers of the best chunks, best first, ties by number."""
    pool = best_of(scores.total, limit * POOL)
    said = np.minimum(evidence.covered[:, pool], 1.0)
    weights = evidence.asked.weights / evidence.asked.ideal
    value = scores.total[pool].astype(np.float64)
    documents = atlas.document_of[pool]
    open_terms = np.ones(len(weights))
    chosen: list[int] = []
    left = np.ones(len(pool), dtype=bool)
    while left.any() and len(chosen) < limit:
        fresh = (open_terms * weights) @ said
        pick = int(np.argmax(np.where(left, value * (1 + settings.fresh * fresh), -1.0)))
        chosen.append(int(pool[pick]))
        left[pick] = False
        value[documents == documents[pick]] *= 1 - settings.again
        open_terms *= 1 - said[:, pick]
    return chosen


def squash(x: float) -> float:
    """Return x on [0, 1)."""
    return x / (1.0 + x)


def _own(layers: Layers, settings: RetrieveSettings) -> dict[str, Weights]:
    """What speaks for a chunk itself."""
    found = {
        "chunk": _mixed(layers.chunk, settings.chunk, settings),
        "summary": _mixed(layers.summary, settings.summary, settings),
        "atom": _mixed(layers.atom, settings.atom, settings),
        "entity": _times(layers.entity, settings.entity),
        "tag": _times(layers.tag, settings.tag),
    }
    return {name: part for name, part in found.items() if part is not None}


def _prior(layers: Layers, settings: RetrieveSettings) -> dict[str, Weights]:
    """What speaks for a chunk's document."""
    found = {
        "document": _mixed(layers.document, settings.document, settings),
        "title": _times(layers.title, settings.title),
        "called": _times(layers.called, settings.called),
    }
    return {name: part for name, part in found.items() if part is not None}


def _mixed(layer: Layer, weight: float, settings: RetrieveSettings) -> Weights | None:
    if not weight:
        return None
    by_terms, by_vector = np.float32(weight * settings.lexical), np.float32(weight * (1 - settings.lexical))
    soft = np.float32(settings.soft_count)
    found: Weights = by_terms * layer.lexical + by_vector * layer.dense
    if soft:
        found += soft * (by_terms * layer.more_lexical + by_vector * layer.more_dense)
    return found


def _times(part: Weights, weight: float) -> Weights | None:
    return part * np.float32(weight) if weight else None


def _sum(parts: Mapping[str, Weights], size: int) -> Weights:
    total: Weights = np.zeros(size, dtype=np.float32)
    for part in parts.values():
        total = total + part
    return total


def _standing(own: Weights, atlas: Atlas, focus: float) -> Weights:
    """How near each chunk is to the question, against the nearest of its document."""
    best: Weights = np.zeros(len(atlas.documents), dtype=np.float32)
    np.maximum.at(best, atlas.document_of, own)
    whole: Weights = best[atlas.document_of]
    share: Weights = np.ones_like(own)
    np.divide(own, whole, out=share, where=whole > 0)
    return np.power(share, np.float32(focus), dtype=np.float32)
