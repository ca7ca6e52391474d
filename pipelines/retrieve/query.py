"""A question as the corpus sees it: its terms with their weight, and the names in it that the corpus knows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from pipelines.core.knowledge import TagPair
from pipelines.lang.terms import terms
from pipelines.lang.words import STOP_WORDS
from pipelines.retrieve.index import Atlas, Numbers, Weights
from pipelines.retrieve.names import runs
from pipelines.retrieve.tag_map import rewritten

K1, B = 1.2, 0.75
"""BM25's saturation and length normalization (Robertson and Zaragoza 2009, section 3)."""
INNER = 0.5
"""What a name inside a longer known name of the question counts."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`terms[i]` has the number `numbers[i]` in the atlas (-1: none) and the inverse frequency `weights[i]`;
    `ideal` is the sum of those, which a text that holds each term comes to.

    `entities` and `titles` are the entities and documents that the text names, with how much that tells: by rarity,
    and less inside a longer name. `called` is the name by which each was found.
    """

    text: str
    terms: tuple[str, ...]
    numbers: Numbers
    weights: Weights
    ideal: float
    entities: Mapping[int, float] = field(default_factory=dict)
    titles: Mapping[int, float] = field(default_factory=dict)
    called: Mapping[int, str] = field(default_factory=dict)
    mapped: tuple[TagPair, ...] = ()


def ask(text: str, atlas: Atlas, mapped: tuple[TagPair, ...] = ()) -> Asked:
    """Return `text` as `atlas` sees it; `mapped` are the tags of the corpus that its terms lead to."""
    own = terms(text)
    added = {term: weight for term, weight in rewritten(mapped) if term not in own}
    found = tuple(dict.fromkeys([*own, *added]))
    numbers = np.array([atlas.vocabulary.get(term, -1) for term in found], dtype=np.int32)
    weights = np.array([inverse_frequency(atlas, int(number)) for number in numbers], dtype=np.float32)
    for term, weight in added.items():
        weights[found.index(term)] *= weight
    entities: dict[int, float] = {}
    titles: dict[int, float] = {}
    called: dict[int, str] = {}
    for key, weight in _names(text, atlas):
        for entity in atlas.named.get(key, ()):
            entities.setdefault(entity, weight)
        documents = atlas.titles.get(key, ())
        told = weight * rarity(atlas, _holding(key, atlas)) / math.sqrt(_bearers(key, atlas)) if documents else 0.0
        for document in documents:
            titles.setdefault(document, told)
            called.setdefault(document, key)
    ideal = float(weights.sum()) or 1.0
    return Asked(text, found, numbers, weights, ideal, entities, titles, called, mapped)


def inverse_frequency(atlas: Atlas, number: int) -> float:
    """Return BM25's inverse document frequency of a term; of one that no chunk has, the highest there is."""
    have = len(atlas.postings.of(number)) if number >= 0 else 0
    return math.log(1 + (atlas.size - have + 0.5) / (have + 0.5))


def rarity(atlas: Atlas, chunks: int) -> float:
    """Return 1 for what stands in one chunk, 0 for what stands in all."""
    return max(0.0, 1 - math.log(max(chunks, 1)) / math.log(max(atlas.size, 2)))


def coverage(asked: Asked, atlas: Atlas) -> Weights:
    """Return how much of each term each chunk has, shape (terms, chunks): 0 for none, 1 in a chunk of mean length."""
    found = np.zeros((len(asked.terms), atlas.size), dtype=np.float32)
    norm = K1 * (1 - B + B * atlas.lengths / max(float(atlas.lengths.mean()), 1.0)) if atlas.size else atlas.lengths
    for row, number in enumerate(asked.numbers):
        if number >= 0:
            chunks, counts = atlas.postings.of(number), atlas.postings.values_of(number)
            found[row, chunks] = counts * (K1 + 1) / (counts + norm[chunks])
    return found


def _names(text: str, atlas: Atlas) -> Iterator[tuple[str, float]]:
    """Yield the names in `text` that the atlas knows, the longest first, those inside a longer one with less weight."""
    taken: list[tuple[int, int]] = []
    for start, end, key in runs(text):
        if len(key) < 2 or key in STOP_WORDS or not (key in atlas.named or key in atlas.titles):
            continue
        inside = any(first <= start and end <= last for first, last in taken)
        if not inside:
            taken.append((start, end))
        yield key, INNER if inside else 1.0


def _holding(key: str, atlas: Atlas) -> int:
    """The number of chunks that hold every term of a name."""
    numbers = [atlas.vocabulary.get(term, -1) for term in terms(key)]
    known = [atlas.postings.of(number) for number in numbers if number >= 0]
    if not known:
        return atlas.size
    held = known[0]
    for other in known[1:]:
        held = np.intersect1d(held, other, assume_unique=True)
    return len(held)


def _bearers(key: str, atlas: Atlas) -> int:
    """The number of documents that may be called so."""
    numbers = [atlas.vocabulary.get(term, -1) for term in terms(key)]
    sets = [atlas.callers.of(number) for number in numbers if number >= 0]
    if not sets:
        return 1
    held = sets[0]
    for other in sets[1:]:
        held = np.intersect1d(held, other, assume_unique=True)
    return max(1, len(held))
