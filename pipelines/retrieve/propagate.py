"""Propagation: what is found passes on to what it leads to, as far as that answers the rest of the question.

A chunk p that answers part of a question names what the next chunk q must be about. The gain of q over an edge is

    gain(q) = score(p) * hop * weight(edge) * (blind + (1 - blind) * min(answered(p, q) / rest, TOP))

`answered(p, q)` is the share of the question's weight in terms that q has and p has not. An edge is a name that both
chunks mention (weight: `mentions` and the name's rarity, the share `headline` of it only where q's document bears the
name), a reference from p to q's document (rare targets weigh more, and the references of a chunk that has few), a
relation from a name in p to one in q, or being next to each other.
Names that stand in the question lead nowhere: they are found directly. Of several ways to a chunk the best counts.
Each round starts from the gains of the one before, and leads back to no chunk on its way; what any chunk on the way
has said is no longer open (PIKE-RAG 5.2.3, figure 8: propagation).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import EdgeKind
from pipelines.retrieve.index import Atlas, Numbers, Weights
from pipelines.retrieve.query import Asked
from pipelines.sections import RetrieveSettings

TOP = 1.5
"""What answering more than `rest` of the question can come to."""
FEW = 20
"""A name in no more chunks than this is never too common to follow."""
KINDS = (EdgeKind.MENTIONS, EdgeKind.REFERENCES, EdgeKind.RELATED, EdgeKind.NEXT)


@dataclass(frozen=True, slots=True)
class Steps:
    """Edges followed from chunk to chunk, all arrays of one length.

    `kinds` are places in `KINDS`; `through` is the entity of a mention, the second of a relation, else -1.
    """

    sources: Numbers
    targets: Numbers
    through: Numbers
    kinds: NDArray[np.int8]
    gains: Weights


@dataclass(frozen=True, slots=True)
class Wave:
    """One round: the steps taken, and for each chunk its best gain and the chunk that this came from (-1: none)."""

    steps: Steps
    gain: Weights
    parent: Numbers
    back: Weights


def spread(
    asked: Asked, covered: Weights, start: Weights, standing: Weights, atlas: Atlas, settings: RetrieveSettings
) -> list[Wave]:
    """Return the rounds of propagation from `start`, a score for each chunk; `covered` is `coverage(asked, atlas)`."""
    waves: list[Wave] = []
    score = start
    for _ in range(settings.rounds):
        seeds = best_of(score, settings.seeds)
        if not len(seeds):
            break
        way = _way_to(seeds, waves)
        steps = _onward(_steps(seeds, asked, standing, atlas, settings), way)
        factor = _answered(asked, covered, way, steps, settings)
        gains = (steps.gains * score[seeds[steps.sources]] * factor * settings.hop).astype(np.float32)
        waves.append(_wave(Steps(seeds[steps.sources], steps.targets, steps.through, steps.kinds, gains), atlas.size))
        score = waves[-1].gain
    return waves


def _news(names: Numbers, asked: Asked | None, atlas: Atlas, settings: RetrieveSettings) -> Weights:
    """What following each name is worth: its rarity, as far as its words do not stand in the question."""
    often = atlas.spread[names]
    rare: Weights = np.maximum(0, 1 - np.log(np.maximum(often, 1)) / np.log(max(atlas.size, 2))).astype(np.float32)
    rare[often > max(FEW, settings.common * atlas.size)] = 0
    if asked is not None:
        rare[np.isin(names, list(asked.entities))] = 0
        owner, place = atlas.name_terms.gather(names)
        said = np.bincount(owner, np.isin(atlas.name_terms.columns[place], asked.numbers), len(names))
        rare *= 1 - said / np.maximum(np.bincount(owner, minlength=len(names)), 1)
    return rare


def _way_to(seeds: Numbers, waves: Sequence[Wave]) -> list[Numbers]:
    """The chunks on the best way to each seed: the seeds themselves, where those came from, and so on."""
    way = [seeds]
    for wave in reversed(waves):
        way.append(wave.parent[way[-1]])
    return way


def _onward(steps: Steps, way: Sequence[Numbers]) -> Steps:
    """The steps that do not lead back to a chunk on the way to their source."""
    back = np.zeros(len(steps.targets), dtype=bool)
    for chunks in way:
        back |= chunks[steps.sources] == steps.targets
    return _taken(steps, ~back)


def _taken(steps: Steps, kept: NDArray[np.bool_]) -> Steps:
    return Steps(steps.sources[kept], steps.targets[kept], steps.through[kept], steps.kinds[kept], steps.gains[kept])


def best_of(score: Weights, limit: int) -> Numbers:
    """Return the numbers of the highest scores above 0, best first, ties by number."""
    if limit < len(score):
        edge = np.partition(score, -limit)[-limit]
        near = np.flatnonzero((score >= edge) & (score > 0))
    else:
        near = np.flatnonzero(score > 0)
    return near[np.argsort(-score[near], kind="stable")][:limit].astype(np.int32)


def _wave(steps: Steps, size: int) -> Wave:
    gain = np.zeros(size, dtype=np.float32)
    parent = np.full(size, -1, dtype=np.int32)
    rising = np.argsort(steps.gains, kind="stable")
    gain[steps.targets[rising]] = steps.gains[rising]
    parent[steps.targets[rising]] = steps.sources[rising]
    back = np.zeros(size, dtype=np.float32)
    np.maximum.at(back, steps.sources, steps.gains)
    return Wave(steps, gain, parent, back)


def _answered(
    asked: Asked, covered: Weights, way: Sequence[Numbers], steps: Steps, settings: RetrieveSettings
) -> NDArray[np.float32]:
    """The factor of each step for what its target says of what the way to its source leaves open."""
    targets, place = np.unique(steps.targets, return_inverse=True)
    spoken = np.any([covered[:, chunks] > 0 for chunks in way], axis=0)
    shares = (asked.weights[:, None] * ~spoken).T @ np.minimum(covered[:, targets], TOP) / asked.ideal
    full = np.minimum(shares[steps.sources, place] / settings.rest, TOP)
    factor: NDArray[np.float32] = settings.blind + (1 - settings.blind) * full
    return factor


def _steps(seeds: Numbers, asked: Asked | None, standing: Weights, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    """All edges from `seeds`; `sources` are places in `seeds`, `gains` the edges' own weights."""
    parts = [
        _by_names(seeds, asked, atlas, settings),
        _by_references(seeds, standing, atlas, settings),
        _by_relations(seeds, asked, atlas, settings),
        _by_place(seeds, atlas, settings),
    ]
    joined = Steps(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("sources", "targets", "through", "kinds", "gains")
        )
    )
    return _taken(joined, (joined.gains > 0) & (seeds[joined.sources] != joined.targets))


