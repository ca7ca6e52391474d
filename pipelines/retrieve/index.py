"""The graph in memory, as retrieval reads it: nodes by number, edges as sparse rows, and names as they are compared."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from pipelines.core.ids import normalize
from pipelines.lang.names import kind_words
from pipelines.lang.terms import stop_words, terms

Numbers = NDArray[np.int32]
Weights = NDArray[np.float32]

_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(（][^)）]{0,200}[)）]")
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
INNER_NAME = 0.5
"""Weight of a name inside a longer one, in a question as in a chunk, against 1 for one that stands alone; not tuned."""
LONGEST_NAME = 8
"""Words of a name that is looked up in a question at most."""


@dataclass(frozen=True, slots=True)
class SparseRows:
    """A sparse matrix in compressed rows (CSR): row i has `columns[starts[i]:starts[i + 1]]`, ascending, and `values`.

    Nothing else needs scipy, whose `csr_array` this would be; and that one adds up repeated pairs.
    """

    starts: NDArray[np.int64]
    columns: Numbers
    values: Weights

    @property
    def size(self) -> int:
        """The number of rows."""
        return len(self.starts) - 1

    def columns_of(self, row: int) -> Numbers:
        return self.columns[self.starts[row] : self.starts[row + 1]]

    def values_of(self, row: int) -> Weights:
        return self.values[self.starts[row] : self.starts[row + 1]]

    def counts(self) -> Numbers:
        """Return how many entries each row has."""
        return np.diff(self.starts).astype(np.int32)

    def gather(self, rows: Numbers) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return all entries of `rows`, one row after the other: the place in `rows`, and the place in `columns`."""
        lengths = self.starts[rows + 1] - self.starts[rows]
        owner = np.repeat(np.arange(len(rows)), lengths)
        before = np.cumsum(lengths) - lengths
        places = np.arange(int(lengths.sum())) - before[owner] + self.starts[rows][owner]
        return owner, places

    def transposed(self, columns: int) -> SparseRows:
        """Return the transpose of a matrix of `columns` columns."""
        order = np.argsort(self.columns, kind="stable")
        rows = np.repeat(np.arange(self.size, dtype=np.int32), self.counts())[order]
        starts = np.zeros(columns + 1, dtype=np.int64)
        np.cumsum(np.bincount(self.columns, minlength=columns), out=starts[1:])
        return SparseRows(starts, rows, self.values[order])

    @staticmethod
    def from_pairs(pairs: Mapping[tuple[int, int], float] | Iterable[tuple[int, int, float]], rows: int) -> SparseRows:
        """Return the matrix of (row, column) to value; of a repeated pair the highest value counts."""
        items = ((r, c, v) for (r, c), v in pairs.items()) if isinstance(pairs, Mapping) else pairs
        flat = np.fromiter(chain.from_iterable(items), dtype=np.float64).reshape(-1, 3)  # no object for each number
        flat = flat[np.lexsort((-flat[:, 2], flat[:, 1], flat[:, 0]))]
        first = np.ones(len(flat), dtype=bool)
        first[1:] = (flat[1:, :2] != flat[:-1, :2]).any(axis=1)
        flat = flat[first]
        starts = np.zeros(rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(flat[:, 0].astype(np.int64), minlength=rows), out=starts[1:])
        return SparseRows(starts, flat[:, 1].astype(np.int32), flat[:, 2].astype(np.float32))


