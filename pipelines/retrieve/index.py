"""The retrieval index of a graph: numbered nodes, edges as sparse matrices, and folded names.

The index consists of arrays that may be memory-mapped: only the parts that a question needs are read.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from pipelines.atomize.tags import tag_form
from pipelines.core.ids import normalize
from pipelines.lang.names import kind_words
from pipelines.lang.terms import stop_words, terms
from pipelines.retrieve.sparse_rows import Numbers, SparseRows, Weights
from pipelines.retrieve.strings import SortedMap, Strings
from pipelines.store.graph import HASH_BYTES

_WORD = re.compile(r"[^\W_]+")
_BRACKETS = re.compile(r"(?:(?<!\s)\s++)?[(（][^)）]{0,200}[)）]")
INNER_NAME = 0.5
"""Weight of a name inside a longer one, in questions and chunks; a name of its own has 1. Not tuned."""
LONGEST_NAME = 8
"""Maximum words of a name that is looked up in a question."""


_STRINGS, _ROWS = {"empty": Strings.of(())}, {"empty": SparseRows.empty()}
_NUMBERS, _TRIPLES = {"empty": np.zeros(0, np.int32)}, {"empty": np.zeros((0, 3), np.int32)}
_WEIGHTS, _FLAGS = {"empty": np.zeros(0, np.float32)}, {"empty": np.zeros(0, np.bool_)}
_HASHES = {"empty": np.zeros((0, HASH_BYTES), np.uint8)}
"""The value of each kind of field in the index of an empty graph."""


@dataclass(frozen=True)
class Index:
    """Chunks, documents, entities, tags and terms, numbered in the order of their ids, and the edges between them.

    A field named `a_bs` maps each a to its bs: `chunk_entities` are the entities that a chunk mentions, `entity_chunks`
    the chunks that mention an entity. Terms and keys are sorted, so that numbers do not depend on the reading order.

    Chunks:
    - `document_of`: the document of each chunk; `pages`: its first page (0: unknown); `lengths`: its number of terms.
    - `language_of`: the index of its language in `languages`, which are sorted by frequency ("" if unknown).
    - `rewritten`: whether its summary has words that are not in the chunk.
    - `terms`, `postings`: for each term the chunks that contain it and how often, stemmed in the chunk's language;
      `backwards`: the terms sorted by their reversed spelling.
    - `inner_entities`: the entities whose names are part of an entity's name; chunks mention them with less weight.
    - `chunk_references`: the documents that a chunk refers to; `chunk_neighbours`: the previous and the next chunk.

    Documents:
    - `superseded_by`: the newest document that replaces each, or -1.
    - `title_keys`, `title_documents`: documents by their title, folded by `name_key`.
    - `term_documents`: for each term the documents that readers may name by it (`document_words`).

    Entities:
    - `name_frequency`: the number of chunks with the name; `name_terms`: its terms.
    - `relations`: the RELATED edges as (document, head, tail); `related_entities`: the same in both directions.
    - `entity_keys`, `key_entities`: entities by their folded name.
    - `named_in_title`: for each entry of `entity_chunks`, whether the title of the chunk's document is the name.

    Tags: `tag_aliases` has the other spellings of each tag, one per line; `tag_forms` and `form_tags` map the
    `tag_form` of a spelling to tags.

    The next index is built from this one (`pipelines.retrieve.build_index`) by comparing `entity_hashes`, `tag_hashes`
    and `digests`, the graph's digest for each of `owners` ("" if it must be read again).
    """

    chunks: Strings = field(metadata=_STRINGS)
    documents: Strings = field(metadata=_STRINGS)
    uris: Strings = field(metadata=_STRINGS)
    titles: Strings = field(metadata=_STRINGS)
    media_types: Strings = field(metadata=_STRINGS)
    dates: Strings = field(metadata=_STRINGS)
    superseded_by: Numbers = field(metadata=_NUMBERS)
    document_of: Numbers = field(metadata=_NUMBERS)
    pages: Numbers = field(metadata=_NUMBERS)
    language_names: Strings = field(metadata=_STRINGS)
    language_of: Numbers = field(metadata=_NUMBERS)
    rewritten: NDArray[np.bool_] = field(metadata=_FLAGS)
    lengths: Weights = field(metadata=_WEIGHTS)
    entities: Strings = field(metadata=_STRINGS)
    entity_names: Strings = field(metadata=_STRINGS)
    entity_hashes: NDArray[np.uint8] = field(metadata=_HASHES)
    tag_ids: Strings = field(metadata=_STRINGS)
    tag_names: Strings = field(metadata=_STRINGS)
    tag_aliases: Strings = field(metadata=_STRINGS)
    tag_hashes: NDArray[np.uint8] = field(metadata=_HASHES)
    inner_entities: SparseRows = field(metadata=_ROWS)
    chunk_entities: SparseRows = field(metadata=_ROWS)
    entity_chunks: SparseRows = field(metadata=_ROWS)
    relations: Numbers = field(metadata=_TRIPLES)
    related_entities: SparseRows = field(metadata=_ROWS)
    chunk_references: SparseRows = field(metadata=_ROWS)
    tag_chunks: SparseRows = field(metadata=_ROWS)
    chunk_neighbours: SparseRows = field(metadata=_ROWS)
    document_chunks: SparseRows = field(metadata=_ROWS)
    named_in_title: NDArray[np.bool_] = field(metadata=_FLAGS)
    terms: Strings = field(metadata=_STRINGS)
    backwards: Numbers = field(metadata=_NUMBERS)
    postings: SparseRows = field(metadata=_ROWS)
    term_documents: SparseRows = field(metadata=_ROWS)
    name_terms: SparseRows = field(metadata=_ROWS)
    name_frequency: Numbers = field(metadata=_NUMBERS)
    entity_keys: Strings = field(metadata=_STRINGS)
    key_entities: SparseRows = field(metadata=_ROWS)
    title_keys: Strings = field(metadata=_STRINGS)
    title_documents: SparseRows = field(metadata=_ROWS)
    tag_forms: Strings = field(metadata=_STRINGS)
    form_tags: SparseRows = field(metadata=_ROWS)
    owners: Strings = field(metadata=_STRINGS)
    digests: Strings = field(metadata=_STRINGS)

    @cached_property
    def languages(self) -> tuple[str, ...]:
        """The languages of the chunks, the most frequent first."""
        return tuple(self.language_names)

    @cached_property
    def has_summaries(self) -> bool:
        """Whether any summary has words that are not in its chunk."""
        return bool(self.rewritten.any())

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """The number of each term."""
        return SortedMap(self.terms, int)

    @cached_property
    def entities_by_name(self) -> Mapping[str, tuple[int, ...]]:
        """The entities of each folded name."""
        return SortedMap(self.entity_keys, self.key_entities.numbers_of)

    @cached_property
    def documents_by_title(self) -> Mapping[str, tuple[int, ...]]:
        """The documents of each folded title."""
        return SortedMap(self.title_keys, self.title_documents.numbers_of)

    @cached_property
    def tags_by_form(self) -> Mapping[str, tuple[int, ...]]:
        """The tags of each form of a spelling."""
        return SortedMap(self.tag_forms, self.form_tags.numbers_of)

    @cached_property
    def tag_names_by_form(self) -> Mapping[str, str]:
        """The tag of each form of a spelling; the last if there are several."""
        tags, names = (
            self.form_tags,
            self.tag_names,
        )  # do not capture the index: a reference cycle would keep it in memory
        return SortedMap(self.tag_forms, lambda form: names[tags.columns_of(form)[-1]])

    @cached_property
    def reference_counts(self) -> Numbers:
        """How many chunks refer to each document."""
        return np.bincount(self.chunk_references.columns, minlength=len(self.documents)).astype(np.int32)

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
        """Return the number of a chunk, or None if it is unknown."""
        place = self.chunks.place(chunk)
        return None if place < 0 else place

    def document_number(self, document: str) -> int:
        """Return the number of a document. Raises KeyError."""
        place = self.documents.place(document)
        if place < 0:
            raise KeyError(document)
        return place

    def tag_number(self, name: str) -> int | None:
        """Return the number of the tag with this name, the last if there are several, or None."""
        tags = self.tags_by_form.get(tag_form(name), ())
        return next((tag for tag in reversed(tags) if self.tag_names[tag] == name), None)


NO_INDEX = Index(**{part.name: part.metadata["empty"] for part in fields(Index)})
"""The index of an empty graph."""


def name_key(text: str) -> str:
    """Return the words of a name without accents, separated by blanks: "Kenjirō" and "kenjiro" have the same key."""
    plain = normalize(text)
    return " ".join(_WORD.findall(plain if plain.isascii() else "".join(map(_without_accents, plain))))


def _without_accents(letter: str) -> str:
    """Return a Latin letter without accents; letters of other scripts are unchanged."""
    first = unicodedata.normalize("NFKD", letter)[:1]
    return first if first.isascii() and first.isalpha() else letter


@lru_cache(maxsize=64)
def common_keys(*languages: str) -> frozenset[str]:
    """Return the keys of the stop words of some languages, which are not names: "Más" may be a heading."""
    return frozenset(name_key(word) for language in languages for word in stop_words(language))


def title_keys(title: str, language: str = "") -> Iterator[str]:
    """Yield the keys of a title: the whole title, without brackets, and up to its first comma.

    Keys that consist of stop words of `language` are omitted.
    """
    bare = _BRACKETS.sub("", title).strip()
    for form in dict.fromkeys((title, bare, bare.partition(",")[0])):
        key = name_key(form)
        if len(key) > 1 and not common_keys(language).issuperset(key.split()):
            yield key


def document_words(title: str, uri: str, media_type: str, language: str = "") -> list[str]:
    """Return the terms that readers may use for a document: those of its title, file name and kind."""
    file = uri.rsplit("/", 1)[-1].rpartition(".")[0] if "." in uri else ""
    text = f"{title} {file} {kind_words(media_type, language)}"
    return list(dict.fromkeys(terms(text, language)))


def word_ngrams(text: str, longest: int = LONGEST_NAME) -> Iterator[tuple[int, int, str]]:
    """Yield all n-grams of up to `longest` words as (first word, end, key), longest first."""
    words = name_key(text).split()
    for size in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - size + 1):
            yield start, start + size, " ".join(words[start : start + size])
