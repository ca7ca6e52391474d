"""A question analyzed against the corpus: its terms with their weights, the names in it, and the tags it leads to."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from pipelines.atomize.tags import QueryTags
from pipelines.core.knowledge import Tag, TagPair
from pipelines.lang import bm25
from pipelines.lang.terms import terms, words
from pipelines.lang.words import STOP_WORDS
from pipelines.llm.embedder import Embedder, Side
from pipelines.retrieve.index import INNER_NAME, Index, Numbers, SparseRows, Weights, word_ngrams
from pipelines.store.vector import RecordKind, VectorStore

TAG_COSINE = 0.6
"""Cosine from which a tag counts as another word for one that no chunk holds; not tuned."""
_SHORTEST_WORD = 4
"""Letters of a word that is compared with tags by its vector: those of shorter ones tell little."""


@dataclass(frozen=True, slots=True)
class AnalyzedQuery:
    """A question's terms, and what it names.

    `terms[i]` has the number `numbers[i]` in the index (-1: in no chunk) and the inverse document frequency
    `weights[i]`; `ideal` is their sum, the BM25 score of a text of mean length with each term once.

    `entities` and `titles` have the entities and documents that the question names, by number, with a weight in [0, 1]:
    by the rarity of the name, and less inside a longer name. `matched_names` has the name by which a document was
    found. `tags` are the tags that the question leads to.
    """

    text: str
    terms: tuple[str, ...]
    numbers: Numbers
    weights: Weights
    ideal: float
    entities: Mapping[int, float] = field(default_factory=dict)
    titles: Mapping[int, float] = field(default_factory=dict)
    matched_names: Mapping[int, str] = field(default_factory=dict)
    tags: tuple[TagPair, ...] = ()


def analyze_query(text: str, index: Index, tags: tuple[TagPair, ...] = ()) -> AnalyzedQuery:
    """Return `text` analyzed against `index`; `tags` are those that it leads to (`TagMap.map`), and expand it."""
    own = terms(text)
    added = {term: weight for term, weight in expansion_terms(tags) if term not in own}
    found = tuple(dict.fromkeys([*own, *added]))
    numbers = np.array([index.vocabulary.get(term, -1) for term in found], dtype=np.int32)
    weights = np.array([_inverse_frequency(index, int(number)) for number in numbers], dtype=np.float32)
    for term, weight in added.items():
        weights[found.index(term)] *= weight
    entities: dict[int, float] = {}
    titles: dict[int, float] = {}
    matched_names: dict[int, str] = {}
    for key, weight in _known_names(text, index):
        for entity in index.entities_by_name.get(key, ()):
            entities.setdefault(entity, weight)
        documents = index.documents_by_title.get(key, ())
        title_weight = weight * _title_rarity(key, index) if documents else 0.0
        for document in documents:
            titles.setdefault(document, title_weight)
            matched_names.setdefault(document, key)
    ideal = float(weights.sum()) or 1.0
    return AnalyzedQuery(text, found, numbers, weights, ideal, entities, titles, matched_names, tags)


def _inverse_frequency(index: Index, number: int) -> float:
    """The inverse document frequency of a term; of one that no chunk has (-1), the highest there is."""
    return bm25.inverse_frequency(index.size, len(index.postings.columns_of(number)) if number >= 0 else 0)


def rarity(index: Index, chunks: int) -> float:
    """Return 1 for what stands in one chunk, 0 for what stands in all, by the logarithm of their number."""
    return max(0.0, 1 - math.log(max(chunks, 1)) / math.log(max(index.size, 2)))


def coverage(query: AnalyzedQuery, index: Index) -> Weights:
    """Return BM25's term factor for each term and chunk, shape (terms, chunks).

    0 where the chunk has not the term, 1 for a term that stands once in a chunk of mean length, at most K1 + 1.
    """
    found = np.zeros((len(query.terms), index.size), dtype=np.float32)
    norms = bm25.length_norms(index.lengths)
    for row, number in enumerate(query.numbers):
        if number >= 0:
            chunks, counts = index.postings.columns_of(number), index.postings.values_of(number)
            found[row, chunks] = counts * (bm25.K1 + 1) / (counts + norms[chunks])
    return found


def _known_names(text: str, index: Index) -> Iterator[tuple[str, float]]:
    """Yield the names in `text` that the index knows, the longest first, each with its weight."""
    taken: list[tuple[int, int]] = []
    for start, end, key in word_ngrams(text):
        if len(key) < 2 or key in STOP_WORDS or not (key in index.entities_by_name or key in index.documents_by_title):
            continue
        is_inner = any(first <= start and end <= last for first, last in taken)
        if not is_inner:
            taken.append((start, end))
        yield key, INNER_NAME if is_inner else 1.0


def _title_rarity(key: str, index: Index) -> float:
    """How much a title in the question tells: by the chunks with all its terms, and the documents that it may name."""
    numbers = [index.vocabulary.get(term, -1) for term in terms(key)]
    chunks, documents = _with_all(numbers, index.postings), _with_all(numbers, index.term_documents)
    return rarity(index, index.size if chunks is None else chunks) / math.sqrt(max(1, documents or 1))


def _with_all(numbers: Sequence[int], rows: SparseRows) -> int | None:
    """The number of columns that all these rows have, unknown ones (-1) left out; None where all are unknown."""
    known = [rows.columns_of(number) for number in numbers if number >= 0]
    if not known:
        return None
    common = known[0]
    for other in known[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return len(common)


class TagMap:
    """Maps the terms of a question to the corpus's tags (PIKE-RAG 5.2.2).

    A tag is found where the question names it, where a learned pair of `pairs` leads to it, or where it is near in
    meaning to a word that no chunk holds.
    """

    def __init__(self, index: Index, vectors: VectorStore, embedder: Embedder, pairs: Sequence[TagPair] = ()) -> None:
        self._index = index
        self._vectors = vectors
        self._embedder = embedder
        self._names = dict(zip(index.tag_ids, index.tag_names, strict=True))
        tags = [
            Tag(id, name, aliases=tuple(aliases))
            for id, (name, *aliases) in zip(index.tag_ids, index.tag_spellings, strict=True)
        ]
        self._known = QueryTags(tags, pairs)

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with the tags that they lead to, the surest first, each tag once.

        The weight is 1 for a tag that the question names, the pair's for one that a pair leads to, the cosine for one
        near in meaning.
        """
        if not self._names:
            return ()
        mapped = {pair.corpus_tag: pair for pair in (*self._near(question), *reversed(self._known.map(question)))}
        return tuple(sorted(mapped.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _near(self, question: str) -> Iterator[TagPair]:
        for word in dict.fromkeys(words(question)):
            if len(word) < _SHORTEST_WORD or word in STOP_WORDS or self._is_known(word):
                continue
            vector = self._embedder.embed([word], Side.QUERY)[0]
            for found in self._vectors.search(RecordKind.TAG, vector, 1):
                if found.score >= TAG_COSINE and found.id in self._names:
                    yield TagPair(word, self._names[found.id], round(found.score, 4))

    def _is_known(self, word: str) -> bool:
        return any(term in self._index.vocabulary for term in terms(word))


def expansion_terms(tags: Sequence[TagPair]) -> tuple[tuple[str, float], ...]:
    """Return the terms by which tags expand the question, with their weights: those that it does not have itself."""
    added: dict[str, float] = {}
    for pair in tags:
        if pair.weight < 1 or not set(terms(pair.corpus_tag)) <= set(terms(pair.query_term)):
            for term in set(terms(pair.corpus_tag)) - set(terms(pair.query_term)):
                added[term] = max(added.get(term, 0.0), pair.weight)
    return tuple(sorted(added.items()))