@dataclass(frozen=True)
class Index:
    """Chunks, documents, entities, tags and terms by number, each in order of id, and the edges between them.

    A field named `a_bs` has for each a the bs that it leads to: `chunk_entities` the entities that a chunk mentions,
    `entity_chunks` the chunks that mention an entity.

    Of chunks: `document_of`, the `pages` where they begin (0: none), their `lengths` in terms. `language_of` is the
    place of a chunk's language in `languages`, which are in order of their share, the largest first ("" where it is not
    known). `postings` has for each term the chunks that hold it, stemmed as a word of the chunk's language, and how
    often. A chunk mentions also the entities whose names are inside a longer name
    in it, with less weight. `chunk_references` leads to the documents that a chunk refers to, `chunk_neighbours` to the
    chunks before and behind.

    Of documents: `superseded_by` is the newest document that replaces each, or -1; `documents_by_title` leads from a
    title as `name_key` folds it to documents, `term_documents` from a term to the documents that a reader may call by
    it (`document_words`).

    Of entities: `name_frequency` is the number of chunks in which the name stands, `name_terms` its terms;
    `related_entities` leads along RELATED; `entities_by_name` leads from a folded name to entities. `named_in_title`
    says of each entry of `entity_chunks` whether the title of the chunk's document is the entity's name.

    `has_summaries` says whether there are summaries in words that are not their chunks' own. `tag_aliases` are the
    other spellings of each tag, one to a line; `tags_by_form` leads from the `tag_form` of a spelling to tags.
    """

    has_summaries: bool
    chunks: Sequence[str]
    documents: Sequence[str]
    uris: Sequence[str]
    titles: Sequence[str]
    media_types: Sequence[str]
    dates: Sequence[str]
    superseded_by: Numbers
    document_of: Numbers
    pages: Numbers
    languages: Sequence[str]
    language_of: Numbers
    lengths: Weights
    entities: Sequence[str]
    entity_names: Sequence[str]
    tag_ids: Sequence[str]
    tag_names: Sequence[str]
    tag_aliases: Sequence[str]
    chunk_entities: SparseRows
    entity_chunks: SparseRows
    related_entities: SparseRows
    chunk_references: SparseRows
    tag_chunks: SparseRows
    chunk_neighbours: SparseRows
    document_chunks: SparseRows
    named_in_title: NDArray[np.bool_]
    postings: SparseRows
    name_frequency: Numbers
    name_terms: SparseRows
    term_documents: SparseRows
    vocabulary: Mapping[str, int]
    entities_by_name: Mapping[str, tuple[int, ...]]
    documents_by_title: Mapping[str, tuple[int, ...]]
    tags_by_form: Mapping[str, tuple[int, ...]]

    @cached_property
    def reference_counts(self) -> Numbers:
        """How many chunks refer to each document."""
        return np.bincount(self.chunk_references.columns, minlength=len(self.documents)).astype(np.int32)

    @cached_property
    def terms(self) -> tuple[str, ...]:
        """The terms of the vocabulary by number."""
        return tuple(self.vocabulary)

    @cached_property
    def tag_spellings(self) -> tuple[tuple[str, ...], ...]:
        """Each tag's name and its other spellings."""
        return tuple(
            (name, *aliases.splitlines()) for name, aliases in zip(self.tag_names, self.tag_aliases, strict=True)
        )

    @property
    def size(self) -> int:
        """The number of chunks."""
        return len(self.chunks)

    def chunk_number(self, chunk: str) -> int | None:
        """Return the number of a chunk, None for an unknown one."""
        return _position(self.chunks, chunk)

    def document_number(self, document: str) -> int:
        """Return the number of a document. Raises KeyError."""
        number = _position(self.documents, document)
        if number is None:
            raise KeyError(document)
        return number


def _position(ids: Sequence[str], id: str) -> int | None:
    place = bisect_left(ids, id)
    return place if place < len(ids) and ids[place] == id else None


def name_key(text: str) -> str:
    """Return a name in words without accents, one blank between them: "Kenjirō" and "kenjiro" are one."""
    plain = normalize(text)
    return " ".join(_WORD.findall(plain if plain.isascii() else "".join(map(_without_accents, plain))))


def _without_accents(letter: str) -> str:
    """A Latin letter without its accents; letters of other scripts keep theirs."""
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter


@lru_cache(maxsize=64)
def common_keys(*languages: str) -> frozenset[str]:
    """Return the words of languages that name nothing, as names are looked up: "Más" may be a heading."""
    return frozenset(name_key(word) for language in languages for word in stop_words(language))


def title_keys(title: str, language: str = "") -> Iterator[str]:
    """Yield the folded names in a title: all of it, without what is in brackets, and up to its first comma.

    What has stop words of `language` alone is no name.
    """
    bare = _BRACKETS.sub("", title).strip()
    for form in dict.fromkeys((title, bare, bare.partition(",")[0])):
        key = name_key(form)
        if len(key) > 1 and not common_keys(language).issuperset(key.split()):
            yield key


def document_words(title: str, uri: str, media_type: str, language: str = "") -> list[str]:
    """Return the terms by which a reader may call a document: those of its title, its file name and its kind."""
    file = uri.rsplit("/", 1)[-1].rpartition(".")[0] if "." in uri else ""
    said = f"{title} {_CAMEL.sub(' ', file)} {kind_words(media_type, language)}"
    return list(dict.fromkeys(terms(said, language)))


def word_ngrams(text: str, longest: int = LONGEST_NAME) -> Iterator[tuple[int, int, str]]:
    """Yield all n-grams of up to `longest` words as (first word, end, key), the longest first."""
    words = name_key(text).split()
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            yield start, start + size, " ".join(words[start : start + size])
