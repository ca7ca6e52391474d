"""Propagation: a chunk passes its score along edges to chunks that answer the rest of the question.

In a multi-hop question, a chunk p that answers the first step names the subject of the next chunk q: for "When was the
lighthouse built in the town where Edda Quill was born?" the page on Edda Quill names the town, and the town's page has
the year. The gain of q over an edge from p is

    gain(q) = score(p) * hop * weight(edge) * (blind + (1 - blind) * min(answered(p, q) / rest, MAX_ANSWERED))

`answered(p, q)` is the share of the question's weight in terms that are in q and not in p. The edges are

- a name that both chunks mention, with the weight `mentions` times the name's rarity; a share `headline` of this weight
  applies only if the title of q's document is the name;
- a reference from p to q's document, with the weight `references`, reduced if many chunks refer to the document, or p
  to many documents;
- a relation from a name in p to one in q, with the weight `related`;
- adjacency in the document, with the weight `next`.

Names in the question are not followed, since their chunks are found directly. If several paths lead to a chunk, the
best counts. Each round starts from the gains of the previous one and never returns to a chunk on its path; terms of any
chunk on the path count as answered (PIKE-RAG 5.2.3, figure 8: propagation). The words in `code` are settings
(`[retrieve]`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipelines.core.graph import EdgeKind
from pipelines.retrieve.index import Index
from pipelines.retrieve.query import AnalyzedQuery
from pipelines.retrieve.sparse_rows import Numbers, Weights
from pipelines.sections import RetrieveSettings

MAX_ANSWERED = 1.5
"""Maximum factor for answering more than `rest` of the question; not tuned."""
ALWAYS_FOLLOWED = 20
"""Names in at most this many chunks are followed even in a small corpus (see `RetrieveSettings.common`)."""
KINDS = (EdgeKind.MENTIONS, EdgeKind.REFERENCES, EdgeKind.RELATED, EdgeKind.NEXT)


@dataclass(frozen=True, slots=True)
class Hops:
    """Edges followed from chunk to chunk, as arrays of equal length.

    `kinds` are indices in `KINDS`; `through` is the entity of a mention, the tail of a relation, else -1.
    """

    sources: Numbers
    targets: Numbers
    through: Numbers
    kinds: NDArray[np.int8]
    gains: Weights

    def where(self, kept: NDArray[np.bool_]) -> Hops:
        """Return the hops selected by a mask."""
        return Hops(self.sources[kept], self.targets[kept], self.through[kept], self.kinds[kept], self.gains[kept])


_NONE = np.zeros(0, np.int32)
_NO_HOPS = Hops(_NONE, _NONE, _NONE, np.zeros(0, np.int8), np.zeros(0, np.float32))


@dataclass(frozen=True, slots=True)
class PropagationRound:
    """One round: its hops, and for each chunk its best `gain`, the source of this gain (`parent`, -1: none), and the
    best gain that it `passed_on` to another chunk."""

    hops: Hops
    gain: Weights
    parent: Numbers
    passed_on: Weights


def propagate(
    query: AnalyzedQuery,
    covered: Weights,
    start: Weights,
    focus: Weights,
    index: Index,
    settings: RetrieveSettings,
) -> list[PropagationRound]:
    """Return the rounds of propagation from the scores `start` of the chunks.

    `covered` is `coverage(query, index)`, `focus` the share of a reference to its document that each chunk receives.
    """
    rounds: list[PropagationRound] = []
    score = start
    for _ in range(settings.rounds):
        seeds = best_of(score, settings.seeds)
        if not len(seeds):
            break
        path = _path_to(seeds, rounds)
        hops = _without_cycles(_hops(seeds, query, focus, index, settings), path)
        factor = _answered(query, covered, path, hops, settings)
        gains = (hops.gains * score[seeds[hops.sources]] * factor * settings.hop).astype(np.float32)
        rounds.append(_round(Hops(seeds[hops.sources], hops.targets, hops.through, hops.kinds, gains), index.size))
        score = rounds[-1].gain
    return rounds


def hops_from(seeds: Numbers, index: Index, settings: RetrieveSettings) -> Hops:
    """Return the edges from `seeds` to other chunks independent of a question, heaviest first.

    `sources` are chunk numbers; only the heaviest edge to each chunk is returned.
    """
    hops = _hops(seeds, None, np.ones(index.size, dtype=np.float32), index, settings)
    order = np.lexsort((hops.targets, -hops.gains))
    _, first = np.unique(hops.targets[order], return_index=True)
    order = order[np.sort(first)]
    order = order[~np.isin(hops.targets[order], seeds)]
    sources = seeds[hops.sources[order]]
    return Hops(sources, hops.targets[order], hops.through[order], hops.kinds[order], hops.gains[order])


def best_of(score: Weights, limit: int) -> Numbers:
    """Return the numbers of the `limit` highest scores above 0, best first, ties by number."""
    if limit < len(score):
        edge = np.partition(score, -limit)[-limit]
        near = np.flatnonzero((score >= edge) & (score > 0))
    else:
        near = np.flatnonzero(score > 0)
    return near[np.argsort(-score[near], kind="stable")][:limit].astype(np.int32)


def _path_to(seeds: Numbers, rounds: Sequence[PropagationRound]) -> list[Numbers]:
    """Return the chunks on the best path to each seed: the seeds, their parents, and so on."""
    path = [seeds]
    for one in reversed(rounds):
        path.append(one.parent[path[-1]])
    return path


def _without_cycles(hops: Hops, path: Sequence[Numbers]) -> Hops:
    """Return the hops that do not lead back to a chunk on the path to their source."""
    back = np.zeros(len(hops.targets), dtype=bool)
    for chunks in path:
        back |= chunks[hops.sources] == hops.targets
    return hops.where(~back)


def _round(hops: Hops, size: int) -> PropagationRound:
    gain = np.zeros(size, dtype=np.float32)
    parent = np.full(size, -1, dtype=np.int32)
    np.maximum.at(gain, hops.targets, hops.gains)
    best = np.flatnonzero(hops.gains == gain[hops.targets])  # of equal ones, the last counts
    parent[hops.targets[best]] = hops.sources[best]
    passed_on = np.zeros(size, dtype=np.float32)
    np.maximum.at(passed_on, hops.sources, hops.gains)
    return PropagationRound(hops, gain, parent, passed_on)


def _answered(
    query: AnalyzedQuery, covered: Weights, path: Sequence[Numbers], hops: Hops, settings: RetrieveSettings
) -> NDArray[np.float32]:
    """Return the factor of each hop for the part of the question that its target answers and its path does not."""
    is_target = np.zeros(covered.shape[1], dtype=bool)
    is_target[hops.targets] = True
    targets, place = np.flatnonzero(is_target), (np.cumsum(is_target) - 1)[hops.targets]
    closed = np.any([covered[:, chunks] > 0 for chunks in path], axis=0)
    shares = (query.weights[:, None] * ~closed).T @ np.minimum(covered[:, targets], MAX_ANSWERED) / query.ideal
    full = np.minimum(shares[hops.sources, place] / settings.rest, MAX_ANSWERED)
    factor: NDArray[np.float32] = settings.blind + (1 - settings.blind) * full
    return factor


def _hops(
    seeds: Numbers, query: AnalyzedQuery | None, focus: Weights, index: Index, settings: RetrieveSettings
) -> Hops:
    """Return all edges from `seeds`; `sources` are indices in `seeds`, `gains` the weights of the edges."""
    parts = [
        _by_names(seeds, query, index, settings),
        _by_references(seeds, focus, index, settings),
        _by_relations(seeds, query, index, settings),
        _to_neighbours(seeds, index, settings),
    ]
    joined = Hops(
        *(
            np.concatenate([getattr(part, name) for part in parts])
            for name in ("sources", "targets", "through", "kinds", "gains")
        )
    )
    return joined.where((joined.gains > 0) & (seeds[joined.sources] != joined.targets))


def _by_names(seeds: Numbers, query: AnalyzedQuery | None, index: Index, settings: RetrieveSettings) -> Hops:
    if not settings.mentions:
        return _NO_HOPS
    source, place = index.chunk_entities.gather(seeds)
    names, weights = index.chunk_entities.columns[place], settings.mentions * index.chunk_entities.values[place]
    return _to_chunks_with(names, weights, seeds, source, EdgeKind.MENTIONS, query, index, settings)


def _by_relations(seeds: Numbers, query: AnalyzedQuery | None, index: Index, settings: RetrieveSettings) -> Hops:
    if not settings.related or not len(index.related_entities.columns):
        return _NO_HOPS
    source, place = index.chunk_entities.gather(seeds)
    via, to = index.related_entities.gather(index.chunk_entities.columns[place])
    names = index.related_entities.columns[to]
    weights = np.full(len(names), settings.related, dtype=np.float32)
    return _to_chunks_with(names, weights, seeds, source[via], EdgeKind.RELATED, query, index, settings)


def _to_chunks_with(
    names: Numbers,
    weights: Weights,
    seeds: Numbers,
    source: NDArray[np.int64],
    kind: EdgeKind,
    query: AnalyzedQuery | None,
    index: Index,
    settings: RetrieveSettings,
) -> Hops:
    """Return the hops over `names`, each with a weight and a source, to all chunks that mention them."""
    name_weights = _name_weights(names, query, index, settings)
    kept = name_weights > 0
    source, names, weights = source[kept], names[kept], (weights * name_weights)[kept]
    owner, place = index.entity_chunks.gather(names)
    share = 1 - settings.headline * (1 - index.named_in_title[place])
    gains = weights[owner] * index.entity_chunks.values[place] * share
    targets = index.entity_chunks.columns[place]
    same_document = index.document_of[seeds[source[owner]]] == index.document_of[targets]
    gains = np.where(same_document, settings.inside, 1.0) * gains
    return _of_kind(kind, source[owner], targets, names[owner], gains)


def _name_weights(names: Numbers, query: AnalyzedQuery | None, index: Index, settings: RetrieveSettings) -> Weights:
    """Return the weight of each name as an edge: its rarity times the share of its words not in the question."""
    chunks = index.name_frequency[names]
    rare: Weights = np.maximum(0, 1 - np.log(np.maximum(chunks, 1)) / np.log(max(index.size, 2))).astype(np.float32)
    rare[chunks > max(ALWAYS_FOLLOWED, settings.common * index.size)] = 0
    if query is not None:
        rare[np.isin(names, list(query.entities))] = 0
        owner, place = index.name_terms.gather(names)
        in_question = np.bincount(owner, np.isin(index.name_terms.columns[place], query.numbers), len(names))
        rare *= 1 - in_question / np.maximum(np.bincount(owner, minlength=len(names)), 1)
    return rare


def _by_references(seeds: Numbers, focus: Weights, index: Index, settings: RetrieveSettings) -> Hops:
    if not settings.references:
        return _NO_HOPS
    source, place = index.chunk_references.gather(seeds)
    owner, to = index.document_chunks.gather(index.chunk_references.columns[place])
    referring = np.maximum(index.reference_counts[index.chunk_references.columns[place]], 1)
    rare = 1 - np.log(referring) / np.log(max(len(index.documents), 2))
    each = settings.references * rare / np.sqrt(index.chunk_references.counts()[seeds[source]])
    gains = (each * index.chunk_references.values[place])[owner]
    targets = index.document_chunks.columns[to]
    return _of_kind(EdgeKind.REFERENCES, source[owner], targets, np.full(len(targets), -1), gains * focus[targets])


def _to_neighbours(seeds: Numbers, index: Index, settings: RetrieveSettings) -> Hops:
    if not settings.next:
        return _NO_HOPS
    source, place = index.chunk_neighbours.gather(seeds)
    targets = index.chunk_neighbours.columns[place]
    gains = np.full(len(targets), settings.next, dtype=np.float32)
    return _of_kind(EdgeKind.NEXT, source, targets, np.full(len(targets), -1), gains)


def _of_kind(
    kind: EdgeKind, sources: NDArray[np.int64], targets: Numbers, through: NDArray[np.integer], gains: Weights
) -> Hops:
    kinds = np.full(len(targets), KINDS.index(kind), dtype=np.int8)
    return Hops(sources.astype(np.int32), targets, through.astype(np.int32), kinds, gains.astype(np.float32))
