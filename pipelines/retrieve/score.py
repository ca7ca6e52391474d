"""The scores of chunks, the selection of the best, and the components of a score (PIKE-RAG 5.2.3, figure 8).

The formula and an example are documented at `pipelines.retrieve.retriever.Retriever`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pipelines.core.graph import EdgeKind
from pipelines.retrieve.hit import Share
from pipelines.retrieve.index import Index
from pipelines.retrieve.layers import LayerSimilarities, LayerSimilarity
from pipelines.retrieve.named_documents import NamedDocuments
from pipelines.retrieve.propagate import KINDS, Hops, PropagationRound, best_of, propagate
from pipelines.retrieve.query import AnalyzedQuery
from pipelines.retrieve.sparse_rows import Weights
from pipelines.sections import RetrieveSettings

POOL = 4
"""Chunks are selected among this many times the number wanted, those with the best scores; not tuned."""
_OF_THE_DOCUMENT = frozenset({"title", "document_words", "inside"})
"""Parts of a score that are reported as the layer "document"."""
_LEAST_SHARE = 1e-6
"""Smaller components of a score are not reported."""


@dataclass(frozen=True, slots=True)
class QueryFeatures:
    """The input for the scores of a question, independent of the weights.

    `covered` is `coverage(query, index)`; a chunk with `mask` 0 gets no score and passes none on. `inside` has the
    documents that the question names, each with the similarities to the rest of the question.
    """

    query: AnalyzedQuery
    covered: Weights
    layers: LayerSimilarities
    mask: Weights | None = None
    inside: tuple[tuple[NamedDocuments, LayerSimilarities], ...] = ()


@dataclass(frozen=True, slots=True)
class ChunkScores:
    """`total` is the score x of each chunk, `direct` has its parts by layer, `rounds` the propagated parts."""

    total: Weights
    direct: Mapping[str, Weights]
    rounds: tuple[PropagationRound, ...]


def score_chunks(features: QueryFeatures, index: Index, settings: RetrieveSettings) -> ChunkScores:
    """Return the scores of all chunks."""
    settings = _adapted(features, index, settings)
    own = _own_parts(features.layers, settings)
    if features.inside:
        own["inside"] = _inside(features, _sum(own, index.size), index, settings)
    focus = _focus(_sum(own, index.size), index, settings.focus)
    direct = own | {name: part * focus for name, part in _document_parts(features.layers, settings).items()}
    base = _sum(direct, index.size)
    if features.mask is not None:
        base = base * features.mask
    rounds = propagate(features.query, features.covered, base, focus, index, settings) if settings.hop else []
    total = base
    for one in rounds:
        total = total + one.gain + np.float32(settings.back) * one.passed_on
    return ChunkScores(total if features.mask is None else total * features.mask, direct, tuple(rounds))


def select_chunks(
    scores: ChunkScores, features: QueryFeatures, index: Index, limit: int, settings: RetrieveSettings
) -> list[int]:
    """Return the numbers of the best chunks, best first, ties by number.

    They are chosen one after the other: the value of a chunk is raised if it has terms of the question that no chosen
    chunk has (`fresh`), and lowered if its document was chosen before (`again`). All chunks of a document that the
    question names have the terms of its name. If no chunk has a score, the nearest ones by vector are returned.
    """
    pool = best_of(scores.total, limit * POOL)
    covered = np.minimum(features.covered[:, pool], 1.0)
    weights = features.query.weights / features.query.ideal
    value = scores.total[pool].astype(np.float64)
    documents = index.document_of[pool]
    for named, _ in features.inside:
        inside = np.isin(documents, named.documents)
        for place in named.places:
            covered[place, inside] = 1.0
    open_terms = np.ones(len(weights))
    chosen: list[int] = []
    left = np.ones(len(pool), dtype=bool)
    while left.any() and len(chosen) < limit:
        fresh = (open_terms * weights) @ covered
        pick = int(np.argmax(np.where(left, value * (1 + settings.fresh * fresh), -1.0)))
        chosen.append(int(pool[pick]))
        left[pick] = False
        value[documents == documents[pick]] *= 1 - settings.again
        open_terms *= 1 - covered[:, pick]
    return chosen or features.layers.nearest[:limit].tolist()


def squash(x: float) -> float:
    """Return x / (1 + x), which maps scores from 0 to infinity to [0, 1)."""
    return x / (1.0 + x)


def _adapted(features: QueryFeatures, index: Index, settings: RetrieveSettings) -> RetrieveSettings:
    """Return the settings adapted to a question: if its words are not those of the corpus, terms get less weight.

    Such a question shares words with a chunk by chance, and vectors are more reliable. It is detected by the share of
    its weight that the best chunk covers, with the words for its document (`worded`, chosen on the questions of
    `benchmarks/sets.toml` and of one file of `benchmarks/questions`). If the question is in another language than that
    chunk, the weights are kept: the shared words are then names, which are reliable.
    """
    layers, query = features.layers, features.query
    if not layers.readable.any():  # only terms can be compared
        return settings
    shares = question_share(features)
    best = int(np.argmax(shares))
    if index.languages[index.language_of[best]] != query.language:
        return settings
    share = min(1.0, float(shares[best]) / settings.worded) ** 2
    lowered = {name: share * getattr(settings, name) for name in ("lexical", "document", "title", "called")}
    return settings.model_copy(update=lowered) if share < 1 else settings


def question_share(features: QueryFeatures) -> Weights:
    """Return for each chunk the share of the question's weight that it covers, with the words for its document."""
    query = features.query
    shares: Weights = query.weights @ np.minimum(features.covered, 1.0) / query.ideal + features.layers.document_words
    return shares