def _by_names(seeds: Numbers, asked: Asked | None, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    if not settings.mentions:
        return _none()
    source, place = atlas.mentions.gather(seeds)
    names, weights = atlas.mentions.columns[place], atlas.mentions.values[place]
    return _to_mentioned(seeds, source, names, settings.mentions * weights, EdgeKind.MENTIONS, asked, atlas, settings)


def _by_relations(seeds: Numbers, asked: Asked | None, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    if not settings.related or not len(atlas.related.columns):
        return _none()
    source, place = atlas.mentions.gather(seeds)
    via, to = atlas.related.gather(atlas.mentions.columns[place])
    names = atlas.related.columns[to]
    weights = np.full(len(names), settings.related, dtype=np.float32)
    return _to_mentioned(seeds, source[via], names, weights, EdgeKind.RELATED, asked, atlas, settings)


def _to_mentioned(
    seeds: Numbers,
    source: NDArray[np.int64],
    names: Numbers,
    weights: Weights,
    kind: EdgeKind,
    asked: Asked | None,
    atlas: Atlas,
    settings: RetrieveSettings,
) -> Steps:
    """Steps from sources over `names` to all chunks that mention them."""
    news = _news(names, asked, atlas, settings)
    kept = news > 0
    source, names, weights = source[kept], names[kept], (weights * news)[kept]
    owner, place = atlas.mentioned.gather(names)
    share = 1 - settings.headline * (1 - atlas.headed[place])
    gains = weights[owner] * atlas.mentioned.values[place] * share
    targets = atlas.mentioned.columns[place]
    home = atlas.document_of[seeds[source[owner]]] == atlas.document_of[targets]
    gains = np.where(home, settings.inside, 1.0) * gains
    return _made(source[owner], targets, names[owner], kind, gains)


def _by_references(seeds: Numbers, standing: Weights, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    if not settings.references:
        return _none()
    source, place = atlas.references.gather(seeds)
    owner, to = atlas.chunks_of.gather(atlas.references.columns[place])
    often = np.maximum(atlas.referred[atlas.references.columns[place]], 1)
    rare = 1 - np.log(often) / np.log(max(len(atlas.documents), 2))
    each = settings.references * rare / np.sqrt(atlas.references.counts()[seeds[source]])
    gains = (each * atlas.references.values[place])[owner]
    targets = atlas.chunks_of.columns[to]
    return _made(source[owner], targets, np.full(len(targets), -1), EdgeKind.REFERENCES, gains * standing[targets])


def _by_place(seeds: Numbers, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    if not settings.next:
        return _none()
    source, place = atlas.neighbours.gather(seeds)
    targets = atlas.neighbours.columns[place]
    gains = np.full(len(targets), settings.next, dtype=np.float32)
    return _made(source, targets, np.full(len(targets), -1), EdgeKind.NEXT, gains)


def _made(
    sources: NDArray[np.int64], targets: Numbers, through: NDArray[np.integer], kind: EdgeKind, gains: Weights
) -> Steps:
    kinds = np.full(len(targets), KINDS.index(kind), dtype=np.int8)
    return Steps(sources.astype(np.int32), targets, through.astype(np.int32), kinds, gains.astype(np.float32))


def _none() -> Steps:
    empty = np.zeros(0, dtype=np.int32)
    return Steps(empty, empty, empty, empty.astype(np.int8), empty.astype(np.float32))


def ways_from(seeds: Numbers, atlas: Atlas, settings: RetrieveSettings) -> Steps:
    """Return the edges from `seeds` to other chunks by their own weight alone, the heaviest first.

    `sources` are the chunks themselves; of several ways to a chunk the best is left.
    """
    steps = _steps(seeds, None, np.ones(atlas.size, dtype=np.float32), atlas, settings)
    order = np.lexsort((steps.targets, -steps.gains))
    _, first = np.unique(steps.targets[order], return_index=True)
    order = order[np.sort(first)]
    order = order[~np.isin(steps.targets[order], seeds)]
    sources = seeds[steps.sources[order]]
    return Steps(sources, steps.targets[order], steps.through[order], steps.kinds[order], steps.gains[order])
