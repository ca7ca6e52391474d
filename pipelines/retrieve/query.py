"""Analysis of a question against the corpus: its weighted terms, and the names and tags that it mentions."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache, partial

import numpy as np

from pipelines.atomize.tags import QueryTags
from pipelines.core.knowledge import TagPair
from pipelines.lang import bm25
from pipelines.lang.questions import question_language
from pipelines.lang.terms import stop_words, terms, words
from pipelines.llm.embedder import Embedder, Side
from pipelines.llm.embedders import reads
from pipelines.retrieve.index import INNER_NAME, Index, common_keys, word_ngrams
from pipelines.retrieve.index_cache import Scale
from pipelines.retrieve.question_words import NEAR, CorpusWords, QuestionWord, chunks_of
from pipelines.retrieve.sparse_rows import Numbers, SparseRows, Weights
from pipelines.store.vector import RecordKind, VectorStore

TAG_SIMILARITY = 0.6
"""Minimum similarity (`Scale.similarity`) of a tag that replaces a word missing from all chunks; not tuned."""
_CACHED_WORDS = 4096
"""Words whose nearest tag is cached."""
_SHORTEST_WORD = 4
"""Minimum letters of a word that is compared with tags by its vector; vectors of shorter words are unreliable."""


@dataclass(frozen=True)
class AnalyzedQuery:
    """The terms of a question, and the names and tags that it mentions.

    - `language`: the language of the question.
    - `words`, `weights`: its terms looked up in the corpus, and their inverse document frequencies.
    - `ideal`: the sum of the weights, the BM25 score of a text of mean length with each term once.
    - `entities`, `titles`: the numbers of the entities and documents named in the question, with weights in [0, 1] that
      depend on the name's rarity, and are lower inside a longer name.
    - `matched_names`: the name by which each document was found.
    - `tags`: the tags found for the question.
    """

    text: str
    language: str
    words: tuple[QuestionWord, ...]
    weights: Weights
    ideal: float
    entities: Mapping[int, float] = field(default_factory=dict)
    titles: Mapping[int, float] = field(default_factory=dict)
    matched_names: Mapping[int, str] = field(default_factory=dict)
    tags: tuple[TagPair, ...] = ()

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms of the question."""
        return tuple(word.term for word in self.words)

    @cached_property
    def numbers(self) -> Numbers:
        """The index numbers of all terms that match a word of the question exactly."""
        return np.array(sorted({number for word in self.words for number, _ in word.exact}), dtype=np.int32)


def analyze_query(
    text: str,
    index: Index,
    tags: tuple[TagPair, ...] = (),
    corpus: CorpusWords | None = None,
    tag_words: float = 1.0,
) -> AnalyzedQuery:
    """Return the analysis of `text` against `index`.

    `tags` are those of `TagMap.map`; their words expand the question with the weight `tag_words`, 0 to 1. `corpus` is
    `CorpusWords(index)`, which callers with many questions can pass to save time.
    """
    corpus = corpus or CorpusWords(index)
    language = question_language(text, index.languages, corpus.chunk_share)
    own = corpus.of(text, language)
    own_terms = {word.term for word in own}
    expanding = expansion(tags, corpus, main_language(index)) if tag_words else ()
    added = [(word, tag_words * weight) for word, weight in expanding if word.term not in own_terms]
    found = (*own, *(word for word, _ in added))
    weights = np.array([_inverse_frequency(index, word) for word in found], dtype=np.float32)
    weights[len(own) :] *= np.array([weight for _, weight in added], dtype=np.float32)
    entities: dict[int, float] = {}
    titles: dict[int, float] = {}
    matched_names: dict[int, str] = {}
    for key, weight in _known_names(text, language, index):
        for entity in index.entities_by_name.get(key, ()):
            entities.setdefault(entity, weight)
        documents = index.documents_by_title.get(key, ())
        title_weight = weight * _title_rarity(key, index) if documents else 0.0
        for document in documents:
            titles.setdefault(document, title_weight)
            matched_names.setdefault(document, key)
    ideal = float(weights.sum()) or 1.0
    return AnalyzedQuery(text, language, found, weights, ideal, entities, titles, matched_names, tags)


def main_language(index: Index) -> str:
    """Return the language of most chunks, or "" if it is unknown."""
    return index.languages[0] if index.languages else ""


