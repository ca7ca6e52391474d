"""A question analyzed against the corpus: its terms with their weights, the names in it, and the tags it leads to."""

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

TAG_LIKENESS = 0.6
"""Likeness from which a tag counts as another word for one that no chunk holds (`Scale.likeness`); not tuned."""
_WORDS_KEPT = 4096
"""Words whose nearest tag is kept, as long as the documents stay as they are."""
_SHORTEST_WORD = 4
"""Letters of a word that is compared with tags by its vector: those of shorter ones tell little."""


@dataclass(frozen=True)
class AnalyzedQuery:
    """A question's terms, and what it names.

    `language` is that of the question. `words` are its terms as the corpus has them, `weights` their inverse document
    frequencies; `ideal` is the sum of these, the BM25 score of a text of mean length with each term once.

    `entities` and `titles` have the entities and documents that the question names, by number, with a weight in [0, 1]:
    by the rarity of the name, and less inside a longer name. `matched_names` has the name by which a document was
    found. `tags` are the tags that the question leads to.
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
        """The terms as the question has them."""
        return tuple(word.term for word in self.words)

    @cached_property
    def numbers(self) -> Numbers:
        """The numbers in the index of all terms that stand for a word of the question itself."""
        return np.array(sorted({number for word in self.words for number, _ in word.exact}), dtype=np.int32)


def analyze_query(
    text: str,
    index: Index,
    tags: tuple[TagPair, ...] = (),
    corpus: CorpusWords | None = None,
    tag_words: float = 1.0,
) -> AnalyzedQuery:
    """Return `text` analyzed against `index`; `tags` are those that it leads to (`TagMap.map`), and expand it.

    `corpus` is `CorpusWords(index)`, which a caller with many questions keeps; `tag_words` is the weight, 0 to 1, of
    the words by which tags expand the question.
    """
    corpus = corpus or CorpusWords(index)
    language = question_language(text, index.languages, corpus.stands)
    own = corpus.of(text, language)
    said = {word.term for word in own}
    expanding = expansion(tags, corpus, main_language(index)) if tag_words else ()
    added = [(word, tag_words * weight) for word, weight in expanding if word.term not in said]
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
    """Return the language of most chunks, "" where that is not known."""
    return index.languages[0] if index.languages else ""


def _inverse_frequency(index: Index, word: QuestionWord) -> float:
    """The inverse document frequency of a word; of one that no chunk has, that of the words near to it."""
    if word.exact:
        return bm25.inverse_frequency(index.size, sum(len(chunks_of(index, *pair)) for pair in word.exact))
    near = [index.postings.columns_of(number) for number in word.near]
    return bm25.inverse_frequency(index.size, len(np.unique(np.concatenate(near))) if near else 0)


def rarity(index: Index, chunks: int) -> float:
    """Return 1 for what stands in one chunk, 0 for what stands in all, by the logarithm of their number."""
    return max(0.0, 1 - math.log(max(chunks, 1)) / math.log(max(index.size, 2)))


def coverage(query: AnalyzedQuery, index: Index) -> Weights:
    """Return BM25's term factor for each term and chunk, shape (terms, chunks).

    0 where the chunk has not the term, 1 for a term that stands once in a chunk of mean length, at most K1 + 1. Terms
    near to one of the question count less, and together no more than `NEAR`.
    """
    norms = bm25.length_norms(index.lengths)
    found = np.zeros((len(query.words), index.size), dtype=np.float32)
    for row, word in zip(found, query.words, strict=True):
        for chunks, counts, most in _counts(word, index):
            row[chunks] = np.maximum(row[chunks], _saturated(counts, norms[chunks], most))
    return found


def around(query: AnalyzedQuery, covered: Weights, index: Index) -> Weights:
    """Return for each chunk how much more of the question its document says than the chunk does.

    The share of the question's weight in terms, by BM25 over whole documents; `covered` is `coverage(query, index)`.
    """
    lengths = np.bincount(index.document_of, index.lengths, len(index.documents)).astype(np.float32)
    norms = bm25.length_norms(lengths)
    found = np.zeros(index.size, dtype=np.float32)
    for weight, row, word in zip(query.weights, covered, query.words, strict=True):
        said = np.zeros(len(index.documents), dtype=np.float32)
        for chunks, counts, most in _counts(word, index):
            whole = np.bincount(index.document_of[chunks], counts, len(index.documents)).astype(np.float32)
            np.maximum(said, _saturated(whole, norms, most), out=said)
        if said.any():
            found += weight * np.maximum(0, said[index.document_of] - row)
    return found / np.float32(query.ideal)


def _counts(word: QuestionWord, index: Index) -> Iterator[tuple[Numbers, Weights, float]]:
    """The chunks that have what is near to a word, and those that have the word: how often, and the most it counts."""
    postings = index.postings
    if word.near:
        near = [(postings.columns_of(one), weight * postings.values_of(one)) for one, weight in word.near.items()]
        yield *_added_up(near), NEAR
    if word.exact:
        places = [chunks_of(index, *pair) for pair in word.exact]
        yield *_added_up([(postings.columns[one], postings.values[one]) for one in places]), bm25.K1 + 1


def _added_up(found: Sequence[tuple[Numbers, Weights]]) -> tuple[Numbers, Weights]:
    """Chunks with their counts, each chunk once."""
    if len(found) == 1:
        return found[0]
    chunks, place = np.unique(np.concatenate([one for one, _ in found]), return_inverse=True)
    return chunks, np.bincount(place, np.concatenate([counts for _, counts in found])).astype(np.float32)


def _saturated(counts: Weights, norms: Weights, most: float) -> Weights:
    found: Weights = np.minimum(counts * np.float32(bm25.K1 + 1) / (counts + norms), np.float32(most))
    return found


def matched_terms(query: AnalyzedQuery, index: Index) -> dict[str, float]:
    """Return what a question looks for in texts, as `VectorStore.match` takes it."""
    names = index.terms
    found = {names[number]: weight for word in query.words for number, weight in word.near.items()}
    return found | {names[number]: 1.0 for word in query.words for number, _ in word.exact}


def _known_names(text: str, language: str, index: Index) -> Iterator[tuple[str, float]]:
    """Yield the names in a question that the index knows, the longest first, each with its weight."""
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
    """How much a title in the question tells: by the chunks with all its terms, and the documents that it may name."""
    numbers = [index.vocabulary.get(term, -1) for term in terms(key, main_language(index))]
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
    meaning to a word that no chunk holds, in a language that the embedder was made for.
    """

    def __init__(
        self, index: Index, vectors: VectorStore, embedder: Embedder, scale: Scale, pairs: Sequence[TagPair] = ()
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._words = CorpusWords(index)
        self._known = QueryTags(index.tag_names_by_form, pairs)
        # Of no method of its own: the map would hold itself, and its index stay in memory when another replaces it.
        self._nearest = lru_cache(maxsize=_WORDS_KEPT)(partial(_nearest_tag, vectors, embedder, scale, index))

    def map(self, question: str) -> tuple[TagPair, ...]:
        """Return the question's terms with the tags that they lead to, the surest first, each tag once.

        The weight is 1 for a tag that the question names, the pair's for one that a pair leads to, the likeness for
        one near in meaning.
        """
        if not self._index.tag_ids:
            return ()
        mapped = {pair.corpus_tag: pair for pair in (*self._near(question), *reversed(self._known.map(question)))}
        return tuple(sorted(mapped.values(), key=lambda pair: (-pair.weight, pair.corpus_tag)))

    def _near(self, question: str) -> Iterator[TagPair]:
        language = question_language(question, self._index.languages, self._words.stands)
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
        likeness = scale.likeness(RecordKind.TAG, found.score)
        tag = index.tag_ids.place(found.id)
        if likeness >= TAG_LIKENESS and tag >= 0:
            return TagPair(word, index.tag_names[tag], round(likeness, 4))
    return None


def with_terms(query: str, terms: Sequence[TagPair]) -> str:
    """Return a query with what the documents call the things in it, for a vector that is near to both.

    >>> with_terms("Why is the box hot?", (TagPair("box", "charge controller"),))
    'Why is the box hot? charge controller'
    """
    return " ".join([query, ", ".join(dict.fromkeys(pair.corpus_tag for pair in terms))]).rstrip()


def expansion(
    tags: Sequence[TagPair], corpus: CorpusWords, language: str = ""
) -> tuple[tuple[QuestionWord, float], ...]:
    """Return the words by which tags expand the question, with their weights: those that it does not have itself.

    A tag is read as `language`, and stands for its words in each language of the corpus.
    """
    added: dict[str, tuple[QuestionWord, float]] = {}
    for pair in tags:
        said = set(terms(pair.query_term, language))
        named = {word.term: word for word in corpus.of(pair.corpus_tag, language)}
        if pair.weight < 1 or not named.keys() <= said:
            for term in named.keys() - said:
                weight = max(pair.weight, added[term][1] if term in added else 0.0)
                added[term] = (QuestionWord(term, named[term].exact), weight)
    return tuple(added[term] for term in sorted(added))