def _own_parts(layers: LayerSimilarities, settings: RetrieveSettings) -> dict[str, Weights]:
    """Return the parts of the score that depend on the chunk itself."""
    found = {
        "chunk": _mixed(layers.chunk, settings.chunk, layers.readable, settings),
        "summary": _mixed(layers.summary, settings.summary, layers.readable, settings),
        "atom": _mixed(layers.atom, settings.atom, layers.readable, settings),
        "entity": _weighted(layers.entity, settings.entity),
        "tag": _weighted(layers.tag, settings.tag),
    }
    return {name: part for name, part in found.items() if part is not None}


def _inside(features: QueryFeatures, own: Weights, index: Index, settings: RetrieveSettings) -> Weights:
    """Return what the chunks of the documents that a question names gain by the rest of it.

    Their parts for the rest are scaled so that the best one is as good as the best chunk for the whole question.
    """
    gain = np.zeros_like(own)
    for named, layers in features.inside:
        rest = _sum(_own_parts(layers, settings), index.size)
        for document in named.documents:
            mine = np.flatnonzero(index.document_of == document)
            if (best := float(rest[mine].max())) > 0:
                gain[mine] = np.maximum(0, rest[mine] * (own[mine].max() / best) - own[mine])
    return gain


def _document_parts(layers: LayerSimilarities, settings: RetrieveSettings) -> dict[str, Weights]:
    """Return the parts of the score that depend on the chunk's document."""
    found = {
        "document": _weighted(layers.document, settings.document),
        "title": _weighted(layers.title, settings.title),
        "document_words": _weighted(layers.document_words, settings.called),
    }
    return {name: part for name, part in found.items() if part is not None}


def _mixed(layer: LayerSimilarity, weight: float, readable: Weights, settings: RetrieveSettings) -> Weights | None:
    """Return the part of a layer: the weighted lexical and dense similarity, with `soft_count` for further records.

    If vectors cannot be compared (`LayerSimilarities.readable`), only the lexical similarity counts.
    """
    if not weight:
        return None
    by_vector = np.float32(weight * (1 - settings.lexical)) * readable
    by_terms = np.float32(weight) - by_vector
    soft = np.float32(settings.soft_count)
    found: Weights = by_terms * layer.lexical + by_vector * layer.dense
    if soft:
        found += soft * (by_terms * layer.rest_lexical + by_vector * layer.rest_dense)
    return found


def _weighted(part: Weights, weight: float) -> Weights | None:
    return part * np.float32(weight) if weight else None


def _sum(parts: Mapping[str, Weights], size: int) -> Weights:
    total: Weights = np.zeros(size, dtype=np.float32)
    for part in parts.values():
        total = total + part
    return total