def _inverse_frequency(index: Index, word: QuestionWord) -> float:
    """Return the inverse document frequency of a word, or of similar words if no chunk contains it."""
    if word.exact:
        return bm25.inverse_frequency(index.size, sum(len(chunks_of(index, *pair)) for pair in word.exact))
    near = [index.postings.columns_of(number) for number in word.near]
    return bm25.inverse_frequency(index.size, len(np.unique(np.concatenate(near))) if near else 0)


def documents_called(word: QuestionWord, index: Index) -> Numbers:
    """Return the numbers of the documents that readers may name by a word, each once."""
    called = [index.term_documents.columns_of(number) for number in {number for number, _ in word.exact}]
    return np.unique(np.concatenate(called)) if called else np.zeros(0, dtype=np.int32)


def rarity(index: Index, chunks: int) -> float:
    """Return the rarity of a name in this many chunks: 1 for one chunk, 0 for all, on a logarithmic scale."""
    return max(0.0, 1 - math.log(max(chunks, 1)) / math.log(max(index.size, 2)))


def coverage(query: AnalyzedQuery, index: Index) -> Weights:
    """Return BM25's term factor for each term and chunk, shape (terms, chunks).

    It is 0 if the term is not in the chunk, 1 if it occurs once in a chunk of mean length, and at most K1 + 1. Similar
    terms count less, together at most `NEAR`.
    """
    norms = bm25.length_norms(index.lengths)
    found = np.zeros((len(query.words), index.size), dtype=np.float32)
    for row, word in zip(found, query.words, strict=True):
        for chunks, counts, most in _counts(word, index):
            row[chunks] = np.maximum(row[chunks], _saturated(counts, norms[chunks], most))
    return found


def document_surplus(query: AnalyzedQuery, covered: Weights, index: Index) -> Weights:
    """Return for each chunk how much more of the question its document covers than the chunk itself.

    This is a share of the question's weight, with BM25 over whole documents; `covered` is `coverage(query, index)`.
    """
    lengths = np.bincount(index.document_of, index.lengths, len(index.documents)).astype(np.float32)
    norms = bm25.length_norms(lengths)
    found = np.zeros(index.size, dtype=np.float32)
    for weight, row, word in zip(query.weights, covered, query.words, strict=True):
        factors = np.zeros(len(index.documents), dtype=np.float32)
        for chunks, counts, most in _counts(word, index):
            whole = np.bincount(index.document_of[chunks], counts, len(index.documents)).astype(np.float32)
            np.maximum(factors, _saturated(whole, norms, most), out=factors)
        if factors.any():
            found += weight * np.maximum(0, factors[index.document_of] - row)
    return found / np.float32(query.ideal)


def _counts(word: QuestionWord, index: Index) -> Iterator[tuple[Numbers, Weights, float]]:
    """Yield the chunks with similar words, and those with the word itself: their numbers, counts and maximum factor."""
    postings = index.postings
    if word.near:
        near = [(postings.columns_of(one), weight * postings.values_of(one)) for one, weight in word.near.items()]
        yield *_summed(near), NEAR
    if word.exact:
        places = [chunks_of(index, *pair) for pair in word.exact]
        yield *_summed([(postings.columns[one], postings.values[one]) for one in places]), bm25.K1 + 1


def _summed(found: Sequence[tuple[Numbers, Weights]]) -> tuple[Numbers, Weights]:
    """Return each chunk once, with the sum of its counts."""
    if len(found) == 1:
        return found[0]
    chunks, place = np.unique(np.concatenate([one for one, _ in found]), return_inverse=True)
    return chunks, np.bincount(place, np.concatenate([counts for _, counts in found])).astype(np.float32)


def _saturated(counts: Weights, norms: Weights, most: float) -> Weights:
    found: Weights = np.minimum(counts * np.float32(bm25.K1 + 1) / (counts + norms), np.float32(most))
    return found


def matched_terms(query: AnalyzedQuery, index: Index) -> dict[str, float]:
    """Return the terms of a question with their weights, for `VectorStore.match`."""
    names = index.terms
    found = {names[number]: weight for word in query.words for number, weight in word.near.items()}
    return found | {names[number]: 1.0 for word in query.words for number, _ in word.exact}


def _known_names(text: str, language: str, index: Index) -> Iterator[tuple[str, float]]:
    """Yield the names in a question that are in the index, longest first, with their weights."""
    taken: list[tuple[int, int]] = []
    common = common_keys(language, main_language(index))
    for start, end, key in word_ngrams(text):
        if len(key) < 2 or key in common or not (key in index.entities_by_name or key in index.documents_by_title):
            continue
        is_inner = any(first <= start and end <= last for first, last in taken)
        if not is_inner:
            taken.append((start, end))
        yield key, INNER_NAME if is_inner else 1.0


def _title_rarity(key: str, index: Index) -> float:
    """Return the rarity of a title by the number of chunks with all its terms, and of documents that it may name."""
    numbers = [index.vocabulary.get(term, -1) for term in terms(key, main_language(index))]
    chunks, documents = _with_all(numbers, index.postings), _with_all(numbers, index.term_documents)
    return rarity(index, index.size if chunks is None else chunks) / math.sqrt(max(1, documents or 1))


def _with_all(numbers: Sequence[int], rows: SparseRows) -> int | None:
    """Return the number of columns common to all known rows (unknown: -1), or None if all are unknown."""
    known = [rows.columns_of(number) for number in numbers if number >= 0]
    if not known:
        return None
    common = known[0]
    for other in known[1:]:
        common = np.intersect1d(common, other, assume_unique=True)
    return len(common)


class TagMap:
    """Maps the terms of a question to the corpus's tags (PIKE-RAG 5.2.2).

    A tag is found if the question names it, if one of the learned `pairs` maps to it, or if it is similar to a word
    that is in no chunk, in a language that the embedder supports.
    """

    def __init__(
        self, index: Index, vectors: VectorStore, embedder: Embedder, scale: Scale, pairs: Sequence[TagPair] = ()
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._words = CorpusWords(index)
        self._known = QueryTags(index.tag_names_by_form, pairs)
        # Not a method: a reference cycle would keep a replaced index in memory.
        self._nearest = lru_cache(maxsize=_CACHED_WORDS)(partial(_nearest_tag, vectors, embedder, scale, index))

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with their tags, the highest weight first, each tag once.

        The weight is 1 for a tag named in the question, that of the pair for a learned one, else the similarity.
        """
        if not self._index.tag_ids:
            return ()
        mapped = {pair.corpus_tag: pair for pair in (*self._near(question), *reversed(self._known.map(question)))}
        return tuple(sorted(mapped.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _near(self, question: str) -> Iterator[TagPair]:
        language = question_language(question, self._index.languages, self._words.chunk_share)
        if not reads(self._embedder.info, language):
            return
        for word in dict.fromkeys(words(question)):
            if len(word) < _SHORTEST_WORD or word in stop_words(language) or self._is_known(word):
                continue
            pair = self._nearest(word)
            if pair is not None:
                yield pair

    def _is_known(self, word: str) -> bool:
        return any(
            term in self._index.vocabulary for language in self._index.languages for term in terms(word, language)
        )


def _nearest_tag(vectors: VectorStore, embedder: Embedder, scale: Scale, index: Index, word: str) -> TagPair | None:
    vector = embedder.embed([word], Side.QUERY)[0]
    for found in vectors.search(RecordKind.TAG, vector, 1):
        similarity = scale.similarity(RecordKind.TAG, found.score)
        tag = index.tag_ids.place(found.id)
        if similarity >= TAG_SIMILARITY and tag >= 0:
            return TagPair(word, index.tag_names[tag], round(similarity, 4))
    return None


def with_terms(query: str, terms: Sequence[TagPair]) -> str:
    """Return a query extended by the documents' terms for its words, so that its vector is similar to both.

    >>> with_terms("Why is the box hot?", (TagPair("box", "charge controller"),))
    'Why is the box hot? charge controller'
    """
    return " ".join([query, ", ".join(dict.fromkeys(pair.corpus_tag for pair in terms))]).rstrip()


def expansion(
    tags: Sequence[TagPair], corpus: CorpusWords, language: str = ""
) -> tuple[tuple[QuestionWord, float], ...]:
    """Return the words of tags that the question does not contain, with their weights.

    Tags are analyzed in `language` and matched in each language of the corpus.
    """
    added: dict[str, tuple[QuestionWord, float]] = {}
    for pair in tags:
        in_question = set(terms(pair.query_term, language))
        named = {word.term: word for word in corpus.of(pair.corpus_tag, language)}
        if pair.weight < 1 or not named.keys() <= in_question:
            for term in named.keys() - in_question:
                weight = max(pair.weight, added[term][1] if term in added else 0.0)
                added[term] = (QuestionWord(term, named[term].exact), weight)
    return tuple(added[term] for term in sorted(added))