def _focus(own: Weights, index: Index, power: float) -> Weights:
    """Return each chunk's share of its document's parts: (own part / highest own part in the document) ** power."""
    best: Weights = np.zeros(len(index.documents), dtype=np.float32)
    np.maximum.at(best, index.document_of, own)
    best_of_document: Weights = best[index.document_of]
    share: Weights = np.ones_like(own)
    np.divide(own, best_of_document, out=share, where=best_of_document > 0)
    return np.power(share, np.float32(power), dtype=np.float32)


def explain(
    chunk: int, features: QueryFeatures, scores: ChunkScores, index: Index, settings: RetrieveSettings
) -> tuple[Share, ...]:
    """Return the components of a chunk's score, largest first; they add up to the score."""
    total = float(scores.total[chunk])
    if total <= 0:
        return ()
    factor = squash(total) / total
    parts = [*_direct(chunk, features, scores, index), *_propagated(chunk, scores.rounds, index, settings.back)]
    shares = (
        Share(part.layer, part.score * factor, part.detail, part.path) for part in parts if part.score > _LEAST_SHARE
    )
    return tuple(sorted(shares, key=lambda share: -share.score))


def _direct(chunk: int, features: QueryFeatures, scores: ChunkScores, index: Index) -> Iterator[Share]:
    query = features.query
    for layer, part in scores.direct.items():
        detail = ""
        if layer == "title":
            detail = query.matched_names.get(int(index.document_of[chunk]), "")
        elif layer == "inside":
            names = (named.words for named, _ in features.inside if index.document_of[chunk] in named.documents)
            detail = next(names, "")
        elif layer == "entity":
            detail = _shared_name(chunk, query, index)
        yield Share("document" if layer in _OF_THE_DOCUMENT else layer, float(part[chunk]), detail)


def _shared_name(chunk: int, query: AnalyzedQuery, index: Index) -> str:
    """Return the rarest name that a chunk shares with the question."""
    shared = [int(entity) for entity in index.chunk_entities.columns_of(chunk) if int(entity) in query.entities]
    counts = index.entity_chunks.counts()
    return index.entity_names[min(shared, key=lambda entity: counts[entity])] if shared else ""


def _propagated(chunk: int, rounds: Sequence[PropagationRound], index: Index, back: float) -> Iterator[Share]:
    for number, one in enumerate(rounds):
        if one.gain[chunk] > 0:
            kind, path = _path_into(chunk, rounds[: number + 1], index)
            yield Share(kind.value, float(one.gain[chunk]), "", path)
        if one.passed_on[chunk] > 0 and back:
            kind, path = _path_out_of(chunk, one.hops, index)
            yield Share(kind.value, back * float(one.passed_on[chunk]), "leads on", path)


def _path_out_of(chunk: int, hops: Hops, index: Index) -> tuple[EdgeKind, tuple[str, ...]]:
    """Return the kind of the best hop out of a chunk, and the names along it."""
    out = np.flatnonzero(hops.sources == chunk)
    hop = int(out[np.argmax(hops.gains[out])])
    names = (_title(chunk, index), *_through(hop, hops, index), _title(int(hops.targets[hop]), index))
    return KINDS[hops.kinds[hop]], names


def _path_into(chunk: int, rounds: Sequence[PropagationRound], index: Index) -> tuple[EdgeKind, tuple[str, ...]]:
    """Return the kind of the best hop into a chunk in the last round, and the names along the path to it."""
    hops = rounds[-1].hops
    into = np.flatnonzero(hops.targets == chunk)
    hop = int(into[np.argmax(hops.gains[into])])
    source = int(hops.sources[hop])
    before = _path_into(source, rounds[:-1], index)[1] if len(rounds) > 1 else (_title(source, index),)
    return KINDS[hops.kinds[hop]], (*before, *_through(hop, hops, index), _title(chunk, index))


def _through(hop: int, hops: Hops, index: Index) -> tuple[str, ...]:
    entity = int(hops.through[hop])
    return (index.entity_names[entity],) if entity >= 0 else ()


def _title(chunk: int, index: Index) -> str:
    document = int(index.document_of[chunk])
    return index.titles[document] or index.uris[document]
